"""Confidence intervals of measures of forecasts over items: Wilson's for proportions, else from resampled losses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.weighted_items import mean_over_items
from cranfield.inference.intervals import Interval, absent, wilson
from cranfield.measures.registry import Measure

_DEVIATIONS = "deviations from calibration are larger on resamples, even if forecasts are calibrated"


def by_formula(measure: Measure, value: float, forecasts: Forecasts, confidence: float) -> Interval | None:
    """Wilson's interval of a proportion, or none with the reason; None for measures that are resampled."""
    if np.isnan(value):
        return None
    if measure.binary:
        size = forecasts.effective
        bounds = wilson(np.array([value * size]), np.array([size]), confidence)
        return bounds if forecasts.weight is None else replace(bounds, method="wilson, weighted")
    if measure.kind == "forecasts" and measure.declaration.per_item is None:
        return absent(1, confidence, _DEVIATIONS)
    return None


def resampled(forecasts: Forecasts, measures: Sequence[Measure], rows: Iterable[Ints]) -> Floats:
    """The value of each measure on each resample, given by its rows; NaN for those that need no resamples."""
    losses = [_of_items(forecasts, measure) for measure in measures]
    return np.array([[_value(forecasts, m, loss, chosen) for m, loss in zip(measures, losses)] for chosen in rows]).T


def _of_items(forecasts: Forecasts, measure: Measure) -> Floats | None:
    """The value of each item, computed once for all resamples."""
    declared = measure.declaration
    return None if declared.per_item is None else declared.per_item(forecasts, **measure.options)


def _value(forecasts: Forecasts, measure: Measure, loss: Floats | None, rows: Ints) -> float:
    if loss is not None:
        return float(mean_over_items(loss[rows], None if forecasts.weight is None else forecasts.weight[rows]))
    if measure.kind == "forecasts" or forecasts.residuals is None:
        return np.nan
    return float(measure.values(forecasts.residuals.take(rows)))
