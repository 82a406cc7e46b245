"""Predicted distributions: calibration of quantiles, and the probability integral transform."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves.quantile_calibration import quantile_calibration
from cranfield.errors import BadInput
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.samples import counted
from cranfield.findings.words import percent
from cranfield.inference.intervals import wilson
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import points
from cranfield.present.plots.series import (
    HEIGHT,
    SQUARE,
    WIDTH,
    coloured,
    dashed,
    data,
    diagonal,
    inline,
    named_beside,
    quantity,
    shaped,
    tooltip,
)
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars, Lines
from cranfield.results.regression import Regression
from cranfield.results.writing import decoded

_NEEDED = "predicted distributions are needed: quantiles, intervals, samples, or a standard deviation"


@plot_of(Regression)
def quantiles(regression: Regression, *, confidence: float = 0.95) -> Plot:
    """Observed proportion at or below each predicted quantile against its level, with Wilson's confidence intervals."""
    if not regression.forecasts:
        raise BadInput(f"quantiles: {_NEEDED}")
    parts = [_calibrated(system, one, confidence) for system, one in regression.forecasts.items()]
    names = list(map(decoded, regression.forecasts))
    return Plot(
        "quantiles",
        "Calibration of quantiles",
        pa.concat_tables(parts),
        partial(_calibration, names, [float(part["observed"][-1].as_py()) for part in parts]),
        sketch=Lines(
            "level",
            "observed",
            by="system",
            across="level of the predicted quantile",
            up="observed proportion",
            points=True,
            diagonal="perfect calibration",
        ),
        about=counted(len(next(iter(regression.forecasts.values()))), "item"),
        key=f"vertical lines: {percent(confidence)} Wilson confidence intervals; dashed: perfect calibration",
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
    n, edges = np.histogram(forecasts.transform, bins, (0, 1), weights=forecasts.weight)
    columns = {"from": edges[:-1], "to": edges[1:], "n": n.astype(np.float64), "proportion": n / n.sum()}
    several = f": {decoded(name)}" if len(regression.systems) > 1 else ""
    return Plot(
        "pit",
        f"Probability integral transform{several}",
        pa.table(columns),
        partial(_histogram, bins),
        sketch=Bars(("from",), "proportion"),
        about=counted(len(forecasts), "item"),
        key="dashed: calibrated; U-shaped: too narrow; hump-shaped: too wide; sloped: biased",
    )


def _calibration(names: list[str], ends: list[float]) -> Chart:
    x = alt.X(**quantity("level", "level of the predicted quantile", 0, 1))
    y = alt.Y(**quantity("observed", "observed proportion", 0, 1))
    colour = coloured(names)
    tips = tooltip("system", numbers=("level", "observed", "observed_low", "observed_high", "pinball"))
    low = alt.Y("observed_low:Q", title="")
    rules = (
        data().mark_rule(strokeWidth=1.5, opacity=0.7).encode(x=x, y=low, y2=alt.Y2("observed_high:Q"), color=colour)
    )
    lines = data().mark_line().encode(x=x, y=y, color=colour, strokeDash=dashed(names))
    dots = data().mark_point(size=60).encode(x=x, y=y, color=colour, shape=shaped(names), tooltip=tips)
    layers = [diagonal("level", "observed"), rules, lines, dots]
    if len(names) > 1:
        layers.append(named_beside(names, ends, (0, 1), pixels=SQUARE, right=SQUARE))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _histogram(bins: int) -> Chart:
    x = alt.X(**quantity("from", "predicted probability of a value at or below the actual one", 0, 1))
    y = alt.Y("proportion:Q", title="proportion of items", axis=alt.Axis(format="~%"))
    tips = tooltip(numbers=("from", "to", "n", "proportion"))
    bars = (
        data().mark_rect(style="good", opacity=0.8).encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2Datum(0), tooltip=tips)
    )
    flat = inline([{"proportion": 1 / bins}]).mark_rule(style="reference").encode(y=alt.Y("proportion:Q"))
    return alt.layer(bars, flat).properties(width=WIDTH, height=HEIGHT)
