"""An index of names that looks up many names at once."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Ints
from cranfield.tables.names import Hashes, Names, Offsets, mixed

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
