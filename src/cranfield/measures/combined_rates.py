"""Combinations of rates of a binary classifier: means, correlations and odds ratios."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.arithmetic import Numbers, ratio, root
from cranfield.evidence.cells import Cells
from cranfield.measures.declaration import Reasons, refused
from cranfield.measures.rates import NO_POSITIVES, NONE_ACCEPTED, OF_ONE_KIND, ONE_CLASS, Parts
from cranfield.measures.registry import measure
from cranfield.settings import Beta, Proportion, require_one_weight

_NEITHER = "there are neither positives nor predicted positives"
_NO_FALSE_POSITIVES = "there are no false positives, so the ratio is infinite"
_NO_FALSE_NEGATIVES = "there are no false negatives, so the ratio is infinite"
_NO_TRUE_NEGATIVES = "there are no true negatives, so the ratio is infinite"
_OF_F: Reasons = {
    _NEITHER: lambda cells, **_: (cells.positive == 0) & (cells.accepted == 0),
    NO_POSITIVES: lambda _, beta, alpha: alpha == 0 or beta == np.inf,
    NONE_ACCEPTED: lambda _, beta, alpha: beta == 0 or alpha == 1,
}


@measure(
    "BalancedAccuracy",
    interval="jeffreys",
    title="Balanced accuracy",
    cite="brodersen2010",
    names=("MacroAccuracy",),
    undefined=ONE_CLASS,
    monotone=True,
)
def balanced_accuracy(cells: Cells) -> Numbers:
    """Mean of recall and specificity."""
    return ratio(cells.tp * cells.negative + cells.tn * cells.positive, 2 * cells.positive * cells.negative)


@measure(
    "F",
    interval="jeffreys",
    title="F-measure",
    cite="vanrijsbergen1979",
    aliases=("F{beta}", refused("fbeta_score", "write beta in the name or as a setting: F2 or F(beta=2)")),
    undefined=_OF_F,
    monotone=True,
)
def f_measure(cells: Cells, *, beta: Beta = 1, alpha: Proportion | None = None) -> Numbers:
    """Weighted harmonic mean of precision and recall; beta above 1 favours recall, as does alpha below 0.5.

    Precision has weight alpha = 1/(1 + beta²) and recall the rest: TP / (TP + alpha FP + (1 - alpha) FN). For beta 1
    this is TP / (TP + (FP + FN) / 2): the two kinds of errors are averaged. Beta 0 is precision, beta inf recall.
    """
    require_one_weight("F", beta, alpha)
    if beta == np.inf:
        return ratio(cells.tp, cells.tp + cells.fn)
    if alpha is not None:
        return ratio(cells.tp, cells.tp + alpha * cells.fp + (1 - alpha) * cells.fn)
    return ratio((1 + beta**2) * cells.tp, (1 + beta**2) * cells.tp + cells.fp + beta**2 * cells.fn)


@measure(
    "GMeasure",
    interval="jeffreys",
    title="G-measure",
    cite="fowlkes1983",
    names=("FowlkesMallows",),
    undefined={reason: OF_ONE_KIND[reason] for reason in (NO_POSITIVES, NONE_ACCEPTED)},
    monotone=True,
)
def g_measure(cells: Cells) -> Numbers:
    """Geometric mean of precision and recall."""
    return root(ratio(cells.tp * cells.tp, cells.accepted * cells.positive))


@measure(
    "Jaccard",
    title="Jaccard coefficient",
    cite="jaccard1901",
    names=("CSI", "IoU"),
    undefined=_NEITHER,
    proportion=True,
    monotone=True,
)
def jaccard(cells: Cells) -> Parts:
    """True positives as a proportion of the items that are positive, predicted positive, or both."""
    return cells.tp, cells.tp + cells.fp + cells.fn


@measure("Dice", interval="jeffreys", title="Dice coefficient", cite="dice1945", undefined=_NEITHER, monotone=True)
def dice(cells: Cells) -> Numbers:
    """Twice the true positives, divided by the number of positives plus the number of predicted positives."""
    return ratio(2 * cells.tp, cells.positive + cells.accepted)


@measure(
    "MCC",
    interval="jeffreys",
    title="Matthews correlation",
    cite="matthews1975",
    names=("Phi", "matthews_corrcoef"),
    bounds=(-1, 1),
    undefined=OF_ONE_KIND,
)
def matthews(cells: Cells) -> Numbers:
    """Correlation between actual and predicted labels."""
    across = cells.tp * cells.tn - cells.fp * cells.fn
    return root(ratio(across * abs(across), cells.positive * cells.accepted * (cells.negative * cells.rejected)))


@measure(
    "Kappa",
    interval="jeffreys",
    title="Cohen's kappa",
    cite="cohen1960",
    names=("CohenKappa",),
    bounds=(-1, 1),
    undefined="all actual and predicted labels are the same",
)
def kappa(cells: Cells) -> Numbers:
    """Agreement beyond chance, as a proportion of the possible agreement beyond chance."""
    across = cells.tp * cells.tn - cells.fp * cells.fn
    return ratio(2 * across, cells.positive * cells.rejected + cells.accepted * cells.negative)


@measure(
    "Informedness",
    interval="jeffreys",
    title="Informedness",
    cite="youden1950",
    names=("Youden",),
    bounds=(-1, 1),
    undefined=ONE_CLASS,
    monotone=True,
)
def informedness(cells: Cells) -> Numbers:
    """Recall plus specificity minus one: Youden's J."""
    return ratio(cells.tp * cells.tn - cells.fp * cells.fn, cells.positive * cells.negative)


@measure(
    "Markedness",
    interval="jeffreys",
    title="Markedness",
    cite="powers2011",
    bounds=(-1, 1),
    undefined="only one class was predicted",
)
def markedness(cells: Cells) -> Numbers:
    """Precision plus negative predictive value minus one."""
    return ratio(cells.tp * cells.tn - cells.fp * cells.fn, cells.accepted * cells.rejected)


@measure(
    "LRplus",
    interval="jeffreys from 10",
    title="Positive likelihood ratio",
    cite="fawcett2006",
    aliases=("LR+", "LR_pos"),
    bounds=(0, np.inf),
    undefined=OF_ONE_KIND | {_NO_FALSE_POSITIVES: lambda cells: cells.fp == 0},
)
def positive_likelihood_ratio(cells: Cells) -> Numbers:
    """True positive rate divided by false positive rate."""
    return ratio(cells.tp * cells.negative, cells.fp * cells.positive)


@measure(
    "LRminus",
    interval="jeffreys",
    title="Negative likelihood ratio",
    cite="fawcett2006",
    aliases=("LR-", "LR_neg"),
    bounds=(0, np.inf),
    higher_is_better=False,
    undefined=OF_ONE_KIND | {_NO_TRUE_NEGATIVES: lambda cells: cells.tn == 0},
)
def negative_likelihood_ratio(cells: Cells) -> Numbers:
    """False negative rate divided by true negative rate."""
    return ratio(cells.fn * cells.negative, cells.tn * cells.positive)


@measure(
    "DOR",
    interval="jeffreys from 20",
    title="Diagnostic odds ratio",
    cite="glas2003",
    bounds=(0, np.inf),
    undefined=OF_ONE_KIND
    | {_NO_FALSE_POSITIVES: lambda cells: cells.fp == 0, _NO_FALSE_NEGATIVES: lambda cells: cells.fn == 0},
)
def diagnostic_odds_ratio(cells: Cells) -> Numbers:
    """Odds of a positive prediction for positives, divided by those for negatives."""
    return ratio(cells.tp * cells.tn, cells.fp * cells.fn)
