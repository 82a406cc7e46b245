"""The leaderboard: systems from the best down, how sure each figure is, and whom each system is shown to beat."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase

import numpy as np

from cranfield.present.results import DIGITS, overview, ranked
from cranfield.present.table import Cell, Column, Row, Table
from cranfield.results.comparison import Compared, Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result

MOST_MARKED = 10  # systems; marks of more would be longer than the figures

Marks = dict[tuple[str, str], str]


def leaderboard(
    result: Result,
    *,
    intervals: Intervals | None = None,
    comparison: Comparison | None = None,
    tiers: Mapping[str, str] | None = None,
    digits: int = DIGITS,
) -> Table:
    """A row for each system, the best by the first measure on top; marks say what it differs from significantly.

    `tiers` are the letters of the groups each system belongs to. The intervals stand in columns of their own.
    """
    ordered = ranked(result, result.measures[0])
    plain = overview(ordered, digits=digits)
    letters = _letters(ordered, comparison)
    marks = {} if comparison is None else _marks(comparison, letters)
    columns: list[Column] = [Column("")] if letters else []
    columns += [plain.columns[0], *([Column("tier")] if tiers else [])]
    for column in plain.columns[1:]:
        columns += [column, *([Column(f"{column.name} {intervals.confidence:.0%}")] if intervals else [])]
    rows = [_row(row, plain, letters, tiers, intervals, marks) for row in plain.rows]
    return Table(tuple(columns), tuple(rows), notes=(*plain.notes, *_said(comparison, letters)))


def _row(
    row: Row,
    plain: Table,
    letters: Mapping[str, str],
    tiers: Mapping[str, str] | None,
    intervals: Intervals | None,
    marks: Marks,
) -> Row:
    system = str(row[0].value)
    cells = [Cell(letters[system])] if letters else []
    cells += [row[0], *([Cell(tiers.get(system) or "alone")] if tiers else [])]
    for cell, column in zip(row[1:], plain.columns[1:], strict=True):
        cells.append(Cell(cell.value, cell.best, marks.get((system, column.name), "")))
        if intervals:
            cells.append(Cell(_bounds(*intervals[system, column.name], column)))
    return tuple(cells)


def bounds(board: Table, intervals: Intervals) -> tuple[tuple[str, ...], ...]:
    """The interval of each figure of a leaderboard that has no columns for them, nothing where there is none."""
    place = next(place for place, column in enumerate(board.columns) if column.name == "system")
    return tuple(
        tuple(
            _bounds(*intervals[str(row[place].value), column.name], column) if column.numeric else ""
            for column in board.columns
        )
        for row in board.rows
    )


def _bounds(low: float, high: float, column: Column) -> str:
    return "" if np.isnan(low) or np.isnan(high) else f"{column.shown(low)} – {column.shown(high)}"


def _letters(result: Result, comparison: Comparison | None) -> dict[str, str]:
    """A letter for each system, by which the marks of the others name it; none where all are compared with one."""
    if comparison is None or _baseline(comparison) or not 2 <= len(result.systems) <= MOST_MARKED:
        return {}
    return dict(zip(result.systems, ascii_uppercase, strict=False))


def _baseline(comparison: Comparison) -> str | None:
    """The one system that all others are compared with, if there is one; two systems are compared with each other."""
    names = {row.baseline for row in comparison.rows}
    return names.pop() if len(names) == 1 else None


def _marks(comparison: Comparison, letters: Mapping[str, str]) -> Marks:
    """Beside each figure the letters of the systems it is significantly better than, or a star for the baseline."""
    beaten: dict[tuple[str, str], list[str]] = {}
    baseline = _baseline(comparison)
    for row in comparison.rows:
        if not row.significant:
            continue
        if baseline is not None:
            beaten.setdefault((row.system, row.measure), []).append("*")
        elif letters:
            winner, loser = _better(row)
            beaten.setdefault((winner, row.measure), []).append(letters[loser])
    return {key: "".join(sorted(signs)) for key, signs in beaten.items()}


def _better(row: Compared) -> tuple[str, str]:
    """The system whose values are better more often on average, and the other."""
    from cranfield.registry import parse

    rising = parse(row.measure).family.higher_is_better is not False
    ahead = (row.difference > 0) == rising
    return (row.system, row.baseline) if ahead else (row.baseline, row.system)


def _said(comparison: Comparison | None, letters: Mapping[str, str]) -> tuple[str, ...]:
    if comparison is None:
        return ()
    how = f"{comparison.test.title}, level {comparison.level:g}"
    if comparison.correction != "none":
        how += f", {comparison.correction} over {len(comparison)} comparisons"
    if baseline := _baseline(comparison):
        return (f"* differs significantly from {baseline} ({how})",)
    return (f"letters: significantly better than the systems so named ({how})",) if letters else ()
