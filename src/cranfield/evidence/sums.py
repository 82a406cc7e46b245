"""Sums of columns: by unit, in blocks that fit in the cache, cumulative, and on both sides of a threshold."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask

_BLOCK = 1 << 14
_LONG = 1 << 12  # rows per unit


def by_unit(unit: Ints, value: NDArray[Any], n_units: int) -> Floats:
    """Sum of the values of each unit, in order."""
    weights = np.asarray(value, np.float64)
    return np.bincount(unit, weights=weights, minlength=n_units).astype(np.float64, copy=False)


def n_by_unit(bounds: Ints, mask: NDArray[Any]) -> Floats:
    """Number of masked rows of each unit, whose rows are those between two bounds."""
    if len(mask) > _LONG * len(bounds):
        return np.array([np.count_nonzero(mask[start:end]) for start, end in pairwise(bounds)], np.float64)
    return np.diff(np.searchsorted(np.flatnonzero(mask), bounds)).astype(np.float64)


def changes(*columns: NDArray[Any]) -> Mask:
    """Which rows differ from the row before in any column; the first row counts as a change."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


def summed(term: Callable[..., NDArray[Any]], *columns: NDArray[Any]) -> Floats:
    """Sum over the rows of a term computed from columns of equal length."""
    starts = range(0, len(columns[0]), _BLOCK)
    blocks = [term(*(column[start : start + _BLOCK] for column in columns)).sum() for start in starts]
    return np.asarray(sum(blocks), np.float64)


def from_top(weight: Floats) -> Floats:
    """Sum of the weights from each position to the end, and 0 after the last."""
    return np.append(np.cumsum(weight[::-1])[::-1], 0.0)


def up_to(weight: Floats) -> Floats:
    """Sum of the weights before each position, and of all after the last."""
    return np.append(0.0, np.cumsum(weight))


def apart(first: NDArray[Any], second: NDArray[Any], power: int) -> Floats:
    """Sum of `first[i] * second[j] * |i - j| ** power` along the last axis, for power 1 or 2, without a table of pairs.

    Each step from i to j adds 1 to the distance, and the next odd number to its square.
    """
    return _rising(first, second, power) + _rising(first[..., ::-1], second[..., ::-1], power)


def _rising(first: NDArray[Any], second: NDArray[Any], power: int) -> Floats:
    """The same sum over i < j only."""
    reached = np.cumsum(first, axis=-1, dtype=np.float64)
    if power == 2:
        before = np.roll(reached, 1, axis=-1)
        before[..., 0] = 0
        reached = np.cumsum(reached + before, axis=-1)
    beyond = np.cumsum(second[..., ::-1], axis=-1, dtype=np.float64)[..., ::-1]
    return np.asarray((reached[..., :-1] * beyond[..., 1:]).sum(axis=-1))


def parted(ascending: Floats, weight: Floats | None, threshold: Floats) -> tuple[Floats, Floats]:
    """Number of scores below each threshold, and at or above it.

    Weights are summed from both ends: the difference of two sums would leave rounding errors instead of 0.
    """
    place = np.searchsorted(ascending, threshold, side="left")
    if weight is None:
        return place.astype(np.float64), (len(ascending) - place).astype(np.float64)
    return up_to(weight)[place], from_top(weight)[place]
