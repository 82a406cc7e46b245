"""Score counts: distinct rows of scores, sorted, with the number of items of each, collected in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cranfield.arrays import Ints
from cranfield.tables.disk_arrays import SpillFile
from cranfield.tables.spilled_counts import Counted, Scores, SpilledCounts, distinct_of_all, merged_counts, pieces

_FEW = 1 << 16  # rows that are merged at once


class ScoreCounts:
    """The distinct rows of one or several columns of scores, with counts.

    They are in sorted runs, which are merged when they take too much memory. If they still do, they are moved to a
    file, as often as needed; all runs are merged at the end.
    """

    def __init__(self) -> None:
        self.dtypes: list[np.dtype[Any]] = []  # the types of the columns, once items were added
        self._runs: list[list[Counted]] = []  # each in pieces
        self._spilled: list[SpilledCounts] = []

    def __len__(self) -> int:
        """Number of rows in memory."""
        return sum(len(count) for run in self._runs for _, count in run)

    def add(self, rows: Scores, count: Ints) -> None:
        """Add distinct rows in ascending order."""
        self.dtypes = [column.dtype for column in rows]
        self._runs.append([*pieces((rows, count))])

    def merge(self) -> None:
        """Merge all rows in memory."""
        if len(self._runs) > 1:
            runs, self._runs = self._runs, []
            few = sum(len(count) for run in runs for _, count in run) <= _FEW
            merged = distinct_of_all([piece for run in runs for piece in run]) if few else None
            self._runs = [[merged] if merged else [*merged_counts(map(_removed, runs))]]

    def spill(self, file: SpillFile) -> None:
        """Move all rows to a file."""
        self.merge()
        if self._runs:
            self._spilled.append(SpilledCounts(file, self.dtypes, _removed(self._runs.pop())))

    def settle(self, file: SpillFile) -> int:
        """Merge all rows in memory, after which none are added; the greatest number of distinct rows there may be."""
        self.merge()
        if self._spilled:
            self.spill(file)
        return len(self) + sum(map(len, self._spilled))

    def taken(self) -> Iterator[Counted]:
        """All rows in ascending order, some at a time; none are kept."""
        spilled, self._spilled = self._spilled, []
        return merged_counts(spilled) if spilled else _removed(self._runs.pop()) if self._runs else iter(())


def _removed(run: list[Counted]) -> Iterator[Counted]:
    """The pieces of a run, each of which is removed from it, so that its memory can be used again."""
    run.reverse()
    while run:
        yield run.pop()
