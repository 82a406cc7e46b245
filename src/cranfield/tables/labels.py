"""Labels as codes: columns of classes of any type, numbered consistently.

Decided here: how the classes of any input are numbered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.adapters.arrow import first_line_of, validated
from cranfield.tables.columns import Where, refuse_rows, row
from cranfield.tables.numbers import exact_up_to
from cranfield.tables.readers.cells import TextColumn

Label = str | int
Codes = NDArray[np.integer]

_WIDE = 1 << 12  # integers spread more widely than this are renumbered
_DIGITS = 76  # digits of the largest integer in Arrow
_LARGEST = 10**_DIGITS


class Coded(NamedTuple):
    """The distinct labels in order, and each column as codes."""

    labels: tuple[Label, ...]
    columns: list[Codes]


class _Column(NamedTuple):
    """One column with its own codes."""

    name: str
    labels: Sequence[Label]
    code: Codes


def coded(
    columns: dict[str, Any],
    known: Sequence[Label] | None = None,
    where: Where = row,
    *,
    unknown: str = "which is not one of the labels",
) -> Coded:
    """The columns as codes of the same labels: the known ones in their order, or all that occur, sorted.

    `unknown` is the phrase for a label that is not among the known ones, which are then listed.
    """
    numbered = [_column(name, values, where) for name, values in columns.items()]
    _require_one_kind(numbered)
    labels = list(known) if known is not None else sorted({label for column in numbered for label in column.labels})
    place = {label: code for code, label in enumerate(labels)}
    if len(place) < len(labels):
        raise BadInput(f"duplicate label in {listed_labels(labels)}")
    return Coded(tuple(labels), [_renumbered(column, place, where, unknown) for column in numbered])


def _column(name: str, values: Any, where: Where) -> _Column:
    if isinstance(values, TextColumn):
        return _written(name, values, where)
    if isinstance(values, np.ndarray) and values.ndim == 1 and not np.ma.is_masked(values):
        if values.dtype.kind in "bui":
            return _whole(name, np.asarray(values))
        if values.dtype.kind == "U":
            return _fixed(name, np.asarray(values))
    column = arrow(name, values)
    if pa.types.is_floating(column.type):
        column = _whole_floats(name, column, where)
    if column.null_count:
        refuse_rows(column.is_null().to_numpy(zero_copy_only=False), where, lambda _: f"{name} is missing")
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        return _whole(name, column.to_numpy(zero_copy_only=False))
    if pa.types.is_decimal(column.type) and column.type.scale <= 0:
        distinct, code = np.unique(np.array([int(value) for value in column.to_pylist()], object), return_inverse=True)
        return _Column(name, distinct.tolist(), code)
    return _texts(name, column)


def _written(name: str, cells: TextColumn, where: Where) -> _Column:
    """Cells of a text file."""
    code, labels = cells.encoded.indices, cells.labels
    missing = code.is_null().to_numpy(zero_copy_only=False)
    place = code.fill_null(0).to_numpy(zero_copy_only=False)
    if None in labels:
        missing |= np.isin(place, [at for at, label in enumerate(labels) if label is None])
    refuse_rows(missing, where, lambda _: f"{name} is missing")
    return _Column(name, [label for label in labels if label is not None], place)


def arrow(name: str, values: Any, where: Where = row) -> pa.Array:
    """The values as one Arrow array."""
    if isinstance(values, TextColumn):
        return values.texts
    if isinstance(values, Set):
        raise BadInput(f"{name}: a set has no order, so its values belong to no row; pass a list")
    values = _dense(values)
    try:
        if isinstance(values, pa.ChunkedArray) or hasattr(values, "__arrow_c_stream__"):
            values = pa.chunked_array(values)
        column = values if isinstance(values, pa.ChunkedArray | pa.Array) else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        message = f"{name}: cannot read a column from {type(values).__name__}: {first_line_of(error)}"
        column = _large_integers(values)
        if column is None:
            raise BadInput(_odd_one(name, values, where) or message) from None
    column = validated(column, name)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return _decoded(column) if pa.types.is_dictionary(column.type) else column


def _dense(values: Any) -> Any:
    """Sparse pandas series as dense ones, and lists without NumPy's masked constant."""
    if hasattr(values, "sparse"):
        return values.sparse.to_dense()
    if isinstance(values, list | tuple) and any(value is np.ma.masked for value in values):
        return [None if value is np.ma.masked else value for value in values]
    return values


def _decoded(column: pa.DictionaryArray) -> pa.Array:
    """Categories as the values they stand for; Arrow cannot take elements of the views of text that Polars gives."""
    if pa.types.is_string_view(column.type.value_type):
        column = column.cast(pa.dictionary(column.type.index_type, pa.large_string()))
    return column.dictionary_decode()


def _large_integers(values: Any) -> pa.Array | None:
    """Integers of more than 64 bits, if all values are integers."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(listed, list | tuple) or not all(value is None or isinstance(value, int) for value in listed):
        return None
    if any(value is not None and abs(value) >= _LARGEST for value in listed):
        return None
    return pa.array([None if value is None else Decimal(value) for value in listed], pa.decimal256(_DIGITS, 0))


def _odd_one(name: str, values: Any, where: Where) -> str:
    """A description of the first value whose type differs from the first one's; empty if there is none."""
    known = (
        [(place, value) for place, value in enumerate(values) if value is not None]
        if isinstance(values, list | tuple)
        else []
    )
    odd = [(place, value) for place, value in known if _sort(value) != _sort(known[0][1])]
    if not odd:
        return ""
    place, value = odd[0]
    return f"{where(place)}: {name} is {value!r}, but {known[0][1]!r} before it; all must have the same type"


