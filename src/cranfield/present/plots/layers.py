"""Layers: marks for the rows of the plot's table, and marks that do not represent data, such as guides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.present.plots.plot import DATA
from cranfield.present.plots.vega import Chart, alt


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
