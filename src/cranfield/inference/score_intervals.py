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
from cranfield.inference.influence import standard_error
from cranfield.inference.intervals import Interval, absent, bounded_mean, wilson
from cranfield.inference.recalibration import intercept_interval, slope_interval
from cranfield.inference.scales import interval_on_scale
from cranfield.measures.registry import Measure
from cranfield.tables.disk_arrays import on_disk

FEW = 10  # items that a part of a curve needs
INSIDE = 20  # items of each class that a partial area needs

_LOSSES: dict[str, Callable[..., tuple[Floats, Floats]]] = {  # of positives and of negatives with these scores
    "Brier": lambda yes, no: (np.square(1 - yes), np.square(no)),
    "LogLoss": lambda yes, no, clip: (-np.log(np.clip(yes, clip, 1 - clip)), -np.log1p(-np.clip(no, clip, 1 - clip))),
    "HingeLoss": lambda yes, no: (np.maximum(1 - yes, 0), np.maximum(1 + no, 0)),
}
_WEIGHTED = "not simulated for items with weights"
_CERTAIN = "probabilities of 0 and 1, whose logarithm depends on the clip alone"


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
    reach = t_quantile((1 + confidence) / 2, min(class_sizes(scores)) - 1)
    bounds = measure.declaration.bounds
    return _named(interval_on_scale(value, standard_error(measure, scores), reach, bounds, confidence, "delta"), scores)


def of_mean(measure: Measure, scores: Thresholds, value: float, *, confidence: float, **_: str) -> Interval:
    """Student's t of the mean loss: adjusted for skewness within finite bounds, otherwise on the log scale."""
    if reason := _unsuited(measure, scores):
        return absent(confidence, reason)
    settings = {name: setting for name, setting in measure.options.items() if name == "clip"}
    loss = np.concatenate(_LOSSES[measure.name](scores.positive, scores.negative, **settings))
    weight = _weights(scores)
    size = float(weight.sum()) if not scores.weighted else float(weight.sum() ** 2 / (weight @ weight))
    if size <= 1 or np.ptp(loss) <= LONG_SUMS * np.abs(loss).max():
        return absent(confidence, "all losses are the same: no variance")
    deviation = float(np.sqrt(weight @ np.square(loss - value) / weight.sum() * size / (size - 1)))
    bounds = measure.declaration.bounds
    if bounds == (0, 1):
        return _named(bounded_mean(np.array([value]), np.array([deviation]), size, bounds, confidence), scores)
    reach = t_quantile((1 + confidence) / 2, max(int(size) - 1, 1))
    return _named(interval_on_scale(value, deviation / np.sqrt(size), reach, bounds, confidence, "log t"), scores)


def of_prevalence(_: Measure, scores: Thresholds, __: float, *, confidence: float, **___: str) -> Interval:
    """The product of two proportions that add up to 1, from Wilson's interval of one of them."""
    n_positive, n_negative = class_sizes(scores)
    ends = wilson(scores.prevalence * (n_positive + n_negative), n_positive + n_negative, confidence)
    low, high = float(ends.low), float(ends.high)
    products = low * (1 - low), high * (1 - high)
    highest = 0.25 if low <= 0.5 <= high else max(products)
    return _named(Interval(np.array([min(products)]), np.array([highest]), confidence, "wilson"), scores)


def of_intercept(_: Measure, scores: Thresholds, __: float, *, confidence: float, **___: str) -> Interval:
    """The calibration intercepts that a score test does not reject."""
    return absent(confidence, _WEIGHTED) if scores.weighted else intercept_interval(scores, confidence)


def of_slope(_: Measure, scores: Thresholds, __: float, *, confidence: float, **___: str) -> Interval:
    """The calibration slopes that a score test does not reject."""
    return absent(confidence, _WEIGHTED) if scores.weighted else slope_interval(scores, confidence)


SCORE_METHODS: dict[str, Callable[..., Interval]] = {
    "area": of_area,
    "calibration intercept": of_intercept,
    "calibration slope": of_slope,
    "delta": from_influence,
    "mean": of_mean,
    "prevalence": of_prevalence,
}
ALONE = {"calibration intercept", "calibration slope"}  # not for averages over classes


def _unsuited(measure: Measure, scores: Thresholds) -> str:
    """Why the evidence does not suit the interval of a measure; empty if it does."""
    if on_disk(scores.positive) or on_disk(scores.negative):
        return "the scores are too many for memory"
    if measure.name in ("LogLoss", "D2LogLoss"):
        ends = [score for side in (scores.positive, scores.negative) if len(side) for score in (side[0], side[-1])]
        return _CERTAIN if {0.0, 1.0} & set(ends) else ""
    n_positive, n_negative = class_sizes(scores)
    if measure.name == "AUPRG" and n_positive * n_positive / (n_positive + n_negative) < FEW:
        return f"fewer than {FEW} positive items up to a recall equal to the prevalence"
    if measure.name == "PartialAUC" and min(n_positive, n_negative) * float(str(measure.options["fallout"])) < INSIDE:
        return f"fewer than {INSIDE} items of a class up to the false positive rate"
    return ""


def class_sizes(scores: Thresholds) -> tuple[int, int]:
    """The number of positives and of negatives or, if they are weighted, their effective sample sizes."""
    if not scores.weighted:
        return scores.n_items
    weights = (scores.positive_weight, scores.negative_weight)
    n_positive, n_negative = (0 if w is None or not len(w) else round(w.sum() ** 2 / (w @ w)) for w in weights)
    return n_positive, n_negative


def _weights(scores: Thresholds) -> Floats:
    """The weight, or the number of items, of each score, positives first."""
    if scores.weighted or scores.counted:
        sides = (
            (scores.positive_weight, scores.negative_weight)
            if scores.weighted
            else (scores.positive_count, scores.negative_count)
        )
        return np.concatenate([np.asarray(side, np.float64) for side in sides])
    return np.ones(len(scores.positive) + len(scores.negative))


def _named(interval: Interval, scores: Thresholds) -> Interval:
    return replace(interval, method=f"{interval.method}, weighted") if scores.weighted else interval
