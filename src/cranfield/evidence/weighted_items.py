"""Evidence on items: every column has one row per item, which may have a weight."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.addition import concatenated


class WeightedItems:
    """What all evidence on items has in common; a dataclass adds the columns, `weight` among them."""

    weight: Floats | None

    def __add__(self, other: Self) -> Self:
        """The items of both."""
        return concatenated([self, other], {})

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        columns = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}

    def take(self, rows: Ints) -> Self:
        """The items in these rows, which may repeat."""
        columns = {name: column[rows] for name, column in self._columns.items()}
        return replace(self, **columns)  # type: ignore[type-var]

    @property
    def weights(self) -> Floats:
        """The weight of each item."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def total(self) -> float:
        """Number of items, or the sum of their weights."""
        return float(len(self)) if self.weight is None else float(self.weight.sum())

    @property
    def effective(self) -> float:
        """Number of items or, if they are weighted, Kish's effective sample size."""
        return float(len(self)) if self.weight is None else self.total**2 / float((self.weight**2).sum())

    def mean(self, value: Floats | Mask) -> Floats:
        """Weighted mean of a value of each item; NaN without items."""
        return mean_over_items(value, self.weight)


def mean_over_items(value: Floats | Mask, weight: Floats | None) -> Floats:
    """Weighted mean of a value of each item; NaN without items, or if their weights are 0."""
    total = len(value) if weight is None else weight.sum()
    if not total:
        return np.asarray(np.nan)
    with np.errstate(over="ignore"):  # overflow gives infinity
        return np.asarray(value.mean() if weight is None else (value * weight).sum() / total)
