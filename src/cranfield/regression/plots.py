"""Regression: predicted against actual values, residuals, and the distribution of residuals."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.classification.plots import curves as calibration
from cranfield.classification.plots.curves import against_diagonal
from cranfield.classification.plots.scorers import points
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.curves import quantile_calibration
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.present.plots.data import FEW, Bars, Dots, Lines
from cranfield.present.plots.drawing import (
    HEIGHT,
    SQUARE,
    WIDTH,
    data,
    inline,
    quantity,
    reference,
    reference_line,
    roomy,
    tooltip,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.regression.result import Regression
from cranfield.results.writing import decoded
from cranfield.settings import CONFIDENCE
from cranfield.statistics.intervals import wilson
from cranfield.text import counted

Domain = tuple[float, float]

CELL = 8  # cell size in pixels if there are too many items to draw each one
FEWEST, MOST = 10, 40  # bins of a histogram
SPARSE = 200  # up to this many items, points are large


class _Frame(NamedTuple):
    """The columns on the two axes, their domains, and the size in pixels."""

    x: str
    y: str
    across: Domain
    up: Domain
    width: int
    height: int


@plot_of(Regression)
def predictions(regression: Regression, *, system: str | None = None) -> Plot:
    """Predicted against actual values, with the diagonal of perfect predictions."""
    name, errors = _one(regression, system)
    ends = roomy(np.concatenate([errors.actual, errors.predicted]), tight=True)
    frame = _Frame("actual", "predicted", ends, ends, SQUARE, SQUARE)
    return Plot(
        _titled("Predicted against actual values", name, regression),
        _cloud(errors.actual, errors.predicted, frame),
        partial(_against, frame, len(errors), [{"actual": end, "predicted": end} for end in ends]),
        sketch=Dots("actual", "predicted", "n"),
        about=_described(errors),
        key="dashed: perfect predictions",
    )


@plot_of(Regression)
def residuals(regression: Regression, *, system: str | None = None) -> Plot:
    """Residuals (predicted minus actual) against predicted values, to reveal trends and unequal variance."""
    name, errors = _one(regression, system)
    across, up = roomy(errors.predicted, tight=True), roomy(errors.error, tight=True, zero=True)
    frame = _Frame("predicted", "residual", across, up, WIDTH, HEIGHT)
    return Plot(
        _titled("Residuals", name, regression),
        _cloud(errors.predicted, errors.error, frame),
        partial(_against, frame, len(errors), [{"predicted": end, "residual": 0.0} for end in across]),
        sketch=Dots("predicted", "residual", "n"),
        about=_described(errors),
        key="residual: predicted minus actual; dashed: no error",
    )


@plot_of(Regression)
def errors(regression: Regression, *, system: str | None = None, bins: int | None = None) -> Plot:
    """A histogram of the residuals, predicted minus actual; by default with twice the cube root of items as bins."""
    name, residuals = _one(regression, system)
    bins = bins or int(np.clip(np.ceil(2 * np.cbrt(len(residuals))), FEWEST, MOST))
    low, high = float(residuals.error.min()), float(residuals.error.max())
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low - 0.5, low + 0.5])
    table, summary = histogram(residuals.error, edges, residuals.weight), residuals.summary
    return Plot(
        _titled("Distribution of residuals", name, regression),
        table,
        partial(_regression_histogram, table, summary.mean),
        sketch=Bars(("from",), "proportion"),
        about=f"{_described(residuals, cells=False)}; quartiles {summary.quarter:.4g} and {summary.three_quarters:.4g}",
        key="dashed: no error",
    )


def _one(regression: Regression, system: str | None) -> tuple[str, Residuals]:
    if regression.outputs:
        outputs = ", ".join(map(repr, regression.outputs))
        raise BadSetting(f"choose one of the outputs {outputs}, as in result.output({regression.outputs[0]!r})")
    name, residuals = regression.system_named(system), regression.of(system)
    if not np.isfinite(residuals.error).all():
        raise BadInput(f"{name}: values that are not finite cannot be plotted")
    return decoded(name), residuals


def _titled(text: str, name: str, regression: Regression) -> str:
    return text if len(regression.systems) == 1 else f"{text}: {name}"


def _described(residuals: Residuals, *, cells: bool = True) -> str:
    in_cells = ", counted in cells; darker: more items" if cells and len(residuals) > FEW else ""
    return f"{counted(len(residuals), 'item')}{in_cells}"


def _cloud(x: Floats, y: Floats, frame: _Frame) -> pa.Table:
    """One row per item, or one row per nonempty cell of the frame with its centre and item count."""
    if len(x) <= FEW:
        return pa.table({frame.x: x, frame.y: y, "n": np.ones(len(x))})
    shape = frame.width // CELL, frame.height // CELL
    n, across, up = np.histogram2d(x, y, shape, range=[frame.across, frame.up])
    column, line = np.nonzero(n)
    middle = [(edges[:-1] + edges[1:]) / 2 for edges in (across, up)]
    return pa.table({frame.x: middle[0][column], frame.y: middle[1][line], "n": n[column, line]})


def _against(frame: _Frame, n_items: int, line: list[dict[str, float]]) -> Chart:
    x = alt.X(**quantity(frame.x, f"{frame.x} value", *frame.across))
    y = alt.Y(**quantity(frame.y, frame.y if frame.y == "residual" else f"{frame.y} value", *frame.up))
    tips = tooltip(numbers=(frame.x, frame.y, "n"))
    if n_items > FEW:
        shade = alt.Color("n:Q", title="items", scale=alt.Scale(type="log"), legend=alt.Legend(tickCount=3))
        marks = data().mark_square(size=CELL**2, opacity=1).encode(color=shade)
    else:
        marks = data().mark_point(style="good", size=22 if n_items > SPARSE else 45, opacity=0.5)
    right = reference_line(line, frame.x, frame.y)
    return alt.layer(marks.encode(x=x, y=y, tooltip=tips), right).properties(width=frame.width, height=frame.height)


def histogram(values: Floats, edges: Floats, weight: Floats | None) -> pa.Table:
    """The number and the proportion of items in each bin."""
    n, _ = np.histogram(values, edges, weights=weight)
    return pa.table({"from": edges[:-1], "to": edges[1:], "n": n.astype(np.float64), "proportion": n / n.sum()})


def histogram_bars(title: str, domain: Domain) -> Chart:
    """The bars of a histogram."""
    x = alt.X(**quantity("from", title, *domain))
    y = alt.Y("proportion:Q", title="proportion of items", axis=alt.Axis(format="~%"))
    tips = tooltip(numbers=("from", "to", "n", "proportion"))
    return (
        data().mark_rect(style="good", opacity=0.8).encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2Datum(0), tooltip=tips)
    )


def _regression_histogram(table: pa.Table, mean: float) -> Chart:
    low, high = float(table["from"][0].as_py()), float(table["to"][-1].as_py())
    bars = histogram_bars("residual (predicted minus actual)", roomy(np.array([low, high]), zero=True))
    none = reference(x="from", at=0.0)
    words = inline([{"from": mean, "shown": f"mean {mean:.4g}"}])
    rule = words.mark_rule(style="ink", strokeWidth=1.5).encode(x=alt.X("from:Q"))
    text = words.mark_text(style="label", align="left", dx=5).encode(
        x=alt.X("from:Q"), y=alt.YValue(-8), text=alt.Text("shown:N")
    )
    return alt.layer(bars, none, rule, text).properties(width=WIDTH, height=HEIGHT)


# Predicted distributions: calibration of quantiles, and the probability integral transform


LEVEL, OBSERVED = "level of the predicted quantile", "observed proportion"
_NEEDED = "predicted distributions are needed: quantiles, intervals, samples, or a standard deviation"


@plot_of(Regression)
def quantiles(regression: Regression, *, confidence: float = CONFIDENCE) -> Plot:
    """Observed proportion at or below each predicted quantile against its level, with Wilson's confidence intervals."""
    if not regression.forecasts:
        raise BadInput(f"quantiles: {_NEEDED}")
    parts = [_calibrated(system, one, confidence) for system, one in regression.forecasts.items()]
    names = list(map(decoded, regression.forecasts))
    return Plot(
        "Calibration of quantiles",
        pa.concat_tables(parts),
        partial(_calibration, names, [float(part["observed"][-1].as_py()) for part in parts]),
        sketch=Lines(
            *("level", "observed", "system"), across=LEVEL, up=OBSERVED, points=True, diagonal=calibration.PERFECT
        ),
        about=counted(len(next(iter(regression.forecasts.values()))), "item"),
        key=calibration.key(confidence),
    )


