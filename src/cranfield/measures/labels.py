"""Rates of yes-or-no answers: how many are right, of what is so and of what was said."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import Numbers
from cranfield.registry import Reasons, measure

NO_POSITIVES = "nothing is positive"
NO_NEGATIVES = "nothing is negative"
NONE_ACCEPTED = "nothing was predicted positive"
NONE_REJECTED = "nothing was predicted negative"
ONE_CLASS = "only one class is present"
NOTHING = "there are no items"

OF_ONE_KIND: Reasons = {  # a row or a column of the matrix is empty
    NO_POSITIVES: lambda cells, **_: cells.positive == 0,
    NO_NEGATIVES: lambda cells, **_: cells.negative == 0,
    NONE_ACCEPTED: lambda cells, **_: cells.accepted == 0,
    NONE_REJECTED: lambda cells, **_: cells.rejected == 0,
}

Parts = tuple[Numbers, Numbers]  # of a share: how many items, and of how many


# of the positives, and of the negatives


@measure(
    "Recall",
    title="Recall",
    cite="vanrijsbergen1979",
    names=("TPR", "Sensitivity", "HitRate", "R"),
    aliases=("recall", "sensitivity", "tpr"),
    undefined=NO_POSITIVES,
    share=True,
    monotone=True,
)
def recall(cells: Cells) -> Parts:
    """Share of the positives that was predicted positive."""
    return cells.tp, cells.positive


@measure(
    "MissRate",
    title="Miss rate",
    cite="fawcett2006",
    names=("FNR",),
    aliases=("fnr",),
    higher_is_better=False,
    undefined=NO_POSITIVES,
    share=True,
    monotone=True,
)
def miss_rate(cells: Cells) -> Parts:
    """Share of the positives that was predicted negative."""
    return cells.fn, cells.positive


@measure(
    "Specificity",
    title="Specificity",
    cite="fawcett2006",
    names=("TNR", "Selectivity"),
    aliases=("specificity", "tnr"),
    undefined=NO_NEGATIVES,
    share=True,
    monotone=True,
)
def specificity(cells: Cells) -> Parts:
    """Share of the negatives that was predicted negative."""
    return cells.tn, cells.negative


@measure(
    "Fallout",
    title="Fall-out",
    cite="fawcett2006",
    names=("FPR",),
    aliases=("fpr", "fall-out", "fallout"),
    higher_is_better=False,
    undefined=NO_NEGATIVES,
    share=True,
    monotone=True,
)
def fallout(cells: Cells) -> Parts:
    """Share of the negatives that was predicted positive."""
    return cells.fp, cells.negative


# of what was predicted positive, and negative


@measure(
    "Precision",
    title="Precision",
    cite="vanrijsbergen1979",
    names=("PPV", "P"),
    aliases=("precision", "ppv"),
    undefined=NONE_ACCEPTED,
    share=True,
    monotone=True,
)
def precision(cells: Cells) -> Parts:
    """Share of what was predicted positive that is positive."""
    return cells.tp, cells.accepted


@measure(
    "FDR",
    title="False discovery rate",
    cite="fawcett2006",
    higher_is_better=False,
    undefined=NONE_ACCEPTED,
    share=True,
    monotone=True,
)
def false_discovery_rate(cells: Cells) -> Parts:
    """Share of what was predicted positive that is negative."""
    return cells.fp, cells.accepted


@measure(
    "NPV", title="Negative predictive value", cite="fawcett2006", undefined=NONE_REJECTED, share=True, monotone=True
)
def negative_predictive_value(cells: Cells) -> Parts:
    """Share of what was predicted negative that is negative."""
    return cells.tn, cells.rejected


@measure(
    "FOR",
    title="False omission rate",
    cite="fawcett2006",
    higher_is_better=False,
    undefined=NONE_REJECTED,
    share=True,
    monotone=True,
)
def false_omission_rate(cells: Cells) -> Parts:
    """Share of what was predicted negative that is positive."""
    return cells.fn, cells.rejected


# of all


@measure(
    "Accuracy",
    title="Accuracy",
    cite="fawcett2006",
    names=("ACC",),
    aliases=("accuracy", "acc"),
    undefined=NOTHING,
    share=True,
    monotone=True,
)
def accuracy(cells: Cells) -> Parts:
    """Share of the items that was predicted right."""
    return cells.tp + cells.tn, cells.total


@measure(
    "ErrorRate",
    title="Error rate",
    cite="fawcett2006",
    names=("ERR", "HammingLoss"),
    aliases=("error_rate", "hamming_loss"),
    higher_is_better=False,
    undefined=NOTHING,
    share=True,
    monotone=True,
)
def error_rate(cells: Cells) -> Parts:
    """Share of the items that was predicted wrong."""
    return cells.fp + cells.fn, cells.total


@measure("Prevalence", title="Prevalence", cite="fawcett2006", higher_is_better=None, undefined=NOTHING, share=True)
def prevalence(cells: Cells) -> Parts:
    """Share of the items that is positive."""
    return cells.positive, cells.total


@measure("AcceptedRate", title="Share predicted positive", higher_is_better=None, undefined=NOTHING, share=True)
def accepted_rate(cells: Cells) -> Parts:
    """Share of the items that was predicted positive."""
    return cells.accepted, cells.total


@measure(
    "NoInformationRate",
    title="No-information rate",
    names=("NIR",),
    higher_is_better=None,
    undefined=NOTHING,
    share=True,
)
def no_information_rate(cells: Cells) -> Parts:
    """Accuracy of always giving the more frequent answer."""
    return np.maximum(cells.positive, cells.negative), cells.total
