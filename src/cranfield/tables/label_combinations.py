"""Combinations of labels in a large table, with the number of items of each and its first row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Ints, Mask
from cranfield.tables.labels import arrow
from cranfield.tables.readers.batches import Batch
from cranfield.tables.readers.recognition import NeedsWhole

_FEW = 1 << 16  # combinations that are looked up in a table, whether they occur or not
_SOME = 16  # combinations that are searched for one by one


class LabelCombinations:
    """The combinations of values of some columns, in the order of their first rows."""

    def __init__(self, columns: Collection[str]) -> None:
        self.n_items: list[int] = []
        self.first: list[int] = []  # numbers of the first rows
        self._rows: list[pa.Table] = []
        self._columns = tuple(columns)
        self._types: list[pa.DataType] = []
        self._codes: list[dict[Any, int]] = [{} for _ in columns]  # of the values of each column
        self._places: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self.n_items)

    @property
    def rows(self) -> pa.Table:
        """The first row of each combination."""
        return pa.concat_tables(self._rows, promote_options="permissive").combine_chunks()

    def add(self, batch: Batch) -> Ints:
        """Count the items of a batch; the combination of each item."""
        columns = [arrow(name, batch.sheet.cells(name)) for name in self._columns]
        self._types = self._types or [column.type for column in columns]
        if self._types != [column.type for column in columns] or any(map(pa.types.is_nested, self._types)):
            raise NeedsWhole
        encoded = [column.dictionary_encode("encode") for column in columns]
        sizes = [len(column.dictionary) for column in encoded]
        cell, occurs = _cells([column.indices.to_numpy() for column in encoded], sizes)
        n_items = np.bincount(cell, minlength=len(occurs))
        known = [self._known(place, column.dictionary) for place, column in enumerate(encoded)]
        places = np.zeros(len(occurs), np.int64)
        for at in _in_order(cell, n_items > 0):
            local = np.unravel_index(int(occurs[at]), sizes)
            places[at] = self._place(
                tuple(code[place] for code, place in zip(known, local, strict=True)), batch, cell, at
            )
            self.n_items[places[at]] += int(n_items[at])
        return places[cell]

    def _known(self, place: int, values: pa.Array) -> list[int]:
        """The code of each value of a column."""
        codes = self._codes[place]
        return [codes.setdefault(value, len(codes)) for value in values.to_pylist()]

    def _place(self, key: tuple[int, ...], batch: Batch, cell: Ints, at: int) -> int:
        """The place of a combination; a new one is added with its first row."""
        if key not in self._places:
            row = int(np.argmax(cell == at))
            self._places[key] = len(self._places)
            self.first.append(batch.first + row)
            self._rows.append(batch.sheet.table.take([row]))
            self.n_items.append(0)
        return self._places[key]


def _cells(codes: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """The combination of each row as a number, and the codes behind these numbers."""
    n_cells = int(np.prod(sizes, dtype=object))
    cell = np.asarray(np.ravel_multi_index(tuple(codes), tuple(sizes)), np.int64)
    if n_cells <= _FEW:
        return cell, np.arange(n_cells)
    occurs, place = np.unique(cell, return_inverse=True)
    return place, occurs


def _in_order(cell: Ints, occurs: Mask) -> Iterator[int]:
    """The combinations that occur, in the order of their first rows."""
    places = np.flatnonzero(occurs)
    if len(places) > _SOME:
        places = cell[np.sort(np.unique(cell, return_index=True)[1])]
        yield from places.tolist()
        return
    yield from sorted(places.tolist(), key=lambda place: int(np.argmax(cell == place)))
