"""Thinning: the few points of a long curve that draw the same picture.

The width of the plot is cut into columns of half a pixel. Of the points in a column the first, the last, the lowest
and the highest are kept. Within the column, the curve and what is left of it both run from the same first to the same
last point and cover the same heights, so no point of either is farther than the column is wide, half a pixel, from
the other.

Where both axes only rise from one threshold to the next, the curve need not be computed to be thinned: scores that lie
between two levels of either axis are taken for equal. The curve then runs straight through a box which it crossed in
stairs, and whose diagonal is half a pixel.

Precision rises and falls, but moves little while the positives and the negatives that are accepted grow by a small
part. So scores are first taken for equal within boxes of a tenth of a pixel, and what is left is thinned in columns
that are as much narrower.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.thresholds import Thresholds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 0.5  # pixels
BOX = 0.1  # of them, where boxes are thinned once more
FEW = 2_000  # points that are drawn as they are

_ROUNDING = 1e-6  # of an item


def thinned(
    x: Floats, y: Floats, *, domain: tuple[float, float], pixels: float, column: float = TOLERANCE, few: int = FEW
) -> Ints:
    """The places of the points to keep of a curve whose x never falls, drawn over a domain so many pixels wide."""
    n = len(x)
    if n <= few:
        return np.arange(n)
    low, high = domain
    edges = np.linspace(low, high, int(np.ceil(pixels / column)) + 1)[1:]
    start = np.unique(np.append(0, np.searchsorted(x, edges, side="right")))
    start = start[start < n]
    end = np.append(start[1:], n)
    extremes = [(a + y[a:b].argmin(), a + y[a:b].argmax()) for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    return np.unique(np.concatenate([start, end - 1, np.ravel(extremes)]))


def levels(low: float, high: float, pixels: float, box: float = TOLERANCE) -> Floats:
    """Levels from low to high so near to each other that the diagonal of a box between them is half a pixel."""
    return np.linspace(low, high, int(np.ceil(pixels * np.sqrt(2) / box)) + 1)


def growing(n: int, by: float) -> Floats:
    """Shares of n items from one to all, between each of which and the next less than the part `by` is added."""
    return np.geomspace(1 / n, 1, int(np.ceil(np.log(n) / by)) + 1)


def coarsened(scores: Thresholds, fallout: Floats, recall: Floats) -> Thresholds:
    """The same scores, those between two of the levels of fall-out and recall taken for equal; few as they are."""
    weighted = scores.positive_weight is not None or scores.negative_weight is not None
    if weighted or len(scores.positive) + len(scores.negative) <= FEW:
        return scores
    ends = [scores.positive[:1], scores.negative[:1]]
    kept = np.unique(np.concatenate([_reaching(scores.positive, recall), _reaching(scores.negative, fallout), *ends]))
    return Thresholds(kept, kept, _between(scores.positive, kept), _between(scores.negative, kept))


def near(scores: Thresholds, low: float, high: float) -> Thresholds:
    """The same scores, those beyond two thresholds taken for equal: between them the curve is the whole one."""
    between = [_from(each, low, high) for each in (scores.positive, scores.negative)]
    kept = np.unique(np.concatenate([*between, scores.positive[:1], scores.negative[:1]]))
    return Thresholds(kept, kept, _between(scores.positive, kept), _between(scores.negative, kept))


def _from(ascending: Floats, low: float, high: float) -> Floats:
    return ascending[np.searchsorted(ascending, low) : np.searchsorted(ascending, high, side="right")]


def _reaching(ascending: Floats, share: Floats) -> Floats:
    """The score down to which each share of the scores must be accepted."""
    n_accepted = np.clip(np.ceil(share * len(ascending) - _ROUNDING).astype(np.int64), 1, len(ascending))
    return ascending[len(ascending) - n_accepted]


def _between(ascending: Floats, kept: Floats) -> Floats:
    """How many scores lie from each of those kept up to the next."""
    return np.diff(np.append(np.searchsorted(ascending, kept), len(ascending))).astype(np.float64)


def note(n_kept: int, n_all: int) -> tuple[str, ...]:
    """What is said of a curve that was thinned."""
    if n_kept == n_all:
        return ()
    return (f"{n_kept:,} of {n_all:,} points drawn, the curve nowhere moved by more than {TOLERANCE} pixels",)
