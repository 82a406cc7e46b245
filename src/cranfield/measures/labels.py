"""Rates of yes-or-no answers: how many are right, of what is so and of what was said."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import Numbers, ratio
from cranfield.registry import measure

NO_POSITIVES = "nothing is positive"
NO_NEGATIVES = "nothing is negative"
NONE_ACCEPTED = "nothing was predicted positive"
NONE_REJECTED = "nothing was predicted negative"
ONE_CLASS = "only one class is present"
NOTHING = "there are no items"

Parts = tuple[Numbers, Numbers]


def proportion(parts: Callable[..., Parts]) -> Callable[..., Numbers]:
    """A measure that is a share of a number of items: `parts` gives the number, and the number it is a share of."""

    @wraps(parts)
    def share(cells: Cells, **settings: Any) -> Numbers:
        return ratio(*parts(cells, **settings))

    share.parts = parts  # type: ignore[attr-defined]  # of which intervals are made
    return share


def monotone(function: Callable[..., Numbers]) -> Callable[..., Numbers]:
    """A measure that a true positive in place of a false negative never worsens, nor a false positive improves.

    Its best threshold is among those where no other has both more true and fewer false positives.
    """
    function.monotone = True  # type: ignore[attr-defined]
    return function


# of the positives, and of the negatives


@measure(
    "Recall",
    title="Recall",
    cite="vanrijsbergen1979",
    names=("TPR", "Sensitivity", "HitRate", "R"),
    aliases=("recall", "sensitivity", "tpr"),
    undefined=NO_POSITIVES,
)
@monotone
@proportion
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
)
@monotone
@proportion
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
)
@monotone
@proportion
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
)
@monotone
@proportion
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
)
@monotone
@proportion
def precision(cells: Cells) -> Parts:
    """Share of what was predicted positive that is positive."""
    return cells.tp, cells.accepted


@measure("FDR", title="False discovery rate", cite="fawcett2006", higher_is_better=False, undefined=NONE_ACCEPTED)
@monotone
@proportion
def false_discovery_rate(cells: Cells) -> Parts:
    """Share of what was predicted positive that is negative."""
    return cells.fp, cells.accepted


@measure("NPV", title="Negative predictive value", cite="fawcett2006", undefined=NONE_REJECTED)
@monotone
@proportion
def negative_predictive_value(cells: Cells) -> Parts:
    """Share of what was predicted negative that is negative."""
    return cells.tn, cells.rejected


@measure("FOR", title="False omission rate", cite="fawcett2006", higher_is_better=False, undefined=NONE_REJECTED)
@monotone
@proportion
def false_omission_rate(cells: Cells) -> Parts:
    """Share of what was predicted negative that is positive."""
    return cells.fn, cells.rejected


# of all


@measure(
    "Accuracy", title="Accuracy", cite="fawcett2006", names=("ACC",), aliases=("accuracy", "acc"), undefined=NOTHING
)
@monotone
@proportion
def accuracy(cells: Cells) -> Parts:
    """Share of the items that was predicted right."""
    return cells.tp + cells.tn, cells.total


@measure(
    "ErrorRate",
    title="Error rate",
    cite="fawcett2006",
    names=("ERR",),
    aliases=("error_rate",),
    higher_is_better=False,
    undefined=NOTHING,
)
@monotone
@proportion
def error_rate(cells: Cells) -> Parts:
    """Share of the items that was predicted wrong."""
    return cells.fp + cells.fn, cells.total


@measure("Prevalence", title="Prevalence", cite="fawcett2006", higher_is_better=None, undefined=NOTHING)
@proportion
def prevalence(cells: Cells) -> Parts:
    """Share of the items that is positive."""
    return cells.positive, cells.total


@measure("AcceptedRate", title="Share predicted positive", higher_is_better=None, undefined=NOTHING)
@proportion
def accepted_rate(cells: Cells) -> Parts:
    """Share of the items that was predicted positive."""
    return cells.accepted, cells.total


@measure(
    "NoInformationRate",
    title="No-information rate",
    names=("NIR",),
    higher_is_better=None,
    undefined=NOTHING,
)
@proportion
def no_information_rate(cells: Cells) -> Parts:
    """Accuracy of always giving the more frequent answer."""
    return np.maximum(cells.positive, cells.negative), cells.total
