"""The test of an accuracy against the no-information rate, the accuracy of always predicting the largest class."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.items import LabelSets
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.statistics.intervals import EXACT, Interval, exact_proportion
from cranfield.statistics.resampling import generator


class AccuracyTest(NamedTuple):
    """The accuracy, the no-information rate, and the p-value of the test that the accuracy is no higher."""

    accuracy: float
    no_information_rate: float
    n: int
    p: float

    @property
    def words(self) -> str:
        """The test in one line."""
        return (
            f"accuracy {self.accuracy:.4g} is not higher than the no-information rate {self.no_information_rate:.4g}: "
            f"p = {self.p:.4g} (exact binomial test, one-sided, n = {self.n:,})"
        )


def accuracy_test(n_correct: int, n_largest: int, n: int) -> AccuracyTest | None:
    """The exact binomial test: the probability of so many correct answers, or more, at the no-information rate.

    The rate is that of the sample, taken as known, as in caret. None without items.
    """
    if not n:
        return None
    from scipy.special import bdtrc

    rate = n_largest / n
    p = 1.0 if n_correct == 0 else float(bdtrc(n_correct - 1, n, rate))
    return AccuracyTest(n_correct / n, rate, n, p)


# Intervals of functions of counts: quantiles over proportions drawn from their posterior distribution.
#
# Jeffreys' prior of a binary decision is half an item that is right and half an item that is wrong in each class. Its
# intervals miss rates near 0 or 1 too often, since counts are discrete. Hence bounds are those of two priors that move
# a quarter of an item from right to wrong, or back, and cover like mid-P intervals of proportions. They also do in
# samples in which some counts are 0, where every resample of a bootstrap has the same zeros.


JEFFREYS = "jeffreys"
_RIGHT = 0.25, 0.75  # of the prior's item in each class, in each of two priors


def interval_of_counts(
    value: float,
    counts: tuple[float, ...],
    right: tuple[bool, ...],
    values_of: Callable[[Floats], Floats],
    confidence: float,
    n_draws: int,
    seed: int,
) -> Interval:
    """The interval of a function of counts of right and wrong answers, one of right answers for each class."""
    both = [
        quantile_interval(value, values_of(_drawn_counts(counts, right, share, n_draws, seed)), confidence)
        for share in _RIGHT
    ]
    low, high = np.min([one.low for one in both], axis=0), np.max([one.high for one in both], axis=0)
    return Interval(low, high, confidence, JEFFREYS)


@lru_cache(maxsize=4)  # the measures of one system are computed from the same draws
def _drawn_counts(counts: tuple[float, ...], right: tuple[bool, ...], share: float, n_draws: int, seed: int) -> Floats:
    """Draws of the proportions behind counts, times their total: one row per draw.

    The prior has one item per class, this share of it right and the rest spread evenly over the wrong answers.
    """
    observed, of_right = np.array(counts), np.array(right)
    n_classes, n_wrong = of_right.sum(), (~of_right).sum()
    prior = np.where(of_right, share, (1 - share) * n_classes / max(n_wrong, 1))
    weight = generator(seed).standard_gamma(observed + prior, (n_draws, len(observed)))
    drawn = weight * (observed.sum() / weight.sum(axis=1, keepdims=True))
    drawn.setflags(write=False)
    return drawn


def quantile_interval(value: float, drawn: Floats, confidence: float) -> Interval:
    """The central interval of the values on draws, extended to the value itself."""
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(np.array([min(low, value)]), np.array([max(high, value)]), confidence, JEFFREYS)


# Clopper and Pearson's intervals of proportions and of functions of one


_JACCARD = parse("Jaccard", "binary")
OF_JACCARD = tuple(parse(name, "binary") for name in ("F", "F(alpha=0.5)", "Dice"))  # 2J / (1 + J)


FEWEST = 20  # items, for all but proportions
WEIGHTED = "items have different weights: no method covers if weights depend on the class or the score"
Counted = Cells | Confusion | LabelSets


class IntervalEstimate(NamedTuple):
    """A value, its bounds and their method; if there are none, the bounds are NaN and `method` says why."""

    value: float
    low: float
    high: float
    confidence: float
    method: str


class UnitIntervals(NamedTuple):
    """The bounds for each unit and their method; if there are none, the bounds are NaN and `method` says why."""

    low: Floats
    high: Floats
    method: list[str]


def by_formula(measure: Measure, counts: Counted, confidence: float) -> UnitIntervals | None:
    """The bounds of a proportion or a function of one; None if the measure is neither."""
    if measure.declaration.parts is not None:
        low, high = _proportion(measure, counts, confidence)
        return UnitIntervals(low, high, [EXACT] * len(low))
    if measure in OF_JACCARD:
        low, high = _proportion(_JACCARD, counts, confidence)
        return UnitIntervals(2 * low / (1 + low), 2 * high / (1 + high), [EXACT] * len(low))
    return None


def _proportion(measure: Measure, counts: Counted, confidence: float) -> tuple[Floats, Floats]:
    interval = exact_proportion(*_parts(measure, counts), confidence)
    return interval.low, interval.high


def _parts(measure: Measure, counts: Counted) -> tuple[Floats, Floats]:
    parts = measure.declaration.parts
    if parts is None:
        raise TypeError(f"{measure} is not a proportion of items")
    part, whole = (np.atleast_1d(np.asarray(number, np.float64)) for number in parts(counts, **measure.options))
    return part, whole
