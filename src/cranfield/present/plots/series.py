"""Series: how several systems are told apart in one picture, and named where they are rather than in a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.present.plots.plot import DATA
from cranfield.present.plots.theme import DASHES, SHAPES
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 480, 340
SQUARE = 400
LINE = 14.0  # pixels from one label to the next
LETTER = 6.0  # pixels of a letter of a label, on average
LONGEST = 28  # letters of a name beside its line
SAMPLE = 30  # pixels of the piece of line before a name
BESIDE = 12  # pixels from the frame to the labels beside it
BELOW = 54  # and to those below, which leaves room for the axis


# what `shortened` does, for the labels of an axis
_SHORTENED = (
    f"length(datum.label) > {LONGEST} "
    f"? slice(datum.label, 0, {LONGEST // 2 - 1}) + '…' + slice(datum.label, {-(LONGEST // 2)}) : datum.label"
)


def data(**where: str) -> Chart:
    """Marks for the rows of the plot's table, or for those that have a value in a column."""
    chart = alt.Chart(alt.NamedData(name=DATA))
    for column, value in where.items():
        chart = chart.transform_filter(alt.FieldEqualPredicate(field=column, equal=value))
    return chart


def path(**where: str) -> Chart:
    """Marks for rows that are joined in their order, where x alone does not order them."""
    return data(**where).transform_window(place="row_number()").encode(order="place:Q")


def inline(rows: Sequence[dict[str, Any]]) -> Chart:
    """Marks for rows that are no data, such as guides and labels."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def coloured(names: Sequence[str], field: str = "system") -> alt.Color:
    """A colour for each name, from the theme."""
    return alt.Color(field, type="nominal", legend=None, scale=alt.Scale(domain=[*map(visible, names)]))


def dashed(names: Sequence[str], field: str = "system") -> alt.StrokeDash:
    """Dashes for each name."""
    scale = alt.Scale(domain=[*map(visible, names)], range=cycled(DASHES, len(names)))
    return alt.StrokeDash(field, type="nominal", legend=None, scale=scale)


def shaped(names: Sequence[str], field: str = "system") -> alt.Shape:
    """A shape for each name."""
    scale = alt.Scale(domain=[*map(visible, names)], range=cycled(SHAPES, len(names)))
    return alt.Shape(field, type="nominal", legend=None, scale=scale)


def cycled(signs: Sequence[Any], n: int) -> list[Any]:
    """So many of the signs, from the first again when all are used.

    There are as many dashes as colours; from the second round on they are shifted, so that pairs differ.
    """
    return [signs[(place + place // len(signs)) % len(signs)] for place in range(n)]


def quantity(field: str, title: str, low: float, high: float, **axis: Any) -> dict[str, Any]:
    """An axis from low to high."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": alt.Scale(domain=[low, high], nice=False, zero=False),
        "title": title,
        "axis": alt.Axis(**axis),
    }


