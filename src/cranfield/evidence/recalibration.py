"""Logistic recalibration: the log-odds of the outcomes as a linear function of those of the predicted probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.thresholds import Thresholds
from cranfield.tables.disk import on_disk
from cranfield.tables.readers.streams import limits

_BYTES = 100  # of an item while the regression is fitted
_STEPS = 200  # most steps to a root; Newton's method needs about five
_CLOSE = 1e-8  # a relative step of Newton's method after which the next would be below the precision
_PRECISION = 1e-14


class LogOdds(NamedTuple):
    """The predicted log-odds of each item, its outcome (1 or 0), and its weight or number."""

    predicted: Floats
    outcome: Floats
    weight: Floats


class Fit(NamedTuple):
    """The most likely intercept for a slope, and the likelihood around that slope."""

    slope: float
    intercept: float
    probability: Floats  # of each item, recalibrated
    centred: Floats  # the predicted log-odds less their mean, weighted by the variance of the outcomes
    score: float  # the derivative of the log-likelihood by the slope
    information: float  # the variance of the score

    def intercept_near(self, slope: float, items: LogOdds) -> float:
        """Roughly the intercept for another slope."""
        return self.intercept - (slope - self.slope) * float(items.predicted[0] - self.centred[0])


def log_odds(scores: Thresholds) -> LogOdds:
    """The log-odds of all items."""
    if on_disk(scores.positive):
        n_scores = len(scores.positive) + len(scores.negative)
        limits.require_memory(n_scores * _BYTES, f"a logistic regression on {n_scores:,} distinct scores")
    probability = np.concatenate([scores.positive, scores.negative])
    outcome = np.repeat([1.0, 0.0], [len(scores.positive), len(scores.negative)])
    weight = scores.weights
    if scores.positive_count is not None and scores.negative_count is not None:
        weight = np.concatenate([scores.positive_count, scores.negative_count]).astype(np.float64)
    return LogOdds(np.log(probability) - np.log1p(-probability), outcome, weight)


def most_likely_intercept(items: LogOdds, slope: float = 1.0, near: float | None = None) -> float:
    """The intercept of highest likelihood if the slope is known, sought near a first guess."""
    from scipy.special import expit, logit

    predicted = slope * items.predicted
    expected = float(logit((items.weight @ items.outcome) / items.weight.sum()))

    def excess(intercept: float) -> tuple[float, float]:
        probability = expit(intercept + predicted)
        certainty = items.weight @ (probability * (1 - probability))
        return float(items.weight @ (items.outcome - probability)), float(certainty)

    low, high = expected - float(predicted.max()), expected - float(predicted.min())
    start = expected - float(predicted.mean()) if near is None or not low < near < high else near
    return _root(excess, start, low, high)


def fit_at(items: LogOdds, slope: float, near: Fit | None = None) -> Fit:
    """The fit with this slope, found faster from one with a similar slope."""
    from scipy.special import expit

    intercept = most_likely_intercept(items, slope, None if near is None else near.intercept_near(slope, items))
    probability = expit(intercept + slope * items.predicted)
    certainty = items.weight * probability * (1 - probability)
    total = certainty.sum()
    centred = items.predicted - (certainty @ items.predicted / total if total else 0.0)
    score = items.weight @ ((items.outcome - probability) * centred)
    return Fit(slope, intercept, probability, centred, float(score), float(certainty @ centred**2))


def most_likely_slope(items: LogOdds) -> float:
    """The slope of highest likelihood, which is finite unless a threshold separates the outcomes."""

    def derivatives(slope: float) -> tuple[float, float]:
        fit = fit_at(items, slope)
        return fit.score, fit.information

    return _root(derivatives, 1.0)


def _root(
    function: Callable[[float], tuple[float, float]], start: float, low: float = -math.inf, high: float = math.inf
) -> float:
    """The root of a decreasing function, which returns its value and how fast it decreases: Newton's method.

    Steps that leave the bounds known so far are replaced by halving or, without a bound, doubling.
    """
    at, reach = start, 1.0
    for _ in range(_STEPS):
        value, decrease = function(at)
        if value == 0:
            return at
        low, high = (at, high) if value > 0 else (low, at)
        following, precision = at + value / decrease if decrease > 0 else math.nan, _CLOSE
        if not low < following < high or abs(following - at) > reach:
            far, reach, precision = at + math.copysign(reach, value), 2 * reach, _PRECISION
            following = far if low < far < high else (low + high) / 2
        if abs(following - at) <= precision * max(abs(at), abs(following)):
            return following
        at = following
    return at
