"""Quotients, undefined (NaN) if the divisor is 0, and roots of counts: in floating point, or exact for fractions.

Decided here: where a value becomes undefined: only `ratio` returns NaN.

Decided here: the weights of weighted kappa.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask, objects
from cranfield.rounding import NEAR
from cranfield.tables.disk import array_beside, blocks, on_disk

if TYPE_CHECKING:
    from fractions import Fraction


Numbers = NDArray[Any]  # floating point, or fractions held as objects


def ratio(numerator: Numbers, denominator: Numbers | float) -> Numbers:
    """The quotient, NaN if the denominator is 0: the only place where values become undefined."""
    if isinstance(denominator, int | float):
        with np.errstate(over="ignore"):
            return np.asarray(numerator / denominator) if denominator else np.full(np.shape(numerator), np.nan)
    if numerator.dtype == object:
        pairs = zip(numerator, np.broadcast_to(denominator, numerator.shape), strict=True)
        return objects(number / divisor if divisor else math.nan for number, divisor in pairs)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # overflow gives infinity
        if denominator.size == 1 and denominator.item():
            return np.asarray(numerator / denominator)  # checking one number is much faster than an array
        return np.where(denominator == 0, np.nan, numerator / denominator)


def clip_to_bounds(value: Numbers, bounds: tuple[float, float]) -> Numbers:
    """The value, clipped to the bound if rounding exceeded it."""
    if value.dtype == object:
        return value  # fractions, which are not rounded
    low, high = bounds
    if value.size == 1 and low <= value.item() <= high:
        return value
    beyond = (value < low) | (value > high)
    if not beyond.any():
        return value
    clipped = np.clip(value, low, high)
    return np.where(beyond & (np.abs(value - clipped) < NEAR), clipped, value)


def root(value: Numbers) -> Numbers:
    """The signed square root; roots of equal fractions are equal."""
    if value.dtype != object:
        return np.copysign(np.sqrt(np.abs(value)), value)
    return objects(math.copysign(math.sqrt(abs(number)), number) for number in value)


def fractions(value: Numbers) -> Numbers:
    """The same numbers as fractions."""
    from fractions import Fraction  # slow to import and rarely needed

    return objects(map(Fraction, value.tolist()))


def decimal(number: float) -> Fraction:
    """The fraction written by the shortest decimal text of a number: 7/10 for 0.7."""
    from fractions import Fraction

    return Fraction(str(number))


# Convex hulls of increasing curves; exact for integers


_FEW = 256  # points for which a loop is faster


def upper_hull(x: NDArray[Any], y: NDArray[Any]) -> Ints:
    """The indices of the corners of the upper convex hull of distinct points with non-decreasing x and y.

    Points on or below the line between their neighbours cannot be corners and are all removed at once; a few rounds
    leave few points.
    """
    corner = np.arange(len(x))
    while len(corner) > _FEW:
        below = np.concatenate([[False], _turn(x, y, corner[:-2], corner[1:-1], corner[2:]) >= 0, [False]])
        corner, before = corner[~below], len(corner)
        if len(corner) == before:
            return corner
    return _chain(x, y, corner)


def _turn(x: NDArray[Any], y: NDArray[Any], a: Ints, b: Ints, c: Ints) -> NDArray[Any]:
    """Positive if the path from a via b to c turns left, 0 if it is straight."""
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])


def _chain(x: NDArray[Any], y: NDArray[Any], places: Ints) -> Ints:
    """Andrew's monotone chain."""
    hull: list[tuple[int, Any, Any]] = []
    for place in places.tolist():
        here = (place, x[place].item(), y[place].item())
        while len(hull) > 1 and _left(hull[-2], hull[-1], here):
            hull.pop()
        hull.append(here)
    return np.array([place for place, _, _ in hull], np.int64)


def _left(a: tuple[int, Any, Any], b: tuple[int, Any, Any], c: tuple[int, Any, Any]) -> bool:
    return bool((b[1] - a[1]) * (c[2] - a[2]) >= (b[2] - a[2]) * (c[1] - a[1]))


