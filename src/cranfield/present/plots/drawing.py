"""Axes: the sizes of plots, scales of numbers, and tooltips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.present.plots.plot import DATA
from cranfield.present.plots.theme import DASHES, SHAPES
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.text import brief

WIDTH, HEIGHT = 480, 340
SQUARE = 400
TITLES = {"fallout": "false positive rate", "miss_rate": "false negative rate"}  # of columns in tooltips


def quantity(field: str, title: str, low: float, high: float, **axis: Any) -> dict[str, Any]:
    """A quantitative axis from low to high."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": alt.Scale(domain=[low, high], nice=False, zero=False),
        "title": title,
        "axis": alt.Axis(**axis),
    }


def tooltip(*words: str, numbers: Sequence[str]) -> list[alt.Tooltip]:
    """The columns shown in the tooltip of a mark."""
    return [
        *(alt.Tooltip(word, type="nominal") for word in words),
        *(alt.Tooltip(name, type="quantitative", format=".4~g", title=_title(name)) for name in numbers),
    ]


def _title(column: str) -> str:
    return TITLES.get(column, column.replace("_", " "))


def roomy(values: Floats, *, zero: bool = False, tight: bool = False) -> tuple[float, float]:
    """A domain slightly wider than the values; 0 to 1 if they lie within, unless `tight`."""
    low, high = float(np.min(values, initial=np.inf)), float(np.max(values, initial=-np.inf))
    if not np.isfinite([low, high]).all():
        return 0.0, 1.0
    if not (zero or tight) and low >= 0 and high <= 1:
        return 0.0, 1.0
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.05 * (high - low) or 0.5
    return (low - margin if low else low), (high + margin if high else high)


# Layers: marks for the rows of the plot's table, and marks that do not represent data, such as guides


def data(**where: str) -> Chart:
    """Marks for the rows of the plot's table, or for those with the given values in the given columns."""
    chart = alt.Chart(alt.NamedData(name=DATA))
    for column, value in where.items():
        chart = chart.transform_filter(alt.FieldEqualPredicate(field=column, equal=value))
    return chart


def path(**where: str) -> Chart:
    """Marks for rows that are connected in table order rather than by x."""
    return data(**where).transform_window(place="row_number()").encode(order=alt.Order("place:Q"))


def inline(rows: Sequence[dict[str, Any]]) -> Chart:
    """Marks that do not represent data, such as guides and labels."""
    return alt.Chart(alt.InlineData(values=tuple(rows)))  # not a list, which Altair would copy with every layer


def placed(x: str, y: str) -> dict[str, Any]:
    """Columns of numbers on both axes, whose scales and titles are those of other layers."""
    return {"x": alt.X(f"{x}:Q"), "y": alt.Y(f"{y}:Q")}


def reference(*, at: float, **axis: str) -> Chart:
    """A dashed line across the plot where a column has this value, as in `reference(y="power", at=0.8)`."""
    channels: dict[str, Any] = {"x": alt.X, "y": alt.Y}
    columns = {channel: channels[channel](f"{column}:Q") for channel, column in axis.items()}
    return inline([dict.fromkeys(axis.values(), at)]).mark_rule(style="reference").encode(**columns)


def reference_line(rows: Sequence[dict[str, Any]], x: str, y: str) -> Chart:
    """A dashed line through these points."""
    return inline(rows).mark_line(style="reference").encode(**placed(x, y))


def diagonal(x: str, y: str) -> Chart:
    """The diagonal: random guessing, or perfect calibration."""
    return reference_line([{x: 0, y: 0}, {x: 1, y: 1}], x, y)


def isolines(
    rows: Sequence[dict[str, Any]], labels: Sequence[dict[str, Any]], x: str, y: str, dy: int = -7, **text: Any
) -> list[Chart]:
    """Lines along which `level` is constant, and their labels."""
    lines = inline(rows).mark_line(style="isoline", strokeWidth=1).encode(**placed(x, y), detail=alt.Detail("level:N"))
    return [lines, texts(labels, x, y, "label", style="isoline-name", dy=dy, **text)]


