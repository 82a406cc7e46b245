"""Confidence intervals of the area under the ROC curve, and DeLong's test of two scorers."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, require_one_of
from cranfield.evidence.arithmetic import exact_sums, total, up_to
from cranfield.evidence.scores import in_order
from cranfield.evidence.thresholds import Counts, Thresholds, thresholds
from cranfield.measures.naming import parse
from cranfield.rounding import ROUNDING
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import Alternative, normal_quantile, normal_tail, require_confidence, root
from cranfield.statistics.published import Difference, independent_t
from cranfield.statistics.rates import WEIGHTED, IntervalEstimate
from cranfield.tables.disk import blocks

AreaMethod = Literal["auto", "logit", "delong"]

AREA = parse("AUC", "binary")
NOTHING = ROUNDING**2  # smaller variances are rounding errors
_ALIKE = "no interval: both scorers rank each item above the same proportion of the other class"
FEW = 10  # with fewer items of a class, DeLong's variance is unreliable
MISPLACED = 2  # the same with fewer of them times the area above the curve


class AreaTest(NamedTuple):
    """The areas of two scorers on the same items, their difference with its interval, and the test that it is 0.

    If the test is undefined, bounds, z and p are NaN and `reason` says why; it also says why only the interval is
    undefined.
    """

    areas: tuple[float, float]
    difference: float
    low: float
    high: float
    z: float
    p: float
    confidence: float
    reason: str = ""


def area_interval(
    scores: Thresholds, *, confidence: float = CONFIDENCE, method: AreaMethod = "auto"
) -> IntervalEstimate:
    """The interval of the area from DeLong's variance.

    "delong" is symmetric about the area and clipped to 0 and 1, as in pROC; "logit" is symmetric on the logit scale and
    so always within 0 and 1. If the area is 0 or 1, DeLong's variance is 0, and with one item of a class it is
    undefined: Newcombe's interval is used instead, which is defined even then. "auto" is the logit form, but
    Newcombe's if a class has fewer than ten items, or if fewer than two of them are misplaced on the whole, since
    DeLong's variance is then usually too small. Items of a class that have different weights have no interval.
    """
    require_one_of("the interval of an area", method, AreaMethod)
    z = float(normal_quantile((1 + require_confidence(confidence)) / 2))
    if scores.one_class:
        nothing = float("nan")
        return IntervalEstimate(nothing, nothing, nothing, confidence, "none: only one class is present")
    positive, negative = _sides(scores)
    area, nothing = float(AREA.values(scores)), float("nan")
    if positive.uneven or negative.uneven:
        return IntervalEstimate(area, nothing, nothing, confidence, f"none: {WEIGHTED}")
    variance = _variance(positive, negative)
    smallest = min(positive.size, negative.size)
    few = method == "auto" and (smallest < FEW or smallest * min(area, 1 - area) < MISPLACED)
    if not 0 < area < 1 or few or not variance > NOTHING:
        low, high = _newcombe(area, positive.size, negative.size, z)
        return IntervalEstimate(area, low, high, confidence, "newcombe")
    half = z * float(np.sqrt(variance))
    if method == "delong":
        return IntervalEstimate(area, max(area - half, 0.0), min(area + half, 1.0), confidence, "delong")
    with np.errstate(over="ignore", under="ignore"):  # odds may be infinite or 0
        odds = np.exp(np.array([1, -1]) * half / (area * (1 - area)))
        low, high = (area / (area + (1 - area) * odds)).tolist()
    return IntervalEstimate(area, low, high, confidence, "delong, logit")


def supported_interval(scores: Thresholds, *, confidence: float, method: AreaMethod) -> IntervalEstimate:
    """The interval of the area, or none if a class has too few items for the coverage that was simulated."""
    interval, least = area_interval(scores, confidence=confidence, method=method), AREA.declaration.fewest_of_class
    if np.isnan(interval.low) or min(scores.n_items) >= least:
        return interval
    which = "positive" if scores.n_positive <= scores.n_negative else "negative"
    nothing = float("nan")
    return IntervalEstimate(interval.value, nothing, nothing, confidence, f"none: fewer than {least} {which} items")


def compare_areas(
    actual: Mask,
    first: Floats,
    second: Floats,
    *,
    weight: Floats | None = None,
    count: Ints | None = None,
    confidence: float = CONFIDENCE,
) -> AreaTest:
    """DeLong's test of two scorers on the same items; a row stands for as many of them as its count.

    With two or three items of a class it rejects too often; with one, it is undefined.
    """
    if not len(actual) == len(first) == len(second):
        raise BadInput(f"got {len(actual)} items, but {len(first)} and {len(second)} scores")
    counting = actual if weight is None else actual[weight > 0]
    if counting.all() or not counting.any():
        raise BadInput("only one class is present; areas need positives and negatives")
    one, other = (_area_parts(actual, score, weight, count) for score in (first, second))
    difference = one.area - other.area
    variance = one.positive.spread(one.yes - other.yes, one.negative) + one.negative.spread(
        one.no - other.no, one.positive
    )
    deviation = float(np.sqrt(variance))
    half = float(normal_quantile((1 + require_confidence(confidence)) / 2)) * deviation
    areas = one.area, other.area
    nothing = float("nan")
    if np.array_equal(one.yes, other.yes) and np.array_equal(one.no, other.no):
        return AreaTest(areas, 0.0, nothing, nothing, 0.0, 1.0, confidence, _ALIKE)
    if reason := _untestable(one, variance):
        return AreaTest(areas, difference, nothing, nothing, nothing, nothing, confidence, reason)
    z = difference / deviation
    p = float(normal_tail(np.asarray(z)))
    return AreaTest(areas, difference, max(difference - half, -1.0), min(difference + half, 1.0), z, p, confidence)


def independent_areas(one: Thresholds, other: Thresholds, level: float, alternative: Alternative) -> Difference:
    """DeLong's test of the areas of scorers on different items, as in pROC: a t-test, in which their variances add."""
    variances = [_independent_variance(scores) for scores in (one, other)]
    if not sum(variances) > NOTHING:
        raise BadInput("the areas have no variance over the items of either sample, so their difference is not tested")
    sizes = [sum(scores.n_items) for scores in (one, other)]
    difference = float(AREA.values(one)) - float(AREA.values(other))
    test = independent_t(difference, variances, sizes, level, alternative)
    return test._replace(low=max(test.low, -1.0), high=min(test.high, 1.0))


