"""Residuals: how far predicted values are from the actual ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.exact import ROUNDING
from cranfield.evidence.quantiles import quantiles

Floats = NDArray[np.float64]

_QUARTERS = np.arange(5) / 4


class Summary(NamedTuple):
    """The spread of the residuals, predicted less actual."""

    n: int
    mean: float
    deviation: float
    lowest: float
    quarter: float
    median: float
    three_quarters: float
    highest: float


@dataclass(frozen=True, eq=False)
class Residuals:
    """A row an item: its actual and its predicted value, and its weight."""

    kind: ClassVar[str] = "values"

    actual: Floats
    predicted: Floats
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.actual)

    def __add__(self, other: Residuals) -> Residuals:
        """The items of both."""
        weights = [np.ones(len(part)) if part.weight is None else part.weight for part in (self, other)]
        return Residuals(
            np.concatenate([self.actual, other.actual]),
            np.concatenate([self.predicted, other.predicted]),
            None if self.weight is None and other.weight is None else np.concatenate(weights),
        )

    def take(self, rows: NDArray[np.int64]) -> Residuals:
        """The items in these rows, as often as they are named."""
        return Residuals(self.actual[rows], self.predicted[rows], None if self.weight is None else self.weight[rows])

    @cached_property
    def error(self) -> Floats:
        """Predicted less actual."""
        return self.predicted - self.actual

    @property
    def total(self) -> float:
        """How many items there are, or the sum of their weights."""
        return float(len(self.actual)) if self.weight is None else float(self.weight.sum())

    def mean(self, value: Floats) -> Floats:
        """The mean of a value of each item, weighted; NaN if there are no items."""
        if not self.total:
            return np.asarray(np.nan)
        return np.asarray(value.mean() if self.weight is None else (value * self.weight).sum() / self.total)

    def centred(self, value: Floats) -> Floats:
        """How far a value of each item is from the mean: nothing where all are the same, though their mean rounds."""
        return value - self.mean(value) if len(value) and value.min() < value.max() else np.zeros(len(value))

    def variance(self, value: Floats) -> Floats:
        """The mean square of how far a value is from its mean."""
        return self.mean(self.centred(value) ** 2)

    def median(self, value: Floats) -> Floats:
        """The value that half of the weight lies below; the mean of two where it falls between them."""
        if not self.total:
            return np.asarray(np.nan)
        if self.weight is None:
            return np.asarray(np.median(value))
        order = np.argsort(value, kind="stable")
        twice = 2 * np.cumsum(self.weight[order]) / self.total
        low, high = np.searchsorted(twice, (1 - ROUNDING, 1 + ROUNDING))
        return np.asarray((value[order[low]] + value[order[min(high, len(order) - 1)]]) / 2)

    @property
    def summary(self) -> Summary:
        """How the residuals spread."""
        if not len(self):
            return Summary(0, *[np.nan] * 7)
        low, quarter, _, three_quarters, high = quantiles(self.error, self.weight, _QUARTERS).tolist()
        mean, median = float(self.mean(self.error)), float(self.median(self.error))
        return Summary(len(self), mean, self._deviation, low, quarter, median, three_quarters, high)

    @property
    def _deviation(self) -> float:
        """The standard deviation of errors over all items like these; weights are worth so many equal ones."""
        size = float(len(self)) if self.weight is None else self.total**2 / float((self.weight**2).sum())
        return float(np.sqrt(self.variance(self.error) * (size / (size - 1)))) if len(self) > 1 else np.nan