def texts(rows: Sequence[dict[str, Any]], x: str, y: str, column: str = "text", **mark: Any) -> Chart:
    """The texts in a column, at these points."""
    return inline(rows).mark_text(**mark).encode(**placed(x, y), text=alt.Text(f"{column}:N"))


def beside_points(
    rows: Sequence[dict[str, Any]], left: Sequence[bool], x: str, y: str, styles: Sequence[str] = ("label",)
) -> list[Chart]:
    """The texts of points, each on the right of its point or, near the right edge of the frame, on its left."""
    marks = []
    for side in (False, True):
        shown = [row for row, on_left in zip(rows, left, strict=True) if on_left == side]
        place: dict[str, Any] = {"align": "right" if side else "left", "dx": -9 if side else 9, "dy": -9}
        marks += [texts(shown, x, y, style=style, **place) for style in styles if shown]
    return marks


def text_on_shade(marks: Chart, dark: str, x: alt.X, y: alt.Y, text: alt.Text, **mark: Any) -> list[Chart]:
    """Readable text on shaded cells: in the background colour where the expression `dark` holds."""
    return [
        marks.transform_filter(f"({dark}) === {condition}").mark_text(style=style, **mark).encode(x=x, y=y, text=text)
        for condition, style in (("false", "label"), ("true", "inverse"))
    ]


# Series: colours, dashes and shapes that distinguish systems, and labels next to the lines instead of a legend


LINE = 14.0  # pixels between the baselines of two labels
LETTER = 6.0  # mean width of a letter in a label, in pixels
LONGEST = 28  # maximum length of a name next to its line
SAMPLE = 30  # pixels of the line sample before a name
BESIDE = 12  # pixels between the frame and the labels on its right
GAP = 9.0  # pixels between a point and its label
ROOM = 13.0  # pixels per line of text
BELOW = 54  # pixels between the frame and the labels below the axis


# `shortened` as a Vega expression, for axis labels
_SHORTENED = (
    f"length(datum.label) > {LONGEST} "
    f"? slice(datum.label, 0, {LONGEST // 2 - 1}) + '…' + slice(datum.label, {-(LONGEST // 2)}) : datum.label"
)


def coloured(names: Sequence[str], field: str = "system") -> alt.Color:
    """One colour per name, from the theme."""
    return alt.Color(field, type="nominal", legend=None, scale=alt.Scale(domain=[*map(visible, names)]))


def dashed(names: Sequence[str], field: str = "system") -> alt.StrokeDash:
    """One dash pattern per name."""
    scale = alt.Scale(domain=[*map(visible, names)], range=cycled(DASHES, len(names)))
    return alt.StrokeDash(field, type="nominal", legend=None, scale=scale)


def shaped(names: Sequence[str], field: str = "system") -> alt.Shape:
    """One shape per name."""
    scale = alt.Scale(domain=[*map(visible, names)], range=cycled(SHAPES, len(names)))
    return alt.Shape(field, type="nominal", legend=None, scale=scale)


