"""Multilabel data: sets of labels, or a table of 0 and 1 with one column per class.

Decided here: whether labels are sets, or a table of 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from cranfield.arrays import Ints, Mask
from cranfield.errors import BadInput
from cranfield.tables.adapters.frames import has_index
from cranfield.tables.adapters.system_columns import key_of, named_columns
from cranfield.tables.columns import Where
from cranfield.tables.labels import Coded, Label, arrow, coded

Form = Literal["table", "sets", "either"]

_DIGITS = {"0", "1", "-1"}

_AMBIGUOUS = (
    "these lists of 0 and 1 may be sets of the labels 0 and 1, or a table with one column per class; give Python sets, "
    "or a NumPy array"
)
_SIGNS = "these lists of -1 and 1 look like a table with one column per class; write 0 instead of -1"


class LabelSets(NamedTuple):
    """The labels in order, and for each column a table: `table[item, label]` says whether the item has the label."""

    labels: tuple[Label, ...]
    tables: list[Mask]


def holds_sets(values: Any, separator: str | None) -> bool:
    """Whether items may have several labels each."""
    if separator is not None or is_two_dimensional(values):
        return True
    if isinstance(values, pa.ChunkedArray | pa.Array) or hasattr(values, "__arrow_c_stream__") or has_index(values):
        return _is_list(arrow("actual", values))
    has_rows = isinstance(values, list | tuple) or (isinstance(values, np.ndarray) and values.ndim > 0)
    first = values[0] if has_rows and len(values) else None
    return (
        isinstance(first, list | tuple | set | frozenset | np.ndarray) and getattr(first, "ndim", 1) > 0
    )  # not masked


def label_sets(
    columns: dict[str, Any], known: Sequence[Label] | None, separator: str | None, where: Where
) -> LabelSets:
    """The columns as tables over the same labels."""
    read = {name: _read(name, values, separator) for name, values in columns.items()}
    if _are_tables(read, known):
        return LabelSets(
            *indicators({name: indicators_of(column.values) for name, column in read.items()}, known, where)
        )
    flat = {name: column.values.flatten() for name, column in read.items()}
    for name, column in read.items():  # one by one first, so an error names the right row
        coded({name: flat[name]}, known, _by_item(column.values, where))
    numbered = coded(flat, known, where)
    return LabelSets(numbered.labels, _filled([column.values for column in read.values()], numbered))


class _Column(NamedTuple):
    """A column as a table or as lists of labels, and which of the two it is, if that is clear."""

    form: Form
    values: Any


def _are_tables(read: dict[str, _Column], known: Sequence[Label] | None) -> bool:
    """Whether the columns are tables of 0 and 1 rather than sets of labels; an ambiguous one follows the others."""
    first = {column.form: name for name, column in read.items()}
    if "table" in first and "sets" in first:
        raise BadInput(
            f"{first['table']} is a table of 0 and 1, but {first['sets']} contains sets of labels; use one form"
        )
    if set(first) != {"either"}:
        return "table" in first
    width = _width(next(iter(read.values())).values)
    if known is not None and len(known) == width and not set(known) <= {0, 1}:
        return True
    raise BadInput(_AMBIGUOUS)


def _form(lists: pa.Array) -> Form:
    """The possible meanings of lists: lists of equal length of only 0 and 1 are a table if one of the two repeats."""
    width, flat = _width(lists), lists.flatten()
    number = pa.types.is_integer(flat.type) or pa.types.is_floating(flat.type) or pa.types.is_boolean(flat.type)
    if not width or not number or lists.null_count or flat.null_count:
        return "sets"
    values = flat.to_numpy(zero_copy_only=False).astype(np.float64).reshape(-1, width)
    repeated = width > 2 or (width == 2 and (values[:, 0] == values[:, 1]).any())
    if repeated and (np.abs(values) == 1).all() and (values == -1).any():
        raise BadInput(_SIGNS)
    if not ((values == 0) | (values == 1)).all():
        return "sets"
    return "table" if repeated else "either"


def _width(lists: pa.Array) -> int:
    """The length of every list; 0 if lengths differ."""
    lengths = _lengths(lists)
    return int(lengths[0]) if len(lengths) and (lengths == lengths[0]).all() else 0


def _by_item(lists: pa.Array, where: Where) -> Where:
    """How errors name the item of a label, given the place of the label among all labels."""
    return lambda place: where(int(np.repeat(np.arange(len(lists)), _lengths(lists))[place]))


def _lengths(lists: pa.Array) -> Ints:
    return pa.compute.fill_null(pa.compute.list_value_length(lists), 0).to_numpy(zero_copy_only=False)


def _is_list(column: pa.Array) -> bool:
    kind = column.type
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _read(name: str, values: Any, separator: str | None) -> _Column:
    """The column as a table, or as lists of labels."""
    if is_two_dimensional(values):
        return _Column("table", values)
    listed = list(values) if isinstance(values, list | tuple | np.ndarray) else None
    sets = listed is not None and any(isinstance(item, set | frozenset) for item in listed)
    collections = (list, tuple, np.ndarray, set, frozenset)
    column = arrow(
        name, values if listed is None else [list(item) if isinstance(item, collections) else item for item in listed]
    )
    if separator is not None and not _is_list(column):
        return _written(_separated(column, separator))
    if not _is_list(column):
        raise BadInput(f"{name}: every item needs a set of labels, as in [{{'a', 'b'}}, {{'b'}}], not a single one")
    if not sets and _is_text(column.type.value_type):
        return _written(column.cast(pa.large_list(pa.large_string())))
    return _Column("sets" if sets else _form(column), column)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _written(lists: pa.Array) -> _Column:
    """Labels as text: sets, unless they are rows of 0 and 1 in which one of the two repeats."""
    _refuse_answers(lists)
    digits = pa.compute.is_in(lists.flatten(), pa.array(sorted(_DIGITS), lists.type.value_type))
    if not _width(lists) or not pa.compute.all(digits).as_py():
        return _Column("sets", lists)
    numbers = lists.cast(pa.large_list(pa.int64()))
    return _Column("table", numbers) if _form(numbers) == "table" else _Column("sets", lists)


def _refuse_answers(lists: pa.Array) -> None:
    """Refuse lists of two words, such as yes and no, in which one of them repeats: they look like rows of a table."""
    width, flat = _width(lists), lists.flatten()
    if width < 2 or flat.null_count:
        return
    encoded = flat.dictionary_encode()
    words, code = encoded.dictionary.to_pylist(), encoded.indices.to_numpy().reshape(-1, width)
    if len(words) == 2 and not set(words) <= _DIGITS and (width > 2 or (code[:, 0] == code[:, 1]).any()):
        raise BadInput(
            f"these lists of {' and '.join(map(repr, sorted(words)))} look like a table with one column per class; "
            "write 1 and 0, or give Python sets of labels"
        )


def _separated(column: pa.Array, separator: str) -> pa.Array:
    """The labels in text; an empty text has none."""
    filled = pa.compute.fill_null(column.cast(pa.large_string()), "")
    parts = pa.compute.split_pattern(filled, separator)
    empty = pa.compute.equal(filled, "").to_numpy(zero_copy_only=False)
    if not empty.any():
        return parts
    return pa.array([[] if none else labels for none, labels in zip(empty, parts.to_pylist())], parts.type)


def _filled(split: Sequence[pa.Array], numbered: Coded) -> list[Mask]:
    tables = []
    for lists, code in zip(split, numbered.columns, strict=True):
        table = np.zeros((len(lists), len(numbered.labels)), np.bool_)
        table[np.repeat(np.arange(len(lists)), _lengths(lists)), code] = True
        tables.append(table)
    return tables


class Indicators(NamedTuple):
    """A table of numbers, and the names of its columns, if any."""

    names: tuple[Label, ...] | None
    table: NDArray[Any]


def is_two_dimensional(values: Any) -> bool:
    """Whether an object has rows and columns: an array, a data frame or a sparse matrix."""
    return isinstance(values, pa.Table) or len(getattr(values, "shape", ())) == 2


def indicators_of(values: Any) -> Indicators:
    """The table, which may be a column of lists, with the names of its columns."""
    if isinstance(values, pa.Array):
        return Indicators(None, values.flatten().to_numpy(zero_copy_only=False).reshape(-1, _width(values)))
    if hasattr(values, "toarray"):  # sparse SciPy matrices
        return Indicators(None, values.toarray())
    if not isinstance(values, pa.Table) and not hasattr(values, "columns"):
        return Indicators(None, np.ma.asanyarray(values) if np.ma.is_masked(values) else np.asarray(values))
    by_name = named_columns("the table of labels", values)
    names = list(by_name)
    columns = [arrow(str(name), column) for name, column in by_name.items()]
    table = np.ma.column_stack([_column(column) for column in columns]) if columns else np.empty((0, 0))
    plain = [name if isinstance(name, int) else str(name) for name in names]
    return Indicators(None if plain == list(range(len(plain))) else tuple(plain), table)


def _column(column: pa.Array) -> NDArray[Any]:
    """The column, with a mask where values are missing."""
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return np.ma.array(column.to_numpy(zero_copy_only=False), mask=missing)


def indicators(
    tables: dict[str, Indicators], known: Sequence[Label] | None, where: Where
) -> tuple[tuple[Label, ...], list[Mask]]:
    """The labels, and which of them each item has, from tables of 0 and 1."""
    named = next((table.names for table in tables.values() if table.names is not None), None)
    width = next(iter(tables.values())).table.shape[1]
    labels = tuple(known) if known is not None else named if named is not None else tuple(range(width))
    return labels, [_truth(name, in_order(name, table, labels), labels, where) for name, table in tables.items()]


def in_order(name: str, source: Indicators, labels: tuple[Label, ...]) -> NDArray[Any]:
    """The table with its columns in the order of the labels."""
    if source.table.shape[1] != len(labels):
        raise BadInput(f"{name}: got {source.table.shape[1]} columns for {len(labels)} classes")
    if source.names is None:
        return source.table
    return source.table[:, by_label(name, {label: place for place, label in enumerate(source.names)}, labels)]


def by_label(name: str, columns: Mapping[Any, Any], labels: Sequence[Label]) -> list[Any]:
    """The columns of the labels, in this order."""
    of_key = {key_of(label): column for label, column in columns.items()}
    missing = [label for label in labels if key_of(label) not in of_key]
    if missing:
        raise BadInput(
            f"{name}: there is no column for class {missing[0]!r}; available: {', '.join(map(repr, columns))}"
        )
    return [of_key[key_of(label)] for label in labels]


def _truth(name: str, table: NDArray[Any], labels: tuple[Label, ...], where: Where) -> Mask:
    if np.ma.is_masked(table):
        item, label = np.argwhere(np.ma.getmaskarray(table))[0]
        raise BadInput(f"{where(int(item))}: {name} of {labels[label]!r} is missing")
    plain = np.ma.getdata(table)
    odd = (plain != 0) & (plain != 1)
    if odd.any():
        item, label = np.argwhere(odd)[0]
        value = plain[item, label]
        shown = repr(str(value)) if isinstance(value, str) else value
        raise BadInput(f"{where(int(item))}: {name} of {labels[label]!r} is {shown}, neither 0 nor 1")
    return np.asarray(plain == 1, np.bool_)
