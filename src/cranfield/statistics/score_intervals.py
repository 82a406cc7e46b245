"""Intervals of measures of one score per item, by the method that the measure declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.registry import Measure
from cranfield.rounding import LONG_SUMS
from cranfield.statistics.areas import AreaMethod, supported_interval
from cranfield.statistics.calibration import intercept_interval, slope_interval
from cranfield.statistics.distributions import t_quantile
from cranfield.statistics.intervals import EXACT, Interval, absent, bounded_mean, exact_proportion, interval_on_scale
from cranfield.tables.disk import on_disk

# Standard errors of measures of scores from influence functions: how the value changes with the weight of an item


UNSEEN = 3  # errors that a sample may miss by chance


class Influences(NamedTuple):
    """The derivative of a value by the weight of a positive and of a negative, by distinct score, highest first."""

    positive: Floats
    negative: Floats


class Counted(NamedTuple):
    """The weights of positives and negatives at each distinct score, highest first, and from the highest down to it."""

    score: Floats
    positive: Floats
    negative: Floats
    tp: Floats
    fp: Floats

    @classmethod
    def of(cls, scores: Thresholds) -> Counted:
        """The weights of these items."""
        score, tp, fp = scores.every
        positive, negative = (np.diff(np.asarray(n, np.float64), prepend=0.0) for n in (tp, fp))
        return cls(score, positive, negative, tp.astype(np.float64), fp.astype(np.float64))

    @property
    def above(self) -> tuple[Floats, Floats]:
        """The true and false positive rate at each score, items with this score counting half."""
        return (self.tp - self.positive / 2) / self.tp[-1], (self.fp - self.negative / 2) / self.fp[-1]

    @property
    def prevalence(self) -> float:
        """Proportion of positives."""
        return float(self.tp[-1] / (self.tp[-1] + self.fp[-1]))

    def by_prevalence(self, slope: float) -> Influences:
        """The influence of each item on a function of the prevalence with this slope."""
        size = self.tp[-1] + self.fp[-1]
        same = np.ones(len(self.score)) * slope / size
        return Influences(same * (1 - self.prevalence), -same * self.prevalence)


def influences(measure: Measure, counted: Counted, value: float) -> Influences:
    """The influence of items on a measure that has an influence function."""
    return INFLUENCES[measure.name](counted, value, **measure.options)


def standard_error(counted: Counted, of_items: Influences) -> float:
    """The standard error: the variances of sums over positives and over negatives, each corrected for their number."""
    variance = 0.0
    for influence, number in ((of_items.positive, counted.positive), (of_items.negative, counted.negative)):
        size = number.sum()
        variance += float((number * influence**2).sum()) * size / (size - 1)
    return float(np.sqrt(variance))


def change_by_errors(counted: Counted, of_items: Influences) -> float:
    """How much a value changes on average if the class of three items is the other one.

    Errors with a frequency of 3/n do not occur in 5 % of samples, which cannot exclude what they change.
    """
    number = counted.positive + counted.negative
    return UNSEEN * float(number @ np.abs(of_items.positive - of_items.negative)) / float(number.sum())


def _from_below(terms: Floats) -> Floats:
    """The sums from each score down to the lowest."""
    return np.cumsum(terms[::-1])[::-1]


def average_precision(counted: Counted, value: float) -> Influences:
    """The influence on average precision: an item counts by itself, and in the precision at scores below its own."""
    _, positive, _, tp, fp = counted
    n = tp + fp
    gained, lost = _from_below(positive * fp / n**2), _from_below(positive * tp / n**2)
    return Influences((tp / n - value + gained) / tp[-1], -lost / tp[-1])


def area_under_roc(counted: Counted) -> Influences:
    """The influence on the area under the ROC curve: the placement of an item among those of the other class."""
    tpr, fpr = counted.above
    area = float(counted.positive @ (1 - fpr)) / counted.tp[-1]
    return Influences((1 - fpr - area) / counted.tp[-1], (tpr - area) / counted.fp[-1])


def expected_accuracy(counted: Counted, value: float) -> Influences:
    """The influence on a function of the area under the ROC curve and the prevalence."""
    prevalence, area = counted.prevalence, area_under_roc(counted)
    spread = 2 * prevalence * (1 - prevalence)
    share = counted.by_prevalence(2 * (1 - 2 * prevalence) * (value - 0.5) / spread)
    return Influences(share.positive + spread * area.positive, share.negative + spread * area.negative)


def partial_area(counted: Counted, _: float, *, fallout: float, standard: bool) -> Influences:
    """The influence on the area up to a false positive rate: that of each positive above it, and of negatives among
    them.
    """
    fpr = counted.above[1]
    positive, n_positive, n_negative = counted.positive, counted.tp[-1], counted.fp[-1]
    scale = 1 / (2 * (fallout - fallout**2 / 2)) if standard else 1.0
    under = np.maximum(fallout - fpr, 0)
    inside = positive * (fpr < fallout)
    beaten = _from_below(inside) - inside / 2 - float(inside @ fpr)
    return Influences(
        scale * (under - float(positive @ under) / n_positive) / n_positive, -scale * beaten / n_positive / n_negative
    )


def area_under_gain(counted: Counted, _: float, **__: Any) -> Influences:
    """The influence on the area under the precision-recall-gain curve.

    It is 1 - o times the mean over the negatives of (1/t² - 1)/2, where o is the odds of the prevalence and t the true
    positive rate at the score of a negative, at least the prevalence.
    """
    tpr = counted.above[0]
    prevalence, n_positive, n_negative = counted.prevalence, counted.tp[-1], counted.fp[-1]
    odds, inside = prevalence / (1 - prevalence), tpr > prevalence
    cost = (1 / np.where(inside, tpr, prevalence) ** 2 - 1) / 2
    mean = float(counted.negative @ cost) / n_negative
    slope = np.where(inside, counted.negative / np.where(inside, tpr, 1) ** 3, 0) / n_negative
    gained = _from_below(slope) - slope / 2 - float(slope @ tpr)
    outside = float(counted.negative @ ~inside) / n_negative
    share = counted.by_prevalence(-mean / (1 - prevalence) ** 2 + odds * outside / prevalence**3)
    return Influences(odds * gained / n_positive + share.positive, -odds * (cost - mean) / n_negative + share.negative)


def explained_brier(counted: Counted, value: float) -> Influences:
    """The influence on the Brier score relative to that of the prevalence."""
    prevalence = counted.prevalence
    losses = np.square(1 - counted.score), np.square(counted.score)
    return _explained(counted, value, losses, prevalence * (1 - prevalence), 1 - 2 * prevalence)


def _explained(
    counted: Counted, value: float, losses: tuple[Floats, Floats], reference: float, slope: float
) -> Influences:
    """The influence on one minus a mean loss over its reference, a function of the prevalence with this slope."""
    size, mean = counted.tp[-1] + counted.fp[-1], (1 - value) * reference
    share = counted.by_prevalence(mean / reference**2 * slope)
    yes, no = (-(loss - mean) / size / reference for loss in losses)
    return Influences(yes + share.positive, no + share.negative)


INFLUENCES: dict[str, Callable[..., Influences]] = {
    "AP": average_precision,
    "AUPRG": area_under_gain,
    "PartialAUC": partial_area,
    "ExpectedAccuracy": expected_accuracy,
    "D2Brier": explained_brier,
}


FEW = 10  # items that a part of a curve needs
INSIDE = 20  # items of each class that a partial area needs

_LOSSES: dict[str, Callable[[Floats, Floats], tuple[Floats, Floats]]] = {  # of positives and negatives with scores
    "Brier": lambda yes, no: (np.square(1 - yes), np.square(no)),
    "HingeLoss": lambda yes, no: (np.maximum(1 - yes, 0), np.maximum(1 + no, 0)),
}


def of_area(measure: Measure, scores: Thresholds, _: float, *, confidence: float, area_method: AreaMethod) -> Interval:
    """DeLong's or Newcombe's interval of the area, or of a linear function of it."""
    area = supported_interval(scores, confidence=confidence, method=area_method)
    if np.isnan(area.low):
        return absent(confidence, area.method.removeprefix("none: "))
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
