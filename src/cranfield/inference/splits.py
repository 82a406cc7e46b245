"""Splits: data divided into pairs of training and test sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Ints
from cranfield.errors import BadInput, BadSetting, require_between
from cranfield.inference.resampling import generator
from cranfield.text import counted

Pair = tuple[Any, Any]  # row numbers or masks of the training and the test set


class Split(NamedTuple):
    """The row numbers of the training set and of the test set."""

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
    """The k splits of k-fold cross-validation: each item is in one test set, and the sets are as equal as possible.

    Parameters
    ----------
    n
        Number of items to divide.
    k
        Number of folds.
    seed
        Random seed.
    strata
        The stratum of each item, such as its class: all parts have about the same proportion of each.
    groups
        The group of each item, such as its topic: no group is divided.

    Returns
    -------
    list of Split
        The training and test sets: `split.train` and `split.test` contain the numbers of the items.

    Examples
    --------
    >>> [split.test.tolist() for split in k_fold(6, 3, seed=1)]
    [[1, 4], [0, 5], [2, 3]]
    """
    if strata is not None and groups is not None:
        raise BadSetting("give either strata or groups: both cannot always be satisfied")
    _require_whole(n, "the number of items")
    _require_whole(k, "the number of folds")
    rng = generator(seed)
    if groups is not None:
        return _split(_part_of_groups(_numbered(groups, n, "groups"), k, rng), k)
    if n < 2:
        raise BadSetting(f"at least 2 items are needed; got {n}")
    if not 2 <= k <= n:
        raise BadSetting(f"{n} items can be divided into 2 to {n} folds, not {k}")
    order = rng.permutation(n)
    if strata is not None:
        stratum = _numbered(strata, n, "strata")
        order = order[np.argsort(stratum[order], kind="stable")]
    part = np.empty(n, np.int64)
    part[order] = np.arange(n) % k
    return _split(part, k)


def holdout(n: int, proportion: float = 0.2, *, seed: int = 0, stratify: Sequence[Any] | None = None) -> Split:
    """One random division into a training and a test set.

    Parameters
    ----------
    n
        Number of items to divide.
    proportion
        Proportion of the items in the test set, rounded to whole items; both sets have at least one.
    seed
        Random seed.
    stratify
        The stratum of each item, such as its class: both sets have about the same proportion of each.

    Returns
    -------
    Split
        `split.train` and `split.test` contain the numbers of the items; pass `[split]` to `cross_validate`.

    Examples
    --------
    >>> split = holdout(10, 0.2, seed=1)
    >>> len(split.train), len(split.test)
    (8, 2)
    """
    _require_whole(n, "the number to divide")
    if n < 2:
        raise BadSetting(f"{n} cannot be divided into two sets; at least 2 items are needed")
    require_between("proportion", proportion, 0, 1)
    n_test = min(max(round(n * proportion), 1), n - 1)
    order = generator(seed).permutation(n)
    if stratify is not None:
        order = order[np.argsort(_numbered(stratify, n, "strata")[order], kind="stable")]
    place = np.arange(n)
    tested = (place + 1) * n_test // n > place * n_test // n  # evenly spaced along the strata; integers, hence exact
    return Split(np.sort(order[~tested]), np.sort(order[tested]))


def leave_one_out(n: int) -> list[Split]:
    """The n splits of leave-one-out cross-validation: each test set is one item.

    Parameters
    ----------
    n
        Number of items to divide.

    Returns
    -------
    list of Split
        The training and test sets: `split.train` and `split.test` contain the numbers of the items.

    Examples
    --------
    >>> [split.test.tolist() for split in leave_one_out(3)]
    [[0], [1], [2]]
    """
    _require_whole(n, "the number of items")
    if n < 2:
        raise BadSetting(f"leave-one-out needs at least 2 items; got {n}")
    return _split(np.arange(n), n)


def halves(n: int, repeats: int = 5, *, seed: int = 0, strata: Sequence[Any] | None = None) -> list[Split]:
    """Random halves, each the test set of the other; five repeats are 5×2 cross-validation.

    Parameters
    ----------
    n
        Number of items to divide.
    repeats
        Number of random divisions; each gives two splits.
    seed
        Random seed.
    strata
        The stratum of each item, such as its class: all parts have about the same proportion of each.

    Returns
    -------
    list of Split
        The training and test sets: `split.train` and `split.test` contain the numbers of the items.

    Examples
    --------
    >>> len(halves(10, 5))
    10
    """
    _require_whole(repeats, "the number of divisions")
    if repeats < 1:
        raise BadSetting(f"at least 1 division is needed; got {repeats}")
    rng = generator(seed)
    return [split for _ in range(repeats) for split in k_fold(n, 2, seed=int(rng.integers(2**31)), strata=strata)]


def named_splits(units: Sequence[str], splits: Iterable[Split | Pair]) -> Iterator[tuple[list[str], list[str]]]:
    """Splits with the names of units, such as queries, instead of their numbers.

    Parameters
    ----------
    units
        The names of the units.
    splits
        Splits of as many units, such as those of `k_fold`.

    Returns
    -------
    iterator of (list of str, list of str)
        The names in each training and test set.

    Examples
    --------
    >>> list(named_splits(["q1", "q2"], leave_one_out(2)))
    [(['q2'], ['q1']), (['q1'], ['q2'])]
    """
    for split in checked(splits, len(units)):
        yield [units[place] for place in split.train], [units[place] for place in split.test]


def _require_whole(number: object, what: str) -> None:
    if not isinstance(number, int | np.integer) or isinstance(number, bool):
        raise BadSetting(f"{what} must be an integer, not {number!r}")


def _numbered(values: Sequence[Any], n: int, what: str) -> Ints:
    if len(values) != n:
        raise BadInput(f"got {len(values)} {what} for {n} items; one per item is needed")
    unknown = next((place for place, value in enumerate(values) if value is None or value != value), None)
    if unknown is not None:
        raise BadInput(f"{what}: the value of item {unknown + 1} is {values[unknown]}; one per item is needed")
    column = np.asarray(values)
    if column.ndim != 1:
        raise BadInput(f"{what}: the value of item 1 is {values[0]!r:.40}; a text or a number per item is needed")
    return np.unique(column, return_inverse=True)[1]


def _part_of_groups(group: Ints, k: int, rng: np.random.Generator) -> Ints:
    """The fold of each item: groups, the largest first, go to the fold with the fewest items so far."""
    size = np.bincount(group)
    if not 2 <= k <= len(size):
        raise BadSetting(f"{counted(len(size), 'group')} can be divided into 2 to {len(size)} folds, not {k}")
    order = rng.permutation(len(size))
    part, filled = np.empty(len(size), np.int64), np.zeros(k)
    for one in order[np.argsort(-size[order], kind="stable")]:
        part[one] = int(np.argmin(filled))
        filled[part[one]] += size[one]
    return part[group]


def _split(part: Ints, k: int) -> list[Split]:
    return [Split(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(k)]


def checked(splits: Iterable[Split | Pair], n: int) -> list[Split]:
    """The splits of n items as row numbers, after checking that training and test sets are disjoint and not empty."""
    if not isinstance(splits, Iterable):
        raise BadInput(f"{type(splits).__name__} does not contain splits; pass pairs (train, test), as from k_fold")
    folds = []
    for number, pair in enumerate(splits, 1):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise BadInput(f"split {number} must be a pair (train, test), not {pair!r:.40}")
        train, test = (_places(side, n, f"split {number}") for side in pair)
        both = np.intersect1d(train, test)
        if len(both):
            raise BadInput(f"split {number}: {len(both)} items are in both sets, such as {both[0]}")
        folds.append(Split(train, test))
    if not folds:
        raise BadInput("there are no splits")
    return folds


def _places(side: Any, n: int, where: str) -> Ints:
    """The row numbers, from a list of them or from a mask."""
    chosen = np.asarray(side)
    if chosen.dtype == np.bool_ and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if not chosen.size:
        raise BadInput(f"{where}: the training or the test set is empty")
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise BadInput(f"{where}: expected row numbers, or a mask of length {n}, not {side!r:.40}")
    if chosen.min() < 0 or chosen.max() >= n:
        odd = chosen[(chosen < 0) | (chosen >= n)][0]
        raise BadInput(f"{where}: there is no row {odd}; rows are numbered 0 to {n - 1}")
    return chosen.astype(np.int64)
