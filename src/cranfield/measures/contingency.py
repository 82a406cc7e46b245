"""Several rates of yes-or-no answers in one figure: means, correlations, ratios of odds."""

from __future__ import annotations

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import Numbers, ratio, root
from cranfield.measures.labels import NO_POSITIVES, NONE_ACCEPTED, OF_ONE_KIND, ONE_CLASS, Parts
from cranfield.registry import Reasons, measure
from cranfield.settings import NonNegative, Share

_NEITHER = "nothing is positive and nothing was predicted positive"
_NO_FALSE_POSITIVES = "there are no false positives, so that the ratio has no bound"
_NO_FALSE_NEGATIVES = "there are no false negatives, so that the ratio has no bound"
_NO_TRUE_NEGATIVES = "there are no true negatives, so that the ratio has no bound"
_OF_F: Reasons = {
    _NEITHER: lambda cells, **_: (cells.positive == 0) & (cells.accepted == 0),
    NO_POSITIVES: lambda _, alpha, **__: alpha == 0,
    NONE_ACCEPTED: lambda _, beta, alpha: beta == 0 or alpha == 1,
}


@measure(
    "BalancedAccuracy",
    title="Balanced accuracy",
    cite="brodersen2010",
    names=("MacroAccuracy",),
    aliases=("balanced_accuracy",),
    undefined=ONE_CLASS,
    monotone=True,
)
def balanced_accuracy(cells: Cells) -> Numbers:
    """Mean of recall and specificity."""
    return ratio(cells.tp * cells.negative + cells.tn * cells.positive, 2 * cells.positive * cells.negative)


@measure(
    "F", title="F-measure", cite="vanrijsbergen1979", aliases=("F{beta}", "f{beta}"), undefined=_OF_F, monotone=True
)
def f_measure(cells: Cells, *, beta: NonNegative = 1, alpha: Share | None = None) -> Numbers:
    """Weighted harmonic mean of precision and recall; beta above 1 favours recall, as does alpha below 0.5.

    Precision weighs alpha = 1/(1 + beta²), recall the rest: TP / (TP + alpha FP + (1 - alpha) FN), hence for beta 1
    TP / (TP + (FP + FN) / 2), where the two kinds of mistakes are averaged.
    """
    if alpha is not None and beta != 1:
        raise BadSetting("F takes beta or alpha, which say the same: alpha is 1/(1 + beta²)")
    if alpha is not None:
        return ratio(cells.tp, cells.tp + alpha * cells.fp + (1 - alpha) * cells.fn)
    return ratio((1 + beta**2) * cells.tp, (1 + beta**2) * cells.tp + cells.fp + beta**2 * cells.fn)


@measure(
    "GMeasure",
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
    names=("CSI",),
    aliases=("jaccard",),
    undefined=_NEITHER,
    share=True,
    monotone=True,
)
def jaccard(cells: Cells) -> Parts:
    """True positives as a share of the items that are positive or were predicted so."""
    return cells.tp, cells.tp + cells.fp + cells.fn


@measure("Dice", title="Dice coefficient", cite="dice1945", aliases=("dice",), undefined=_NEITHER, monotone=True)
def dice(cells: Cells) -> Numbers:
    """Twice the true positives, over the positives and what was predicted positive."""
    return ratio(2 * cells.tp, cells.positive + cells.accepted)


@measure(
    "MCC",
    title="Matthews correlation",
    cite="matthews1975",
    names=("Phi",),
    aliases=("mcc",),
    bounds=(-1, 1),
    undefined=OF_ONE_KIND,
)
def matthews(cells: Cells) -> Numbers:
    """Correlation of the actual with the predicted answers."""
    across = cells.tp * cells.tn - cells.fp * cells.fn
    return root(ratio(across * abs(across), cells.positive * cells.accepted * (cells.negative * cells.rejected)))


@measure(
    "Kappa",
    title="Cohen's kappa",
    cite="cohen1960",
    aliases=("kappa",),
    bounds=(-1, 1),
    undefined="the actual and the predicted answers are all the same",
)
def kappa(cells: Cells) -> Numbers:
    """Agreement beyond chance, as a share of what is possible beyond chance."""
    across = cells.tp * cells.tn - cells.fp * cells.fn
    return ratio(2 * across, cells.positive * cells.rejected + cells.accepted * cells.negative)


@measure(
    "Informedness",
    title="Informedness",
    cite="youden1950",
    names=("Youden",),
    aliases=("youden", "informedness"),
    bounds=(-1, 1),
    undefined=ONE_CLASS,
    monotone=True,
)
def informedness(cells: Cells) -> Numbers:
    """Recall plus specificity less one: Youden's J."""
    return ratio(cells.tp * cells.tn - cells.fp * cells.fn, cells.positive * cells.negative)


@measure(
    "Markedness",
    title="Markedness",
    cite="powers2011",
    bounds=(-1, 1),
    undefined="everything was predicted to be of one class",
)
def markedness(cells: Cells) -> Numbers:
    """Precision plus negative predictive value less one."""
    return ratio(cells.tp * cells.tn - cells.fp * cells.fn, cells.accepted * cells.rejected)


@measure(
    "LRplus",
    title="Positive likelihood ratio",
    cite="fawcett2006",
    aliases=("LR+", "LR_pos"),
    bounds=(0, np.inf),
    undefined=OF_ONE_KIND | {_NO_FALSE_POSITIVES: lambda cells: cells.fp == 0},
)
def positive_likelihood_ratio(cells: Cells) -> Numbers:
    """How much more often positives are predicted positive than negatives are."""
    return ratio(cells.tp * cells.negative, cells.fp * cells.positive)


@measure(
    "LRminus",
    title="Negative likelihood ratio",
    cite="fawcett2006",
    aliases=("LR-", "LR_neg"),
    bounds=(0, np.inf),
    higher_is_better=False,
    undefined=OF_ONE_KIND | {_NO_TRUE_NEGATIVES: lambda cells: cells.tn == 0},
)
def negative_likelihood_ratio(cells: Cells) -> Numbers:
    """How much more often positives are predicted negative than negatives are."""
    return ratio(cells.fn * cells.negative, cells.tn * cells.positive)


@measure(
    "DOR",
    title="Diagnostic odds ratio",
    cite="glas2003",
    bounds=(0, np.inf),
    undefined=OF_ONE_KIND
    | {_NO_FALSE_POSITIVES: lambda cells: cells.fp == 0, _NO_FALSE_NEGATIVES: lambda cells: cells.fn == 0},
)
def diagnostic_odds_ratio(cells: Cells) -> Numbers:
    """Odds of being predicted positive for the positives, over those for the negatives."""
    return ratio(cells.tp * cells.tn, cells.fp * cells.fn)
