"""Score counts: distinct rows of scores, sorted, with the number of items of each, collected in batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from cranfield.arrays import Ints
from cranfield.tables.disk_arrays import SpillFile, release_pages
from cranfield.tables.spilled_counts import Scores, SpilledCounts, distinct_rows, merged_counts

_LONG = 1 << 19  # rows of a part that is split in two
_SHORT = 1 << 16  # rows that are always merged together


class ScoreCounts:
    """The distinct rows of one or several columns of scores, with counts.

    The rows are in parts with disjoint ranges of the first score, so that merging new rows into a part needs little
    memory besides it. New rows wait until they are half as many as those of the part: each is moved only a few times.
    Rows can be moved to a file, sorted, as often as needed; all are merged at the end.
    """

    def __init__(self) -> None:
        self.dtypes: list[np.dtype[Any]] = []  # the types of the columns, once items were added
        self._parts = [_Part()]
        self._lowest: list[float] = []  # the lowest first score of every part but the first
        self._spilled: list[SpilledCounts] = []

    def __len__(self) -> int:
        """Number of rows in memory."""
        return sum(len(part) for part in self._parts)

    def add(self, columns: Scores) -> None:
        """Add items with these scores."""
        self.dtypes = [column.dtype for column in columns]
        rows, count = distinct_rows(columns, None)
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

    def spill(self, file: SpillFile) -> None:
        """Move all rows to a file."""
        if len(self):
            self._spilled.append(SpilledCounts(file, self.dtypes, self._moved()))
            self._parts, self._lowest = [_Part()], []

    def settle(self, file: SpillFile) -> int:
        """Merge waiting rows, after which none are added; the greatest number of distinct rows that there may be."""
        if not self._spilled:
            self._merge_waiting()
            return len(self)
        self.spill(file)
        return sum(map(len, self._spilled))

    def take(self, scores: Scores, count: Ints) -> int:
        """Move all rows, in ascending order, to the beginning of these columns; their number."""
        start = 0
        for rows, times in merged_counts(self._spilled) if self._spilled else self._moved():
            end = start + len(times)
            for column, values in zip(scores, rows, strict=True):
                column[start:end] = values
            count[start:end] = times
            start = end
            release_pages()
        self._spilled = []
        return start

    def _merge_waiting(self) -> None:
        for place in reversed(range(len(self._parts))):
            self._split(place)

    def _moved(self) -> Iterator[tuple[Scores, Ints]]:
        """The rows of each part, which keeps none."""
        self._merge_waiting()
        while self._parts:
            part = self._parts.pop(0)
            yield part.rows, part.count


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
            self._waiting = [distinct_rows(columns, count)]
        rows, count = self._waiting[0]
        middle = len(count) if len(count) < _LONG else int(np.searchsorted(rows[0], rows[0][len(count) // 2]))
        if middle in (0, len(count)):
            return [_Part(rows, count)]
        halves = (slice(0, middle), slice(middle, None))
        return [_Part([column[half].copy() for column in rows], count[half].copy()) for half in halves]