def _independent_variance(scores: Thresholds) -> float:
    """DeLong's variance of the area of one sample; refused if it is undefined."""
    if scores.one_class:
        raise BadInput("only one class is present; areas need positives and negatives")
    variance = _variance(*_sides(scores))
    if np.isnan(variance):
        raise BadInput("at least 2 items per class (effective sample size) are needed to estimate variance")
    return variance


def _variance(positive: _Side, negative: _Side) -> float:
    """DeLong's variance of the area."""
    return _spread(positive, negative) + _spread(negative, positive)


def _spread(side: _Side, others: _Side) -> float:
    """The variance of the weighted mean of the placement values of a class; without weights, in blocks."""
    if side.weight is not None or others.weight is not None:
        return side.spread(_placements(side, others), others)
    ascending, summed, squares = _ascending(others), 0, 0
    for rows in blocks(len(side.score), beside=len(others.score)):
        sums = exact_sums(_placed(side.score[rows], ascending), None if side.times is None else side.times[rows])
        summed, squares = summed + sums[0], squares + sums[1]
    return side.exact_spread(summed, squares, others)


def _untestable(scorer: _AreaParts, variance: float) -> str:
    """Why DeLong's test is undefined; empty if it is defined."""
    if round(min(scorer.positive.size, scorer.negative.size), 9) < 2:
        return "undefined: at least 2 items per class (effective sample size) are needed to estimate variance"
    return "" if variance > NOTHING else "undefined: the difference has no variance over the items of either class"