# Quantiles of weighted values


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


# Sums of columns: by unit, in blocks that fit in the cache, cumulative, and on both sides of a threshold


_BLOCK = 1 << 14
_LONG = 1 << 12  # rows per unit
_HALF_WORD = 1 << 31

POWER = {"linear": 1, "quadratic": 2}  # of the distance of two categories, by the weights of kappa; as `apart` takes it


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
    return np.asarray(sum(_block_sums(term, columns)), np.float64)


def summed_exactly(term: Callable[..., Ints], *columns: Ints) -> np.int64:
    """The same sum of integers."""
    return np.int64(sum(map(int, _block_sums(term, columns))))


def _block_sums(term: Callable[..., NDArray[Any]], columns: Sequence[NDArray[Any]]) -> Iterator[Any]:
    return (term(*(column[rows] for column in columns)).sum() for rows in blocks(len(columns[0]), _BLOCK))


def summed_items(term: Callable[..., NDArray[Any]], count: Ints | None, *columns: NDArray[Any]) -> Floats:
    """Sum over items of a term computed from columns; each row stands for as many items as its count.

    The terms are added as if every row were repeated: with counts and without, the sums are the same bits.
    """
    if count is None:
        return summed(term, *columns)
    end = _running(count)
    n_items = int(end[-1]) if len(end) else 0
    sums = []
    for items in blocks(n_items, _BLOCK):
        first, last = np.searchsorted(end, [items.start, items.stop - 1], side="right")
        rows = slice(first, last + 1)
        times = np.diff(np.minimum(end[rows], items.stop), prepend=items.start)
        sums.append(np.repeat(term(*(column[rows] for column in columns)), times).sum())
    return np.asarray(sum(sums), np.float64)


def total(count: Ints) -> int:
    """The sum of counts."""
    return int(summed_exactly(np.asarray, count)) if on_disk(count) else int(count.sum())


def exact_sums(value: Ints, count: Ints | None = None) -> tuple[int, int]:
    """The sum of integers, and that of their squares; each occurs as often as its count."""
    n_items = len(value) if count is None else int(count.sum())
    largest = max(int(value.max(initial=0)), -int(value.min(initial=0)))
    if max(n_items, largest) >= _HALF_WORD:  # sums of parts might exceed 64 bits
        exact = value.astype(object)
        times = exact if count is None else exact * count.astype(object)
        return int(times.sum()), int((times * exact).sum())
    total = squares = 0
    for start in range(0, len(value), _BLOCK):
        block = value[start : start + _BLOCK]
        times = 1 if count is None else count[start : start + _BLOCK].astype(np.int64, copy=False)
        high, low = block >> 16, block & 0xFFFF
        total += int((block * times).sum())
        parts = (int((product * times).sum()) for product in (high * high, high * low, low * low))
        squares += sum(part << shift for part, shift in zip(parts, (32, 17, 0), strict=True))
    return total, squares


def from_top(weight: NDArray[Any]) -> NDArray[Any]:
    """Sum of the weights or counts from each position to the end, and 0 after the last."""
    return _running(weight[::-1], before=1)[::-1]


def up_to(weight: NDArray[Any]) -> NDArray[Any]:
    """Sum of the weights or counts before each position, and of all after the last."""
    return _running(weight, before=1)


def _running(weight: NDArray[Any], before: int = 0) -> NDArray[Any]:
    """Sum of the weights or counts up to each; before the first, as many zeros as requested."""
    total = array_beside(weight, before + len(weight), np.cumsum(weight[:0]).dtype)
    total[:before] = 0
    if not on_disk(weight):
        np.cumsum(weight, out=total[before:])
        return total
    end = total.dtype.type(0)
    for rows in blocks(len(weight)):
        part = total[before + rows.start : before + rows.stop]
        np.cumsum(weight[rows], out=part)
        part += end  # counts, hence exact: weights are never on disk
        end = part[-1]
    return total


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
