"""Names of queries and documents: byte strings of any length, held in NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_WORD = 8
_FEW = 256
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], np.uint64)  # the first n bytes of a word


def mixed(value: Hashes) -> Hashes:
    """The value with its bits spread, so that neighbours end far apart."""
    value = value * _MULTIPLIER
    return value ^ (value >> _FOLD)


@dataclass(frozen=True, eq=False)
class Names:
    """A column of names; `data` ends with a spare word, so that eight bytes can be read from any place."""

    data: NDArray[np.uint8]
    start: Ints
    length: Ints

    @classmethod
    def of(cls, names: Iterable[str | bytes]) -> Names:
        """The column holding these names."""
        given = list(names)
        joined = _ascii(given)
        if joined is None:
            encoded = [name if isinstance(name, bytes) else encode(name) for name in given]
            given, joined = list(encoded), b"".join(encoded)
        length = np.fromiter(map(len, given), np.int64, len(given))
        return cls(_padded(joined), np.cumsum(length) - length, length)

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Names:
        """The column holding the bytes of an Arrow column."""
        import pyarrow as pa  # not needed to list the measures, which must be quick

        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        width = np.int64 if pa.types.is_large_binary(column.type) else np.int32
        _, ends, data = column.buffers()
        end = np.frombuffer(ends, width)[column.offset : column.offset + len(column) + 1].astype(np.int64)
        if not len(column) or data is None:
            return cls(_padded(b""), np.zeros(len(column), np.int64), np.zeros(len(column), np.int64))
        return cls(_padded(data[int(end[0]) : int(end[-1])]), end[:-1] - end[0], np.diff(end))

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, index: int) -> bytes:
        start = self.start[index]
        return self.data[start : start + self.length[index]].tobytes()

    def take(self, index: NDArray[np.integer]) -> Names:
        """The names at these places, sharing the bytes."""
        return Names(self.data, self.start[index], self.length[index])

    def tolist(self) -> list[bytes]:
        """The names as a list of bytes."""
        if len(self.data) > _FEW * len(self):  # a few names of many: spare the copy of all
            return [bytes(self.data.data[start:end]) for start, end in self._edges()]
        data = self.data.tobytes()
        return [data[start:end] for start, end in self._edges()]

    def texts(self) -> list[str]:
        """The names as a list of texts."""
        data = self.data.tobytes()
        if not data.isascii():
            return [decode(data[start:end]) for start, end in self._edges()]
        whole = data.decode("ascii")  # a byte is a character: one step for all names
        return [whole[start:end] for start, end in self._edges()]

    def _edges(self) -> Iterator[tuple[int, int]]:
        return zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)

    def equal(self, index: Ints, other: Names, other_index: Ints) -> NDArray[np.bool_]:
        """Whether name `index[i]` here is name `other_index[i]` there."""
        same = self.length[index] == other.length[other_index]
        for offset in range(0, int(self.length[index].max(initial=0)), _WORD):
            rows = np.flatnonzero(same & (self.length[index] > offset))
            same[rows] = self._word(offset, index[rows]) == other._word(offset, other_index[rows])
        return same

    @cached_property
    def hash(self) -> Hashes:
        """A 64-bit number for each name; equal names have equal numbers."""
        hashed = mixed(self.length.astype(np.uint64))
        rows: Ints | slice = slice(None)
        for offset in range(0, int(self.length.max(initial=0)), _WORD):
            if offset >= 2 * _WORD:  # few names are this long: follow only those
                rows = np.flatnonzero(self.length > offset)
            hashed[rows] = mixed(hashed[rows] ^ self._word(offset, rows))
        return hashed

    def _word(self, offset: int, rows: Ints | slice) -> Hashes:
        """The eight bytes that stand `offset` bytes into each name, what is past its end being zero."""
        word: Hashes = np.ndarray((len(self.data) - _WORD + 1,), np.uint64, self.data.data, strides=(1,))
        place = np.minimum(self.start[rows] + offset, len(word) - 1)
        return word[place] & _KEEP[np.clip(self.length[rows] - offset, 0, _WORD)]


class Spelled(Names):
    """Names that are texts in memory, and become bytes when these are first asked for."""

    def __init__(self, given: list[str]) -> None:
        self.__dict__["given"] = given

    def __len__(self) -> int:
        return len(self.given)

    def __getitem__(self, index: int) -> bytes:
        return encode(self.given[index])

    def __getattr__(self, name: str) -> Any:
        """The bytes, where each name starts in them, and how long it is."""
        if name in ("data", "start", "length"):
            names = Names.of(self.given)
            self.__dict__.update(data=names.data, start=names.start, length=names.length)
            return self.__dict__[name]
        raise AttributeError(name)

    def take(self, index: NDArray[np.integer]) -> Names:
        """The names at these places."""
        return Spelled([self.given[place] for place in index.tolist()])

    def tolist(self) -> list[bytes]:
        """The names as a list of bytes."""
        return list(map(encode, self.given))

    def texts(self) -> list[str]:
        """The names themselves."""
        return self.given


def named(value: object) -> str | bytes:
    """The name that a value stands for: text and bytes for themselves, a whole number for its digits."""
    if isinstance(value, str | bytes):
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    raise BadInput(f"{value!r} ({type(value).__name__}) is no name; names are text or whole numbers")


def encode(name: str) -> bytes:
    """The bytes of a name as a file holds them."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadInput(f"{name!r} is no name: half of a surrogate pair is not text") from None


def decode(name: bytes) -> str:
    """The text of a name; bytes that are not UTF-8 survive the way back."""
    return name.decode("utf-8", "surrogateescape")


def concatenated(columns: Sequence[Names]) -> Names:
    """One column of all names, in order."""
    if len(columns) == 1:
        return columns[0]
    shift = np.cumsum([0] + [len(column.data) for column in columns[:-1]])
    return Names(
        np.concatenate([column.data for column in columns]) if columns else _padded(b""),
        np.concatenate([column.start + s for column, s in zip(columns, shift, strict=True)]) if columns else _none(),
        np.concatenate([column.length for column in columns]) if columns else _none(),
    )


def _ascii(names: list[Any]) -> bytes | None:
    """The bytes of all names one after another, if they are texts of one byte a character."""
    try:
        text = "".join(names)
    except TypeError:
        return None
    return text.encode("ascii") if text.isascii() else None


def _padded(data: bytes | pa.Buffer) -> NDArray[np.uint8]:
    return np.concatenate([np.frombuffer(data, np.uint8), np.zeros(_WORD, np.uint8)])


def _none() -> Ints:
    return np.empty(0, np.int64)
