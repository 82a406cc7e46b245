"""Measures of a whole confusion matrix, of any number of classes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.evidence.confusion import Confusion
from cranfield.evidence.exact import Numbers, ratio, root
from cranfield.measures.labels import NOTHING, Parts
from cranfield.registry import measure


@measure(
    "Accuracy",
    title="Accuracy",
    cite="fawcett2006",
    names=("ACC",),
    aliases=("accuracy", "acc"),
    undefined=NOTHING,
    share=True,
)
def accuracy(confusion: Confusion) -> Parts:
    """Share of the items that was predicted right."""
    return confusion.right.sum(), confusion.counts.sum()


@measure(
    "ErrorRate",
    title="Error rate",
    cite="fawcett2006",
    names=("ERR", "HammingLoss"),
    aliases=("error_rate", "hamming_loss"),
    higher_is_better=False,
    undefined=NOTHING,
    share=True,
)
def error_rate(confusion: Confusion) -> Parts:
    """Share of the items that was predicted wrong."""
    return confusion.cells.fn.sum(), confusion.counts.sum()


@measure(
    "NoInformationRate",
    title="No-information rate",
    names=("NIR",),
    higher_is_better=None,
    undefined=NOTHING,
    share=True,
)
def no_information_rate(confusion: Confusion) -> Parts:
    """Accuracy of always giving the most frequent answer."""
    return confusion.actual.max(initial=0), confusion.counts.sum()


@measure(
    "BalancedAccuracy",
    title="Balanced accuracy",
    cite="brodersen2010",
    names=("MacroAccuracy",),
    aliases=("balanced_accuracy",),
    undefined=NOTHING,
)
def balanced_accuracy(confusion: Confusion) -> Numbers:
    """Mean over the classes that have items of the share that was recognised."""
    present = confusion.actual > 0
    share = ratio(confusion.right[present], confusion.actual[present])
    return ratio(share.sum(), float(len(share)))


@measure(
    "Kappa",
    title="Cohen's kappa",
    cite="cohen1960",
    aliases=("kappa",),
    bounds=(-1, 1),
    undefined="the actual and the predicted answers are all the same",
)
def kappa(confusion: Confusion, *, weights: Literal["linear", "quadratic"] | None = None) -> Numbers:
    """Agreement beyond chance, as a share of what is possible beyond chance; weights forgive near misses.

    Weights take the classes in the order of the matrix: a miss by k classes counts k, or k².
    """
    place = np.arange(len(confusion.labels))
    apart = np.abs(place[:, None] - place).astype(np.float64)
    miss = {None: apart > 0, "linear": apart, "quadratic": apart**2}[weights]
    by_chance = confusion.actual[:, None] * ratio(confusion.predicted, float(confusion.counts.sum()))
    return 1 - ratio((miss * confusion.counts).sum(), (miss * by_chance).sum())


@measure(
    "MCC",
    title="Matthews correlation",
    cite="gorodkin2004",
    names=("Phi",),
    aliases=("mcc",),
    bounds=(-1, 1),
    undefined={
        "all items are of one class": lambda confusion: (confusion.actual > 0).sum() < 2,
        "all items were predicted to be of one class": lambda confusion: (confusion.predicted > 0).sum() < 2,
    },
)
def matthews(confusion: Confusion) -> Numbers:
    """Correlation of the actual with the predicted classes."""
    cells = confusion.cells
    across = (cells.tp * cells.tn - cells.fp * cells.fn).sum()
    spread = (cells.positive * cells.negative).sum() * (cells.accepted * cells.rejected).sum()
    return root(ratio(np.asarray(across * abs(across)), spread))
