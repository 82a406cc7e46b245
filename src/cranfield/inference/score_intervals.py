"""Intervals of measures of one score per item, by the method that the measure declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import LONG_SUMS
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.delong import AreaMethod, area_interval
from cranfield.inference.distributions import t_quantile
from cranfield.inference.influence import Counted, Influences, change_by_errors, influences, standard_error
from cranfield.inference.intervals import EXACT, Interval, absent, bounded_mean, exact_proportion
from cranfield.inference.recalibration import intercept_interval, slope_interval
from cranfield.inference.scales import interval_on_scale
from cranfield.measures.registry import Measure
from cranfield.tables.disk_arrays import on_disk

FEW = 10  # items that a part of a curve needs
INSIDE = 20  # items of each class that a partial area needs

_LOSSES: dict[str, Callable[[Floats, Floats], tuple[Floats, Floats]]] = {  # of positives and negatives with scores
    "Brier": lambda yes, no: (np.square(1 - yes), np.square(no)),
    "HingeLoss": lambda yes, no: (np.maximum(1 - yes, 0), np.maximum(1 + no, 0)),
}


def of_area(measure: Measure, scores: Thresholds, _: float, *, confidence: float, area_method: AreaMethod) -> Interval:
    """DeLong's or Newcombe's interval of the area, or of a linear function of it."""
    area = area_interval(scores, confidence=confidence, method=area_method)
    ends = np.array([[area.low], [area.high]])
    low, high = 2 * ends - 1 if measure.name == "Gini" else ends
    return Interval(low, high, confidence, area.method)


def from_influence(measure: Measure, scores: Thresholds, value: float, *, confidence: float, **_: str) -> Interval:
    """The value and its standard error by the delta method, on the scale of the measure."""
    if reason := _unsuited(measure, scores):
        return absent(confidence, reason)
    counted = Counted.of(scores)
    influence = influences(measure, counted, value)
    reach = t_quantile((1 + confidence) / 2, min(scores.n_items) - 1)
    error, bounds = standard_error(counted, influence), measure.declaration.bounds
    return _with_errors(
        interval_on_scale(value, error, reach, bounds, confidence, "delta"), measure, value, counted, influence
    )


def of_mean(measure: Measure, scores: Thresholds, value: float, *, confidence: float, **_: str) -> Interval:
    """Student's t of the mean loss: adjusted for skewness within finite bounds, otherwise on the log scale."""
    if reason := _unsuited(measure, scores):
        return absent(confidence, reason)
    counted, size = Counted.of(scores), sum(scores.n_items)
    of_positive, of_negative = _LOSSES[measure.name](counted.score, counted.score)
    influence = Influences((of_positive - value) / size, (of_negative - value) / size)
    some = np.concatenate([of_positive[counted.positive > 0], of_negative[counted.negative > 0]])
    if np.ptp(some) <= LONG_SUMS * np.abs(some).max():
        return absent(confidence, "all losses are the same: no variance")
    squares = counted.positive @ np.square(influence.positive) + counted.negative @ np.square(influence.negative)
    error, bounds = float(np.sqrt(squares * size / (size - 1))), measure.declaration.bounds
    if bounds == (0, 1):
        deviation = error * np.sqrt(size)
        interval = bounded_mean(np.array([value]), np.array([deviation]), size, bounds, confidence)
    else:
        reach = t_quantile((1 + confidence) / 2, size - 1)
        interval = interval_on_scale(value, error, reach, bounds, confidence, "log t")
    return _with_errors(interval, measure, value, counted, influence)


def _with_errors(
    interval: Interval, measure: Measure, value: float, counted: Counted, influence: Influences
) -> Interval:
    """The interval, extended to the worse value that errors too rare to be seen may lead to."""
    change, (lowest, highest) = change_by_errors(counted, influence), measure.declaration.bounds
    if measure.declaration.higher_is_better:
        return replace(interval, low=np.minimum(interval.low, max(value - change, lowest)))
    return replace(interval, high=np.maximum(interval.high, min(value + change, highest)))


def of_prevalence(_: Measure, scores: Thresholds, __: float, *, confidence: float, **___: str) -> Interval:
    """The product of two proportions that add up to 1, from the interval of one of them."""
    n_positive, n_negative = scores.n_items
    ends = exact_proportion(n_positive, n_positive + n_negative, confidence)
    low, high = float(ends.low), float(ends.high)
    products = low * (1 - low), high * (1 - high)
    highest = 0.25 if low <= 0.5 <= high else max(products)
    return Interval(np.array([min(products)]), np.array([highest]), confidence, EXACT)


def of_intercept(_: Measure, scores: Thresholds, __: float, *, confidence: float, **___: str) -> Interval:
    """The calibration intercepts that a score test does not reject."""
    return intercept_interval(scores, confidence)


def of_slope(_: Measure, scores: Thresholds, __: float, *, confidence: float, **___: str) -> Interval:
    """The calibration slopes that a score test does not reject."""
    return slope_interval(scores, confidence)


SCORE_METHODS: dict[str, Callable[..., Interval]] = {
    "area": of_area,
    "calibration intercept": of_intercept,
    "calibration slope": of_slope,
    "delta": from_influence,
    "mean": of_mean,
    "prevalence": of_prevalence,
}


def _unsuited(measure: Measure, scores: Thresholds) -> str:
    """Why the evidence does not suit the interval of a measure; empty if it does."""
    if on_disk(scores.positive) or on_disk(scores.negative):
        return "the scores are too many for memory"
    n_positive, n_negative = scores.n_items
    if measure.name == "AUPRG" and n_positive * n_positive / (n_positive + n_negative) < FEW:
        return f"fewer than {FEW} positive items up to a recall equal to the prevalence"
    if measure.name == "PartialAUC" and min(n_positive, n_negative) * float(str(measure.options["fallout"])) < INSIDE:
        return f"fewer than {INSIDE} items of a class up to the false positive rate"
    return ""
