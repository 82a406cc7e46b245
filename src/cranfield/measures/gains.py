"""Utility of binary decisions: gains over always predicting positive, costs, and distances from the ideal."""

from __future__ import annotations

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import Numbers, ratio, root
from cranfield.measures.declaration import Reasons
from cranfield.measures.rates import (
    NO_NEGATIVES,
    NO_POSITIVES,
    NONE_ACCEPTED,
    NOTHING,
    OF_ONE_KIND,
    ONE_CLASS,
    fallout,
    miss_rate,
)
from cranfield.measures.registry import measure
from cranfield.measures.settings import Beta, NonNegative, Persistence, Proportion

_NONE_FOUND: Reasons = {
    NO_NEGATIVES: OF_ONE_KIND[NO_NEGATIVES],
    "there are no true positives": lambda cells, **_: cells.tp == 0,
}


@measure(
    "PrecisionGain",
    title="Precision gain",
    cite="flach2015",
    names=("precG",),
    bounds=(-np.inf, 1),
    undefined=_NONE_FOUND,
    monotone=True,
)
def precision_gain(cells: Cells, *, clip: bool = False) -> Numbers:
    """Precision on a harmonic scale where 0 is always predicting positive and 1 is perfect.

    With clip, a precision below the prevalence counts as the prevalence, so that the gain is at least 0.
    """
    return _clipped(1 - ratio(cells.fp * cells.positive, cells.tp * cells.negative), cells, clip)


@measure(
    "RecallGain",
    title="Recall gain",
    cite="flach2015",
    names=("recG",),
    bounds=(-np.inf, 1),
    undefined=_NONE_FOUND,
    monotone=True,
)
def recall_gain(cells: Cells, *, clip: bool = False) -> Numbers:
    """Recall on a harmonic scale where 0 is a recall equal to the prevalence and 1 is perfect.

    With clip, a recall below the prevalence counts as the prevalence, so that the gain is at least 0.
    """
    return _clipped(1 - ratio(cells.fn * cells.positive, cells.tp * cells.negative), cells, clip)


@measure(
    "FGain",
    title="F-gain",
    cite="flach2015",
    names=("FG",),
    aliases=("FG{beta}",),
    bounds=(-np.inf, 1),
    undefined=_NONE_FOUND,
    monotone=True,
)
def f_gain(cells: Cells, *, beta: Beta = 1, alpha: Proportion | None = None, clip: bool = False) -> Numbers:
    """Mean of precision gain and recall gain, weighted 1 to beta²: the F-measure on their scale.

    Precision gain has weight alpha = 1/(1 + beta²). With clip, it is the mean of the clipped gains.
    """
    if alpha is not None and beta != 1:
        raise BadSetting("FGain takes beta or alpha, not both: alpha is 1/(1 + beta²)")
    if beta == np.inf:
        return recall_gain(cells, clip=clip)
    if clip:
        weight = 1 / (1 + beta**2) if alpha is None else alpha
        return weight * precision_gain(cells, clip=True) + (1 - weight) * recall_gain(cells, clip=True)
    if alpha is not None:
        wrong, both = alpha * cells.fp + (1 - alpha) * cells.fn, cells.tp
    else:
        wrong, both = cells.fp + beta**2 * cells.fn, (1 + beta**2) * cells.tp
    return 1 - ratio(wrong * cells.positive, both * cells.negative)


def _clipped(gain: Numbers, cells: Cells, clip: bool) -> Numbers:
    """The gain, or 0 if it is lower or there are no true positives; undefined if there is only one class."""
    if not clip:
        return gain
    with np.errstate(invalid="ignore"):  # comparing an undefined fraction
        return np.where(cells.positive * cells.negative == 0, np.nan, np.fmax(gain, 0))


@measure(
    "WeightedRates", title="Weighted recall and specificity", cite="fawcett2006", undefined=ONE_CLASS, monotone=True
)
def weighted_rates(cells: Cells, *, recall: Proportion = 0.5) -> Numbers:
    """Weighted mean of recall and specificity, where recall has the given weight."""
    hits = recall * cells.tp * cells.negative
    return ratio(hits + (1 - recall) * cells.tn * cells.positive, cells.positive * cells.negative)


@measure(
    "CornerDistance",
    title="Distance to the ideal corner",
    cite="fawcett2006",
    names=("Closest",),
    aliases=("closest",),
    bounds=(0, np.sqrt(2)),
    higher_is_better=False,
    undefined=ONE_CLASS,
    monotone=True,
)
def corner_distance(cells: Cells) -> Numbers:
    """Distance in ROC space from the point with true positive rate 1 and false positive rate 0."""
    missed, false = cells.fn * cells.negative, cells.fp * cells.positive
    both = cells.positive * cells.negative
    return root(ratio(missed * missed + false * false, both * both))


@measure("RateGap", title="Gap between the error rates", names=("EERGap",), higher_is_better=False, undefined=ONE_CLASS)
def rate_gap(cells: Cells) -> Numbers:
    """Difference between false positive rate and false negative rate; 0 where both are the equal error rate."""
    apart = cells.fp * cells.positive - cells.fn * cells.negative
    return ratio(abs(apart), cells.positive * cells.negative)


@measure(
    "CostAccuracy",
    title="Cost-weighted accuracy",
    cite="silvafilho2021",
    names=("acc_c",),
    bounds=(0, 2),
    undefined=NOTHING,
    monotone=True,
)
def cost_accuracy(cells: Cells, *, c: Proportion = 0.5) -> Numbers:
    """Accuracy where a false positive costs c and a false negative 1 - c, doubled so that c = 0.5 gives accuracy.

    2(1-c) π TPR + 2c (1-π)(1-FPR): the best threshold of a calibrated scorer is c.
    """
    return ratio(2 * (1 - c) * cells.tp + 2 * c * cells.tn, cells.total)


@measure(
    "ExpectedCost",
    title="Expected cost",
    cite="drummond2006",
    names=("Cost", "cost"),
    bounds=(-np.inf, np.inf),
    higher_is_better=False,
    undefined=ONE_CLASS,
    monotone=True,
)
def expected_cost(
    cells: Cells, *, fp: NonNegative = 1, fn: NonNegative = 1, prevalence: Proportion | None = None
) -> Numbers:
    """Mean cost per item for the given costs of a false positive and a false negative and the expected prevalence."""
    if prevalence is None:
        return ratio(fp * cells.fp + fn * cells.fn, cells.total)
    return fn * prevalence * miss_rate(cells) + fp * (1 - prevalence) * fallout(cells)


@measure("NetBenefit", title="Net benefit", cite="vickers2006", bounds=(-np.inf, 1), undefined=NOTHING, monotone=True)
def net_benefit(cells: Cells, *, threshold: Persistence = 0.5) -> Numbers:
    """True positives per item, minus false positives weighted by the odds of the threshold probability."""
    return ratio((1 - threshold) * cells.tp - threshold * cells.fp, (1 - threshold) * cells.total)


@measure(
    "Lift",
    title="Lift",
    cite="fawcett2006",
    bounds=(0, np.inf),
    undefined={reason: OF_ONE_KIND[reason] for reason in (NO_POSITIVES, NONE_ACCEPTED)},
    monotone=True,
)
def lift(cells: Cells) -> Numbers:
    """Prevalence among the predicted positives divided by the prevalence among all items."""
    return ratio(cells.tp * cells.total, cells.accepted * cells.positive)
