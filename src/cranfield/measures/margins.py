"""Measures of decision values: whether the score of the true class is higher by a margin of 1."""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import Numbers, ratio, summed_items
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.probabilities import RARE_LOSSES
from cranfield.measures.rates import NOTHING
from cranfield.measures.registry import measure

_hinge = partial(
    measure, "HingeLoss", title="Hinge loss", bounds=(0, np.inf), higher_is_better=False, undefined=NOTHING
)


def _short_of_one(margin: Floats, weight: Floats | None = None, count: Ints | None = None) -> Floats:
    """Weighted sum over items of the shortfalls of margins below 1; infinite if it overflows."""
    weights = np.ones(len(margin)) if weight is None else weight
    with np.errstate(over="ignore"):
        return summed_items(lambda m, w: np.maximum(1 - m, 0) * w, count, margin, weights)


@_hinge(cite="cortes1995", interval="mean")
def hinge_loss(scores: Thresholds) -> Numbers:
    """Mean of 1 - y × score, or 0 if that is negative, where y is 1 for positives and -1 for negatives.

    The scores are decision values, above 0 for items predicted positive; for probabilities use the log-loss.
    """
    positive = _short_of_one(scores.positive, scores.positive_weight, scores.positive_count)
    negative = _short_of_one(-scores.negative, scores.negative_weight, scores.negative_count)
    return ratio(positive + negative, scores.n_positive + scores.n_negative)


@_hinge(cite="crammer2001", interval=RARE_LOSSES)
def hinge_loss_of_classes(scores: ClassScores) -> Numbers:
    """Mean of 1 - (score of the true class - highest score of another class), or 0 if that is negative."""
    with np.errstate(over="ignore"):
        margin = scores.of_actual - scores.highest_other
    return ratio(_short_of_one(margin, scores.weight), scores.total)
