"""Arrow batches as chunks of a table: columns of any type become names and numbers, split between queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any, TypeVar

import numpy as np

from cranfield.arrays import Ints, Mask
from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.chunks import Columns
from cranfield.tables.columns import NUMBERS, Kind, Where, roles, row_of, tag_place
from cranfield.tables.numbers import BLANKS, as_written, beyond_exact, exact_up_to, number, widened_column
from cranfield.tables.rankings import TAG, Tags, tags, tags_in_column
from cranfield.tables.readers.streams import MEMORY, limits

# How much larger Arrow data become when their dictionaries and views are written out as plain values


_VIEW = 4  # 32-bit numbers per view, of which the first is the length
_NUMBER = 8  # bytes


def added_bytes(data: Any) -> int:
    """How many bytes plain values take more than these: a batch, a table or an array, whose indices are valid."""
    if isinstance(data, pa.RecordBatch | pa.Table):
        return sum(map(added_bytes, data.columns))
    if isinstance(data, pa.ChunkedArray):
        return sum(map(added_bytes, data.chunks))
    kind = data.type
    if pa.types.is_dictionary(kind):
        size = _sizes(data.dictionary)
        used = np.from_dlpack(data.indices.drop_null())
        return max(0, int(size[used].sum()) - data.indices.nbytes)
    if _is_view(kind):
        return max(0, viewed_bytes(data) - data.nbytes)
    return added_bytes(data.flatten()) if has_codes(kind) else 0


def viewed_bytes(data: Any) -> int:
    """How many bytes the views of a batch, a table or an array show, also where several show the same ones."""
    if isinstance(data, pa.RecordBatch | pa.Table):
        return sum(map(viewed_bytes, data.columns))
    if isinstance(data, pa.ChunkedArray):
        return sum(map(viewed_bytes, data.chunks))
    return int(_sizes(data).sum()) if _is_view(data.type) else 0


def has_codes(kind: pa.DataType) -> bool:
    """Whether values of this type may be stored once and occur often."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return has_codes(kind.value_type)
    return bool(pa.types.is_dictionary(kind) or _is_view(kind))


