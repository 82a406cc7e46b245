"""Cross-validation: data divided into pairs of training and test sets, and learners tried on them side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples
from cranfield.inference.resampling import generator

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Split(NamedTuple):
    """The places of what is learnt from, and of what is tested on."""

    train: Ints
    test: Ints


class Learner(NamedTuple):
    """How to learn from examples and their answers, and how to answer with what was learnt."""

    fit: Callable[[Any, Any], Any]
    predict: Callable[[Any, Any], Any]


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
    if not isinstance(k, int | np.integer):
        raise BadSetting(f"the number of parts must be a whole number, not {k!r}")
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
    if n < 2:
        raise BadSetting(f"{n} alone leaves nothing to learn from")
    return _split(np.arange(n), n)


def halves(n: int, times: int = 5, *, seed: int = 0, strata: Sequence[Any] | None = None) -> list[Split]:
    """Random divisions in two, each half tested with the other: five of them are 5×2 cross-validation."""
    rng = generator(seed)
    return [split for _ in range(times) for split in k_fold(n, 2, seed=int(rng.integers(2**31)), strata=strata)]


def named_splits(units: Sequence[str], splits: Sequence[Split]) -> Iterator[tuple[list[str], list[str]]]:
    """The same pairs by name, such as those of queries."""
    for split in splits:
        yield [units[place] for place in split.train], [units[place] for place in split.test]


def _numbered(values: Sequence[Any], n: int, what: str) -> Ints:
    if len(values) != n:
        raise BadInput(f"there are {len(values)} {what} for {n} to divide; each needs one")
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


def cross_validate(
    learners: Mapping[str, Learner | tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]],
    examples: Any,
    answers: Any,
    splits: Sequence[Split],
    score: Callable[[Any, Any], float],
) -> Samples:
    """What each learner scores on each fold, `score(answers, predicted)`: paired values, ready for a test.

    A learner is a pair of functions: `fit(examples, answers)` gives what was learnt, `predict(learnt, examples)`
    the answers. The overlap of the training sets is kept with the values, for the corrected t-test.
    """
    if not splits:
        raise BadInput("there is no split to validate on")
    rows, known = np.asarray(examples), np.asarray(answers)
    values = np.empty((len(learners), len(splits)))
    for place, (fit, predict) in enumerate(learners.values()):
        for fold, (train, test) in enumerate(splits):
            learnt = fit(rows[train], known[train])
            values[place, fold] = score(known[test], predict(learnt, rows[test]))
    if not np.isfinite(values).all():
        place, fold = np.argwhere(~np.isfinite(values))[0]
        raise BadInput(f"{list(learners)[place]}: the score on fold {fold + 1} is {values[place, fold]}")
    overlap = float(np.mean([len(split.test) / len(split.train) for split in splits]))
    units = tuple(f"fold {fold}" for fold in range(1, len(splits) + 1))
    return Samples(tuple(learners), units, values, kind="fold", overlap=overlap)
