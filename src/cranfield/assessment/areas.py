"""Areas under ROC curves: how sure they are, and whether those of two scorers differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.thresholds import Floats, Thresholds, thresholds
from cranfield.inference.distributions import normal_quantile, normal_tail

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
    """The areas of two scorers on the same items, their difference with its bounds, and the test that it is none."""

    areas: tuple[float, float]
    difference: float
    low: float
    high: float
    z: float
    p: float
    confidence: float


def area_interval(scores: Thresholds, *, confidence: float = 0.95) -> AreaInterval:
    """DeLong's interval, on the logit scale, so that it stays within 0 and 1.

    Where every pair is in order, or every one out of it, DeLong's variance is nothing and Newcombe's interval is
    given instead.
    """
    if scores.one_class:
        nothing = float("nan")
        return AreaInterval(nothing, nothing, nothing, confidence, "none: only one class is present")
    if scores.positive_weight is not None or scores.negative_weight is not None:
        raise BadInput("DeLong's interval is for items that count alike; use the bootstrap with weights")
    yes, no = _placed(scores.positive, scores.negative), _placed(scores.negative, scores.positive)
    area = scores.ordered.item() / (2 * len(yes) * len(no))
    variance = _spread(yes) + _spread(no)
    z = float(normal_quantile((1 + confidence) / 2))
    if not 0 < area < 1 or not variance > 0:
        low, high = _newcombe(area, len(yes), len(no), z)
        return AreaInterval(area, low, high, confidence, "newcombe")
    half = z * np.sqrt(variance) / (area * (1 - area))
    odds = area / (1 - area) * np.exp([-half, half])
    low, high = (odds / (1 + odds)).tolist()
    return AreaInterval(area, low, high, confidence, "delong")


def compare_areas(actual: NDArray[np.bool_], first: Floats, second: Floats, *, confidence: float = 0.95) -> AreaTest:
    """DeLong's test between two scorers of the same items."""
    if not len(actual) == len(first) == len(second):
        raise BadInput(f"there are {len(actual)} items, but {len(first)} and {len(second)} scores")
    if actual.all() or not actual.any():
        raise BadInput("only one class is present; areas need positives and negatives")
    yes = np.array([_placed(score[actual], np.sort(score[~actual])) for score in (first, second)])
    no = np.array([_placed(score[~actual], np.sort(score[actual])) for score in (first, second)])
    area = [thresholds(actual, score).ordered.item() / (2 * yes.shape[1] * no.shape[1]) for score in (first, second)]
    difference = area[0] - area[1]
    variance = _spread(yes[0] - yes[1]) + _spread(no[0] - no[1])
    half = float(normal_quantile((1 + confidence) / 2)) * float(np.sqrt(variance))
    z = (
        difference / float(np.sqrt(variance))
        if variance > 0
        else (0.0 if difference == 0 else np.copysign(np.inf, difference))
    )
    p = float(normal_tail(np.asarray(z)))
    low, high = max(difference - half, -1.0), min(difference + half, 1.0)
    return AreaTest((area[0], area[1]), difference, low, high, float(z), p, confidence)


def _placed(scores: Floats, others: Floats) -> Floats:
    """The share of the others, which are ascending, that each score lies above, ties counting half."""
    below = np.searchsorted(others, scores, side="left")
    return (below + np.searchsorted(others, scores, side="right")) / (2 * len(others))


def _spread(placed: Floats) -> float:
    """The variance of the mean of the values."""
    return float(placed.var(ddof=1) / len(placed)) if len(placed) > 1 else 0.0


def _newcombe(area: float, n_positive: int, n_negative: int, z: float) -> tuple[float, float]:
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
