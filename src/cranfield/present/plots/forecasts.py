"""Predicted distributions: calibration of quantiles, and the probability integral transform."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves.quantile_calibration import quantile_calibration
from cranfield.errors import BadInput
from cranfield.evidence.forecasts import Forecasts
from cranfield.inference.intervals import wilson
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.plots import calibration
from cranfield.present.plots.axes import HEIGHT, WIDTH, quantity, tooltip
from cranfield.present.plots.calibration import against_diagonal
from cranfield.present.plots.layers import data, reference
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.regression import histogram, histogram_bars
from cranfield.present.plots.scorers import points
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars, Lines
from cranfield.results.regression import Regression
from cranfield.results.writing import decoded
from cranfield.text import counted

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
