"""Combinations of labels in a large table, with the number of items of each and its first row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.arrays import Ints, Mask
from cranfield.tables.labels import arrow
from cranfield.tables.readers.batches import Batch
from cranfield.tables.readers.recognition import NeedsWhole

_FEW = 1 << 16  # combinations that are looked up in a table, whether they occur or not
_SOME = 16  # combinations that are searched for one by one


class BatchCombinations(NamedTuple):
    """The combinations in a batch, in the order of their first rows."""

    types: list[pa.DataType]
    values: list[list[Any]]  # the distinct values of each column
    keys: list[tuple[int, ...]]  # the value of each column, for each combination
    first: list[int]  # rows of the batch
    n_items: list[int]
    place: Ints  # the combination of each item


def batch_combinations(batch: Batch, names: Collection[str]) -> BatchCombinations:
    """The combinations of values of some columns in a batch."""
    columns = [arrow(name, batch.sheet.cells(name)) for name in names]
    types = [column.type for column in columns]
    if any(map(pa.types.is_nested, types)):
        raise NeedsWhole
    encoded = [column.dictionary_encode("encode") for column in columns]
    sizes = [len(column.dictionary) for column in encoded]
    cell, occurs = _cells([column.indices.to_numpy() for column in encoded], sizes)
    n_items = np.bincount(cell, minlength=len(occurs))
    in_order, first = _in_order(cell, n_items > 0)
    place = np.zeros(len(occurs), np.int64)
    place[in_order] = np.arange(len(in_order))
    keys = zip(*(code.tolist() for code in np.unravel_index(occurs[in_order], sizes)), strict=True)
    values = [column.dictionary.to_pylist() for column in encoded]
    return BatchCombinations(types, values, [*keys], first.tolist(), n_items[in_order].tolist(), place[cell])


class LabelCombinations:
    """The combinations of values of some columns, in the order of their first rows."""

    def __init__(self, columns: Collection[str]) -> None:
        self.columns = tuple(columns)
        self.n_items: list[int] = []
        self.first: list[int] = []  # numbers of the first rows
        self._rows: list[pa.Table] = []
        self._types: list[pa.DataType] = []
        self._schema = pa.schema([])
        self._codes: list[dict[Any, int]] = [{} for _ in columns]  # of the values of each column
        self._places: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self.n_items)

    @property
    def rows(self) -> pa.Table:
        """The first row of each combination."""
        return pa.concat_tables(self._rows, promote_options="permissive").combine_chunks()

    def add(self, batch: Batch, combinations: BatchCombinations) -> list[int]:
        """Count the items of a batch; the place of each of its combinations among all."""
        self._require_types(batch.sheet.table.schema, combinations.types)
        codes = [
            [known.setdefault(value, len(known)) for value in values]
            for known, values in zip(self._codes, combinations.values, strict=True)
        ]
        places = []
        for key, row, n_items in zip(combinations.keys, combinations.first, combinations.n_items, strict=True):
            place = self._place(tuple(code[at] for code, at in zip(codes, key, strict=True)), batch, row)
            self.n_items[place] += n_items
            places.append(place)
        return places

    def _require_types(self, schema: pa.Schema, types: list[pa.DataType]) -> None:
        """Leave a file to be read as a whole if its labels change their type, or others from numbers to text."""
        self._types = self._types or types
        try:
            self._schema = pa.unify_schemas([self._schema, schema], promote_options="permissive")
        except pa.ArrowTypeError:
            raise NeedsWhole from None
        if self._types != types:
            raise NeedsWhole

    def _place(self, key: tuple[int, ...], batch: Batch, row: int) -> int:
        """The place of a combination; a new one is added with its first row."""
        if key not in self._places:
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


def _in_order(cell: Ints, occurs: Mask) -> tuple[Ints, Ints]:
    """The combinations that occur, in the order of their first rows, and these rows."""
    places = np.flatnonzero(occurs)
    if len(places) > _SOME:
        places, first = np.unique(cell, return_index=True)
    else:
        first = np.array([np.argmax(cell == place) for place in places], np.int64)
    order = np.argsort(first)
    return places[order], first[order]
