"""Confidence intervals over items of measures of numeric predictions and of forecasts, as their measures declare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import Interval, absent, exact_proportion, median_interval
from cranfield.inference.item_resampling import GROUPS, rows_without_group
from cranfield.inference.jackknife import jackknife_interval
from cranfield.inference.rate_intervals import FEWEST, WEIGHTED
from cranfield.measures.declaration import NoInterval
from cranfield.measures.registry import EXACT, Measure

ORDER_STATISTICS = "order statistics"


def intervals_over_items(
    predicted: Residuals | Forecasts,
    measures: Sequence[Measure],
    values_of: Callable[[Residuals | Forecasts], list[float]],
    confidence: float,
) -> list[Interval]:
    """The interval of each measure; `values_of` computes the measures of some of the items."""
    require_confidence(confidence)
    if predicted.weight is not None:
        counting = np.flatnonzero(predicted.weight)
        if np.ptp(predicted.weight[counting]) > 0:
            return [absent(confidence, WEIGHTED)] * len(measures)
        predicted = replace(predicted.take(counting), weight=None)
    rows = rows_without_group(len(predicted), min(len(predicted), GROUPS))
    if isinstance(predicted, Forecasts):
        losses = [_losses(predicted, measure) for measure in measures]
        left_out = [[_value(predicted, *figures, some) for figures in zip(measures, losses)] for some in rows]
    else:
        left_out = [values_of(predicted.take(some)) for some in rows]
    figures = zip(measures, values_of(predicted), np.array(left_out).T, strict=True)
    return [_interval(predicted, measure, value, others, confidence) for measure, value, others in figures]


def _interval(
    predicted: Residuals | Forecasts, measure: Measure, value: float, left_out: Floats, confidence: float
) -> Interval:
    declared = measure.declaration.interval
    if np.isnan(value):
        return absent(confidence, f"undefined: {measure.declaration.undefined}")
    if isinstance(declared, NoInterval):
        return absent(confidence, declared.reason)
    if declared == EXACT:
        return exact_proportion(np.array([round(value * len(predicted))]), float(len(predicted)), confidence)
    fewest = max(measure.declaration.fewest_of_class, FEWEST)
    if len(predicted) < fewest:
        return absent(confidence, f"fewer than {fewest} items")
    quantile = float(str(measure.options.get("quantile", 0.5)))
    if len(predicted) * min(quantile, 1 - quantile) < FEWEST:
        return absent(confidence, f"fewer than {FEWEST} items are expected beyond the quantile")
    if declared == ORDER_STATISTICS:
        return _of_median(predicted, confidence)
    return jackknife_interval(value, left_out, measure.declaration.bounds, confidence)


def _of_median(predicted: Residuals | Forecasts, confidence: float) -> Interval:
    """The interval of the median of the absolute errors."""
    residuals = predicted.residuals if isinstance(predicted, Forecasts) else predicted
    if residuals is None or residuals.error.ndim > 1:
        return absent(confidence, "several outputs have no order statistics")
    return median_interval(np.abs(residuals.error), confidence)


def _losses(forecasts: Forecasts, measure: Measure) -> Floats | None:
    """The loss of each item, computed once."""
    per_item = measure.declaration.per_item
    return None if per_item is None else per_item(forecasts, **measure.options)


def _value(forecasts: Forecasts, measure: Measure, loss: Floats | None, rows: Ints) -> float:
    """The value of a measure of some of the items; NaN for forecasts as a whole, which have no interval."""
    if loss is not None:
        return float(loss[rows].mean())
    if measure.kind == "forecasts" or forecasts.residuals is None:
        return np.nan
    return float(measure.values(forecasts.residuals.take(rows)))
