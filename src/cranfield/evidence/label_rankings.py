"""Label rankings: multilabel items, which of their labels are true, and how all labels are ranked by score."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.weighted_items import WeightedItems
from cranfield.frozen import cached_property, frozen


@frozen(eq=False)
class LabelRankings(WeightedItems):
    """One row per item and one column per label: whether the label is true, and its score."""

    kind: ClassVar[str] = "binary"

    true: Mask
    score: Floats
    weight: Floats | None = None

    @property
    def n_true(self) -> Ints:
        """The number of true labels of each item."""
        return self.true.sum(axis=1)

    @cached_property
    def rank(self) -> Ints:
        """The number of labels of the item that have at least the score of each label."""
        from scipy.stats import rankdata  # slow to import and rarely needed

        return rankdata(-self.score, method="max", axis=1).astype(np.int64).reshape(self.score.shape)

    @cached_property
    def true_rank(self) -> Ints:
        """The number of true labels of the item that have at least the score of each label."""
        descending = np.argsort(-self.score, axis=1, kind="stable")
        n_true = np.cumsum(np.take_along_axis(self.true.astype(np.int64), descending, axis=1), axis=1)
        return np.take_along_axis(n_true, self.rank - 1, axis=1)
