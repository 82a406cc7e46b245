"""Names of queries and documents: byte strings of any length, stored in NumPy arrays.

Decided here: when two names look alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload
from unicodedata import category, normalize

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


# Names that differ only in spelling: surrounding blanks, leading zeros, a decimal point, or case


_ZEROS = "leading zeros"
_BLANKS = "surrounding blanks"
_SLIPS = (_BLANKS, _ZEROS)  # hardly ever intended
_WRITINGS = {  # patterns that begin with what they look for: searching names without it is fast
    _BLANKS: re.compile(rb"(?m)[ \t\r](?:(?<=^.)[ \t\r]*|[ \t\r]*$)"),
    _ZEROS: re.compile(rb"0(?<![0-9.]0)0*(?=[0-9])"),
    "a decimal point": re.compile(rb"(?m)\.0+$"),
    "upper and lower case": re.compile(rb"[A-Z]+"),
}


class Lookalikes(NamedTuple):
    """How two otherwise equal names differ, and the first such pair."""

    by: str
    first: tuple[bytes, bytes]


def lookalikes(names: Collection[bytes], others: Collection[bytes], *, any_way: bool) -> Lookalikes | None:
    """A name that differs from one of the others only in spelling, if any.

    Unless `any_way`, only blanks and leading zeros are considered: where most names match, other differences may be
    intended.
    """
    together = b"\n".join((*names, *others))
    for by, pattern in _WRITINGS.items():
        if (any_way or by in _SLIPS) and pattern.search(together):  # a quick check that avoids most comparisons
            known = {_plain(pattern, other): other for other in sorted(others)}
            for name in sorted(names):
                if (plain := _plain(pattern, name)) in known:
                    return Lookalikes(by, (name, known[plain]))
    return None


def apart_but_alike(places: Mapping[bytes, Collection[Hashable]]) -> Lookalikes | None:
    """Two names that never occur in the same place and differ only in spelling, if any: `places[name]`."""
    for by, pattern in _WRITINGS.items():
        known: dict[bytes, bytes] = {}
        for name in sorted(places):
            first = known.setdefault(_plain(pattern, name), name)
            if first != name and set(places[first]).isdisjoint(places[name]):
                return Lookalikes(by, (first, name))
    return None


def plain(names: Collection[bytes]) -> bool:
    """Whether no name has blanks or leading zeros that another spelling might omit."""
    together = b"\n".join(names)
    return not any(_WRITINGS[by].search(together) for by in _SLIPS)


def spelled_alike(names: Sequence[str]) -> list[str]:
    """The names without what may differ between spellings of the same name: equal if they look alike."""
    together = "\n".join(names)
    if together.isascii() and not any(pattern.search(together.encode()) for pattern in _WRITINGS.values()):
        return list(names)  # as most are
    return [_without_spelling(name) for name in names]


def _without_spelling(name: str) -> str:
    visible = "".join(character for character in normalize("NFKC", name) if category(character) != "Cf")
    plain = visible.casefold().encode()
    for pattern in _WRITINGS.values():
        plain = pattern.sub(b"", plain)
    return plain.decode()


def _plain(pattern: re.Pattern[bytes], name: bytes) -> bytes:
    """The name without what the pattern matches, or in lower case where it matches letters."""
    return pattern.sub(lambda character: character[0].lower() if character[0].isalpha() else b"", name)


# An index of names that looks up many names at once


_MOST_BITS = 24  # address bits of the bit table, which should fit in the cache


class Lookup:
    """Finds names by their hash, usually with a single access to a small bit table.

    Behind it are hash tables of indices: a name whose slot is taken goes into the next table, under another hash.
    Hashes only save time: names are compared byte by byte.
    """

    def __init__(self, names: Names, key: Hashes) -> None:
        self._names = names
        self._key = key
        self._shift = _shift(min(max(10, len(key).bit_length() + 5), _MOST_BITS))
        self._seen = np.zeros(1 << (64 - int(self._shift)), np.bool_)
        self._seen[_slot(key, self._shift)] = True
        self._tables: list[tuple[np.uint64, Offsets]] = []
        self._unique = True  # whether all hashes are distinct
        rest: Offsets = np.arange(len(key)).astype(np.int32 if len(key) < 1 << 31 else np.int64)
        number = key
        while len(rest):
            shift = _shift(len(rest).bit_length())
            table, slot = np.full(1 << (64 - int(shift)), -1, rest.dtype), _slot(number, shift)
            table[slot] = rest
            lost = np.flatnonzero(table[slot] != rest)
            self._unique &= not (key[table[slot[lost]]] == key[rest[lost]]).any()
            self._tables.append((shift, table))
            rest, number = rest[lost], mixed(number[lost])

    def find(self, names: Names, key: Hashes) -> tuple[Ints, Ints]:
        """The rows whose name is in the index under the row's hash, and the index of each."""
        rows = np.flatnonzero(self._seen[_slot(key, self._shift)])
        number = key[rows]
        matches = [(rows[:0], rows[:0])]
        for shift, table in self._tables:
            place = table[_slot(number, shift)]
            same = (place >= 0) & (self._key[place] == key[rows])
            matches.append(self._same(names, rows[same], place[same].astype(np.int64)))
            further = np.flatnonzero((place >= 0) & ~(same & self._unique))  # an empty slot sent no name to the next
            rows, number = rows[further], mixed(number[further])
        return np.concatenate([row for row, _ in matches]), np.concatenate([place for _, place in matches])

    def _same(self, names: Names, rows: Ints, place: Ints) -> tuple[Ints, Ints]:
        """The rows whose name equals the one at this place of the index."""
        same = names.equal(rows, self._names, place)
        return rows[same], place[same]


def _shift(bits: int) -> np.uint64:
    """How far to shift a number so that this many bits are left, at least one."""
    return np.uint64(64 - max(bits, 1))


def _slot(number: Hashes, shift: np.uint64) -> Ints:
    return (number >> shift).view(np.int64)