def cycled(signs: Sequence[Any], n: int) -> list[Any]:
    """The first n signs, starting over when all are used.

    There are as many dash patterns as colours; each new round is shifted, so that combinations do not repeat.
    """
    return [signs[(place + place // len(signs)) % len(signs)] for place in range(n)]


def series_lines(lines: Chart, names: Sequence[str], x: alt.X, y: alt.Y, tips: list[alt.Tooltip], **more: Any) -> Chart:
    """Lines with one colour and dash pattern per name."""
    field = more.pop("field", "system")
    colour, dashes = coloured(names, field), dashed(names, field)
    return lines.encode(x=x, y=y, color=colour, strokeDash=dashes, tooltip=tips, **more)


def shortened(name: str, longest: int = LONGEST) -> str:
    """A long name with its middle left out, since similar names usually differ at the end.

    Tooltips and the data table show the full name.
    """
    return brief(visible(name), longest)


def with_figures(figures: Mapping[str, float], measure: str, *, several: bool | None = None) -> list[str]:
    """Each name with its value of a measure; only the value if there is a single name."""
    several = len(figures) > 1 if several is None else several
    return [f"{f'{shortened(name)}, ' * several}{measure} {value:z.3f}" for name, value in figures.items()]


def bare(**axis: Any) -> alt.Axis:
    """An axis of names without line and ticks; long names are shortened."""
    defaults: dict[str, Any] = {"ticks": False, "domain": False, "grid": False, "labelPadding": 8}
    return alt.Axis(**defaults | {"labelExpr": _SHORTENED} | axis)


def spread(place: Floats, gap: float, low: float, high: float) -> Floats:
    """The positions moved as little as possible so that they are at least a gap apart and between low and high."""
    order = np.argsort(place, kind="stable")
    shift = gap * np.arange(len(place))
    pools: list[tuple[float, int]] = []
    for value in place[order] - shift:
        total, n = float(value), 1
        while pools and pools[-1][0] / pools[-1][1] > total / n:
            total, n = total + pools[-1][0], n + pools[-1][1]
            pools.pop()
        pools.append((total, n))
    level = np.repeat([total / n for total, n in pools], [n for _, n in pools])
    moved = np.empty(len(place))
    moved[order] = np.clip(level, low, max(low, high - shift[-1])) + shift
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
    """Names to the right of the frame at the height where their lines end, each after its point shape.

    Lines without points show their dash pattern instead.
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
    return alt.layer(signs, words.encode(x=alt.XValue(start + SAMPLE), y=alt.Y("at:Q"), text=alt.Text("text:N")))


def _pieces(marks: Chart, names: Sequence[str], field: str, start: float) -> Chart:
    """A sample of each line with its dash pattern."""
    ends = {"x": alt.XValue(start), "x2": alt.X2Value(start + SAMPLE)}
    return marks.mark_rule(strokeWidth=2).encode(
        **ends, strokeDash=dashed(names, field), tooltip=alt.TooltipValue(None)
    )


def _points(marks: Chart, names: Sequence[str], field: str, x: float) -> Chart:
    """One point per name, in the shape used on its line."""
    return marks.mark_point(size=45).encode(x=alt.XValue(x), shape=shaped(names, field), tooltip=alt.TooltipValue(None))


def named_below(names: Sequence[str], texts: Sequence[str], *, signs: Sequence[str] = ()) -> Chart:
    """Names in rows below the frame and its axis, each after a sample of its line, or its point if among `signs`."""
    rows = [
        {"system": visible(name), "text": visible(text), "at": SQUARE + BELOW + LINE * place, "sign": name in signs}
        for place, (name, text) in enumerate(zip(names, texts, strict=True))
    ]
    height, colour = alt.YValue(alt.ExprRef("datum.at")), coloured(names)
    words = inline(rows).mark_text(style="label", align="left", baseline="middle")
    samples = []
    if lines := [row for row in rows if not row["sign"]]:
        marks = inline(lines).mark_rule(strokeWidth=2).encode(x=alt.XValue(0), x2=alt.X2Value(SAMPLE), y=height)
        samples.append(marks.encode(color=colour, strokeDash=dashed(names)))
    if dots := [row for row in rows if row["sign"]]:
        marks = inline(dots).mark_point(size=60).encode(x=alt.XValue(SAMPLE / 2), y=height)
        samples.append(marks.encode(color=colour, shape=shaped(names)))
    return alt.layer(*samples, words.encode(x=alt.XValue(SAMPLE + 6), y=height, text=alt.Text("text:N")))


def uncrowded(names: list[str], x: Floats, y: Floats) -> list[int]:
    """The points that can be labelled without overlapping points or other labels, the most important first."""
    uncrowded_places: list[int] = []
    start = x + GAP
    end = start + [LETTER * len(name) for name in names]
    for place in range(len(names)):
        level = np.abs(y - y[place]) < ROOM / 2
        on_point = level & (x > x[place]) & (x < end[place])
        on_name = any(
            abs(y[place] - y[other]) < ROOM and start[place] < end[other] and start[other] < end[place]
            for other in uncrowded_places
        )
        if not on_point.any() and not on_name:
            uncrowded_places.append(place)
    return uncrowded_places