def _sort(value: object) -> str:
    sorts = (("text", str), ("list", list | tuple), ("object", Mapping))
    return next((sort for sort, kind in sorts if isinstance(value, kind)), "number")


def _whole(name: str, values: Codes) -> _Column:
    """Whole numbers: offsets in their range, or codes of the distinct ones if the range is wide."""
    if not len(values):
        return _Column(name, [], np.zeros(0, np.int64))
    if values.dtype == np.bool_:
        distinct, code = _shifted(values.view(np.uint8))
        return _Column(name, [bool(label) for label in distinct], code)
    return _Column(name, *_shifted(values))


def _shifted(values: Codes) -> tuple[list[int], Codes]:
    """The distinct values, and the index of each value."""
    low, high = int(values.min()), int(values.max())
    if high - low >= _WIDE:
        distinct, code = np.unique(values, return_inverse=True)
        return distinct.tolist(), code
    narrow = low == 0 and values.dtype != np.uint64  # with signed numbers, uint64 becomes floating point
    shifted = values if narrow else _less(values, low)
    if high - low < 2:  # both ends occur, so there is no gap
        return list(range(low, high + 1)), shifted
    occurs = np.bincount(shifted.astype(np.int64, copy=False)) > 0
    if occurs.all():
        return list(range(low, high + 1)), shifted
    return [low + place for place in np.flatnonzero(occurs).tolist()], (np.cumsum(occurs) - 1)[shifted]


def _less(values: Codes, low: int) -> Codes:
    """The values less the lowest of them."""
    if values.dtype == np.uint64:  # may be too large for int64
        return (values - np.uint64(low)).astype(np.int64)
    return values.astype(np.int64) - low


def _fixed(name: str, values: NDArray[np.str_]) -> _Column:
    """Text of fixed width, encoded as it lies in memory: hashing in Arrow is much faster than sorting text."""
    width = values.dtype.itemsize
    if not width or not len(values):
        return _Column(name, [""] * bool(len(values)), np.zeros(len(values), np.int64))
    data = pa.py_buffer(np.ascontiguousarray(values))
    encoded = pa.Array.from_buffers(pa.binary(width), len(values), [None, data]).dictionary_encode()
    distinct = np.frombuffer(b"".join(encoded.dictionary.to_pylist()), values.dtype)
    return _Column(name, distinct.tolist(), encoded.indices.to_numpy())


def _texts(name: str, column: pa.Array) -> _Column:
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        try:
            column = _moments(column) if pa.types.is_timestamp(kind) or pa.types.is_time(kind) else _cast(column)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise BadInput(f"{name}: labels must be text or integers, not {kind}") from None
    encoded = column.dictionary_encode()
    return _Column(name, encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


def _cast(column: pa.Array) -> pa.Array:
    """The column as text; types without a meaningful text form are refused."""
    if pa.types.is_duration(column.type) or isinstance(column.type, pa.BaseExtensionType):
        raise pa.ArrowNotImplementedError(str(column.type))
    return column.cast(pa.large_string())


def _moments(column: pa.Array) -> pa.Array:
    """Times as text without trailing zeros of their unit: at midnight, the date alone; with a time zone, in UTC."""
    from pyarrow.compute import replace_substring_regex  # slow to import and rarely needed

    if getattr(column.type, "tz", None) is not None:
        column = column.cast(pa.timestamp(column.type.unit, "UTC"))
    texts = column.cast(pa.large_string())
    for pattern, replacement in ((r"(\.[0-9]*?)0+(Z?)$", r"\1\2"), (r"\.(Z?)$", r"\1"), (r"^([^ ]+) 00:00:00$", r"\1")):
        texts = replace_substring_regex(texts, pattern, replacement)
    return texts


def _whole_floats(name: str, column: pa.Array, where: Where) -> pa.Array:
    """Whole numbers stored as floating point."""
    stored = column.to_numpy(zero_copy_only=False)
    values = stored.astype(np.float64, copy=False)  # 16 bits do not hold the limit
    odd = ~(values == np.floor(values)) | ~(np.abs(values) <= exact_up_to(stored.dtype))
    if odd.any():
        place = int(np.argmax(odd))
        value = values[place]
        what = "is missing" if np.isnan(value) else f"is {value}, which is not a label; is it a score?"
        if np.isfinite(value) and value == np.floor(value):
            what = f"is the floating-point number {value:.0f}, which is too large to be exact; use integers or text"
        raise BadInput(f"{where(place)}: {name} {what}")
    return pa.array(values.astype(np.int64))


def _require_one_kind(columns: list[_Column]) -> None:
    for column in columns[1:]:
        first = columns[0]
        if first.labels and column.labels and isinstance(first.labels[0], str) != isinstance(column.labels[0], str):
            raise BadInput(
                f"{first.name} has labels such as {first.labels[0]!r}, but {column.name} such as {column.labels[0]!r}; "
                "both must be text or both integers"
            )


def _renumbered(column: _Column, place: dict[Label, int], where: Where, unknown: str) -> Codes:
    """The column's codes among the labels; unknown labels are refused."""
    table = np.array([place.get(label, -1) for label in column.labels], np.int64)
    if np.array_equal(table, np.arange(len(table))):
        return column.code
    code = table[column.code] if len(table) else column.code
    if (table < 0).any() and (code < 0).any():
        row = int(np.argmax(code < 0))
        label = column.labels[int(column.code[row])]
        raise BadInput(f"{where(row)}: {column.name} is {label!r}, {unknown} {listed_labels(list(place))}")
    return code


def listed_labels(labels: Sequence[Label]) -> str:
    """The first labels, for messages."""
    shown = [repr(label) for label in labels[:8]]
    return ", ".join(shown + ["…"] * (len(labels) > 8))
