"""Standard errors of measures of scores from influence functions: how the value changes with the weight of an item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.registry import Measure

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
