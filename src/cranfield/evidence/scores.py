"""Sorted scores: how many items have each, and their ranks among others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.tables.disk import array_beside, blocks, in_blocks, on_disk

_SPARSE = 8  # looked up one by one if at most one in this many
_BLOCK = 1 << 15  # scores merged at a time: fits in the cache


class ScoreRanks(NamedTuple):
    """Number of others below each score, and not above it; the same array if there are no ties."""

    below: Ints
    not_above: Ints


def score_ranks(distinct: Floats, others: Floats, *, each_once: bool = False) -> ScoreRanks:
    """The ranks of distinct scores among others; both ascending, and the others distinct too if `each_once`."""
    if len(others) * _SPARSE < len(distinct) and not on_disk(distinct):
        return _by_others(distinct, others)
    rare = len(distinct) * _SPARSE < len(others)
    not_above = (
        in_blocks(partial(_n_up_to, others), distinct, beside=len(others)) if rare else _merged(distinct, others)
    )
    if not len(others):
        return ScoreRanks(not_above, not_above)
    tie = _tied(distinct, others, not_above)
    if not tie.any():
        return ScoreRanks(not_above, not_above)
    if each_once:
        return ScoreRanks(in_blocks(np.subtract, not_above, tie), not_above)
    tied = np.flatnonzero(tie)
    below = not_above.copy()
    below[tied] = np.searchsorted(others, distinct[tied], side="left")
    return ScoreRanks(below, not_above)


def beginnings(ascending: Floats) -> Ints:
    """The index of the first occurrence of each distinct value."""
    new = ascending[1:] != ascending[:-1]
    if new.all():
        return np.arange(len(ascending))
    return np.flatnonzero(np.append(True, new))


def counted_scores(score: Floats, count: Ints, of: Mask) -> tuple[Floats, Ints]:
    """The distinct scores of some rows, ascending, and the number of items with each.

    Rows that are already so are not copied.
    """
    first, end = (int(of.argmax()), len(of) - int(of[::-1].argmax())) if of.any() else (0, 0)
    together = bool(of[first:end].all())
    score, count = (score[first:end], count[first:end]) if together else (score[of], count[of])
    if in_order(np.greater, score):
        return score, count
    order = np.argsort(score, kind="stable")
    score, count = score[order], count[order]
    start = beginnings(score)
    return (score, count) if len(start) == len(score) else (score[start], np.add.reduceat(count, start))


def in_order(relation: np.ufunc, score: Floats) -> bool:
    """Whether every score has this relation to the one before it."""
    after, before = score[1:], score[:-1]
    return all(relation(after[rows], before[rows]).all() for rows in blocks(len(after)))


def _n_up_to(others: Floats, scores: Floats) -> Ints:
    return np.asarray(np.searchsorted(others, scores, side="right"))


def _tied(distinct: Floats, others: Floats, not_above: Ints) -> Mask:
    """Which scores are among the others."""
    tie = np.empty(len(distinct), np.bool_)
    for block in blocks(len(distinct), _BLOCK, beside=len(others)):
        tie[block] = (others[not_above[block] - 1] == distinct[block]) & (not_above[block] > 0)
    return tie


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
    places = array_beside(scores, len(scores), np.int64)
    for rows in blocks(len(scores), _BLOCK, beside=len(others)):
        block = scores[rows]
        low, high = np.searchsorted(others, block[0]), np.searchsorted(others, block[-1], side="right")
        part = others[low:high]
        merged = np.argsort(np.concatenate([part, block]), kind="stable")  # merges two sorted runs
        places[rows] = np.flatnonzero(merged >= len(part)) - np.arange(-low, len(block) - low)
    return places


def merged_scores(columns: Sequence[tuple[Floats, Floats | None]]) -> tuple[Floats, Floats | None]:
    """Columns of ascending scores as one, with their weights; none if none has weights."""
    score = np.concatenate([score for score, _ in columns])
    order = np.argsort(score, kind="stable")  # merges sorted runs
    if all(weight is None for _, weight in columns):
        return score[order], None
    weights = [np.ones(len(score)) if weight is None else weight for score, weight in columns]
    return score[order], np.concatenate(weights)[order]
