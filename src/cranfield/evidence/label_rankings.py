"""Label rankings: multilabel items, which of their labels are true, and how all labels are ranked by score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.addition import concatenated


@dataclass(frozen=True, eq=False)
class LabelRankings:
    """One row per item and one column per label: whether the label is true, and its score."""

    kind: ClassVar[str] = "binary"

    true: Mask
    score: Floats
    weight: Floats | None = None

    def __add__(self, other: LabelRankings) -> LabelRankings:
        """The items of both, which must have the same labels."""
        return concatenated([self, other])

    def take(self, rows: Ints) -> LabelRankings:
        """The items in these rows, which may repeat."""
        return LabelRankings(self.true[rows], self.score[rows], None if self.weight is None else self.weight[rows])

    @property
    def weights(self) -> Floats:
        """The weight of each item."""
        return np.ones(len(self.true)) if self.weight is None else self.weight

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

    def mean(self, value: Floats) -> Floats:
        """Weighted mean over items of a value of each; NaN without items."""
        return np.asarray(np.average(value, weights=self.weight)) if len(value) else np.asarray(np.nan)
