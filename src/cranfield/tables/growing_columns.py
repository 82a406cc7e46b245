"""Columns that grow as a file is read. Their buffers are extended in place, so no row is stored twice."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cranfield.arrays import Floats
from cranfield.tables.names import Names, Offsets, offset_width


class GrowingNumbers:
    """A column of numbers."""

    def __init__(self) -> None:
        self._numbers = bytearray()

    def add(self, numbers: Floats) -> None:
        """Append a column."""
        self._numbers += np.ascontiguousarray(numbers, np.float64).data

    def column(self) -> Floats:
        """All numbers, in order."""
        return np.frombuffer(self._numbers)


class GrowingNames:
    """A column of names; while all names are equal, the name is stored once."""

    def __init__(self) -> None:
        self._only: Names | None = None  # so far
        self._data, self._start, self._length = bytearray(), bytearray(), bytearray()
        self._width = offset_width(0)

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
        width = offset_width(len(self._data) + len(names.data))
        if width != self._width:
            self._start, self._length = (bytearray(offsets.astype(width)) for offsets in self._offsets())
            self._width = width
        self._start += (names.start + width(len(self._data))).astype(width).data
        self._length += np.ascontiguousarray(names.length, width).data
        self._data += np.ascontiguousarray(names.data).data

    def _offsets(self) -> tuple[Offsets, Offsets]:
        return np.frombuffer(self._start, self._width), np.frombuffer(self._length, self._width)


def concatenated(columns: Iterable[Names]) -> Names:
    """One column of all names, in order."""
    whole = GrowingNames()
    for names in columns:
        whole.add(names)
    return whole.column()
