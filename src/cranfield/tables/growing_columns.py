"""Columns that grow as a file is read. Their buffers are extended in place, so no row is stored twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cranfield.arrays import Floats, constant
from cranfield.tables.names import Lengths, Names, Offsets, length_width, offset_width


class GrowingNumbers:
    """A column of numbers; while all numbers are equal, the number is stored once."""

    def __init__(self) -> None:
        self._only = constant(0, 0)  # so far
        self._numbers = bytearray()

    def add(self, numbers: Floats) -> None:
        """Append a column."""
        if not len(numbers):
            return
        only, self._only = self._only, constant(0, 0)
        if not self._numbers and _same(numbers, only):
            self._only = constant(numbers[0], len(only) + len(numbers))
        else:
            for column in (only, numbers):
                self._numbers += np.ascontiguousarray(column, np.float64).data

    def column(self) -> Floats:
        """All numbers, in order."""
        return np.frombuffer(self._numbers) if self._numbers else self._only


def _same(numbers: Floats, only: Floats) -> bool:
    """Whether all numbers are the same, bit for bit, as those of a constant column before them, if there are any."""
    first = np.append(only[:1], numbers[:1])[:1].view(np.int64)
    return bool((np.asarray(numbers, np.float64).view(np.int64) == first).all())


class GrowingNames:
    """A column of names; while all names are equal, the name is stored once."""

    def __init__(self) -> None:
        self._only: Names | None = None  # so far
        self._data, self._start, self._length = bytearray(), bytearray(), bytearray()
        self._widths: list[np.dtype[Any]] = [np.dtype(offset_width(0)), np.dtype(length_width(np.empty(0, np.uint16)))]

    def add(self, names: Names) -> None:
        """Append a column."""
        only, self._only = self._only, None
        if only is None and not self._data:
            self._only = names
        elif only is not None and only.is_repeated and names.is_repeated and only[0] == names[0]:
            self._only = Names.repeated(only[0], len(only) + len(names))
        else:
            if only is not None:
                self._append(only)
            self._append(names)

    def column(self) -> Names:
        """All names, in order."""
        if self._data:
            return Names(np.frombuffer(self._data, np.uint8), *self._offsets())
        return Names.of([]) if self._only is None else self._only

    def _append(self, names: Names) -> None:
        needed = np.dtype(offset_width(len(self._data) + len(names.data))), names.length.dtype
        widths = [np.promote_types(*pair) for pair in zip(self._widths, needed, strict=True)]
        if widths != self._widths:
            self._start, self._length = map(bytearray, map(np.ndarray.astype, self._offsets(), widths))
            self._widths = widths
        start = names.start.astype(widths[0]) + len(self._data)
        for column, numbers, width in zip((self._start, self._length), (start, names.length), widths, strict=True):
            column += np.ascontiguousarray(numbers, width).data
        self._data += np.ascontiguousarray(names.data).data

    def _offsets(self) -> tuple[Offsets, Lengths]:
        return np.frombuffer(self._start, self._widths[0]), np.frombuffer(self._length, self._widths[1])


def concatenated(columns: Iterable[Names]) -> Names:
    """One column of all names, in order."""
    whole = GrowingNames()
    for names in columns:
        whole.add(names)
    return whole.column()
