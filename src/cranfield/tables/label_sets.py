"""Sets of labels: items that are of several classes at once, as a table of yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.labels import Coded, Label, Where, arrow, coded

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


class LabelSets(NamedTuple):
    """The labels in order, and for each column of sets whether `table[item, label]` is in."""

    labels: tuple[Label, ...]
    tables: list[Mask]


def holds_sets(values: Any, separator: str | None) -> bool:
    """Whether the items of a column are sets of labels."""
    if separator is not None or getattr(values, "ndim", 1) == 2:
        return True
    if isinstance(values, pa.ChunkedArray | pa.Array):
        return bool(pa.types.is_list(values.type) or pa.types.is_large_list(values.type))
    first = values[0] if isinstance(values, list) and values else None
    return isinstance(first, list | tuple | set | frozenset)


def label_sets(
    columns: dict[str, Any], known: Sequence[Label] | None, separator: str | None, where: Where
) -> LabelSets:
    """The columns as tables over one order of the labels."""
    if all(isinstance(values, np.ndarray) and values.ndim == 2 for values in columns.values()):
        return _tables(columns, known, where)
    split = {name: _split(name, values, separator) for name, values in columns.items()}
    flat = {name: each.flatten() for name, each in split.items()}
    for name, each in split.items():  # one by one first: what is wrong is then found in its own row
        coded({name: flat[name]}, known, _by_item(each, where))
    numbered = coded(flat, known, where)
    return LabelSets(numbered.labels, _filled(split, numbered))


def _by_item(lists: pa.Array, where: Where) -> Where:
    """Where an item is, told from the place of a label among those of all items."""
    return lambda place: where(int(np.repeat(np.arange(len(lists)), _lengths(lists))[place]))


def _lengths(lists: pa.Array) -> Ints:
    return pa.compute.fill_null(pa.compute.list_value_length(lists), 0).to_numpy(zero_copy_only=False)


def _tables(columns: dict[str, Any], known: Sequence[Label] | None, where: Where) -> LabelSets:
    widths = {name: table.shape[1] for name, table in columns.items()}
    width = next(iter(widths.values()))
    labels = tuple(range(width)) if known is None else tuple(known)
    for name, table in columns.items():
        if table.shape[1] != len(labels):
            raise BadInput(f"{name}: there are {table.shape[1]} columns for {len(labels)} labels")
        odd = (table != 0) & (table != 1)
        if odd.any():
            item, label = np.argwhere(odd)[0]
            raise BadInput(f"{where(int(item))}: {name} of {labels[label]!r} is {table[item, label]}, neither 0 nor 1")
    return LabelSets(labels, [table == 1 for table in columns.values()])


def _split(name: str, values: Any, separator: str | None) -> pa.Array:
    """The column as lists of labels."""
    if isinstance(values, list):
        values = [sorted(item) if isinstance(item, set | frozenset) else item for item in values]
    column = arrow(name, values)
    if separator is not None and not pa.types.is_list(column.type):
        filled = pa.compute.fill_null(column.cast(pa.large_string()), "")
        parts = pa.compute.split_pattern(filled, separator)
        empty = np.flatnonzero(pa.compute.equal(filled, "").to_numpy(zero_copy_only=False))
        if not len(empty):
            return parts
        lists = parts.to_pylist()
        for place in empty:
            lists[place] = []
        return pa.array(lists, parts.type)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise BadInput(f"{name}: every item needs a set of labels, as in [{{'a', 'b'}}, {{'b'}}], not one of them")
    return column


def _filled(split: dict[str, pa.Array], numbered: Coded) -> list[Mask]:
    tables = []
    for each, code in zip(split.values(), numbered.columns, strict=True):
        table = np.zeros((len(each), len(numbered.labels)), np.bool_)
        table[np.repeat(np.arange(len(each)), _lengths(each)), code] = True
        tables.append(table)
    return tables
