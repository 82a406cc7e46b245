"""Measures of a whole confusion matrix, for any number of classes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.evidence.arithmetic import POWER, Numbers, apart, ratio, root
from cranfield.evidence.confusion import Confusion
from cranfield.measures.rates import MOST_FREQUENT, NOTHING, Parts
from cranfield.measures.registry import measure


@measure("Accuracy", title="Accuracy", cite="fawcett2006", names=("ACC",), undefined=NOTHING, proportion=True)
def accuracy(confusion: Confusion) -> Parts:
    """Proportion of items predicted correctly."""
    return confusion.right.sum(), np.asarray(confusion.total)


@measure(
    "ErrorRate",
    title="Error rate",
    cite="fawcett2006",
    names=("ERR", "HammingLoss", "zero_one_loss"),
    higher_is_better=False,
    undefined=NOTHING,
    proportion=True,
)
def error_rate(confusion: Confusion) -> Parts:
    """Proportion of items predicted incorrectly."""
    return confusion.cells.fn.sum(), np.asarray(confusion.total)


@measure(
    "NoInformationRate",
    interval=MOST_FREQUENT,
    title="No-information rate",
    names=("NIR",),
    higher_is_better=None,
    undefined=NOTHING,
    proportion=True,
)
def no_information_rate(confusion: Confusion) -> Parts:
    """Accuracy of always predicting the most frequent class."""
    return confusion.actual.max(initial=0), np.asarray(confusion.total)


@measure(
    "BalancedAccuracy",
    interval="jeffreys",
    title="Balanced accuracy",
    cite="brodersen2010",
    names=("MacroAccuracy",),
    undefined=NOTHING,
)
def balanced_accuracy(confusion: Confusion) -> Numbers:
    """Mean of the recalls of the classes that have items."""
    present = confusion.actual > 0
    recall = ratio(confusion.right[present], confusion.actual[present])
    return ratio(recall.sum(), float(len(recall)))


@measure(
    "Kappa",
    interval="jeffreys",
    title="Cohen's kappa",
    cite="cohen1960",
    names=("CohenKappa",),
    bounds=(-1, 1),
    undefined="all actual and predicted labels are the same",
)
def kappa(confusion: Confusion, *, weights: Literal["linear", "quadratic"] | None = None) -> Numbers:
    """Agreement beyond chance, as a proportion of the possible agreement beyond chance; weights forgive near misses.

    Weights use the order of the classes in the matrix: a miss by k classes costs k, or k².
    """
    row, column, count = confusion.wrong
    power = 0 if weights is None else POWER[weights]
    missed = (np.abs(row - column).astype(np.float64) ** power * count).sum()
    if weights is None:
        by_chance = (confusion.cells.positive * confusion.cells.rejected).sum()
    else:
        by_chance = apart(confusion.actual, confusion.predicted, power)
    return 1 - ratio(missed * confusion.total, by_chance)


@measure(
    "MCC",
    interval="jeffreys",
    title="Matthews correlation",
    cite="gorodkin2004",
    names=("Phi", "matthews_corrcoef"),
    bounds=(-1, 1),
    undefined={
        "all items belong to one class": lambda confusion: (confusion.actual > 0).sum() < 2,
        "all items were predicted to belong to one class": lambda confusion: (confusion.predicted > 0).sum() < 2,
    },
)
def matthews(confusion: Confusion) -> Numbers:
    """Correlation between actual and predicted classes."""
    cells = confusion.cells
    across = (cells.tp * cells.tn - cells.fp * cells.fn).sum()
    spread = (cells.positive * cells.negative).sum() * (cells.accepted * cells.rejected).sum()
    return root(ratio(np.asarray(across * abs(across)), spread))
