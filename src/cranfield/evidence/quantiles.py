"""Quantiles of weighted values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.evidence.rounding import NEAR

Counts = NDArray[Any]


def quantiles(value: Floats, weight: Floats | None, proportions: Floats) -> Floats:
    """The quantiles of a nonempty array, with linear interpolation.

    Weights are relative to the smallest: weights of 1, 2 and 3, or any multiple of them, are the same as values that
    occur once, twice and three times.
    """
    if weight is None:
        return np.quantile(value, proportions)
    order = np.argsort(value, kind="stable")
    order = order[weight[order] > 0]
    value, times = value[order], weight[order] / weight[order].min()
    return _interpolated(
        value, np.cumsum(np.where(np.abs(times - np.rint(times)) < NEAR, np.rint(times), times)), proportions
    )


def quantiles_of_counts(value: Floats, count: Ints, proportions: Floats) -> Floats:
    """The same quantiles as of a nonempty array that contains each value as often as its count."""
    order = np.argsort(value, kind="stable")
    return _interpolated(value[order], np.cumsum(count[order]), proportions)


def _interpolated(value: Floats, end: Counts, proportions: Floats) -> Floats:
    """The quantiles of ascending values; `end` is the number of items up to each."""
    place = proportions * (end[-1] - 1)
    whole = np.floor(place)
    low, high = (value[np.minimum(np.searchsorted(end, at, "right"), len(end) - 1)] for at in (whole, whole + 1))
    way = place - whole
    return np.where(way < 0.5, low + (high - low) * way, high - (high - low) * (1 - way))  # as NumPy does
