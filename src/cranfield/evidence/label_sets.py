"""Label sets: items that are of several classes at once, and how many of the labels of each are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """How many labels of each item were given though they are not its own, or are its own and were not given."""

    kind: ClassVar[str] = "binary"

    wrong: Counts
    weight: NDArray[np.float64] | None = None

    def __add__(self, other: LabelSets) -> LabelSets:
        """The items of both."""
        alike = self.weight is None and other.weight is None
        weight = None if alike else np.concatenate([self.weights, other.weights])
        return LabelSets(np.concatenate([self.wrong, other.wrong]), weight)

    @property
    def weights(self) -> NDArray[np.float64]:
        """How much each item counts."""
        return np.ones(len(self.wrong)) if self.weight is None else self.weight

    @property
    def right(self) -> Counts:
        """How many items have no wrong label, or the sum of their weights."""
        return np.asarray(self.weights[self.wrong == 0].sum())

    @property
    def total(self) -> Counts:
        """How many items there are, or the sum of their weights."""
        return np.asarray(self.weights.sum())
