"""Sums over long columns: a block of rows at a time, so that what lies between stays in the cache; running; parted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BLOCK = 1 << 14


def summed(term: Callable[..., NDArray[Any]], *columns: NDArray[Any]) -> Floats:
    """The sum over the rows of a term computed of columns of one length."""
    if len(columns[0]) <= _BLOCK:
        return np.asarray(term(*columns).sum(), np.float64)
    starts = range(0, len(columns[0]), _BLOCK)
    each = [term(*(column[start : start + _BLOCK] for column in columns)).sum() for start in starts]
    return np.asarray(sum(each), np.float64)


def from_top(weight: Floats) -> Floats:
    """The sum of the weights from each place on, and nothing past the last."""
    return np.append(np.cumsum(weight[::-1])[::-1], 0.0)


def up_to(weight: Floats) -> Floats:
    """The sum of the weights before each place, and of all past the last."""
    return np.append(0.0, np.cumsum(weight))


def parted(ascending: Floats, weight: Floats | None, threshold: Floats) -> tuple[Floats, Floats]:
    """How many scores lie below each threshold, and how many do not.

    Weights are added up from both ends: what one sum less another leaves is rounding where it should be nothing.
    """
    place = np.searchsorted(ascending, threshold, side="left")
    if weight is None:
        return place.astype(np.float64), (len(ascending) - place).astype(np.float64)
    return up_to(weight)[place], from_top(weight)[place]
