"""Confidence intervals over items of measures of numeric predictions and of forecasts.

Wilson's for proportions; otherwise the bootstrap or, for many items, the jackknife over groups of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.weighted_items import mean_over_items
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import Interval, absent, jackknife, percentiles, wilson
from cranfield.inference.item_resampling import resampled_rows, rows_without_group
from cranfield.inference.resampling import require_draws, require_seed
from cranfield.measures.registry import Measure
from cranfield.results.interval_table import GROUPS
from cranfield.results.item_intervals import SMALL

_OF_ONE = "the largest error is that of one item, and no resample can exceed it"
_DEVIATIONS = "deviations from calibration are larger on resamples, even if forecasts are calibrated"


def intervals_over_items(
    predicted: Residuals | Forecasts,
    measures: Sequence[Measure],
    values_of: Callable[[Residuals | Forecasts], list[float]],
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> list[Interval]:
    """The interval of each measure; `values_of` computes the measures of other predictions, such as a resample."""
    require_confidence(confidence)
    require_draws(resamples, "resamples")
    require_seed(seed)
    n_items, few = len(predicted), len(predicted) <= SMALL
    if n_items < 2:
        return [absent(confidence, "at least 2 items are needed to estimate variance")] * len(measures)
    rows = resampled_rows(n_items, resamples, seed) if few else rows_without_group(n_items, GROUPS)
    values = values_of(predicted)
    by_formula: list[Interval | None] = [None] * len(measures)
    if isinstance(predicted, Forecasts):
        by_formula = [_by_formula(*figures, predicted, confidence) for figures in zip(measures, values, strict=True)]
        resampled = _resampled(predicted, measures, rows)
    else:
        resampled = np.array([values_of(predicted.take(chosen)) for chosen in rows]).T
    return [
        interval or _from_resamples(measure, value, drawn, confidence, bootstrap=few)
        for measure, value, drawn, interval in zip(measures, values, resampled, by_formula, strict=True)
    ]


def _from_resamples(measure: Measure, value: float, drawn: Floats, confidence: float, *, bootstrap: bool) -> Interval:
    """The interval of a value from its values on resamples, or with groups of items left out."""
    if np.isnan(value):
        return absent(confidence, f"undefined: {measure.declaration.undefined}")
    if measure.name == "MaxError":
        return absent(confidence, _OF_ONE)
    interval = percentiles(value, drawn, confidence) if bootstrap else jackknife(value, drawn, confidence)
    return interval.within(measure.declaration.bounds)


def _by_formula(measure: Measure, value: float, forecasts: Forecasts, confidence: float) -> Interval | None:
    """Wilson's interval of a proportion, or none with the reason; None for measures that are resampled."""
    if np.isnan(value):
        return None
    if measure.binary:
        size = forecasts.effective
        bounds = wilson(np.array([value * size]), np.array([size]), confidence)
        return bounds if forecasts.weight is None else replace(bounds, method="wilson, weighted")
    if measure.kind == "forecasts" and measure.declaration.per_item is None:
        return absent(confidence, _DEVIATIONS)
    return None


def _resampled(forecasts: Forecasts, measures: Sequence[Measure], rows: Iterable[Ints]) -> Floats:
    """The value of each measure on each resample, given by its rows; NaN for those that need no resamples."""
    losses = [  # of each item, computed once for all resamples
        None if (per_item := measure.declaration.per_item) is None else per_item(forecasts, **measure.options)
        for measure in measures
    ]
    return np.array([[_value(forecasts, m, loss, chosen) for m, loss in zip(measures, losses)] for chosen in rows]).T


def _value(forecasts: Forecasts, measure: Measure, loss: Floats | None, rows: Ints) -> float:
    if loss is not None:
        return float(mean_over_items(loss[rows], None if forecasts.weight is None else forecasts.weight[rows]))
    if measure.kind == "forecasts" or forecasts.residuals is None:
        return np.nan
    return float(measure.values(forecasts.residuals.take(rows)))
