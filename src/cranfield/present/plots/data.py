"""Data tables of plots: their columns, and names that are not taken."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import up_to
from cranfield.evidence.thresholds import Thresholds
from cranfield.frozen import frozen


def table_of(**columns: Any) -> pa.Table:
    """A table of arrays of numbers, null where they are not finite, and lists of texts; a single text is repeated."""
    n_rows = next(len(values) for values in columns.values() if not isinstance(values, str))
    return pa.table({name: _column(values, n_rows) for name, values in columns.items()})


def unused(name: str, taken: Collection[str]) -> str:
    """The name, in parentheses if it is taken: a class may be called `all`, and a system `ideal`."""
    while name in taken:
        name = f"({name})"
    return name


def _column(values: Any, n_rows: int) -> pa.Array:
    if isinstance(values, np.ndarray):
        return pa.array(values, mask=~np.isfinite(values) if values.dtype.kind == "f" else None)
    if isinstance(values, pa.Array):
        return values
    return pa.array([values] * n_rows if isinstance(values, str) else values, pa.string())


# Thinning: reducing a long curve to the few points that give the same plot.
#
# The width of the plot is divided into columns of half a pixel; the first, last, lowest and highest points of each
# column are kept. Within a column both curves run from the same first to the same last point and cover the same
# heights, so they are nowhere more than the width of a column, half a pixel, apart.
#
# If both axes are monotonic in the threshold, the curve need not be computed first: scores between two levels of either
# axis are merged. The curve then crosses a box with a diagonal of half a pixel in a straight line instead of in steps.
#
# Precision is not monotonic, but changes little while the accepted positives and negatives grow by a small proportion.
# So scores are first merged within boxes of a tenth of a pixel, and the result is thinned in columns that are narrower
# by as much.


TOLERANCE = 0.5  # pixels
BOX = 0.1  # pixels, if the merged curve is thinned again
FEW = 2_000  # up to this many points, all are drawn

_ROUNDING = 1e-6  # of an item


def thinned(
    x: Floats, y: Floats, *, domain: tuple[float, float], pixels: float, column: float = TOLERANCE, few: int = FEW
) -> Ints:
    """The indices of the points to keep in a curve with ascending x, drawn over a domain of this width in pixels."""
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
    """Levels from low to high, spaced so that a box between them has a diagonal of at most `box` pixels."""
    return np.linspace(low, high, int(np.ceil(pixels * np.sqrt(2) / box)) + 1)


def growing(n: int, by: float) -> Floats:
    """Proportions of n items, from one item to all, each at most a proportion `by` larger than the previous one."""
    return np.geomspace(1 / n, 1, int(np.ceil(np.log(n) / by)) + 1)


def coarsened(scores: Thresholds, fallout: Floats, recall: Floats) -> Thresholds:
    """The scores, with those between two levels of false positive rate and recall merged if there are many."""
    if scores.weighted or sum(scores.n_items) <= FEW:
        return scores
    reaching = [
        _reaching(scores.positive, scores.positive_count, recall),
        _reaching(scores.negative, scores.negative_count, fallout),
    ]
    return _merged(scores, np.concatenate([*reaching, scores.positive[:1], scores.negative[:1]]))


def near(scores: Thresholds, low: float, high: float) -> Thresholds:
    """The scores, with those beyond two thresholds merged: between the thresholds the curve is exact."""
    between = [_from(ascending, low, high) for ascending in (scores.positive, scores.negative)]
    return _merged(scores, np.concatenate([*between, scores.positive[:1], scores.negative[:1]]))


def _merged(scores: Thresholds, edges: Floats) -> Thresholds:
    """The scores, with those from each edge up to the next merged."""
    edge = np.unique(edges)
    counts = (
        _between(scores.positive, scores.positive_count, edge),
        _between(scores.negative, scores.negative_count, edge),
    )
    return Thresholds(edge, edge, *counts)


def _from(ascending: Floats, low: float, high: float) -> Floats:
    return ascending[np.searchsorted(ascending, low) : np.searchsorted(ascending, high, side="right")]


def _reaching(ascending: Floats, count: Ints | None, proportion: Floats) -> Floats:
    """The highest threshold that accepts each proportion of the items with these scores."""
    end = None if count is None else np.cumsum(count)
    n_items = len(ascending) if end is None else int(end[-1])
    place = n_items - np.clip(np.ceil(proportion * n_items - _ROUNDING).astype(np.int64), 1, n_items)
    return ascending[place if end is None else np.searchsorted(end, place, side="right")]


def _between(ascending: Floats, count: Ints | None, edge: Floats) -> Floats:
    """The number of items from each edge up to the next."""
    place = np.append(np.searchsorted(ascending, edge), len(ascending))
    return np.diff(place if count is None else up_to(count)[place]).astype(np.float64)


def note(system: str, n_kept: int, n_all: int) -> tuple[str, ...]:
    """A note if the curve of a system was thinned."""
    if n_kept == n_all:
        return ()
    return (f"{system}: {n_kept:,} of {n_all:,} points drawn; the curve is accurate to {TOLERANCE} pixels",)


# Sketches: descriptions of a plot's table for terminals


@frozen
class Bars:
    """One bar per row, of length `value` and named by the columns `label`; negative bars go to the left.

    `means` are names with the lengths of their bars, which replace the rows.
    """

    label: tuple[str, ...]
    value: str
    means: tuple[tuple[str, float], ...] = ()
    digits: int = 4


@frozen
class Lines:
    """One line through x and y per name in `by`; `only` selects rows with a value in a column.

    `across` and `up` are axis titles (default: the columns), `figure` formats tick labels, and `mark` is a labelled
    position on the x axis. With `stretch`, only rows with the same value in this column are joined; rows without one
    are single points. With `points`, the rows stand out from the line that joins them, and `diagonal` names the line
    on which x equals y.
    """

    x: str
    y: str
    by: str
    only: tuple[str, str] | None = None
    across: str = ""
    up: str = ""
    figure: Callable[[float], str] = "{:.3g}".format
    mark: tuple[float, str] | None = None
    stretch: str = ""
    points: bool = False
    diagonal: str = ""


@frozen
class Dots:
    """A scatter plot of x and y, darker where `n` is larger."""

    x: str
    y: str
    n: str
    across: str = ""
    up: str = ""
    figure: Callable[[float], str] = "{:.3g}".format


@frozen
class Cells:
    """A heat map: one cell per row of the table, shaded by `value` and showing `text` after `name`, if it has one."""

    row: tuple[str, ...]
    column: str
    value: str
    text: str
    only: tuple[str, str] | None = None
    name: str = ""


Sketch = Bars | Lines | Dots | Cells
