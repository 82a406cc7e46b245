"""The steps at all thresholds in blocks, down or up from one of them: there may be more than fit in memory.

Decided here: how large the blocks are in which thresholds are processed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.evidence.threshold_steps import Steps
from cranfield.evidence.thresholds import Thresholds
from cranfield.tables.disk_arrays import blocks, release_pages

_FEW = 1 << 20  # scores whose steps are computed once, and kept
_BLOCK = 1 << 16  # scores of a class


def steps_down(scores: Thresholds, threshold: float = np.inf) -> Iterator[Steps]:
    """The steps at the scores up to a threshold, highest first."""
    if _computed_once(scores):
        yield from in_steps(_taken(scores.every, slice(_n_above(scores, threshold), None)))
        return
    sides = scores.positive, scores.negative
    stops = [int(np.searchsorted(side, threshold, side="right")) for side in sides]
    while any(stops):
        lowest = max((side[stop - _BLOCK] for side, stop in zip(sides, stops) if stop > _BLOCK), default=-np.inf)
        starts = [int(np.searchsorted(side, lowest)) for side in sides]
        yield scores.between(slice(starts[0], stops[0]), slice(starts[1], stops[1]))
        stops = starts
        release_pages()


def steps_up(scores: Thresholds, threshold: float) -> Iterator[Steps]:
    """The steps at the scores above a threshold: the lowest block first, and the highest score of each block first."""
    if _computed_once(scores):
        yield from reversed([*in_steps(_taken(scores.every, slice(_n_above(scores, threshold))))])
        return
    sides = scores.positive, scores.negative
    starts = [int(np.searchsorted(side, threshold, side="right")) for side in sides]
    while any(start < len(side) for side, start in zip(sides, starts)):
        ends = (side[start + _BLOCK] for side, start in zip(sides, starts) if start + _BLOCK < len(side))
        highest = min(ends, default=np.inf)
        stops = [int(np.searchsorted(side, highest, side="right")) for side in sides]
        yield scores.between(slice(starts[0], stops[0]), slice(starts[1], stops[1]))
        starts = stops
        release_pages()


def in_steps(steps: Steps) -> Iterator[Steps]:
    """Steps in blocks."""
    return (_taken(steps, rows) for rows in blocks(len(steps.score), _BLOCK))


def neighbours(scores: Thresholds, threshold: float, n: int) -> tuple[list[float], list[float]]:
    """The n scores above a threshold, and the n + 1 scores up to it; fewer at the ends. Both begin with the highest."""
    above: list[float] = []
    for steps in steps_up(scores, threshold):
        above = [*steps.score.tolist(), *above][-n:]
        if len(above) == n:
            break
    rest: list[float] = []
    for steps in steps_down(scores, threshold):
        rest += steps.score[: n + 1 - len(rest)].tolist()
        if len(rest) > n:
            break
    return above, rest


def _computed_once(scores: Thresholds) -> bool:
    """Whether the steps at all thresholds are computed once; sums of weights must be."""
    return scores.weighted or len(scores.positive) + len(scores.negative) <= _FEW


def _n_above(scores: Thresholds, threshold: float) -> int:
    score = scores.every.score
    return len(score) - int(np.searchsorted(score[::-1], threshold, side="right"))


def _taken(steps: Steps, rows: slice) -> Steps:
    return Steps(*(column[rows] for column in steps))
