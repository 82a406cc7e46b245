"""Convex hulls of increasing curves; exact for integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints

_FEW = 256  # points for which a loop is faster


def upper_hull(x: NDArray[Any], y: NDArray[Any]) -> Ints:
    """The indices of the corners of the upper convex hull of distinct points with non-decreasing x and y.

    Points on or below the line between their neighbours cannot be corners and are all removed at once; a few rounds
    leave few points.
    """
    corner = np.arange(len(x))
    while len(corner) > _FEW:
        below = np.concatenate([[False], _turn(x, y, corner[:-2], corner[1:-1], corner[2:]) >= 0, [False]])
        corner, before = corner[~below], len(corner)
        if len(corner) == before:
            return corner
    return _chain(x, y, corner)


def _turn(x: NDArray[Any], y: NDArray[Any], a: Ints, b: Ints, c: Ints) -> NDArray[Any]:
    """Positive if the path from a via b to c turns left, 0 if it is straight."""
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
