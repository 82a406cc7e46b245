"""Predicted values: against the actual ones, what is left over, and how that is distributed."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.assessment.regression import Regression
from cranfield.errors import BadInput
from cranfield.evidence.residuals import Residuals
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.series import HEIGHT, SQUARE, WIDTH, data, inline, quantity, roomy, told
from cranfield.present.plots.thinning import FEW
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars, Dots
from cranfield.results.writing import decoded

Floats = NDArray[np.float64]
Domain = tuple[float, float]

CELL = 8  # pixels of a cell, where items are too many to be drawn one by one


class _Frame(NamedTuple):
    """The columns that are drawn across and up, from where to where, on so many pixels."""

    x: str
    y: str
    across: Domain
    up: Domain
    width: int
    height: int


def predictions(given: Regression, *, system: str | None = None) -> Plot:
    """Predicted against actual values; on the diagonal they are the same."""
    name, own = _one(given, system)
    ends = roomy(np.concatenate([own.actual, own.predicted]), tight=True)
    frame = _Frame("actual", "predicted", ends, ends, SQUARE, SQUARE)
    return Plot(
        "predictions",
        _titled("Predicted and actual values", name, given),
        _cloud(own.actual, own.predicted, frame),
        partial(_against, frame, len(own) > FEW, [{"actual": end, "predicted": end} for end in ends]),
        sketch=Dots("actual", "predicted", "n"),
        about=_said(own),
        key="dashed: predicted equals actual",
    )


def residuals(given: Regression, *, system: str | None = None) -> Plot:
    """What is left over, predicted less actual, against what was predicted: a cloud that widens or bends tells."""
    name, own = _one(given, system)
    across, up = roomy(own.predicted, tight=True), roomy(own.error, tight=True, zero=True)
    frame = _Frame("predicted", "residual", across, up, WIDTH, HEIGHT)
    return Plot(
        "residuals",
        _titled("Residuals", name, given),
        _cloud(own.predicted, own.error, frame),
        partial(_against, frame, len(own) > FEW, [{"predicted": end, "residual": 0.0} for end in across]),
        sketch=Dots("predicted", "residual", "n"),
        about=_said(own),
        key="predicted less actual; dashed: no error",
    )


def errors(given: Regression, *, system: str | None = None, bins: int = 40) -> Plot:
    """How the residuals, predicted less actual, are distributed."""
    name, own = _one(given, system)
    low, high = float(own.error.min()), float(own.error.max())
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low - 0.5, low + 0.5])
    counted, _ = np.histogram(own.error, edges, weights=own.weight)
    table = pa.table({"from": edges[:-1], "to": edges[1:], "n": counted.astype(np.float64)})
    table = table.append_column("share", pa.array(counted / counted.sum()))
    summary = own.summary
    return Plot(
        "errors",
        _titled("Distribution of the residuals", name, given),
        table,
        partial(_histogram, table, summary.mean),
        sketch=Bars(("from",), "share"),
        about=f"{_said(own, cells=False)}; half of them from {summary.quarter:.4g} to {summary.three_quarters:.4g}",
        key="dashed: no error",
    )


def _one(given: Regression, system: str | None) -> tuple[str, Residuals]:
    own = given.of(system)
    name = next(name for name, each in given.residuals.items() if each is own)
    if not np.isfinite(own.error).all():
        raise BadInput(f"{name}: there are values that are not finite, which cannot be drawn")
    return decoded(name), own


def _titled(text: str, name: str, given: Regression) -> str:
    return text if len(given.systems) == 1 else f"{text}: {name}"


def _said(own: Residuals, *, cells: bool = True) -> str:
    counted = "counted in cells, darker where there are more" if cells and len(own) > FEW else ""
    return ", ".join(text for text in (f"{len(own):,} {'item' if len(own) == 1 else 'items'}", counted) if text)


def _cloud(x: Floats, y: Floats, frame: _Frame) -> pa.Table:
    """A row for each item, or for each cell of the frame that holds any, with the cell's middle and its items."""
    if len(x) <= FEW:
        return pa.table({frame.x: x, frame.y: y, "n": np.ones(len(x))})
    shape = frame.width // CELL, frame.height // CELL
    counted, across, up = np.histogram2d(x, y, shape, range=[frame.across, frame.up])
    column, line = np.nonzero(counted)
    middle = [(edges[:-1] + edges[1:]) / 2 for edges in (across, up)]
    return pa.table({frame.x: middle[0][column], frame.y: middle[1][line], "n": counted[column, line]})


def _against(frame: _Frame, in_cells: bool, line: list[dict[str, float]]) -> Chart:
    x = alt.X(**quantity(frame.x, f"{frame.x} value", *frame.across))
    y = alt.Y(**quantity(frame.y, frame.y if frame.y == "residual" else f"{frame.y} value", *frame.up))
    tips = told(numbers=(frame.x, frame.y, "n"))
    if in_cells:
        shade = alt.Color("n:Q", title="items", scale=alt.Scale(type="log"), legend=alt.Legend(tickCount=3))
        marks = data().mark_square(size=CELL**2, opacity=1).encode(color=shade)
    else:
        marks = data().mark_point(style="good", size=22, opacity=0.5)
    right = inline(line).mark_line(style="reference").encode(x=f"{frame.x}:Q", y=f"{frame.y}:Q")
    return alt.layer(marks.encode(x=x, y=y, tooltip=tips), right).properties(width=frame.width, height=frame.height)


def _histogram(table: pa.Table, mean: float) -> Chart:
    low, high = float(table["from"][0].as_py()), float(table["to"][-1].as_py())
    domain = roomy(np.array([low, high]), zero=True)
    x = alt.X(**quantity("from", "residual: predicted less actual", *domain))
    y = alt.Y("share:Q", title="share of the items", axis=alt.Axis(format="~%"))
    tips = told(numbers=("from", "to", "n", "share"))
    bars = data().mark_rect(style="good", opacity=0.8).encode(x=x, x2="to:Q", y=y, y2=alt.Y2Datum(0), tooltip=tips)
    none = inline([{"from": 0.0}]).mark_rule(style="reference").encode(x="from:Q")
    words = inline([{"from": mean, "shown": f"mean {mean:.4g}"}])
    rule = words.mark_rule(style="ink", strokeWidth=1.5).encode(x="from:Q")
    text = words.mark_text(style="label", align="left", dx=5).encode(x="from:Q", y=alt.value(-8), text="shown:N")
    return alt.layer(bars, none, rule, text).properties(width=WIDTH, height=HEIGHT)
