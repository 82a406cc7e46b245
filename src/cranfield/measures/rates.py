"""Rates of a binary classifier, and quantities derived from two of them."""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.evidence.arithmetic import Numbers, ratio, root
from cranfield.evidence.cells import Cells
from cranfield.measures.declaration import NoInterval, Reasons, refused
from cranfield.measures.registry import measure

NO_POSITIVES = "there are no positives"
NO_NEGATIVES = "there are no negatives"
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

MOST_FREQUENT = NoInterval("where classes are about equally frequent, the largest count is too high in most samples")

Parts = tuple[Numbers, Numbers]  # numerator and denominator of a proportion
_rate = partial(measure, proportion=True, monotone=True)
_composition = partial(measure, higher_is_better=None, undefined=NOTHING, proportion=True)


# of the positives, and of the negatives


@_rate(
    "Recall",
    title="Recall",
    cite="vanrijsbergen1979",
    names=("TPR", "Sensitivity", "HitRate", "R"),
    undefined=NO_POSITIVES,
)
def recall(cells: Cells) -> Parts:
    """Proportion of positives predicted positive."""
    return cells.tp, cells.positive


@_rate(
    "MissRate",
    title="Miss rate",
    cite="fawcett2006",
    names=("FNR", "TypeII"),
    higher_is_better=False,
    undefined=NO_POSITIVES,
)
def miss_rate(cells: Cells) -> Parts:
    """Proportion of positives predicted negative: the rate of type II errors."""
    return cells.fn, cells.positive


@_rate("Specificity", title="Specificity", cite="fawcett2006", names=("TNR", "Selectivity"), undefined=NO_NEGATIVES)
def specificity(cells: Cells) -> Parts:
    """Proportion of negatives predicted negative."""
    return cells.tn, cells.negative


@_rate(
    "Fallout",
    title="False positive rate",
    cite="fawcett2006",
    names=("FPR", "TypeI"),
    higher_is_better=False,
    undefined=NO_NEGATIVES,
)
def fallout(cells: Cells) -> Parts:
    """Proportion of negatives predicted positive: the rate of type I errors (false alarms)."""
    return cells.fp, cells.negative


# of what was predicted positive, and negative


@_rate("Precision", title="Precision", cite="vanrijsbergen1979", names=("PPV", "P"), undefined=NONE_ACCEPTED)
def precision(cells: Cells) -> Parts:
    """Proportion of predicted positives that are positive."""
    return cells.tp, cells.accepted


@_rate("FDR", title="False discovery rate", cite="fawcett2006", higher_is_better=False, undefined=NONE_ACCEPTED)
def false_discovery_rate(cells: Cells) -> Parts:
    """Proportion of predicted positives that are negative."""
    return cells.fp, cells.accepted


@_rate("NPV", title="Negative predictive value", cite="fawcett2006", undefined=NONE_REJECTED)
def negative_predictive_value(cells: Cells) -> Parts:
    """Proportion of predicted negatives that are negative."""
    return cells.tn, cells.rejected


@_rate("FOR", title="False omission rate", cite="fawcett2006", higher_is_better=False, undefined=NONE_REJECTED)
def false_omission_rate(cells: Cells) -> Parts:
    """Proportion of predicted negatives that are positive."""
    return cells.fn, cells.rejected


# of all


@_rate("Accuracy", title="Accuracy", cite="fawcett2006", names=("ACC",), undefined=NOTHING)
def accuracy(cells: Cells) -> Parts:
    """Proportion of items predicted correctly."""
    return cells.tp + cells.tn, cells.total


@_rate(
    "ErrorRate",
    title="Error rate",
    cite="fawcett2006",
    names=("ERR", "HammingLoss"),
    aliases=(refused("zero_one_loss", "use ErrorRate, or SubsetAccuracy for multilabel data"),),
    higher_is_better=False,
    undefined=NOTHING,
)
def error_rate(cells: Cells) -> Parts:
    """Proportion of items predicted incorrectly."""
    return cells.fp + cells.fn, cells.total


@measure(
    "Prevalence", title="Prevalence", cite="fawcett2006", higher_is_better=None, undefined=NOTHING, proportion=True
)
def prevalence(cells: Cells) -> Parts:
    """Proportion of items that are positive."""
    return cells.positive, cells.total


@_composition("AcceptedRate", title="Predicted positive rate")
def accepted_rate(cells: Cells) -> Parts:
    """Proportion of items predicted positive."""
    return cells.accepted, cells.total


@_composition("NoInformationRate", interval=MOST_FREQUENT, title="No-information rate", names=("NIR",))
def no_information_rate(cells: Cells) -> Parts:
    """Accuracy of always predicting the more frequent class."""
    return np.maximum(cells.positive, cells.negative), cells.total


@measure(
    "CornerDistance",
    interval="jeffreys from 5",
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


@measure(
    "RateGap",
    interval=NoInterval("it is the absolute value of a difference; Fallout and MissRate have intervals"),
    title="Gap between the error rates",
    names=("EERGap",),
    higher_is_better=False,
    undefined=ONE_CLASS,
)
def rate_gap(cells: Cells) -> Numbers:
    """Difference between false positive rate and false negative rate; 0 where both are the equal error rate."""
    apart = cells.fp * cells.positive - cells.fn * cells.negative
    return ratio(abs(apart), cells.positive * cells.negative)


@measure(
    "Lift",
    interval="jeffreys from 10",
    title="Lift",
    cite="fawcett2006",
    bounds=(0, np.inf),
    undefined={reason: OF_ONE_KIND[reason] for reason in (NO_POSITIVES, NONE_ACCEPTED)},
    monotone=True,
)
def lift(cells: Cells) -> Numbers:
    """Prevalence among the predicted positives divided by the prevalence among all items."""
    return ratio(cells.tp * cells.total, cells.accepted * cells.positive)
