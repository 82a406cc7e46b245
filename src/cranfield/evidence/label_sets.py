"""Label sets: multilabel items, and the number of wrong labels of each."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.evidence.weighted_items import WeightedItems
from cranfield.frozen import frozen

Counts = NDArray[Any]


@frozen(eq=False)
class LabelSets(WeightedItems):
    """The number of labels of each item that are wrongly predicted or missing."""

    kind: ClassVar[str] = "binary"

    wrong: Counts
    weight: Floats | None = None

    @property
    def right(self) -> Counts:
        """Number of items without a wrong label, or the sum of their weights."""
        return np.asarray(self.weights[self.wrong == 0].sum())
