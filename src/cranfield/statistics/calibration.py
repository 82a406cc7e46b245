"""Consistency resampling: what measures of calibration would be if the probabilities were perfectly calibrated.

Bröcker and Smith (2007) draw the outcomes of resampled items from their probabilities. Here the items stay the same, so
that the test of perfect calibration is exact given the probabilities.

Decided here: what a measure of calibration would be if the probabilities were calibrated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cranfield.evidence.recalibration import fit_at, log_odds, most_likely_intercept, most_likely_slope
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.registry import Measure
from cranfield.rounding import NEAR
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import t_quantile
from cranfield.statistics.intervals import Interval, absent
from cranfield.statistics.item_resampling import ONE_BY_ONE, recounted
from cranfield.statistics.resampling import COSTLY_RESAMPLES, generator, require_draws

SMALL, LARGE = 20_000, 200_000  # numbers of items: above the first, a tenth of the samples by default; then none


class CalibrationTest(NamedTuple):
    """A measure of calibration beside its mean if the probabilities were calibrated, and the p-value of that."""

    value: float
    expected: float
    p: float  # the probability of a value at least as large
    resamples: int


def usual_test(scores: Thresholds, measure: Measure, *, seed: int = 0) -> CalibrationTest | None:
    """The test with as many samples as take about a second; None if there are too many items."""
    n_items = sum(scores.n_items)
    if n_items > LARGE:
        return None
    return calibration_test(scores, measure, resamples=COSTLY_RESAMPLES // (1 if n_items <= SMALL else 10), seed=seed)


def calibration_test(
    scores: Thresholds, measure: Measure, *, resamples: int = COSTLY_RESAMPLES, seed: int = 0
) -> CalibrationTest:
    """The test of perfect calibration by a measure, on this many samples of outcomes."""
    require_draws(resamples, "resamples")
    value = float(measure.values(scores))
    drawn = np.array([float(measure.values(again)) for again in _calibrated(scores, resamples, seed)])
    n_as_large = int((drawn > value - NEAR).sum())
    return CalibrationTest(value, float(drawn.mean()), (1 + n_as_large) / (resamples + 1), resamples)


def _calibrated(scores: Thresholds, resamples: int, seed: int) -> Iterator[Thresholds]:
    """The same probabilities with outcomes drawn from them."""
    rng = generator(seed)
    if scores.positive_count is not None and scores.negative_count is not None and sum(scores.n_items) > ONE_BY_ONE:
        both = np.concatenate([scores.positive, scores.negative])
        probability, place = np.unique(both, return_inverse=True)
        count = np.zeros(len(probability), np.int64)
        np.add.at(count, place, np.concatenate([scores.positive_count, scores.negative_count]))
        alike = Thresholds(probability, probability, positive_count=count, negative_count=count)
        for _ in range(resamples):
            n_positive = rng.binomial(count, probability)
            yield recounted(alike, n_positive, count - n_positive)
        return
    scores = scores.each_item
    probability = np.concatenate([scores.positive, scores.negative])
    order = np.argsort(probability, kind="stable")
    probability, weight = probability[order], scores.weights[order] if scores.weighted else None
    for _ in range(resamples):
        yes = rng.random(len(probability)) < probability
        weights = (None, None) if weight is None else (weight[yes], weight[~yes])
        yield Thresholds(probability[yes], probability[~yes], *weights)


# Intervals of the calibration slope and intercept: score tests, inverted, with a robust variance.
#
# The tests allow for outcomes that do not follow the logistic model: their variance is multiplied by that of the
# residuals over that of the model, both at the estimate. For the slope, the residuals are divided by one minus their
# leverage (MacKinnon and White 1985, HC3).


METHOD = "robust score"
FEW = 10  # fewest items of each class for an interval of the slope
LEAST = 10  # sum of the variances of the outcomes for an interval of the intercept, which covers too rarely with less
_DOUBLINGS = 60
_BEYOND = 1e300  # above every critical value


def intercept_interval(scores: Thresholds, confidence: float = CONFIDENCE) -> Interval:
    """The interval of the calibration intercept."""
    from scipy.special import expit

    items = log_odds(scores)
    estimate = most_likely_intercept(items)
    n_items = int(items.weight.sum())

    def parts(intercept: float) -> tuple[float, float, float]:
        probability = expit(intercept + items.predicted)
        residual = items.outcome - probability
        model = items.weight @ (probability * (1 - probability))
        return float(items.weight @ residual), float(model), float(items.weight @ residual**2)

    _, model, observed = parts(estimate)
    if model < LEAST:
        return absent(confidence, "too few items, or the recalibrated probabilities are nearly 0 or 1")

    def statistic(intercept: float) -> float:
        score, variance, _ = parts(intercept)
        return _standardised(score, variance * observed / model)

    return _inverted(statistic, estimate, 1 / math.sqrt(model), n_items - 1, confidence)


def slope_interval(scores: Thresholds, confidence: float = CONFIDENCE) -> Interval:
    """The interval of the calibration slope."""
    if min(scores.n_positive, scores.n_negative) < FEW:
        return absent(confidence, f"fewer than {FEW} items of a class")
    items = log_odds(scores)
    estimate = most_likely_slope(items)
    fit = fit_at(items, estimate)
    certainty = fit.probability * (1 - fit.probability)
    total = float(items.weight @ certainty)
    if min(total, fit.information) < NEAR:
        return absent(confidence, "the recalibrated probabilities are nearly 0 or 1")
    leverage = certainty * (1 / total + fit.centred**2 / fit.information)
    if leverage.max() > 1 - NEAR:
        return absent(confidence, "it depends on a single item")
    residual = (items.outcome - fit.probability) / (1 - leverage)
    inflation = float(items.weight @ (residual * fit.centred) ** 2) / fit.information

    def statistic(slope: float) -> float:
        there = fit_at(items, slope, fit)
        return _standardised(there.score, there.information * inflation)

    n_items = int(items.weight.sum())
    return _inverted(statistic, estimate, 1 / math.sqrt(fit.information), n_items - 2, confidence)


def _standardised(score: float, variance: float) -> float:
    reach = math.sqrt(variance) * _BEYOND
    return score / math.sqrt(variance) if abs(score) < reach else math.copysign(_BEYOND, score)


def _inverted(
    statistic: Callable[[float], float], estimate: float, error: float, freedom: int, confidence: float
) -> Interval:
    """The values at which a decreasing statistic is not significant."""
    critical = t_quantile((1 + confidence) / 2, freedom)
    low = _end(lambda value: statistic(value) - critical, estimate, -error)
    high = _end(lambda value: -critical - statistic(value), estimate, error)
    if not math.isfinite(low + high):
        return absent(confidence, "the score test excludes no value on one side")
    return Interval(np.array([low]), np.array([high]), confidence, METHOD)


def _end(excess: Callable[[float], float], estimate: float, step: float) -> float:
    """Where the excess, which is negative at the estimate, becomes positive in the direction of the step."""
    from scipy.optimize import brentq

    inside = estimate
    for _ in range(_DOUBLINGS):
        outside = inside + step
        if excess(outside) > 0:
            return float(brentq(excess, inside, outside, xtol=1e-10, rtol=1e-10, maxiter=200))
        inside, step = outside, 2 * step
    return math.copysign(math.inf, step)
