"""Names of queries and documents: byte strings of any length, stored in NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints, Mask
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = NDArray[np.uint64]
Offsets = NDArray[np.signedinteger[Any]]  # 32 bits wide, unless there are more bytes than these can count
Lengths = NDArray[np.integer[Any]]  # 16 bits wide, unless a name is longer than these can count

_WORD = 8
_BLOCK = 1 << 14  # names whose words fit in the cache
_FEW = 256
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)
_NARROW = 2**31 - 1 - _WORD  # up to this many bytes, any position plus one word is a 32-bit number
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], np.uint64)  # the first n bytes of a word


def mixed(value: Hashes) -> Hashes:
    """The value with its bits mixed, so that neighbouring values end far apart."""
    value = value * _MULTIPLIER
    return value ^ (value >> _FOLD)


@frozen(eq=False)
class Names:
    """A column of names; `data` ends with a spare word, so eight bytes can be read at any position."""

    data: NDArray[np.uint8]
    start: Offsets
    length: Lengths

    @classmethod
    def of(cls, names: Iterable[str | bytes]) -> Names:
        """The column holding these names."""
        byte_strings = list(names)
        joined = _ascii(byte_strings)
        if joined is None:
            encoded = [name if isinstance(name, bytes) else encode(name) for name in byte_strings]
            byte_strings, joined = list(encoded), b"".join(encoded)
        length = np.fromiter(map(len, byte_strings), np.int64, len(byte_strings))
        return cls(_padded(joined), *_offsets(np.cumsum(length) - length, length, len(joined)))

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Names:
        """The column holding the bytes of an Arrow column."""
        import pyarrow as pa  # not needed to list the measures, which must be fast

        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if not len(column):
            return cls.of([])
        width = np.int64 if pa.types.is_large_binary(column.type) else np.int32
        _, ends, data = column.buffers()
        end = np.frombuffer(ends, width)[column.offset : column.offset + len(column) + 1]
        used = data[int(end[0]) : int(end[-1])]
        return cls(_padded(used), *_offsets(end[:-1] - end[0], np.diff(end), len(used)))

    @classmethod
    def packed(cls, data: bytearray, start: bytearray, length: bytearray) -> Names:
        """The column of names in padded data, with 32-bit places and 16-bit lengths, as the extension returns it."""
        places, lengths = np.frombuffer(start, np.int32), np.frombuffer(length, np.uint16)
        if len(lengths) and len(data) == int(lengths[0]) + _WORD and not places.any():
            return cls.repeated(bytes(data[:-_WORD]), len(lengths))
        return cls(np.frombuffer(data, np.uint8), places, lengths)

    @classmethod
    def repeated(cls, name: bytes, times: int) -> Names:
        """The column that repeats one name this many times, stored once."""
        start, length = _offsets(np.zeros(1, np.int32), np.array([len(name)]), len(name))
        return cls(_padded(name), np.broadcast_to(start[0], times), np.broadcast_to(length[0], times))

    @property
    def is_repeated(self) -> bool:
        """Whether this is one name, held once."""
        return len(self) > 0 and self.start.strides == self.length.strides == (0,)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, index: int) -> bytes:
        start = self.start[index]
        return self.data[start : start + self.length[index]].tobytes()

    def take(self, index: NDArray[np.integer]) -> Names:
        """The names at these places, sharing the bytes."""
        if self.is_repeated:
            return Names.repeated(self[0], len(index))
        return Names(self.data, self.start[index], self.length[index])

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        """Whether another column, list or tuple holds the same names in the same order."""
        return isinstance(other, Names | list | tuple) and self.tolist() == list(other)

    def tolist(self) -> list[bytes]:
        """The names as a list of bytes."""
        first = int(self.start.min(initial=len(self.data)))
        end = int((self.start + self.length).max(initial=first))
        if end - first > _FEW * len(self):  # a few names, far apart: avoid copying all between them
            view = self.data.data
            return [bytes(view[start:end]) for start, end in self._edges()]
        data = self.data[first:end].tobytes()
        return [data[start - first : end - first] for start, end in self._edges()]

    def texts(self) -> list[str]:
        """The names as a list of texts."""
        data = self.data.tobytes()
        if not data.isascii():
            return [decode(data[start:end]) for start, end in self._edges()]
        whole = data.decode("ascii")  # a byte is a character: one step for all names
        return [whole[start:end] for start, end in self._edges()]

    def _edges(self) -> Iterator[tuple[int, int]]:
        return zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)

    def equal(self, index: Ints, other: Names, other_index: Ints) -> Mask:
        """Whether name `index[i]` here is name `other_index[i]` there."""
        same = self.length[index] == other.length[other_index]
        for offset in _words(self.length[index]):
            rows = np.flatnonzero(same & (self.length[index] > offset))
            same[rows] = self._word(offset, index[rows]) == other._word(offset, other_index[rows])
        return same

    @cached_property
    def hash(self) -> Hashes:
        """A 64-bit hash for each name: a function of its bytes alone, so names of two columns can be joined."""
        hashed = mixed(self.length.astype(np.uint64))
        shortest = int(self.length.min()) if len(self) else 0
        for offset in _words(self.length):
            rows = slice(None) if shortest > offset else np.flatnonzero(self.length > offset)
            hashed[rows] = mixed(hashed[rows] ^ self._word(offset, rows))
        return hashed

    def changes(self) -> Mask:
        """Which names differ from the previous one; the first counts as different."""
        new = np.ones(len(self), np.bool_)
        new[1:] = (self.start[1:] != self.start[:-1]) | (self.length[1:] != self.length[:-1])
        for at in range(1, len(self), _BLOCK):  # in blocks, as there may be millions of names
            rows = at + np.flatnonzero(new[at : at + _BLOCK])  # others are repeated, and stored once
            new[rows] = ~self.equal(rows, self, rows - 1)
        return new

    def ordered(self) -> tuple[Ints, Mask]:
        """The indices that sort the names by their bytes, and which sorted names differ from the previous one."""
        first = self._first_word().byteswap(inplace=True)  # as big-endian numbers, words compare like their bytes
        order: Ints = np.argsort(first).astype(offset_width(len(first)))
        new = np.ones(len(order), np.bool_)
        for at in range(1, len(order), _BLOCK):  # in blocks, as there may be millions of names
            ordered = first[order[at - 1 : at + _BLOCK]]
            new[at : at + _BLOCK] = ordered[1:] != ordered[:-1]
        del first
        for offset in [*_words(self.length)[1:], None]:
            rows = np.flatnonzero(~new | ~np.append(new[1:], True))  # those that are alike so far
            if not len(rows):
                break
            tied = order[rows]
            word = self.length[tied] if offset is None else self._word(offset, tied).byteswap()
            by = np.lexsort((word, np.cumsum(new)[rows]))
            order[rows], word = tied[by], word[by]
            new[rows[1:]] |= word[1:] != word[:-1]
        return order, new

    def _first_word(self) -> Hashes:
        """The first eight bytes of each name."""
        words = np.empty(len(self), np.uint64)
        for at in range(0, len(self), _BLOCK):
            words[at : at + _BLOCK] = self._word(0, slice(at, at + _BLOCK))
        return words

    def _word(self, offset: int, rows: Ints | slice) -> Hashes:
        """The eight bytes from `offset` on in each name, zeros past its end."""
        word: Hashes = np.ndarray((len(self.data) - _WORD + 1,), np.uint64, self.data.data, strides=(1,))
        place = np.minimum(self.start[rows] + offset, len(word) - 1)
        length = self.length[rows]
        if offset > np.iinfo(length.dtype).max:
            length = length.astype(np.int64)
        beyond = np.maximum(length, offset) - offset  # lengths are unsigned
        return word[place] & _KEEP[np.minimum(beyond, _WORD)]


class Texts(Sequence[str]):
    """The names of a column as text, decoded on access to save memory."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return self._names.take(np.arange(len(self))[index]).texts()
        return decode(self._names[index])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.texts())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:_FEW]))
        return f"({shown})" if len(self) <= _FEW else f"({shown}, … {len(self):,} in all)"


