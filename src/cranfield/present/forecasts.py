"""Predicted distributions as a table: how often actual values are at or below each predicted quantile."""

from __future__ import annotations

from cranfield.curves.quantile_calibration import quantile_calibration
from cranfield.evidence.forecasts import Forecasts
from cranfield.inference.intervals import wilson
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.regression import Regression

_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)  # shown for samples and normal distributions
_NOTE = (
    "observed: proportion of actual values at or below the predicted quantile, with Wilson's 95 % interval; "
    "it should equal the level"
)


def quantiles(regression: Regression, *, digits: int) -> Table:
    """The observed proportion and the pinball loss of each quantile."""
    heads = (
        Column("system"), *numbers("level", digits=3), *numbers("observed", "low", "high", digits=digits),
        *numbers("pinball", digits=digits),
    )  # fmt: skip
    lines = [
        row(system, *figures) for system, forecasts in regression.forecasts.items() for figures in _figures(forecasts)
    ]
    return Table(heads, tuple(lines), title="Quantiles", notes=(_NOTE,))


def _figures(forecasts: Forecasts) -> list[tuple[float, ...]]:
    calibration = quantile_calibration(forecasts, forecasts.levels or tuple(filter(forecasts.reaches, _LEVELS)))
    interval = wilson(calibration.observed * calibration.effective, calibration.effective)
    columns = calibration.level, calibration.observed, interval.low, interval.high, calibration.pinball
    return [tuple(map(float, figures)) for figures in zip(*columns, strict=True)]
