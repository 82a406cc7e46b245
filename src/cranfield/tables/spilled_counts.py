"""Sorted runs of score counts, in memory or moved to a file, and how several of them are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints
from cranfield.tables.disk_arrays import SpillFile
from cranfield.tables.threads import in_threads

Scores = list[NDArray[Any]]  # one array per column
Counted = tuple[Scores, Ints]  # rows, and the number of items of each

_PIECE = 1 << 14  # rows of a run that are read at a time
_COUNT = np.dtype(np.uint32)


class SpilledCounts:
    """Distinct rows in ascending order in a file, in pieces; each has its columns, then its counts."""

    def __init__(self, file: SpillFile, dtypes: Sequence[np.dtype[Any]], parts: Iterable[Counted]) -> None:
        self._file, self._dtypes = file, (*dtypes, _COUNT)
        self._pieces = [self._append(piece) for part in parts for piece in pieces(part)]

    def _append(self, piece: Counted) -> tuple[list[int], int]:
        rows, count = piece
        return [self._file.append(column) for column in (*rows, count.astype(_COUNT, copy=False))], len(count)

    def __len__(self) -> int:
        return sum(n_rows for _, n_rows in self._pieces)

    def __iter__(self) -> Iterator[Counted]:
        """The rows, piece by piece."""
        for places, n_rows in self._pieces:
            *rows, count = (
                self._file.read(place, dtype, n_rows) for place, dtype in zip(places, self._dtypes, strict=True)
            )
            yield rows, count


def pieces(part: Counted) -> Iterator[Counted]:
    """The rows, some at a time."""
    rows, count = part
    for start in range(0, len(count), _PIECE):
        piece = slice(start, start + _PIECE)
        yield [column[piece] for column in rows], count[piece]


def merged_counts(runs: Iterable[Iterable[Counted]]) -> Iterator[Counted]:
    """The distinct rows of all runs in ascending order, with the sums of their counts.

    Each run is in pieces, with its rows in ascending order. Ranges of scores are merged in threads.
    """
    return (counted for _, counted in in_threads(distinct_of_all, _ranges(runs)))


def _ranges(runs: Iterable[Iterable[Counted]]) -> Iterator[list[Counted]]:
    """The rows of all runs in one range of first scores after the other."""
    sources = [_Source(run) for run in runs]
    while any(source.n_rows for source in sources):
        bound = min((source.last for source in sources if not source.ended), default=np.inf)  # beyond it, rows may come
        taken = [source.taken(bound) for source in sources]
        if any(len(count) for _, count in taken):
            yield taken
        for source in sources:
            source.fill(bound)


def distinct_of_all(several: Sequence[Counted]) -> Counted:
    """The distinct rows of several parts in ascending order, with the sums of their counts."""
    columns = [np.concatenate(column) for column in zip(*(rows for rows, _ in several), strict=True)]
    return distinct_rows(columns, np.concatenate([count for _, count in several]))


class _Source:
    """The rows of a run that were read, but are not merged yet."""

    def __init__(self, run: Iterable[Counted]) -> None:
        self._pieces, self.ended = iter(run), False
        self._rows, self._count = next(self._pieces)

    @property
    def n_rows(self) -> int:
        return len(self._count)

    @property
    def last(self) -> Any:
        """The highest first score that was read."""
        return self._rows[0][-1]

    def taken(self, bound: float) -> Counted:
        """Remove the rows whose first score is below the bound, or all if no others can come."""
        n_rows = self.n_rows if bound == np.inf else int(np.searchsorted(self._rows[0], bound))
        rows, count = [column[:n_rows] for column in self._rows], self._count[:n_rows]
        self._rows, self._count = [column[n_rows:] for column in self._rows], self._count[n_rows:]
        return rows, count

    def fill(self, bound: float) -> None:
        """Read another piece if few rows are left, or if more may have the bound as their first score."""
        if self.ended or (self.n_rows >= _PIECE // 2 and self.last > bound):
            return
        rows, count = next(self._pieces, (None, None))
        if rows is None or count is None:
            self.ended = True
            return
        self._rows = [np.concatenate(pair) for pair in zip(self._rows, rows, strict=True)]
        self._count = np.concatenate([self._count, count])


def distinct_rows(columns: Scores, count: Ints | None) -> tuple[Scores, Ints]:
    """The distinct rows in ascending order, and the number of items of each; without counts, each row is one item."""
    if len(columns) == 1 and (count is None or count.max(initial=1) == 1):  # by value alone, which is far faster
        rows, count = [np.sort(columns[0])], None
    else:
        order = np.argsort(columns[0], kind="stable") if len(columns) == 1 else np.lexsort(columns[::-1])
        rows, count = [column[order] for column in columns], None if count is None else count[order]
    new = np.empty(len(rows[0]), np.bool_)
    new[:1] = True
    np.not_equal(rows[0][1:], rows[0][:-1], out=new[1:])
    for column in rows[1:]:
        new[1:] |= column[1:] != column[:-1]
    if new.all():
        return rows, np.ones(len(new), np.uint32) if count is None else count.astype(np.uint32, copy=False)
    start = np.flatnonzero(new)
    total = np.diff(start, append=len(new)) if count is None else np.add.reduceat(count, start)
    return [column[start] for column in rows], total.astype(np.uint32, copy=False)
