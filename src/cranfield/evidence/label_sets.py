"""Label sets: multilabel items, and the number of wrong labels of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.evidence.addition import concatenated

Counts = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The number of labels of each item that are wrongly predicted or missing."""

    kind: ClassVar[str] = "binary"

    wrong: Counts
    weight: Floats | None = None

    def __add__(self, other: LabelSets) -> LabelSets:
        """The items of both."""
        return concatenated([self, other])

    @property
    def weights(self) -> Floats:
        """The weight of each item."""
        return np.ones(len(self.wrong)) if self.weight is None else self.weight

    @property
    def right(self) -> Counts:
        """Number of items without a wrong label, or the sum of their weights."""
        return np.asarray(self.weights[self.wrong == 0].sum())

    @property
    def total(self) -> Counts:
        """Number of items, or the sum of their weights."""
        return np.asarray(self.weights.sum())
