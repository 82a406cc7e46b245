"""Quantiles of values that weigh differently."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.exact import NEAR

Floats = NDArray[np.float64]


def quantiles(value: Floats, weight: Floats | None, shares: Floats) -> Floats:
    """What shares of the values lie below, on a straight line between two of them; there must be values.

    A value counts as often as it is heavier than the lightest: weights of 1, 2 and 3 are as values once, twice and
    three times, whatever number the weights are multiplied by.
    """
    if weight is None:
        return np.quantile(value, shares)
    order = np.argsort(value, kind="stable")
    order = order[weight[order] > 0]
    value, times = value[order], weight[order] / weight[order].min()
    end = np.cumsum(np.where(np.abs(times - np.rint(times)) < NEAR, np.rint(times), times))
    place = shares * (end[-1] - 1)
    whole = np.floor(place)
    low, high = (value[np.minimum(np.searchsorted(end, at, "right"), len(end) - 1)] for at in (whole, whole + 1))
    way = place - whole
    return np.where(way < 0.5, low + (high - low) * way, high - (high - low) * (1 - way))  # as NumPy does