def told(*words: str, numbers: Sequence[str]) -> list[alt.Tooltip]:
    """What is told of a mark when it is pointed at: the columns of its row."""
    return [
        *(alt.Tooltip(word, type="nominal") for word in words),
        *(alt.Tooltip(number, type="quantitative", format=".4~g") for number in numbers),
    ]


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name that leaves room for the picture, its middle left out: names that are alike differ at the end.

    What is pointed at, and the table, have it whole.
    """
    shown = visible(name)
    return shown if len(shown) <= longest else f"{shown[: longest // 2 - 1]}…{shown[-longest // 2 :]}"


def with_figures(figures: Mapping[str, float], measure: str) -> list[str]:
    """Each name with its value of a measure; of one alone, the value."""
    several = len(figures) > 1
    return [f"{f'{shortened(name)}, ' * several}{measure} {value:z.3f}" for name, value in figures.items()]


def bare(**axis: Any) -> alt.Axis:
    """An axis of names, without line and ticks; of a long name the middle is left out."""
    usual: dict[str, Any] = {"ticks": False, "domain": False, "grid": False, "labelPadding": 8, "labelExpr": _SHORTENED}
    return alt.Axis(**usual | axis)


def spread(place: Floats, gap: float, low: float, high: float) -> Floats:
    """The places moved as little as it takes to lie at least a gap apart, and between low and high."""
    order = np.argsort(place, kind="stable")
    shift = gap * np.arange(len(place))
    pools: list[tuple[float, int]] = []
    for value in place[order] - shift:
        total, n = float(value), 1
        while pools and pools[-1][0] / pools[-1][1] > total / n:
            total, n = total + pools[-1][0], n + pools[-1][1]
            pools.pop()
        pools.append((total, n))
    kept = np.repeat([total / n for total, n in pools], [n for _, n in pools])
    moved = np.empty(len(place))
    moved[order] = np.clip(kept, low, max(low, high - shift[-1])) + shift
    return moved


def named_beside(
    names: Sequence[str],
    height: Sequence[float],
    domain: tuple[float, float],
    *,
    pixels: float = HEIGHT,
    right: float = WIDTH,
    field: str = "system",
    dashes: bool = False,
) -> Chart:
    """The names to the right of the frame, each at the height where its line ends, and its sign before it.

    The sign is the shape of its points, or, of a line without points, its dashes.
    """
    low, high = domain
    unit = (high - low) / pixels
    place = spread(np.asarray(height, np.float64), LINE * unit, low, high)
    rows = [
        {field: visible(name), "text": shortened(name), "at": float(at)} for name, at in zip(names, place, strict=True)
    ]
    marks = inline(rows).encode(y=alt.Y("at:Q", scale=alt.Scale(domain=[low, high])), color=coloured(names, field))
    start = right + BESIDE / 2 if dashes else right + BESIDE - SAMPLE
    signs = _pieces(marks, names, field, start) if dashes else _points(marks, names, field, right + BESIDE)
    words = inline(rows).mark_text(style="label", align="left", dx=8, baseline="middle")
    return alt.layer(signs, words.encode(x=alt.value(start + SAMPLE), y=alt.Y("at:Q"), text="text:N"))


def _pieces(marks: Chart, names: Sequence[str], field: str, start: float) -> Chart:
    """A piece of each line, with its dashes."""
    ends = {"x": alt.value(start), "x2": alt.value(start + SAMPLE)}
    return marks.mark_rule(strokeWidth=2).encode(**ends, strokeDash=dashed(names, field), tooltip=alt.value(None))


def _points(marks: Chart, names: Sequence[str], field: str, x: float) -> Chart:
    """A point for each name, in the shape of those on its line."""
    return marks.mark_point(size=45).encode(x=alt.value(x), shape=shaped(names, field), tooltip=alt.value(None))


def roomy(values: Floats, *, zero: bool = False, tight: bool = False) -> tuple[float, float]:
    """A domain a little wider than the values; from 0 to 1 where they lie between, unless it shall be tight."""
    low, high = float(np.min(values, initial=np.inf)), float(np.max(values, initial=-np.inf))
    if not np.isfinite([low, high]).all():
        return 0.0, 1.0
    if not (zero or tight) and low >= 0 and high <= 1:
        return 0.0, 1.0
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.05 * (high - low) or 0.5
    return (low - margin if low else low), (high + margin if high else high)


def named_below(names: Sequence[str], texts: Sequence[str], *, pixels: float = SQUARE) -> Chart:
    """The names in rows below the frame and its axis, where no line can run, each after a piece of its line."""
    rows = [
        {"system": visible(name), "text": visible(text), "at": pixels + BELOW + LINE * place}
        for place, (name, text) in enumerate(zip(names, texts, strict=True))
    ]
    height = alt.value(alt.ExprRef("datum.at"))
    lines = inline(rows).mark_rule(strokeWidth=2).encode(x=alt.value(0), x2=alt.value(SAMPLE), y=height)
    words = inline(rows).mark_text(style="label", align="left", baseline="middle")
    return alt.layer(
        lines.encode(color=coloured(names), strokeDash=dashed(names)),
        words.encode(x=alt.value(SAMPLE + 6), y=height, text="text:N"),
    )
