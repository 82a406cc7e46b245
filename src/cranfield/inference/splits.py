"""Splits: data divided into pairs of training and test sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.resampling import generator

Ints = NDArray[np.int64]
Pair = tuple[Any, Any]  # of places, or of masks


class Split(NamedTuple):
    """The places of what is learnt from, and of what is tested on."""

    train: Ints
    test: Ints


def k_fold(
    n: int,
    k: int,
    *,
    seed: int = 0,
    strata: Sequence[Any] | None = None,
    groups: Sequence[Any] | None = None,
) -> list[Split]:
    """K pairs of training and test sets: each of n is tested once, in parts as equal as can be.

    With strata, such as classes, each part has its share of every one; with groups, such as topics, none is divided.

    >>> [split.test.tolist() for split in k_fold(6, 3, seed=1)]
    [[1, 4], [0, 5], [2, 3]]
    """
    if strata is not None and groups is not None:
        raise BadSetting("either strata or groups: to keep groups whole and strata even is not always possible")
    _require_whole(n, "the number to divide")
    _require_whole(k, "the number of parts")
    rng = generator(seed)
    if groups is not None:
        return _split(_part_of_groups(_numbered(groups, n, "groups"), k, rng), k)
    if n < 2:
        raise BadSetting(f"{n} cannot be divided into parts; two are needed at least")
    if not 2 <= k <= n:
        raise BadSetting(f"{n} can be divided into 2 to {n} parts, not {k}")
    order = rng.permutation(n)
    if strata is not None:
        stratum = _numbered(strata, n, "strata")
        order = order[np.argsort(stratum[order], kind="stable")]
    part = np.empty(n, np.int64)
    part[order] = np.arange(n) % k
    return _split(part, k)


def leave_one_out(n: int) -> list[Split]:
    """n pairs of training and test sets, one tested in each."""
    _require_whole(n, "the number to divide")
    if n < 2:
        raise BadSetting(f"{n} alone leaves nothing to learn from")
    return _split(np.arange(n), n)


def halves(n: int, times: int = 5, *, seed: int = 0, strata: Sequence[Any] | None = None) -> list[Split]:
    """Random divisions in two, each half tested with the other: five of them are 5×2 cross-validation."""
    _require_whole(times, "the number of divisions")
    if times < 1:
        raise BadSetting(f"one division in two is needed at least, not {times}")
    rng = generator(seed)
    return [split for _ in range(times) for split in k_fold(n, 2, seed=int(rng.integers(2**31)), strata=strata)]


def named_splits(units: Sequence[str], splits: Iterable[Split | Pair]) -> Iterator[tuple[list[str], list[str]]]:
    """The same pairs by name, such as those of queries."""
    for split in checked(splits, len(units)):
        yield [units[place] for place in split.train], [units[place] for place in split.test]


def _require_whole(number: object, what: str) -> None:
    if not isinstance(number, int | np.integer):
        raise BadSetting(f"{what} must be a whole number, not {number!r}")


def _numbered(values: Sequence[Any], n: int, what: str) -> Ints:
    if len(values) != n:
        raise BadInput(f"there are {len(values)} {what} for {n} to divide; each needs one")
    unknown = next((place for place, value in enumerate(values) if value is None or value != value), None)
    if unknown is not None:
        raise BadInput(f"the {what}: that of number {unknown + 1} is {values[unknown]}; each needs one")
    return np.unique(np.asarray(values), return_inverse=True)[1]


def _part_of_groups(group: Ints, k: int, rng: np.random.Generator) -> Ints:
    """The part of each, the largest group going to the part with least so far."""
    size = np.bincount(group)
    if not 2 <= k <= len(size):
        raise BadSetting(f"{len(size)} groups can be divided into 2 to {len(size)} parts, not {k}")
    order = rng.permutation(len(size))
    part, filled = np.empty(len(size), np.int64), np.zeros(k)
    for one in order[np.argsort(-size[order], kind="stable")]:
        part[one] = int(np.argmin(filled))
        filled[part[one]] += size[one]
    return part[group]


def _split(part: Ints, k: int) -> list[Split]:
    return [Split(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(k)]


def checked(splits: Iterable[Split | Pair], n: int) -> list[Split]:
    """The splits of n as pairs of places, if each has something to learn from and something else to test on."""
    if not isinstance(splits, Iterable):
        raise BadInput(f"{type(splits).__name__} holds no splits; give pairs (train, test), such as those of k_fold")
    folds = []
    for number, pair in enumerate(splits, 1):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise BadInput(f"split {number} is no pair of what to learn from and what to test on, but {pair!r:.40}")
        train, test = (_places(side, n, f"split {number}") for side in pair)
        both = np.intersect1d(train, test)
        if len(both):
            raise BadInput(f"split {number}: {len(both)} are learnt from and tested on too, such as number {both[0]}")
        folds.append(Split(train, test))
    if not folds:
        raise BadInput("there is no split to validate on")
    return folds


def _places(side: Any, n: int, where: str) -> Ints:
    """The places that a list of them, or a mask, says."""
    chosen = np.asarray(side)
    if chosen.dtype == np.bool_ and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if not chosen.size:
        raise BadInput(f"{where}: one side is empty")
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise BadInput(f"{where}: {n} are divided by lists of places, or by masks of that length, not {side!r:.40}")
    if chosen.min() < 0 or chosen.max() >= n:
        odd = chosen[(chosen < 0) | (chosen >= n)][0]
        raise BadInput(f"{where}: there is no place {odd}; {n} have places 0 to {n - 1}")
    return chosen.astype(np.int64)
