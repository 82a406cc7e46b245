"""Standing: where ascending scores stand among others, found by merging them or by looking up the rarer ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SPARSE = 8  # scores rarer than one in so many are looked up one by one
_BLOCK = 1 << 15  # scores merged at a time: what fits in a cache


class Standing(NamedTuple):
    """How many of the others each score is above, and how many it is above or ties with; one array if none ties."""

    below: Ints
    not_above: Ints


def standing(distinct: Floats, others: Floats) -> Standing:
    """Where each of some distinct scores stands among others; both ascend."""
    if len(others) * _SPARSE < len(distinct):
        return _by_others(distinct, others)
    rare = len(distinct) * _SPARSE < len(others)
    not_above = np.searchsorted(others, distinct, side="right") if rare else _merged(distinct, others)
    if not len(others):
        return Standing(not_above, not_above)
    tied = np.flatnonzero((others[not_above - 1] == distinct) & (not_above > 0))
    if not len(tied):
        return Standing(not_above, not_above)
    below = not_above.copy()
    below[tied] = np.searchsorted(others, distinct[tied], side="left")
    return Standing(below, not_above)


def beginnings(ascending: Floats) -> Ints:
    """The first place of each distinct value."""
    new = ascending[1:] != ascending[:-1]
    if new.all():
        return np.arange(len(ascending))
    return np.flatnonzero(np.append(True, new))


def _by_others(distinct: Floats, others: Floats) -> Standing:
    """The same, from where each of the few others stands among the many."""
    place = np.searchsorted(distinct, others)
    not_above = _running(place, len(distinct))
    tied = distinct[np.minimum(place, len(distinct) - 1)] == others
    return Standing(_running(place + tied, len(distinct)) if tied.any() else not_above, not_above)


def _running(place: Ints, length: int) -> Ints:
    """How many places there are up to each; they ascend."""
    return np.repeat(np.arange(len(place) + 1), np.diff(place, prepend=0, append=length))


def _merged(scores: Floats, others: Floats) -> Ints:
    """How many of the others lie at or below each score: merged a stretch at a time, in the cache."""
    places = np.empty(len(scores), np.int64)
    for start in range(0, len(scores), _BLOCK):
        block = scores[start : start + _BLOCK]
        low, high = np.searchsorted(others, block[0]), np.searchsorted(others, block[-1], side="right")
        part = others[low:high]
        merged = np.argsort(np.concatenate([part, block]), kind="stable")  # two sorted runs: merely merged
        places[start : start + _BLOCK] = np.flatnonzero(merged >= len(part)) - np.arange(-low, len(block) - low)
    return places
