"""Costs and benefits of binary decisions: errors weighted by what they cost, and net benefit."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.arithmetic import Numbers, ratio
from cranfield.evidence.cells import Cells
from cranfield.measures.rates import NOTHING, ONE_CLASS, fallout, miss_rate
from cranfield.measures.registry import measure
from cranfield.settings import NonNegative, Persistence, Proportion


@measure(
    "WeightedRates",
    interval="jeffreys",
    title="Weighted recall and specificity",
    cite="fawcett2006",
    undefined=ONE_CLASS,
    monotone=True,
)
def weighted_rates(cells: Cells, *, recall: Proportion = 0.5) -> Numbers:
    """Weighted mean of recall and specificity, where recall has the given weight."""
    hits = recall * cells.tp * cells.negative
    return ratio(hits + (1 - recall) * cells.tn * cells.positive, cells.positive * cells.negative)


@measure(
    "CostAccuracy",
    interval="jeffreys",
    title="Cost-weighted accuracy",
    cite="silvafilho2021",
    names=("acc_c",),
    bounds=(0, 2),
    undefined=NOTHING,
    monotone=True,
)
def cost_accuracy(cells: Cells, *, c: Proportion = 0.5) -> Numbers:
    """Accuracy in which a true positive counts 2(1 - c) and a true negative 2c; c = 0.5 gives accuracy.

    With prevalence π: 2(1-c) π TPR + 2c (1-π)(1-FPR). The best threshold of a calibrated scorer is c.
    """
    return ratio(2 * (1 - c) * cells.tp + 2 * c * cells.tn, cells.total)


@measure(
    "ExpectedCost",
    interval="jeffreys",
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


@measure(
    "NetBenefit",
    interval="jeffreys",
    title="Net benefit",
    cite="vickers2006",
    bounds=(-np.inf, 1),
    undefined=NOTHING,
    monotone=True,
)
def net_benefit(cells: Cells, *, threshold: Persistence = 0.5) -> Numbers:
    """True positives per item, minus false positives weighted by the odds of the threshold probability."""
    return ratio((1 - threshold) * cells.tp - threshold * cells.fp, (1 - threshold) * cells.total)
