"""Labels as codes: columns of classes, whatever they are made of, on one numbering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput

Label = str | int
Codes = NDArray[np.integer]
Where = Callable[[int], str]

_WIDE = 1 << 12  # whole numbers spread wider than this are numbered anew


class Coded(NamedTuple):
    """The distinct labels in order, and each column as places among them."""

    labels: tuple[Label, ...]
    columns: list[Codes]


class _Column(NamedTuple):
    """One column on a numbering of its own."""

    name: str
    labels: Sequence[Label]
    code: Codes


def row(place: int) -> str:
    """How a row of an array is named."""
    return f"row {place}"


def coded(
    columns: dict[str, Any],
    known: Sequence[Label] | None = None,
    where: Where = row,
    *,
    unknown: str = "which is none of the labels",
) -> Coded:
    """The columns on one numbering of their labels: those known, in their order, or all that occur, sorted.

    `unknown` is what is said of a label that is not among those known, before these are listed.
    """
    own = [_column(name, values, where) for name, values in columns.items()]
    _require_one_kind(own)
    labels = list(known) if known is not None else sorted({label for column in own for label in column.labels})
    place = {label: code for code, label in enumerate(labels)}
    if len(place) < len(labels):
        raise BadInput(f"a label is listed twice among {_listed(labels)}")
    return Coded(tuple(labels), [_renumbered(column, place, where, unknown) for column in own])


def _column(name: str, values: Any, where: Where) -> _Column:
    if isinstance(values, np.ndarray) and values.dtype.kind in "bui" and values.ndim == 1:
        return _whole(name, values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "U" and values.ndim == 1:
        return _fixed(name, values)
    column = arrow(name, values)
    if pa.types.is_floating(column.type):
        column = _whole_floats(name, column, where)
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        _require_present(name, column, where)
        return _whole(name, column.to_numpy(zero_copy_only=False))
    return _texts(name, column, where)


def arrow(name: str, values: Any) -> pa.Array:
    """The values as one Arrow array."""
    try:
        if isinstance(values, pa.ChunkedArray) or hasattr(values, "__arrow_c_stream__"):
            values = pa.chunked_array(values)
        column = values if isinstance(values, pa.ChunkedArray | pa.Array) else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        said = f"{name}: cannot read a column from {type(values).__name__}: {_first_line(error)}"
        raise BadInput(_odd_one(name, values) or said) from None
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _odd_one(name: str, values: Any) -> str:
    """Which of the values is of another kind than the first, in words; nothing if it is not that."""
    known = (
        [(place, value) for place, value in enumerate(values) if value is not None]
        if isinstance(values, list | tuple)
        else []
    )
    odd = [(place, value) for place, value in known if isinstance(value, str) != isinstance(known[0][1], str)]
    if not odd:
        return ""
    place, value = odd[0]
    return f"{row(place)}: {name} is {value!r}, but {known[0][1]!r} before it; all must be texts or all whole numbers"


def _whole(name: str, values: Codes) -> _Column:
    """Whole numbers: their place in the range they span, or among the distinct ones if that is wide."""
    if not len(values):
        return _Column(name, [], values)
    if values.dtype == np.bool_:
        distinct, code = _shifted(values.view(np.uint8))
        return _Column(name, [bool(label) for label in distinct], code)
    return _Column(name, *_shifted(values))


def _shifted(values: Codes) -> tuple[list[int], Codes]:
    """The distinct values, and each as its place among them."""
    low, high = int(values.min()), int(values.max())
    if high - low >= _WIDE:
        distinct, code = np.unique(values, return_inverse=True)
        return distinct.tolist(), code
    shifted = values if low == 0 else _less(values, low)
    if high - low < 2:  # both ends occur, so there is no gap
        return list(range(low, high + 1)), shifted
    occurs = np.bincount(shifted.astype(np.int64, copy=False)) > 0
    if occurs.all():
        return list(range(low, high + 1)), shifted
    return [low + place for place in np.flatnonzero(occurs).tolist()], (np.cumsum(occurs) - 1)[shifted]


def _less(values: Codes, low: int) -> Codes:
    """The values less the lowest of them."""
    if values.dtype == np.uint64:  # which may be too large for what else they are made
        return (values - np.uint64(low)).astype(np.int64)
    return values.astype(np.int64) - low


def _fixed(name: str, values: NDArray[np.str_]) -> _Column:
    """Texts of one width, encoded as they lie in memory: Arrow's hashing is far faster than sorting texts."""
    width = values.dtype.itemsize
    if not width or not len(values):
        return _Column(name, [""] * bool(len(values)), np.zeros(len(values), np.int64))
    data = pa.py_buffer(np.ascontiguousarray(values))
    encoded = pa.Array.from_buffers(pa.binary(width), len(values), [None, data]).dictionary_encode()
    distinct = np.frombuffer(b"".join(encoded.dictionary.to_pylist()), values.dtype)
    return _Column(name, distinct.tolist(), encoded.indices.to_numpy())


def _texts(name: str, column: pa.Array, where: Where) -> _Column:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        try:
            column = column.cast(pa.large_string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise BadInput(f"{name}: labels must be texts or whole numbers, not {column.type}") from None
    _require_present(name, column, where)
    encoded = column.dictionary_encode()
    return _Column(name, encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


def _whole_floats(name: str, column: pa.Array, where: Where) -> pa.Array:
    """Whole numbers that came as floating ones."""
    values = column.to_numpy(zero_copy_only=False)
    odd = ~(values == np.floor(values)) | np.isinf(values)
    if odd.any():
        place = int(np.argmax(odd))
        what = "is missing" if np.isnan(values[place]) else f"is {values[place]}, which is no label; is it a score?"
        raise BadInput(f"{where(place)}: {name} {what}")
    return pa.array(values.astype(np.int64))


def _require_present(name: str, column: pa.Array, where: Where) -> None:
    if column.null_count:
        place = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise BadInput(f"{where(place)}: {name} is missing")


def _require_one_kind(columns: list[_Column]) -> None:
    for column in columns[1:]:
        first = columns[0]
        if first.labels and column.labels and isinstance(first.labels[0], str) != isinstance(column.labels[0], str):
            raise BadInput(
                f"{first.name} holds labels such as {first.labels[0]!r}, {column.name} such as {column.labels[0]!r}; "
                "both must be texts or both whole numbers"
            )


def _renumbered(column: _Column, place: dict[Label, int], where: Where, unknown: str) -> Codes:
    """The column's codes as places among the labels; a label that is not among them is refused."""
    table = np.array([place.get(label, -1) for label in column.labels], np.int64)
    if np.array_equal(table, np.arange(len(table))):
        return column.code
    code = table[column.code] if len(table) else column.code
    if (table < 0).any() and (code < 0).any():
        row = int(np.argmax(code < 0))
        label = column.labels[int(column.code[row])]
        raise BadInput(f"{where(row)}: {column.name} is {label!r}, {unknown} {_listed(list(place))}")
    return code


def _listed(labels: Sequence[Label]) -> str:
    shown = [repr(label) for label in labels[:8]]
    return ", ".join(shown + ["…"] * (len(labels) > 8))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
