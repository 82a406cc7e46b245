"""The ranks of sorted scores among others, by merging, or by looking up the smaller set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints

_SPARSE = 8  # looked up one by one if at most one in this many
_BLOCK = 1 << 15  # scores merged at a time: fits in the cache


class ScoreRanks(NamedTuple):
    """Number of others below each score, and not above it; the same array if there are no ties."""

    below: Ints
    not_above: Ints


def score_ranks(distinct: Floats, others: Floats) -> ScoreRanks:
    """The ranks of distinct scores among others; both ascending."""
    if len(others) * _SPARSE < len(distinct):
        return _by_others(distinct, others)
    rare = len(distinct) * _SPARSE < len(others)
    not_above = np.searchsorted(others, distinct, side="right") if rare else _merged(distinct, others)
    if not len(others):
        return ScoreRanks(not_above, not_above)
    tied = np.flatnonzero((others[not_above - 1] == distinct) & (not_above > 0))
    if not len(tied):
        return ScoreRanks(not_above, not_above)
    below = not_above.copy()
    below[tied] = np.searchsorted(others, distinct[tied], side="left")
    return ScoreRanks(below, not_above)


def beginnings(ascending: Floats) -> Ints:
    """The index of the first occurrence of each distinct value."""
    new = ascending[1:] != ascending[:-1]
    if new.all():
        return np.arange(len(ascending))
    return np.flatnonzero(np.append(True, new))


def _by_others(distinct: Floats, others: Floats) -> ScoreRanks:
    """The same, by looking up the few others among the many scores."""
    place = np.searchsorted(distinct, others)
    not_above = _running(place, len(distinct))
    tied = distinct[np.minimum(place, len(distinct) - 1)] == others
    return ScoreRanks(_running(place + tied, len(distinct)) if tied.any() else not_above, not_above)


def _running(place: Ints, length: int) -> Ints:
    """Number of these ascending indices up to each index."""
    return np.repeat(np.arange(len(place) + 1), np.diff(place, prepend=0, append=length))


def _merged(scores: Floats, others: Floats) -> Ints:
    """Number of others at or below each score, by merging blocks that fit in the cache."""
    places = np.empty(len(scores), np.int64)
    for start in range(0, len(scores), _BLOCK):
        block = scores[start : start + _BLOCK]
        low, high = np.searchsorted(others, block[0]), np.searchsorted(others, block[-1], side="right")
        part = others[low:high]
        merged = np.argsort(np.concatenate([part, block]), kind="stable")  # merges two sorted runs
        places[start : start + _BLOCK] = np.flatnonzero(merged >= len(part)) - np.arange(-low, len(block) - low)
    return places
