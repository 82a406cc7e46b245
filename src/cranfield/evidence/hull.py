"""Convex hulls of curves that rise from left to right, in whole numbers and hence exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_FEW = 256  # points that are faster gone through one by one


def upper_hull(x: NDArray[Any], y: NDArray[Any]) -> Ints:
    """The places where the upper convex hull of a curve turns; its points must differ, and never fall or go back.

    A point on or below the line between two others is no corner of the hull, so all points that lie so between
    their neighbours can go at once; a few rounds leave few points.
    """
    kept = np.arange(len(x))
    while len(kept) > _FEW:
        below = np.concatenate([[False], _turn(x, y, kept[:-2], kept[1:-1], kept[2:]) >= 0, [False]])
        kept, before = kept[~below], len(kept)
        if len(kept) == before:
            return kept
    return _chain(x, y, kept)


def _turn(x: NDArray[Any], y: NDArray[Any], a: Ints, b: Ints, c: Ints) -> NDArray[Any]:
    """Above 0 where the way from a over b to c turns left, 0 where it goes straight on."""
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])


def _chain(x: NDArray[Any], y: NDArray[Any], places: Ints) -> Ints:
    """Andrew's monotone chain."""
    hull: list[tuple[int, Any, Any]] = []
    for place in places.tolist():
        here = (place, x[place].item(), y[place].item())
        while len(hull) > 1 and _left(hull[-2], hull[-1], here):
            hull.pop()
        hull.append(here)
    return np.array([place for place, _, _ in hull], np.int64)


def _left(a: tuple[int, Any, Any], b: tuple[int, Any, Any], c: tuple[int, Any, Any]) -> bool:
    return bool((b[1] - a[1]) * (c[2] - a[2]) >= (b[2] - a[2]) * (c[1] - a[1]))