def _calibrated(system: str, forecasts: Forecasts, confidence: float) -> pa.Table:
    level, observed, pinball, effective = quantile_calibration(forecasts)
    interval = wilson(observed * effective, effective, confidence)
    bounds = {"observed_low": interval.low, "observed_high": interval.high}
    return points(system, "quantile", level=level, observed=observed, pinball=pinball, **bounds)


@plot_of(Regression)
def pit(regression: Regression, *, system: str | None = None, bins: int = 10) -> Plot:
    """A histogram of the probability integral transform, which is flat if predicted distributions are calibrated."""
    name = regression.system_named(system)
    forecasts = regression.forecasts.get(name)
    if forecasts is None:
        raise BadInput(f"pit: {_NEEDED}")
    if forecasts.transform is None:
        raise BadInput(f"pit: {name} predicts quantiles, which do not determine it; plot the quantiles instead")
    several = f": {decoded(name)}" if len(regression.systems) > 1 else ""
    return Plot(
        f"Probability integral transform{several}",
        histogram(forecasts.transform, np.linspace(0, 1, bins + 1), forecasts.weight),
        partial(_histogram, bins),
        sketch=Bars(("from",), "proportion"),
        about=counted(len(forecasts), "item"),
        key="dashed: calibrated; U-shaped: too narrow; hump-shaped: too wide; sloped: biased",
    )


def _calibration(names: list[str], ends: list[float]) -> Chart:
    x, y = quantity("level", LEVEL, 0, 1), quantity("observed", OBSERVED, 0, 1)
    tips = tooltip("system", numbers=("level", "observed", "observed_low", "observed_high", "pinball"))
    return against_diagonal(names, ends, x, y, tips, data())


def _histogram(bins: int) -> Chart:
    bars = histogram_bars("predicted probability of a value at or below the actual one", (0, 1))
    flat = reference(y="proportion", at=1 / bins)
    return alt.layer(bars, flat).properties(width=WIDTH, height=HEIGHT)
