"""What yes-or-no answers are worth: gains over always saying yes, costs, and distances from the ideal."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import Numbers, ratio, root
from cranfield.measures.labels import (
    NO_NEGATIVES,
    NO_POSITIVES,
    NONE_ACCEPTED,
    NOTHING,
    OF_ONE_KIND,
    ONE_CLASS,
    fallout,
    miss_rate,
)
from cranfield.registry import Reasons, measure
from cranfield.settings import NonNegative, Persistence, Share

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
def precision_gain(cells: Cells) -> Numbers:
    """Precision on a harmonic scale where 0 is that of always saying yes, and 1 is perfect."""
    return 1 - ratio(cells.fp * cells.positive, cells.tp * cells.negative)


@measure(
    "RecallGain",
    title="Recall gain",
    cite="flach2015",
    names=("recG",),
    bounds=(-np.inf, 1),
    undefined=_NONE_FOUND,
    monotone=True,
)
def recall_gain(cells: Cells) -> Numbers:
    """Recall on a harmonic scale where 0 is a recall equal to the prevalence, and 1 is perfect."""
    return 1 - ratio(cells.fn * cells.positive, cells.tp * cells.negative)


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
def f_gain(cells: Cells, *, beta: NonNegative = 1) -> Numbers:
    """Mean of precision gain and recall gain, weighted 1 to beta²: the F-measure on their scale."""
    wrong = cells.fp + beta**2 * cells.fn
    return 1 - ratio(wrong * cells.positive, (1 + beta**2) * cells.tp * cells.negative)


@measure(
    "WeightedRates", title="Weighted recall and specificity", cite="fawcett2006", undefined=ONE_CLASS, monotone=True
)
def weighted_rates(cells: Cells, *, recall: Share = 0.5) -> Numbers:
    """Mean of recall and specificity, recall with the weight given."""
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
    """Distance in ROC space from the point where all positives and no negatives are predicted positive."""
    missed, false = cells.fn * cells.negative, cells.fp * cells.positive
    both = cells.positive * cells.negative
    return root(ratio(missed * missed + false * false, both * both))


@measure(
    "RateGap",
    title="Gap between the error rates",
    names=("EERGap",),
    aliases=("eer",),
    higher_is_better=False,
    undefined=ONE_CLASS,
)
def rate_gap(cells: Cells) -> Numbers:
    """How far fall-out and miss rate are apart; 0 where they are the equal error rate."""
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
def cost_accuracy(cells: Cells, *, c: Share = 0.5) -> Numbers:
    """Accuracy where a false positive costs c and a false negative 1 - c, doubled so that c = 0.5 is accuracy.

    2(1-c) π TPR + 2c (1-π)(1-FPR): a calibrated scorer is best at the threshold c. As printed in the keynote,
    2c π TPR + 2c (1-π) FPR, it would be best to say yes to everything.
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
    cells: Cells, *, fp: NonNegative = 1, fn: NonNegative = 1, prevalence: Share | None = None
) -> Numbers:
    """Mean cost of an item, given what a false positive and a false negative cost, and the prevalence to expect."""
    if prevalence is None:
        return ratio(fp * cells.fp + fn * cells.fn, cells.total)
    return fn * prevalence * miss_rate(cells) + fp * (1 - prevalence) * fallout(cells)


@measure("NetBenefit", title="Net benefit", cite="vickers2006", bounds=(-np.inf, 1), undefined=NOTHING, monotone=True)
def net_benefit(cells: Cells, *, threshold: Persistence = 0.5) -> Numbers:
    """True positives an item, less false ones at the odds of the probability from which one would act."""
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
    """How many times denser positives are in what was predicted positive than in all."""
    return ratio(cells.tp * cells.total, cells.accepted * cells.positive)
