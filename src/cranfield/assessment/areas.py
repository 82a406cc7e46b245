"""Areas under ROC curves: how sure they are, and whether those of two scorers differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.thresholds import Floats, Thresholds, thresholds
from cranfield.inference.distributions import normal_quantile, normal_tail, require_confidence
from cranfield.registry import parse

AREA = parse("AUC", "binary")
NOTHING = 1e-30  # a variance that is rounding
FEW = 10  # items of a class, of which DeLong's variance is too unsure to be relied on
BANDS = ((0.9, "excellent"), (0.8, "good"), (0.7, "fair"), (0.6, "poor"))


def in_words(area: float) -> str:
    """What an area is commonly called."""
    return next((word for least, word in BANDS if area >= least), "fail")


class AreaInterval(NamedTuple):
    """The area, its bounds, and how these came."""

    area: float
    low: float
    high: float
    confidence: float
    method: str


class AreaTest(NamedTuple):
    """The areas of two scorers on the same items, their difference with its bounds, and the test that it is none.

    Where the test is undefined, bounds, z and p are NaN and `reason` says why.
    """

    areas: tuple[float, float]
    difference: float
    low: float
    high: float
    z: float
    p: float
    confidence: float
    reason: str = ""


def area_interval(scores: Thresholds, *, confidence: float = 0.95) -> AreaInterval:
    """DeLong's interval, on the logit scale, so that it stays within 0 and 1.

    Where every pair is in order, or every one out of it, DeLong's variance is nothing; where a class has fewer than
    ten items, it is too small more often than not. Newcombe's interval is given instead, which holds for one item too.
    Items with weights count as those they are worth: their squares widen the interval.
    """
    z = float(normal_quantile((1 + require_confidence(confidence)) / 2))
    if scores.one_class:
        nothing = float("nan")
        return AreaInterval(nothing, nothing, nothing, confidence, "none: only one class is present")
    positive, negative = _side(scores.positive, scores.positive_weight), _side(scores.negative, scores.negative_weight)
    area = float(AREA.values(scores))
    variance = positive.spread(_placed(positive, negative)) + negative.spread(_placed(negative, positive))
    weighted = ", weighted" * scores.weighted
    if not 0 < area < 1 or min(positive.size, negative.size) < FEW or not variance > NOTHING:
        low, high = _newcombe(area, positive.size, negative.size, z)
        return AreaInterval(area, low, high, confidence, f"newcombe{weighted}")
    half = z * np.sqrt(variance) / (area * (1 - area))
    odds = area / (1 - area) * np.exp([-half, half])
    low, high = (odds / (1 + odds)).tolist()
    return AreaInterval(area, low, high, confidence, f"delong{weighted}")


def compare_areas(
    actual: NDArray[np.bool_],
    first: Floats,
    second: Floats,
    *,
    weight: Floats | None = None,
    confidence: float = 0.95,
) -> AreaTest:
    """DeLong's test between two scorers of the same items.

    With two or three items of a class it finds a difference too often; with one, it is undefined.
    """
    if not len(actual) == len(first) == len(second):
        raise BadInput(f"there are {len(actual)} items, but {len(first)} and {len(second)} scores")
    counting = actual if weight is None else actual[weight > 0]
    if counting.all() or not counting.any():
        raise BadInput("only one class is present; areas need positives and negatives")
    one, other = (_area_parts(actual, score, weight) for score in (first, second))
    difference = one.area - other.area
    variance = one.positive.spread(one.yes - other.yes) + one.negative.spread(one.no - other.no)
    deviation = float(np.sqrt(variance))
    half = float(normal_quantile((1 + require_confidence(confidence)) / 2)) * deviation
    areas = one.area, other.area
    if np.array_equal(one.yes, other.yes) and np.array_equal(one.no, other.no):  # one order: they cannot differ
        return AreaTest(areas, 0.0, 0.0, 0.0, 0.0, 1.0, confidence)
    if reason := _untestable(one, variance):
        nothing = float("nan")
        return AreaTest(areas, difference, nothing, nothing, nothing, nothing, confidence, reason)
    z = difference / deviation
    p = float(normal_tail(np.asarray(z)))
    return AreaTest(areas, difference, max(difference - half, -1.0), min(difference + half, 1.0), z, p, confidence)


def _untestable(scorer: _AreaParts, variance: float) -> str:
    """Why DeLong's test says nothing; no text if it does."""
    if round(min(scorer.positive.size, scorer.negative.size), 9) < 2:
        return "undefined: how much an area varies cannot be told from fewer than 2 items of a class, or their worth"
    return "" if variance > NOTHING else "undefined: the difference does not vary over the items of either class"


class _Side(NamedTuple):
    """The scores of a class, and the weights of its items."""

    score: Floats
    weight: Floats

    @property
    def size(self) -> float:
        """How many items of equal weight would tell as much, as Kish reckons."""
        return float(self.weight.sum() ** 2 / (self.weight**2).sum())

    def spread(self, value: Floats) -> float:
        """The variance of the mean of a value of each item."""
        if round(self.size, 9) <= 1:
            return float("nan")
        share = self.weight / self.weight.sum()
        return float((share**2 * (value - share @ value) ** 2).sum() * self.size / (self.size - 1))


class _AreaParts(NamedTuple):
    """The area of a scorer, and where each positive and each negative is placed among the others."""

    area: float
    positive: _Side
    negative: _Side
    yes: Floats
    no: Floats


def _side(score: Floats, weight: Floats | None) -> _Side:
    return _Side(score, np.ones(len(score)) if weight is None else weight)


def _area_parts(actual: NDArray[np.bool_], score: Floats, weight: Floats | None) -> _AreaParts:
    positive, negative = (_side(score[own], None if weight is None else weight[own]) for own in (actual, ~actual))
    scores = thresholds(actual, score, weight)
    area = float(AREA.values(scores))
    return _AreaParts(area, positive, negative, _placed(positive, negative), _placed(negative, positive))


def _placed(side: _Side, others: _Side) -> Floats:
    """The share of the others that each score lies above, ties counting half."""
    order = np.argsort(others.score, kind="stable")
    ascending = others.score[order]
    sums = np.append(0.0, np.cumsum(others.weight[order]))
    below, not_above = (np.searchsorted(ascending, side.score, side=end) for end in ("left", "right"))
    return (sums[below] + sums[not_above]) / (2 * sums[-1])


def _newcombe(area: float, n_positive: float, n_negative: float, z: float) -> tuple[float, float]:
    """The areas that would not be rejected, given their own variance by Hanley and McNeil for classes of equal size."""
    size = (n_positive + n_negative) / 2

    def apart(true: float) -> float:
        inner = 2 * size - 1 - (3 * size - 3) / ((2 - true) * (1 + true))
        return abs(area - true) - z * float(np.sqrt(true * (1 - true) / (n_positive * n_negative) * inner))

    return _crossing(apart, area, 0.0) if area > 0 else 0.0, _crossing(apart, area, 1.0) if area < 1 else 1.0


def _crossing(apart: Callable[[float], float], near: float, far: float) -> float:
    """Where a function that is negative near and positive far is 0, by halving."""
    for _ in range(100):
        middle = (near + far) / 2
        if apart(middle) < 0:
            near = middle
        else:
            far = middle
    return (near + far) / 2
