"""Values of millions of units: few of them are distinct, and these are stored once, with a short code for each unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.memory import MANY

_WIDTHS = (np.uint8, np.uint16)  # of codes; with more distinct values than these can count, values are not coded


class Coded(NamedTuple):
    """A column of numbers: `distinct[code[i]]`."""

    distinct: Floats
    code: NDArray[Any]


Column = Coded | Floats


class GrowingValues:
    """A column that is filled from its first value on; one of millions is coded while it has few distinct values."""

    def __init__(self, n_units: int) -> None:
        self._n = 0
        self._code: NDArray[Any] | None = np.empty(n_units, _WIDTHS[0]) if n_units > MANY else None
        self._values = np.empty(n_units if self._code is None else 0)  # all or, with codes, the distinct ones
        self._bits = np.empty(0, np.int64)  # the bits of the distinct values, in order, and their codes
        self._code_of = np.empty(0, np.int64)

    def add(self, values: Floats) -> None:
        """Append values."""
        rows = slice(self._n, self._n + len(values))
        code = None if self._code is None else self._coded(values)
        if code is None:
            self._spell_out()
            self._values[rows] = values
        else:
            self._code[rows] = code  # type: ignore[index]
        self._n = rows.stop

    def column(self) -> Column:
        """All values, in order."""
        return self._values if self._code is None else Coded(self._values, self._code)

    def _coded(self, values: Floats) -> Ints | None:
        """The codes of values, some of which may be new; None if there are too many of them."""
        bits = np.ascontiguousarray(values, np.float64).view(np.int64)  # which tell -0 from 0, and equal NaN
        place = np.searchsorted(self._bits, bits)
        known = np.append(self._bits, 0)[place] == bits
        known &= place < len(self._bits)
        if known.all():
            return self._code_of[place]
        new, _ = np.unique(bits[~known], return_counts=True)
        self._values = np.append(self._values, new.view(np.float64))
        every = self._values.view(np.int64)
        self._code_of = np.argsort(every)
        self._bits = every[self._code_of]
        width = next((width for width in _WIDTHS if len(every) <= np.iinfo(width).max), None)
        if width is None:
            self._values = self._values[: len(every) - len(new)]
            return None
        self._code = self._code.astype(width, copy=False)  # type: ignore[union-attr]
        return self._code_of[np.searchsorted(self._bits, bits)]

    def _spell_out(self) -> None:
        """Store values instead of codes from now on."""
        if self._code is not None:
            values = np.empty(len(self._code))
            values[: self._n] = self._values[self._code[: self._n]]
            self._values, self._code = values, None


def table_of(columns: Sequence[Sequence[Column]]) -> Floats:
    """The values in columns by system and measure; as an array, unless some are coded."""
    if any(isinstance(column, Coded) for row in columns for column in row):
        return cast(Floats, CodedValues(columns))
    return np.array(columns)


class CodedValues:
    """The values of systems for measures and units, `values[s, m, u]`, decoded when they are asked for.

    It stands for an array: `values[s, m]` decodes one column, NumPy's functions and anything else decode all of them.
    """

    def __init__(self, columns: Sequence[Sequence[Column]]) -> None:
        self._columns = columns

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of systems, of measures and of units."""
        first = self._columns[0][0]
        return len(self._columns), len(self._columns[0]), len(first.code if isinstance(first, Coded) else first)

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, key: Any) -> Any:
        if not (isinstance(key, tuple) and len(key) >= 2 and all(isinstance(one, int | np.integer) for one in key[:2])):
            return np.asarray(self)[key]
        column, units = self._columns[key[0]][key[1]], key[2:] or slice(None)
        return column.distinct[column.code[units]] if isinstance(column, Coded) else column[units]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = np.empty(self.shape, dtype)
        for s, m in np.ndindex(*self.shape[:2]):
            values[s, m] = self[s, m]
        return values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # while it is being unpickled or copied
            raise AttributeError(name)
        return getattr(np.asarray(self), name)