def longest(array: pa.Array) -> float:
    """The number of bytes of the longest value in the dictionary of an array; unlimited for lists of such values."""
    if pa.types.is_dictionary(array.type):
        return float(_sizes(array.dictionary).max(initial=0))
    return inf if has_codes(array.type) else 0


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _sizes(values: pa.Array) -> Ints:
    """The number of bytes of each value."""
    kind = values.type
    if _is_view(kind):
        views = np.frombuffer(values.buffers()[1] or b"", np.int32)
        length = views[_VIEW * values.offset : _VIEW * (values.offset + len(values)) : _VIEW].astype(np.int64)
        if values.null_count:
            length[values.is_null().to_numpy(zero_copy_only=False)] = 0
        return np.maximum(length, 0)
    if kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        from pyarrow.compute import binary_length  # slow to import and rarely needed

        length = binary_length(values)
        if length.null_count:
            return np.nan_to_num(length.to_numpy(zero_copy_only=False)).astype(np.int64)
        return np.from_dlpack(length).astype(np.int64)
    return np.full(len(values), max(_NUMBER, -(-values.nbytes // max(len(values), 1))), np.int64)


# Validation of Arrow data. Few imports, because every command uses it


Data = TypeVar("Data", bound=Any)  # a table, a batch or an array


def validated(data: Data, name: str) -> Data:
    """The same data, after checking that all offsets, indices and texts are valid, and fit into memory as plain values.

    Arrow trusts its input: without this check, a damaged or malicious file could make it read out of bounds, or write
    out the long value of a dictionary a million times.
    """
    try:
        data.validate()
        limits.require_memory(viewed_bytes(data), name)  # each view is validated, even if it shows the same bytes
        data.validate(full=True)
        if isinstance(data, pa.Table | pa.RecordBatch):
            data.schema.names  # noqa: B018, which may not be UTF-8
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise damaged(f"{name}: the Arrow data are damaged", error) from None
    limits.require_memory(added_bytes(data), name)
    return data


def damaged(what: str, error: Exception) -> BadInput:
    """The error for data that Arrow cannot read."""
    if isinstance(error, MemoryError):
        return BadInput(f"{what}, or need more memory than is available; {MEMORY} sets the limit")
    return BadInput(f"{what} ({first_line_of(error)})")


def first_line_of(error: Exception) -> str:
    """The first line of an error message, without the library's stack trace."""
    return str(error).partition("\n")[0]


ROWS = 1 << 17


@frozen
class ArrowChunk:
    """Some rows of a table; `first` is the number of the first one."""

    batch: pa.RecordBatch
    name: str
    first: int
    size: int
    tags: Tags = ()

    def columns(self) -> Columns:
        """The columns by their roles."""
        arrays = dict(zip(self.batch.schema.names, self.batch.columns, strict=True))
        written = arrays.pop("written", None)
        columns: Columns = {role: np.from_dlpack(array) if role in NUMBERS else array for role, array in arrays.items()}
        if written is not None and beyond_exact(scores := columns["score" if "score" in columns else "rank"]).any():
            columns["written"] = as_written(written.to_pylist(), scores)
        return columns

    def where(self, row: int) -> str:
        """The number of a row in its table."""
        return row_of(self.name, self.first + row)

    def located(self, n_rows: int) -> Where:  # noqa: ARG002
        """The same without holding the rows."""
        name, first = self.name, self.first
        return lambda row: row_of(name, first + row)


def chosen(names: list[str], kind: Kind, name: str) -> dict[str, str]:
    """The needed columns and the role of each; for a run, also that of its tags."""
    place_of = roles(names, kind, name)
    tag = tag_place(names, kind)
    return {names[place]: role for role, place in place_of.items()} | ({} if tag is None else {names[tag]: TAG})


def slices(
    batches: Iterable[pa.RecordBatch],
    columns: dict[str, str],
    name: str,
    size: Callable[[pa.RecordBatch], int] = lambda _: 0,
) -> Iterator[ArrowChunk]:
    """The rows of a table in chunks that end where the query changes if possible."""
    rest: list[pa.RecordBatch] = []
    tag = next((column for column, role in columns.items() if role == TAG), None)
    columns = {column: role for column, role in columns.items() if role != TAG}
    tags_seen: Tags = ()
    first = n_read = n_bytes = n_added = 0
    for batch in batches:
        validated(batch, name)
        n_added += sum(added_bytes(batch.column(column)) for column in columns)
        limits.require_memory(n_added, name)
        whole = _canonical(batch, columns, name, n_read)
        tags_seen = tags_seen if tag is None else tags((*tags_seen, *tags_in_column(batch.column(tag))))
        n_read += len(batch)
        n_bytes += size(batch)
        cut = _start_of_last_query(whole["query"])
        if cut:
            chunk = _joined([*rest, whole.slice(0, cut)])
            yield ArrowChunk(chunk, name, first, n_bytes, tags_seen)
            rest, first, n_bytes, n_added = [], first + len(chunk), 0, 0
        rest.append(whole.slice(cut))
    if not n_read:
        raise BadInput(f"{name}: the table has no rows")
    yield ArrowChunk(_joined(rest), name, first, n_bytes, tags_seen)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _start_of_last_query(query: pa.Array) -> int:
    """The first row of the last query, 0 if there is only one; by bisection, assuming contiguous queries."""
    if not len(query) or query[0] == query[-1]:
        return 0
    low, high = 0, len(query) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if query[middle] == query[-1] else (middle, high)
    return high


def _canonical(batch: pa.RecordBatch, columns: dict[str, str], name: str, first: int) -> pa.RecordBatch:
    """The batch with columns of bytes and of numbers, none of them missing."""
    arrays = {}
    for column, role in columns.items():
        original = batch.column(column)
        try:
            # grades in double precision: they are compared with levels, scores only with each other
            compared = widened_column(original) if role == "grade" else original
            array = _numbers(compared) if role in NUMBERS else _names(original)
        except (ValueError, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            raise _unusable(original, role, name, first) from None
        if array.null_count:
            row = array.is_null().index(True).as_py()
            raise BadInput(f"{row_of(name, first + row)}: the {role} is missing")
        arrays[role] = array
        if role in ("score", "rank") and not pa.types.is_floating(original.type):
            arrays["written"] = original  # integers or texts, whose order may be lost as floats
    return pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays))


def _names(array: pa.Array) -> pa.Array:
    """The names in an array of text, bytes or whole numbers."""
    if pa.types.is_dictionary(array.type):
        return _names(array.dictionary).take(array.indices)
    if pa.types.is_boolean(array.type) or pa.types.is_temporal(array.type):
        raise pa.ArrowTypeError("no names")
    if pa.types.is_floating(array.type):  # integers with missing values in pandas
        if _rounded(array).any():
            raise pa.ArrowTypeError("rounded names")
        array = array.cast(pa.int64())
    if pa.types.is_fixed_size_binary(array.type):
        array = array.cast(pa.binary())
    if array.type not in (pa.binary(), pa.large_binary(), pa.binary_view()):
        array = array.cast(pa.large_string())
    return array.cast(pa.large_binary())


def _rounded(array: pa.Array) -> Mask:
    """Which numbers are so large that their type does not hold every integer of their size."""
    values = array.to_numpy(zero_copy_only=False)
    return np.isfinite(values) & (np.abs(values).astype(np.float64) >= exact_up_to(values.dtype))


def _numbers(array: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        return _numbers(array.dictionary).take(array.indices)
    if pa.types.is_temporal(array.type):
        raise pa.ArrowTypeError("no numbers")
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.large_string())
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        from pyarrow.compute import utf8_trim  # slow to import and rarely needed

        texts = utf8_trim(array, BLANKS)
        array = texts.cast(pa.float64())
        if np.isinf(array.drop_null()).any():
            list(map(number, texts.drop_null().to_pylist()))  # refuses numbers that become infinite by rounding
    return array.cast(pa.float64(), safe=False)


def _unusable(array: pa.Array, role: str, name: str, first: int) -> BadInput:
    """The error for an array that cannot be read: its first invalid value, or its type."""
    for row, cell in enumerate(array):  # one by one: a value may occur millions of times
        value = cell.as_py()
        if role in NUMBERS and isinstance(value, str):
            try:
                number(value)
            except ValueError as reason:
                return BadInput(f"{row_of(name, first + row)}: {role} {value!r:.60} {reason}")
        if role not in NUMBERS and isinstance(value, float) and not value.is_integer():
            return BadInput(f"{row_of(name, first + row)}: {role} {value!r} is not an id; ids are text or integers")
        if role not in NUMBERS and isinstance(value, float) and _rounded(array)[row]:
            problem = "is a floating-point number, too large to be exact; read ids as text or integers"
            return BadInput(f"{row_of(name, first + row)}: {role} {value:.0f} {problem}")
    needed = "numbers" if role in NUMBERS else "text or integers"
    return BadInput(f"{name}: the {role} column has type {array.type}; it must contain {needed}")
