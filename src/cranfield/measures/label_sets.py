"""Measures of items that are of several classes at once, each item as a whole."""

from __future__ import annotations

from cranfield.evidence.label_sets import LabelSets
from cranfield.measures.labels import NOTHING, Parts
from cranfield.registry import measure


@measure(
    "SubsetAccuracy",
    title="Subset accuracy",
    names=("ExactMatch",),
    aliases=("subset_accuracy",),
    undefined=NOTHING,
    share=True,
)
def subset_accuracy(sets: LabelSets) -> Parts:
    """Share of the items that were given all of their labels and no other.

    The share of labels that is wrong, the Hamming loss, is the error rate averaged over the labels.
    """
    return sets.right, sets.total
