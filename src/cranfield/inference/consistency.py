"""Consistency resampling: what measures of calibration would be if the probabilities were perfectly calibrated.

Bröcker and Smith (2007) draw the outcomes of resampled items from their probabilities. Here the items stay the same, so
that the test of perfect calibration is exact given the probabilities.

Decided here: what a measure of calibration would be if the probabilities were calibrated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cranfield.evidence.rounding import NEAR
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.item_resampling import ONE_BY_ONE, recounted
from cranfield.inference.resampling import COSTLY_RESAMPLES, generator, require_draws
from cranfield.measures.registry import Measure

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
