"""Plots on a terminal, in block characters: bars, lines on a grid, and shaded cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.style import Style
from rich.text import Text

from cranfield.arrays import Floats, Ints
from cranfield.present.plots.data import Bars, Cells, Dots, Lines, Sketch
from cranfield.present.plots.drawing import LONGEST, shortened
from cranfield.present.plots.plot import Plot
from cranfield.present.table import visible
from cranfield.text import counted

SIGNS = "●■▲◆✚▼▶"  # in the same order as the shapes of graphical plots
SHADES = " ░▒▓█"
MARK = "┊"
JOINED, DIAGONAL = "·", "╱"
EIGHTHS = "▏▎▍▌▋▊▉█"
STYLES = [Style(color=name) for name in ("blue", "red", "green", "magenta", "yellow", "cyan", "white")]
FEWEST = 20  # minimum width of a bar or a grid, in columns
ROWS, WIDEST = 16, 100  # of a grid
MOST = 60  # bars
HALF = 0.5


def printed(plot: Plot, console: Console) -> None:
    """Print a text version of a plot, with its title above and its notes below."""
    console.print(Text(visible(plot.title), style="bold"), end="\n\n", soft_wrap=True)
    for line in drawn(plot.sketch, plot.data, console.width):
        console.print(line, soft_wrap=True)
    lines = [text for text in (plot.about, *plot.notes) if text]
    for place, text in enumerate(lines):
        console.print(Text(("" if place else "\n") + visible(text), style="dim"), soft_wrap=True)


def drawn(sketch: Sketch, table: pa.Table, width: int) -> Iterator[Text]:
    """The lines of the drawing."""
    if isinstance(sketch, Bars):
        return _bars(sketch, table, width)
    if isinstance(sketch, Lines):
        return _lines(sketch, _rows_shown(table, sketch.only), width)
    if isinstance(sketch, Dots):
        return _dots(sketch, table, width)
    return _cells(sketch, _rows_shown(table, sketch.only), width)


def _rows_shown(table: pa.Table, only: tuple[str, str] | None) -> pa.Table:
    return table if only is None else table.filter(pc.equal(table[only[0]], only[1]))


def _words(values: Iterable[Any], longest: int) -> str:
    return shortened(" ".join(map(_shown, values)), longest)


def _longest(width: int) -> int:
    """The maximum width of a label, in columns."""
    return max(8, min(LONGEST, width // 3 - 1))


def _shown(value: Any) -> str:
    if value is None:
        return "·"
    return visible(value) if isinstance(value, str) else f"{value:.4g}"


# bars


def _bars(sketch: Bars, table: pa.Table, width: int) -> Iterator[Text]:
    means = [{sketch.label[0]: name, sketch.value: mean} for name, mean in sketch.means]
    rows: list[dict[str, Any]] = means or table.to_pylist()
    labels = [_words((row[column] for column in sketch.label), _longest(width)) for row in rows]
    values = [row[sketch.value] for row in rows]
    known = [value for value in values if value is not None]
    low, high = min(0.0, *known, 0.0), max(0.0, *known, 0.0)
    figures = [f"{value:.{sketch.digits}f}" if value is not None else "–" for value in values]
    beside = min(LONGEST, max(map(cell_len, labels), default=0))
    room = max(FEWEST, width - beside - max(map(len, figures), default=0) - 3)
    zero = round(room * -low / (high - low)) if low < 0 else 0
    for label, value, figure in list(zip(labels, values, figures, strict=True))[:MOST]:
        bar = _bar(0.0 if value is None else value, low, high, room, zero)
        yield Text.assemble(set_cell_size(label, beside), " ", bar, " ", figure)
    if len(rows) > MOST:
        yield Text(f"… and {len(rows) - MOST} more")


def _bar(value: float, low: float, high: float, room: int, zero: int) -> Text:
    if value < 0:
        length = round(zero * value / low) if low else 0
        return Text(" " * (zero - length) + "█" * length + " " * (room - zero), STYLES[1])
    eighths = round(8 * (room - zero) * value / high) if high else 0
    whole, part = divmod(eighths, 8)
    text = " " * zero + "█" * whole + (EIGHTHS[part - 1] if part else "")
    return Text(text.ljust(room), STYLES[0])


# lines


def _lines(sketch: Lines, table: pa.Table, width: int) -> Iterator[Text]:
    x, y = _numbers(table, sketch.x), _numbers(table, sketch.y)
    names = pc.unique(table[sketch.by]).to_pylist()
    (left, right), (low, high) = _reach(x), _reach(y)
    across = np.linspace(left, right, _columns(_heads(sketch, (low, high)), width))
    grid = np.full((ROWS, len(across)), -1)
    for name, joined in _joined(sketch, table):
        _draw(grid, _heights(x[joined], y[joined], across), (low, high), names.index(name))
    signs = [[*map(_sign, row)] for row in grid.tolist()]
    if sketch.points:
        column = np.abs(across[:, None] - x).argmin(axis=0)
        series = [names.index(name) for name in table[sketch.by].to_pylist()]
        _mark_points(signs, [*zip(_rows_at(y, (low, high)), column, series, strict=True)])
    if sketch.diagonal:
        _draw_diagonal(signs, across, (low, high))
    if sketch.mark is not None:
        _mark(signs, (sketch.mark[0] - left) / (right - left))
    yield from _framed(sketch, signs, (left, right), (low, high))
    for place, name in enumerate(names):
        yield Text.assemble(_sign(place), " ", shortened(str(name)))
    if sketch.diagonal:
        yield Text(f"{DIAGONAL} {sketch.diagonal}")
    if sketch.mark is not None:
        yield Text(f"{MARK} {sketch.mark[1]}")


def _rows_at(y: Floats, ends: tuple[float, float]) -> Ints:
    """The rows of a grid at these heights."""
    low, high = ends
    return np.clip(((high - y) / (high - low) * (ROWS - 1)).round().astype(int), 0, ROWS - 1)


def _draw(grid: Ints, up: Floats, ends: tuple[float, float], place: int) -> None:
    """Draw a line of these heights, one per column, into a grid."""
    known = np.flatnonzero(~np.isnan(up))
    grid[_rows_at(up[known], ends), known] = place


def _mark_points(signs: list[list[Any]], points: Sequence[tuple[int, int, int]]) -> None:
    """Draw points, by row, column and series, in the signs of their series, and the lines between them as dots."""
    for row in signs:
        row[:] = [(JOINED, sign[1]) if isinstance(sign, tuple) else sign for sign in row]
    for number, column, place in points:
        signs[number][column] = _sign(place)


def _draw_diagonal(signs: list[list[Any]], across: Floats, ends: tuple[float, float]) -> None:
    """Draw one character of the diagonal into each row, wherever there is nothing else."""
    for number, height in enumerate(np.linspace(ends[1], ends[0], ROWS)):
        column = int(np.abs(across - height).argmin())
        if across[0] <= height <= across[-1] and signs[number][column] == " ":
            signs[number][column] = DIAGONAL


def _joined(sketch: Lines, table: pa.Table) -> Iterator[tuple[Any, Ints]]:
    """The rows that a line joins, with the name of their series."""
    rows: dict[tuple[Any, Any], list[int]] = {}
    stretches = table[sketch.stretch].to_pylist() if sketch.stretch else [0] * table.num_rows
    for place, (name, stretch) in enumerate(zip(table[sketch.by].to_pylist(), stretches, strict=True)):
        rows.setdefault((name, f"row {place}" if stretch is None else stretch), []).append(place)
    yield from ((name, np.array(places)) for (name, _), places in rows.items())


def _mark(signs: list[list[Any]], proportion: float) -> None:
    """Draw a mark at a fraction of the width, wherever there is no line."""
    place = round(min(max(proportion, 0.0), 1.0) * (len(signs[0]) - 1))
    for row in signs:
        row[place] = MARK if row[place] == " " else row[place]


def _numbers(table: pa.Table, column: str) -> np.ndarray:
    return np.asarray(table[column].to_numpy(zero_copy_only=False), np.float64)


def _heads(sketch: Lines | Dots, ends: tuple[float, float]) -> dict[int, str]:
    """The texts in front of the first and the last row of a grid."""
    return {0: sketch.figure(ends[1]), ROWS - 1: sketch.figure(ends[0])}


def _columns(heads: dict[int, str], width: int) -> int:
    """The number of columns left for a grid."""
    return max(FEWEST, min(width, WIDEST) - max(map(len, heads.values())) - 2)


def _framed(
    sketch: Lines | Dots, rows: Sequence[Sequence[Any]], across: tuple[float, float], up: tuple[float, float]
) -> Iterator[Text]:
    """Rows of characters with axes on the left and below."""
    heads, columns = _heads(sketch, up), len(rows[0])
    margin = max(map(len, heads.values()))
    yield Text(visible(sketch.up or sketch.y))
    for number, row in enumerate(rows):
        head = f"{heads[number]:>{margin}} ┤" if number in heads else " " * (margin + 1) + "│"
        yield Text.assemble(head, *row)
    start, end = map(sketch.figure, across)
    yield Text(" " * (margin + 1) + "└" + "─" * columns)
    yield Text(" " * (margin + 2) + start + end.rjust(columns - len(start)))
    yield Text(" " * (margin + 2) + visible(sketch.across or sketch.x).center(columns).rstrip())


def _sign(place: int) -> str | tuple[str, Style]:
    """The character of a line, or a blank if there is none."""
    if place < 0:
        return " "
    turn = place + place // len(SIGNS)  # characters are reused in other colours
    return SIGNS[place % len(SIGNS)], STYLES[turn % len(STYLES)]


def _reach(values: np.ndarray) -> tuple[float, float]:
    """The range of the values; for rates from 0, and to 1 unless all are low or there are none."""
    if not np.isfinite(values).any():
        return 0.0, 1.0
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 1:
        return 0.0, 1.0 if high > HALF else high or 1.0
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _heights(x: np.ndarray, y: np.ndarray, across: np.ndarray) -> np.ndarray:
    """The height of a line at each position, NaN beyond its ends; a single point is at the nearest position."""
    if len(x) == 1:
        return np.where(np.arange(len(across)) == np.abs(across - x[0]).argmin(), y[0], np.nan)
    order = np.argsort(x, kind="stable")
    return np.interp(across, x[order], y[order], left=np.nan, right=np.nan)


# dots


def _dots(sketch: Dots, table: pa.Table, width: int) -> Iterator[Text]:
    x, y, n = (_numbers(table, column) for column in (sketch.x, sketch.y, sketch.n))
    across, up = _reach(x), _reach(y)
    columns = _columns(_heads(sketch, up), width)
    if (n > 1).any():
        columns = max(FEWEST, min(columns, len(np.unique(x))))  # keep the items of a cell together
    counted, _, _ = np.histogram2d(y, x, (ROWS, columns), range=[up, across], weights=n)
    dark = np.log1p(counted[::-1]) / max(np.log1p(counted.max()), 1e-9)
    shade = np.ceil(dark * (len(SHADES) - 1)).astype(int)
    yield from _framed(sketch, [[SHADES[place] for place in row] for row in shade.tolist()], across, up)


# cells


def _rows(sketch: Cells, table: pa.Table) -> dict[tuple[Any, ...], dict[tuple[Any, ...], tuple[float | None, str]]]:
    """The shade and the text of each cell, by the values that name its row and its column."""
    rows: dict[tuple[Any, ...], dict[tuple[Any, ...], tuple[float | None, str]]] = {}
    for record in table.to_pylist():
        name = f"{record[sketch.name]} " if sketch.name and record[sketch.name] else ""
        cell = (record[sketch.value], name + _shown(record[sketch.text]))
        rows.setdefault(tuple(record[column] for column in sketch.row), {})[(record[sketch.column],)] = cell
    return rows


def _cells(sketch: Cells, table: pa.Table, width: int) -> Iterator[Text]:
    rows = _rows(sketch, table)
    columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    if rows.keys() == set(columns):
        columns = list(rows)  # the columns of a square table follow the order of its rows
    labels, heads = [_words(row, _longest(width)) for row in rows], [_shown(column) for (column,) in columns]
    known = [value for cells in rows.values() for value, _ in cells.values() if value is not None]
    top = max(map(abs, known), default=1.0) or 1.0
    beside = min(LONGEST, max(map(cell_len, labels), default=0))
    wide = max([cell_len(text) for cells in rows.values() for _, text in cells.values()] + [1]) + 1
    wide = max(wide, min(max(map(cell_len, heads), default=1), 10))
    fit = max(1, (width - beside - 1) // (wide + 1))
    yield Text(" " * beside + "".join(" " + set_cell_size(head, wide).rstrip().rjust(wide) for head in heads[:fit]))
    for label, cells in zip(labels, rows.values(), strict=True):
        line = Text(set_cell_size(label, beside))
        for column in columns[:fit]:
            value, text = cells.get(column, (None, ""))
            shade = SHADES[0 if value is None else round(abs(value) / top * (len(SHADES) - 1))]
            line.append(" " + shade * (wide - cell_len(text)) + text)
        yield line
    if fit < len(columns):
        yield Text(f"… and {counted(len(columns) - fit, 'more column')}")
