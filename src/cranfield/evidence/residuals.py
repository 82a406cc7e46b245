"""Residuals: how far predicted values are from the actual ones."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import quantiles
from cranfield.evidence.items import WeightedItems
from cranfield.frozen import cached_property, frozen
from cranfield.rounding import LONG_SUMS

_QUARTERS = np.arange(5) / 4


class Summary(NamedTuple):
    """The distribution of the residuals, predicted minus actual."""

    n: int
    mean: float
    deviation: float
    lowest: float
    quarter: float
    median: float
    three_quarters: float
    highest: float


@frozen(eq=False)
class Residuals(WeightedItems):
    """One row per item: its actual and predicted value, or one column of them per output, and its weight."""

    kind: ClassVar[str] = "values"

    actual: Floats
    predicted: Floats
    weight: Floats | None = None

    @cached_property
    def by_output(self) -> tuple[Residuals, ...]:
        """The residuals of each output, or of the only one."""
        if self.actual.ndim == 1:
            return (self,)
        actual, predicted = np.ascontiguousarray(self.actual.T), np.ascontiguousarray(self.predicted.T)
        return tuple(Residuals(*column, self.weight) for column in zip(actual, predicted, strict=True))

    @cached_property
    def error(self) -> Floats:
        """Predicted minus actual."""
        return self.predicted - self.actual

    def centred(self, value: Floats) -> Floats:
        """Deviation of each value from the mean; exactly 0 if all values are equal, even if their mean is rounded."""
        return value - self.mean(value) if len(value) and value.min() < value.max() else np.zeros(len(value))

    def mean_square(self, value: Floats, unit: int = 0) -> Floats:
        """Mean square of a value, measured in units of this power of two."""
        with np.errstate(over="ignore"):
            return self.mean(np.ldexp(value, -unit) ** 2)

    def variance(self, value: Floats) -> Floats:
        """Mean squared deviation of a value from its mean."""
        return self.mean_square(self.centred(value))

    def root_mean_square(self, value: Floats) -> Floats:
        """Root mean square of a value, even if its squares would underflow."""
        unit = power_of(value)
        return np.ldexp(np.sqrt(self.mean_square(value, unit)), unit)

    def median(self, value: Floats) -> Floats:
        """Weighted median; the mean of the two middle values if it falls between them."""
        if not self.total:
            return np.asarray(np.nan)
        if self.weight is None:
            return np.asarray(np.median(value))
        order = np.argsort(value, kind="stable")
        twice = 2 * np.cumsum(self.weight[order]) / self.total
        low, high = np.searchsorted(twice, (1 - LONG_SUMS, 1 + LONG_SUMS))
        return np.asarray((value[order[low]] + value[order[high]]) / 2)

    @property
    def summary(self) -> Summary:
        """Mean, standard deviation and quartiles of the residuals."""
        if not len(self):
            return Summary(0, *[np.nan] * 7)
        low, quarter, _, three_quarters, high = quantiles(self.error, self.weight, _QUARTERS).tolist()
        mean, median = float(self.mean(self.error)), float(self.median(self.error))
        return Summary(len(self), mean, self._deviation, low, quarter, median, three_quarters, high)

    @property
    def _deviation(self) -> float:
        """Sample standard deviation of the errors; with weights, for the effective sample size."""
        if not round(self.effective, 9) > 1:
            return np.nan
        return float(self.root_mean_square(self.centred(self.error)) * np.sqrt(self.effective / (self.effective - 1)))


def power_of(value: Floats) -> int:
    """The power of two that no value exceeds; in units of it, squares neither underflow nor overflow."""
    return int(np.frexp(np.abs(value).max(initial=0.0))[1])
