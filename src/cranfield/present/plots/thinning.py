"""Thinning: the few points of a long curve that draw the same picture.

The width of the plot is cut into columns of half a pixel. Of the points in a column the first, the last, the lowest
and the highest are kept. Within the column, the curve and what is left of it both run from the same first to the same
last point and cover the same heights, so no point of either is farther than the column is wide, half a pixel, from
the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 0.5  # pixels
FEW = 2_000  # points that are drawn as they are


def thinned(x: Floats, y: Floats, *, domain: tuple[float, float], pixels: float, few: int = FEW) -> Ints:
    """The places of the points to keep of a curve whose x never falls, drawn over a domain so many pixels wide."""
    n = len(x)
    if n <= few:
        return np.arange(n)
    low, high = domain
    edges = np.linspace(low, high, int(np.ceil(pixels / TOLERANCE)) + 1)[1:]
    start = np.unique(np.append(0, np.searchsorted(x, edges, side="right")))
    start = start[start < n]
    end = np.append(start[1:], n)
    extremes = [(a + y[a:b].argmin(), a + y[a:b].argmax()) for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    return np.unique(np.concatenate([start, end - 1, np.ravel(extremes)]))


def note(n_kept: int, n_all: int) -> tuple[str, ...]:
    """What is said of a curve that was thinned."""
    if n_kept == n_all:
        return ()
    return (f"{n_kept:,} of {n_all:,} points drawn, the curve nowhere moved by more than {TOLERANCE} pixels",)
