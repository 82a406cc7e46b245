"""Score counts: distinct rows of scores, sorted, with the number of items of each, collected in batches."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints

Scores = list[NDArray[Any]]  # one array per column

_LONG = 1 << 19  # rows of a part that is split in two
_SHORT = 1 << 16  # rows that are always merged together


class ScoreCounts:
    """The distinct rows of one or several columns of scores, with counts.

    The rows are in parts with disjoint ranges of the first score, so that merging new rows into a part needs little
    memory besides it. New rows wait until they are half as many as those of the part: each is moved only a few times.
    """

    def __init__(self) -> None:
        self._parts = [_Part()]
        self._lowest: list[float] = []  # the lowest first score of every part but the first

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    @property
    def dtypes(self) -> list[np.dtype[Any]]:
        """The types of the columns, once items were added."""
        return [column.dtype for column in self._parts[0].rows]

    def add(self, columns: Scores) -> None:
        """Add items with these scores."""
        rows, count = _counted(columns, None)
        edges = [0, *np.searchsorted(rows[0], self._lowest).tolist(), len(count)]
        for place, (start, end) in reversed([*enumerate(pairwise(edges))]):
            if end > start:
                self._parts[place].wait([column[start:end].copy() for column in rows], count[start:end].copy())
                if self._parts[place].is_due:
                    self._split(place)

    def _split(self, place: int) -> None:
        """Merge the waiting rows of a part, and split it if it is long."""
        parts = self._parts[place].merged()
        self._parts[place : place + 1] = parts
        self._lowest[place:place] = [float(part.lowest) for part in parts[1:]]

    def take(self, scores: Scores, count: Ints) -> None:
        """Move all rows, in ascending order, to the beginning of these columns."""
        start = 0
        while self._parts:
            part = self._parts.pop(0)
            end = start + len(part)
            for column, values in zip(scores, part.rows, strict=True):
                column[start:end] = values
            count[start:end] = part.count
            start = end

    def settle(self) -> int:
        """Merge all waiting rows, after which none are added; the number of distinct ones."""
        for place in reversed(range(len(self._parts))):
            self._split(place)
        return len(self)


class _Part:
    """Rows in ascending order, and sorted rows that wait to be merged with them."""

    def __init__(self, rows: Scores | None = None, count: Ints | None = None) -> None:
        self._waiting: list[tuple[Scores, Ints]] = [] if rows is None or count is None else [(rows, count)]
        self._n_settled = len(self)

    def __len__(self) -> int:
        return sum(len(count) for _, count in self._waiting)

    @property
    def rows(self) -> Scores:
        return self._waiting[0][0]

    @property
    def count(self) -> Ints:
        return self._waiting[0][1]

    @property
    def lowest(self) -> Any:
        return self.rows[0][0]

    @property
    def is_due(self) -> bool:
        return len(self) - self._n_settled > max(self._n_settled // 2, _SHORT)

    def wait(self, rows: Scores, count: Ints) -> None:
        self._waiting.append((rows, count))

    def merged(self) -> list[_Part]:
        """The part with its waiting rows merged; two if it is long, none if it is empty."""
        if not self._waiting:
            return []
        if len(self._waiting) > 1:
            columns = [np.concatenate(column) for column in zip(*(rows for rows, _ in self._waiting), strict=True)]
            count = np.concatenate([count for _, count in self._waiting])
            self._waiting = [_counted(columns, count)]
        rows, count = self._waiting[0]
        middle = len(count) if len(count) < _LONG else int(np.searchsorted(rows[0], rows[0][len(count) // 2]))
        if middle in (0, len(count)):
            return [_Part(rows, count)]
        halves = (slice(0, middle), slice(middle, None))
        return [_Part([column[half].copy() for column in rows], count[half].copy()) for half in halves]


def _counted(columns: Scores, count: Ints | None) -> tuple[Scores, Ints]:
    """The distinct rows in ascending order, and the number of items of each."""
    if len(columns) == 1 and count is None:
        rows = [np.sort(columns[0])]
    else:
        order = np.argsort(columns[0], kind="stable") if len(columns) == 1 else np.lexsort(columns[::-1])
        rows, count = [column[order] for column in columns], None if count is None else count[order]
    new = np.empty(len(rows[0]), np.bool_)
    new[:1] = True
    np.not_equal(rows[0][1:], rows[0][:-1], out=new[1:])
    for column in rows[1:]:
        new[1:] |= column[1:] != column[:-1]
    start = np.flatnonzero(new)
    total = np.diff(start, append=len(new)) if count is None else np.add.reduceat(count, start)
    return [column[start] for column in rows], total.astype(np.uint32, copy=False)