class TextNames(Names):
    """Names that are text in memory, encoded as bytes on first use."""

    def __init__(self, strings: list[str]) -> None:
        self.__dict__["strings"] = strings

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, index: int) -> bytes:
        return encode(self.strings[index])

    def __getattr__(self, name: str) -> Any:
        """The bytes, where each name starts in them, and how long it is."""
        if name in ("data", "start", "length"):
            names = Names.of(self.strings)
            self.__dict__.update(data=names.data, start=names.start, length=names.length)
            return self.__dict__[name]
        raise AttributeError(name)

    def take(self, index: NDArray[np.integer]) -> Names:
        """The names at these places."""
        return TextNames([self.strings[place] for place in index.tolist()])

    def tolist(self) -> list[bytes]:
        """The names as a list of bytes."""
        try:
            return list(map(str.encode, self.strings))  # like `encode`, except for bytes that are not UTF-8
        except UnicodeEncodeError:
            return list(map(encode, self.strings))

    def texts(self) -> list[str]:
        """The names themselves."""
        return self.strings


def named(value: object) -> bytes:
    """The name of a value as bytes: text and bytes unchanged, an integer as its digits."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return b"%d" % int(value)
    raise BadInput(f"{value!r} ({type(value).__name__}) is not an id; ids are text or integers")


def encode(name: str) -> bytes:
    """The bytes of a name, as in a file."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadInput(f"{name!r} is not an id: it contains a lone surrogate") from None


def decode(name: bytes) -> str:
    """The text of a name; bytes that are not UTF-8 survive the round trip."""
    return name.decode("utf-8", "surrogateescape")


def _words(length: Lengths) -> range:
    """The offset in bytes of each word of the longest name."""
    return range(0, int(length.max(initial=0)), _WORD)


def _ascii(names: list[Any]) -> bytes | None:
    """The bytes of all names one after another, if they are texts with one byte per character."""
    try:
        text = "".join(names)
    except TypeError:
        return None
    return text.encode("ascii") if text.isascii() else None


def _padded(data: bytes | pa.Buffer) -> NDArray[np.uint8]:
    return np.concatenate([np.frombuffer(data, np.uint8), np.zeros(_WORD, np.uint8)])


def _offsets(start: Lengths, length: Lengths, n_bytes: int) -> tuple[Offsets, Lengths]:
    """Where names start and how long they are, no wider than needed."""
    width = offset_width(n_bytes)
    return start.astype(width, copy=False), length.astype(length_width(length), copy=False)


def length_width(length: Lengths) -> type[np.integer[Any]]:
    """The type of these lengths."""
    return np.uint16 if int(length.max(initial=0)) < 1 << 16 else np.int64


def offset_width(n_bytes: int) -> type[np.signedinteger[Any]]:
    """The type of places in this many bytes."""
    return np.int32 if n_bytes <= _NARROW else np.int64
