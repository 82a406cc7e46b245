"""Estimates from independent samples: values with confidence intervals, compared and averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats


class Estimate(NamedTuple):
    """A value with the distances to the bounds of its confidence interval."""

    value: float
    below: float
    above: float

    @classmethod
    def of(cls, figure: float, low: float, high: float) -> Estimate:
        """A value with these bounds."""
        return cls(figure, figure - low, high - figure)

    @property
    def bounds(self) -> tuple[float, float]:
        """The confidence interval."""
        return self.value - self.below, self.value + self.above

    def exceeds(self, other: Estimate) -> bool:
        """Whether the interval of the difference of two independent values lies above 0 (Zou and Donner 2008)."""
        return self.value - other.value > np.hypot(self.below, other.above)


def weighted_mean(estimates: Sequence[Estimate], weight: Floats) -> Estimate:
    """The weighted mean of independent values; distances add as standard errors do."""
    columns, parts = np.array(estimates).T, weight / weight.sum()
    return Estimate(float(parts @ columns[0]), *(float(np.sqrt(parts**2 @ side**2)) for side in columns[1:]))
