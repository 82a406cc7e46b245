"""Resampling: signs flipped, units drawn again and orders shuffled, each from a seed and a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

ENUMERATED = 20  # with so many units or fewer, all 2^n ways to flip signs are gone through
_BATCH = 1 << 20  # numbers held at once: what fits in a cache
FEW = 8  # columns whose sums are looked up rather than multiplied
_SIGNS = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


def generator(seed: int) -> np.random.Generator:
    """Where draws come from: the same for the same seed, on any machine."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise BadSetting(f"the seed must be a whole number from 0, not {seed!r}")
    return np.random.default_rng(int(seed))


def batches(n_draws: int, width: int) -> Iterator[int]:
    """How many draws to make at a time, each of this width, until all are made."""
    step = max(1, min(n_draws, _BATCH // max(width, 1)))
    for start in range(0, n_draws, step):
        yield min(step, n_draws - start)


def n_flips(n_units: int, wanted: int) -> int:
    """How many flips will be made: those wanted, or all there are where the units are few."""
    require_draws(wanted, "flips")
    return 2**n_units if n_units <= ENUMERATED else wanted


def flips(n_units: int, wanted: int, seed: int, width: int) -> Iterator[Bytes]:
    """Which signs are flipped, a bit a unit and a row a flip: all ways where units are few, else drawn at random."""
    n_bytes = -(-n_units // 8)
    made = 0
    rng = generator(seed)
    for size in batches(n_flips(n_units, wanted), max(n_bytes, width)):
        if n_units <= ENUMERATED:
            packed = np.arange(made, made + size, dtype="<u4").view(np.uint8).reshape(size, 4)[:, :n_bytes]
        else:
            words = rng.integers(0, 2**64 - 1, (size, -(-n_units // 64)), np.uint64, endpoint=True)
            packed = words.view(np.uint8)[:, :n_bytes]
        made += size
        yield packed


def flipped_sums(values: Floats, flipped: Bytes) -> Floats:
    """The sums of the columns of `values[u, c]` with signs flipped: `sums[flip, c]`.

    For many columns by a matrix product. For few, the sums of every eight units under all 256 ways to flip them are
    looked up, which takes an eighth of the reading.
    """
    n_units, n_columns = values.shape
    if n_columns > FEW:
        ones = np.unpackbits(flipped, axis=1, count=n_units, bitorder="little").astype(np.float64)
        return values.sum(axis=0) - 2 * (ones @ values)
    padded = np.zeros((flipped.shape[1] * 8, n_columns))
    padded[:n_units] = values
    tables = _SIGNS @ padded.reshape(-1, 8, n_columns)
    sums = tables[0].take(flipped[:, 0], axis=0)
    for place, table in enumerate(tables[1:], 1):
        sums += table.take(flipped[:, place], axis=0)
    return sums


def draws(n_units: int, n_draws: int, seed: int, width: int = 1) -> Iterator[Floats]:
    """How often each unit is drawn when as many as there are are drawn with replacement, a row a draw."""
    require_draws(n_draws, "resamples")
    rng = generator(seed)
    for size in batches(n_draws, max(n_units, width)):
        drawn = rng.integers(0, n_units, (size, n_units)) + np.arange(size)[:, None] * n_units
        yield np.bincount(drawn.ravel(), minlength=size * n_units).reshape(size, n_units).astype(np.float64)


def subsets(n_units: int, size: int, n_draws: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Which units are in a subset of this size, drawn without replacement, a row a draw."""
    require_draws(n_draws, "subsets")
    if not 1 <= size <= n_units:
        raise BadSetting(f"a subset of {n_units} units has between 1 and {n_units} of them, not {size}")
    rng = generator(seed)
    first = np.arange(n_units) < size
    for n in batches(n_draws, n_units):
        yield rng.permuted(np.broadcast_to(first, (n, n_units)), axis=1)


def shuffles(values: Floats, n_draws: int, seed: int) -> Iterator[Floats]:
    """The table `values[u, s]` with each unit's values shuffled among the systems, `[draw, u, s]`."""
    require_draws(n_draws, "shuffles")
    rng = generator(seed)
    for size in batches(n_draws, values.size):
        yield rng.permuted(np.broadcast_to(values, (size, *values.shape)), axis=2)


def require_draws(n_draws: int, what: str) -> None:
    """Refuse a number of draws from which nothing can be learnt."""
    if not isinstance(n_draws, int | np.integer) or n_draws < 1:
        raise BadSetting(f"the number of {what} must be a whole number from 1, not {n_draws!r}")
