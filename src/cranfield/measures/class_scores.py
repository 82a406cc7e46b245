"""Measures of scores of several classes: decision values or probabilities, one for each class."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import Numbers, ratio
from cranfield.evidence.class_scores import ClassScores
from cranfield.measures.rates import NOTHING
from cranfield.measures.registry import measure
from cranfield.settings import Cutoff


@measure(
    "TopKAccuracy",
    interval="jackknife from 20",
    title="Top-k accuracy",
    names=("TopK",),
    cite="russakovsky2015",
    undefined=NOTHING,
)
def top_k_accuracy(scores: ClassScores, *, k: Cutoff = 2) -> Numbers:
    """Proportion of items whose class is among the k with the highest scores.

    Ties are broken by the order of the classes, so k = 1 gives accuracy.
    """
    classes = np.arange(len(scores.labels))
    of_actual, place = scores.of_actual[:, None], scores.actual[:, None]
    tied_before = (scores.score == of_actual) & (classes < place)
    n_before = ((scores.score > of_actual) | tied_before).sum(axis=1)
    return ratio(np.asarray(scores.sum((n_before < k).astype(np.float64))), scores.total)


@measure(
    "OneVsOneAUC",
    interval="jackknife from 20",
    title="One-vs-one area under the ROC curve",
    cite="hand2001",
    names=("HandTill",),
    undefined="fewer than two classes have items",
)
def one_against_one_area(scores: ClassScores, *, weighted: bool = False) -> Numbers:
    """Mean AUC over all pairs of classes that have items.

    The AUC of a pair is the probability that an item of one class has a higher score for it than an item of the other,
    averaged over both directions. With `weighted`, a pair is weighted by its number of items.
    """
    size = scores.size
    above = np.array([_ranked_above(scores, place) for place in range(len(size))])
    one, other = np.triu_indices(len(size), 1)
    present = (size[one] > 0) & (size[other] > 0)
    one, other = one[present], other[present]
    area = (above[one, other] + above[other, one]) / 2
    weight = size[one] + size[other] if weighted else np.ones(len(one))
    return ratio((area * weight).sum(), weight.sum())


def _ranked_above(scores: ClassScores, place: int) -> Floats:
    """For each class, the probability that its items score lower for one class than the items of that class."""
    inside = scores.actual == place
    score, weight = scores.score[:, place], scores.weights
    order = np.argsort(score[inside], kind="stable")
    ascending, sums = score[inside][order], np.append(0.0, np.cumsum(weight[inside][order]))
    not_above = sums[np.searchsorted(ascending, score, "left")] + sums[np.searchsorted(ascending, score, "right")]
    beaten = weight * (sums[-1] - not_above / 2)
    size = scores.size
    return ratio(np.bincount(scores.actual, beaten, len(size)), size * sums[-1])
