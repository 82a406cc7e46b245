"""Values of several systems on the same queries, for measures that compare a system with a baseline or with all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import by_unit, ratio
from cranfield.evidence.items import ByQuery
from cranfield.frozen import cached_property, frozen
from cranfield.rounding import less


@frozen(eq=False)
class Gains(ByQuery):
    """The values of one measure for a system and for its baseline, higher is better: one row per query.

    A value is NaN where the measure is undefined.
    """

    queries: tuple[bytes, ...]
    unit: Ints  # the unit of each row: its query, or one unit for all queries
    value: Floats
    baseline: Floats

    @cached_property
    def pooled(self) -> Gains:
        """All queries as one unit, without undefined rows."""
        value, baseline = self.value[~np.isnan(self.gain)], self.baseline[~np.isnan(self.gain)]
        return replace(self, queries=(b"all",), unit=np.zeros(len(value), np.int64), value=value, baseline=baseline)

    @cached_property
    def gain(self) -> Floats:
        """The value of the system minus that of the baseline, 0 if they are equal up to rounding."""
        return less(self.value, self.baseline)

    def weighted(self, alpha: float) -> Floats:
        """The gain of each row, with losses weighted 1 + alpha."""
        return np.where(self.gain < 0, 1 + alpha, 1.0) * self.gain

    def mean(self, value: Floats) -> Floats:
        """Mean of the values over the rows of each unit."""
        return ratio(by_unit(self.unit, value, len(self)), self._n)

    def error(self, value: Floats) -> Floats:
        """Standard error of the mean over the rows of each unit; 0 if the values are all equal up to rounding."""
        deviation = less(value, self.mean(value)[self.unit])
        variance = ratio(by_unit(self.unit, deviation**2, len(self)), np.maximum(self._n - 1, 0))
        return np.sqrt(ratio(variance, self._n))

    @property
    def _n(self) -> Floats:
        return np.bincount(self.unit, minlength=len(self)).astype(np.float64)


@frozen(eq=False)
class SystemValues(ByQuery):
    """The values of one measure for all systems, higher is better: `values[row, s]`, one row per query.

    The column `system` is evaluated. A value is NaN where the measure is undefined.
    """

    queries: tuple[bytes, ...]
    unit: Ints  # the unit of each row: its query, or one unit for all queries
    values: Floats
    system: int

    @cached_property
    def pooled(self) -> SystemValues:
        """All queries as one unit, without those that are undefined for some system."""
        values = self.values[~np.isnan(self.values).any(axis=1)]
        return replace(self, queries=(b"all",), unit=np.zeros(len(values), np.int64), values=values)

    @property
    def value(self) -> Floats:
        """The value of the evaluated system in each row."""
        return self.values[:, self.system]

    @property
    def expected(self) -> Floats:
        """The value of each row if systems and queries were independent: system total × query total / grand total."""
        query_total = self.values.sum(axis=1)
        proportion = ratio(self.sum(self.value), self.sum(query_total))
        return np.nan_to_num(proportion)[self.unit] * query_total

    def sum(self, value: Floats) -> Floats:
        """Sum of the values over the rows of each unit."""
        return by_unit(self.unit, value, len(self))

    def mean(self, value: Floats) -> Floats:
        """Mean of the values over the rows of each unit."""
        return ratio(self.sum(value), self.n)

    @property
    def n(self) -> Floats:
        """Number of rows of each unit."""
        return self.sum(np.ones(len(self.unit)))
