"""Arrays on disk: what is too large for memory is in temporary files without names, which vanish with the arrays.

A file is mapped, so that its array is like any other. Pages that were touched count as memory of the process until they
are released: loops over long arrays go through `blocks`, which releases the pages of earlier blocks.

Decided here: when the pages of temporary files are released.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakSet, finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cranfield.arrays import Ints
from cranfield.errors import BadInput
from cranfield.tables.readers.streams import readable_size
from cranfield.tables.threads import in_threads

_BLOCK = 1 << 17  # rows that are processed at a time
_RELEASED = 1 << 20  # rows after which pages are released
_maps: WeakSet[mmap.mmap] = WeakSet()


def disk_array(n_rows: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array on disk, of which nothing is left when it is no longer used, or when the process ends in any way."""
    kind = np.dtype(dtype)
    if not n_rows:
        return np.empty(0, kind)
    with _temporary_file(size := n_rows * kind.itemsize) as file:
        with suppress(AttributeError):  # reserves the space: a full disk is an error now, not a crash later
            _written(size, os.posix_fallocate, file.fileno(), 0, size)
        os.truncate(file.fileno(), size)
        mapped = mmap.mmap(file.fileno(), size)
    _maps.add(mapped)
    return np.frombuffer(mapped, kind)


def on_disk(array: Any) -> bool:
    """Whether an array, or the array that it is a view of, is on disk."""
    while isinstance(array, np.ndarray | memoryview):
        array = array.base if isinstance(array, np.ndarray) else array.obj
    return isinstance(array, mmap.mmap)


def array_beside(other: NDArray[Any], n_rows: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array on disk if the other one is, else in memory."""
    return disk_array(n_rows, dtype) if on_disk(other) else np.empty(n_rows, dtype)


def blocks(n_rows: int, size: int | None = None, *, beside: int = 0) -> Iterator[slice]:
    """The rows in blocks; pages of arrays on disk are released on the way and at the end.

    They are smaller if a longer array, of the length `beside`, is read on the way.
    """
    times = max(beside // max(n_rows, 1), 1) if len(_maps) else 1
    step, n_since = max((size or _BLOCK) // times, 1), 0
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
        n_since += step * times
        if n_since >= _RELEASED:
            n_since = 0
            release_pages()
    release_pages()


def in_blocks(
    function: Callable[..., NDArray[Any]], *columns: NDArray[Any], before: int = 0, beside: int = 0
) -> NDArray[Any]:
    """A column computed from others row by row; on disk if the first is. It begins with `before` rows to be filled."""
    if not before and not on_disk(columns[0]):
        return function(*columns)
    n_rows, first = len(columns[0]), function(*(column[:0] for column in columns))
    result = array_beside(columns[0], before + n_rows, first.dtype)
    for rows in blocks(n_rows, beside=beside):
        result[before + rows.start : before + rows.stop] = function(*(column[rows] for column in columns))
    return result


class SpillFile:
    """A temporary file to which arrays are appended, and from which they are read."""

    def __init__(self) -> None:
        self._file: Any = None  # until something is appended
        self._end = 0

    def append(self, array: NDArray[Any]) -> int:
        """Write an array; returns where it is."""
        place, size = self._end, array.nbytes
        if self._file is None:
            self._file = _temporary_file(size)
            finalize(self, self._file.close)
        data = np.ascontiguousarray(array).view(np.uint8)
        while len(data):  # all at once, unless the disk is full
            data = data[_written(size, self._file.write, data) :]
        self._end += size
        return place

    def read(self, place: int, dtype: np.dtype[Any], n_rows: int) -> NDArray[Any]:
        """The array of this many rows at a place."""
        return np.frombuffer(os.pread(self._file.fileno(), n_rows * dtype.itemsize, place), dtype)


def _temporary_file(size: int) -> Any:
    """A file that is not listed in any folder."""
    import tempfile  # slow to import and rarely needed

    return _written(size, tempfile.TemporaryFile, buffering=0)


def _written(size: int, write: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What writing to the disk returns; an error says where and what to do."""
    try:
        return write(*arguments, **options)
    except OSError as error:
        import tempfile

        folder = tempfile.gettempdir()
        raise BadInput(
            f"{folder}: {readable_size(size)} cannot be written to a temporary file: {error.strerror}; "
            "set TMPDIR to a folder with more space"
        ) from None


def release_pages() -> None:
    """Let go of the pages of all arrays on disk: they are read again from the disk, or from the system's cache."""
    for mapped in list(_maps) if len(_maps) else ():
        with suppress(AttributeError, ValueError, OSError):  # not on every system
            mapped.madvise(mmap.MADV_DONTNEED)


# Sorted runs of score counts, in memory or moved to a file, and how several of them are merged


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
