"""Arrays on disk: what is too large for memory is in temporary files without names, which vanish with the arrays.

A file is mapped, so that its array is like any other. Pages that were touched count as memory of the process until they
are released: loops over long arrays go through `blocks`, which releases the pages of earlier blocks.

Decided here: when the pages of temporary files are released.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from weakref import WeakSet, finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cranfield.errors import BadInput
from cranfield.tables.readers.limits import readable_size

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
