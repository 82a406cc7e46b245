"""Measures for multilabel data, item by item."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.items import LabelSets
from cranfield.measures.rates import NOTHING, Parts
from cranfield.measures.registry import measure


@measure(
    "SubsetAccuracy",
    title="Subset accuracy",
    names=("ExactMatch",),
    cite="ghamrawi2005",
    undefined=NOTHING,
    proportion=True,
)
def subset_accuracy(sets: LabelSets) -> Parts:
    """Proportion of items whose predicted labels are exactly the actual ones.

    The Hamming loss, the proportion of wrong labels, is the error rate averaged over the labels.
    """
    return sets.right, np.asarray(sets.total)
