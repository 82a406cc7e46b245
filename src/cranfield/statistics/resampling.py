"""Resampling: sign flips, bootstrap resamples, subsets and permutations, from a seed and in batches.

Decided here: which seeds and numbers of resamples are valid.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting, require_whole
from cranfield.text import counted

Bytes = NDArray[np.uint8]

RESAMPLES = 10_000  # default number of bootstrap resamples of units
PERMUTATIONS = 100_000  # default number of random sign flips, which take less time
STANDARD_ERROR_RESAMPLES = 200  # default number if only a standard error is estimated
NESTED_RESAMPLES = 100  # default number of resamples if each is split as many times
COSTLY_RESAMPLES = 1_000  # default number if every resample of items, ratings or topics is evaluated again
ENUMERATED = 20  # up to this many units, all 2^n sign flips are enumerated
_BATCH = 1 << 20  # numbers in memory at a time: fits in the cache
FEW = 8  # up to this many columns, sums are looked up
_SIGNS = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


def generator(seed: int) -> np.random.Generator:
    """The random generator for a seed: the same on every machine."""
    require_seed(seed)
    return np.random.default_rng(int(seed))


def batches(n_draws: int, width: int) -> Iterator[int]:
    """The sizes of batches for draws of this width."""
    step = max(1, min(n_draws, _BATCH // max(width, 1)))
    for start in range(0, n_draws, step):
        yield min(step, n_draws - start)


def n_flips(n_units: int, n_requested: int) -> int:
    """Number of sign flips: the requested number, or all if there are few units."""
    require_draws(n_requested, "resamples")
    return 2**n_units if n_units <= ENUMERATED else n_requested


def flips(n_units: int, n_requested: int, seed: int, width: int) -> Iterator[Bytes]:
    """Sign flips, one bit per unit and one row per flip: all of them if there are few units, else random ones."""
    n_bytes = -(-n_units // 8)
    made = 0
    rng = generator(seed)
    for size in batches(n_flips(n_units, n_requested), max(n_bytes, width)):
        if n_units <= ENUMERATED:
            packed = np.arange(made, made + size, dtype="<u4").view(np.uint8).reshape(size, 4)[:, :n_bytes]
        else:
            words = rng.integers(0, 2**64 - 1, (size, -(-n_units // 64)), np.uint64, endpoint=True)
            packed = words.view(np.uint8)[:, :n_bytes]
        made += size
        yield packed


def flipped_sums(values: Floats, flipped: Bytes) -> Floats:
    """The sums of the columns of `values[u, c]` with flipped signs: `sums[flip, c]`.

    Many columns are summed by a matrix product; for few, the sums of every eight units under all 256 flips are looked
    up, which reads an eighth of the data.
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
    """Bootstrap resamples: how often each unit is drawn with replacement, one row per resample."""
    require_draws(n_draws, "resamples")
    rng = generator(seed)
    for size in batches(n_draws, max(n_units, width)):
        drawn = rng.integers(0, n_units, (size, n_units)) + np.arange(size)[:, None] * n_units
        yield np.bincount(drawn.ravel(), minlength=size * n_units).reshape(size, n_units).astype(np.float64)


def subsets(n_units: int, size: int, n_draws: int, seed: int) -> Iterator[Mask]:
    """Random subsets of this size, one mask per row."""
    require_draws(n_draws, "subsets")
    if not 1 <= size <= n_units:
        raise BadSetting(
            f"a subset of {counted(n_units, 'unit')} must contain between 1 and {n_units} of them, not {size}"
        )
    rng = generator(seed)
    first = np.arange(n_units) < size
    for n in batches(n_draws, n_units):
        yield rng.permuted(np.broadcast_to(first, (n, n_units)), axis=1)


def shuffles(values: Floats, n_draws: int, seed: int) -> Iterator[Floats]:
    """The table `values[u, s]` with the values of each unit permuted over the systems: `[draw, u, s]`."""
    require_draws(n_draws, "shuffles")
    rng = generator(seed)
    for size in batches(n_draws, values.size):
        yield rng.permuted(np.broadcast_to(values, (size, *values.shape)), axis=2)


def require_seed(seed: int) -> None:
    """Refuse a seed that is not a non-negative integer."""
    require_whole("the seed", seed, 0)


def require_draws(n_draws: int, what: str) -> None:
    """Refuse a number of draws below 1."""
    require_whole(f"the number of {what}", n_draws, 1)