class _Side(NamedTuple):
    """The scores of a class, and the weights of its items or the number of items with each score."""

    score: Floats
    weight: Floats | None
    times: Ints | None

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.score) if self.times is None else total(self.times)

    @property
    def uneven(self) -> bool:
        """Whether the items have different weights."""
        return self.weight is not None and bool(np.ptp(self.weight) > 0)

    @property
    def size(self) -> float:
        """Number of items or, if they are weighted, Kish's effective sample size."""
        return float(self.n if self.weight is None else self.weight.sum() ** 2 / (self.weight**2).sum())

    def spread(self, placement: Counts, others: _Side) -> float:
        """The variance of the weighted mean of the placement values."""
        if round(self.size, 9) <= 1:
            return float("nan")
        if placement.dtype.kind == "i" and self.weight is None:
            return self.exact_spread(*exact_sums(placement, self.times), others)
        value = placement / (2 * others.n) if placement.dtype.kind == "i" else placement
        weight = np.full(len(value), 1 / self.n) if self.weight is None else self.weight / self.weight.sum()
        return float((weight**2 * (value - weight @ value) ** 2).sum() * self.size / (self.size - 1))

    def exact_spread(self, summed: int, squares: int, others: _Side) -> float:
        """The same from the sums of the placements and of their squares, which are integers, so it is rounded once."""
        n, scale = self.n, 2 * others.n
        return (n * squares - summed * summed) / (n * n * (n - 1) * scale * scale) if n > 1 else float("nan")


class _AreaParts(NamedTuple):
    """The area of a scorer, and the placement of each positive and each negative."""

    area: float
    positive: _Side
    negative: _Side
    yes: Counts
    no: Counts


def _sides(scores: Thresholds) -> tuple[_Side, _Side]:
    """The positives and the negatives."""
    return (
        _Side(scores.positive, scores.positive_weight, scores.positive_count),
        _Side(scores.negative, scores.negative_weight, scores.negative_count),
    )


def _area_parts(actual: Mask, score: Floats, weight: Floats | None, count: Ints | None) -> _AreaParts:
    positive, negative = (
        _Side(score[of], None if weight is None else weight[of], None if count is None else count[of])
        for of in (actual, ~actual)
    )
    scores = thresholds(actual, score, weight, count)
    area = float(AREA.values(scores))
    return _AreaParts(area, positive, negative, _placements(positive, negative), _placements(negative, positive))


def _placements(side: _Side, others: _Side) -> Counts:
    """Twice the number of others with a lower score, ties counting half; the proportion if they are weighted."""
    ascending = _ascending(others)
    placement = _placed(side.score, ascending)
    return placement if others.weight is None else np.asarray(placement / (2 * ascending.n_below[-1]))


class _Ascending(NamedTuple):
    """Scores in ascending order, and the number, or sum of weights, of those before each; None if this is its place."""

    score: Floats
    n_below: Any


def _ascending(side: _Side) -> _Ascending:
    times: Counts | None = side.times if side.weight is None else side.weight
    score = side.score
    if not in_order(np.greater_equal, score):
        order = np.argsort(score, kind="stable")
        score, times = score[order], None if times is None else times[order]
    return _Ascending(score, None if times is None else up_to(times))


def _placed(score: Floats, others: _Ascending) -> Counts:
    """Twice the number of others with a lower score, ties counting half."""
    start = stop = np.int64(0)
    if len(score):
        start = np.searchsorted(others.score, score.min())
        stop = np.searchsorted(others.score, score.max(), side="right")
    near = others.score[start:stop]  # faster than among all
    below, not_above = (np.searchsorted(near, score, side=end) + start for end in ("left", "right"))
    if others.n_below is None:
        below += not_above
        return below
    placement = others.n_below[below]
    placement += others.n_below[not_above]
    return placement


def _newcombe(area: float, n_positive: float, n_negative: float, z: float) -> tuple[float, float]:
    """The areas that are not rejected with Hanley and McNeil's variance for classes of equal size."""
    size = (n_positive + n_negative) / 2

    def apart(true: float) -> float:
        inner = 2 * size - 1 - (3 * size - 3) / ((2 - true) * (1 + true))
        return abs(area - true) - z * float(np.sqrt(true * (1 - true) / (n_positive * n_negative) * inner))

    return root(apart, area, 0.0) if area > 0 else 0.0, root(apart, area, 1.0) if area < 1 else 1.0
