"""Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from cranfield.arrow import pa
from cranfield.tables.adapters.arrow import (
    ROWS,
    ArrowChunk,
    added_bytes,
    chosen,
    damaged,
    has_codes,
    longest,
    slices,
    validated,
)
from cranfield.tables.columns import Kind, kind_of, numbered_rows
from cranfield.tables.readers import recognition
from cranfield.tables.readers.recognition import Batches, Content, Format, Shape
from cranfield.tables.readers.streams import Stream, limits, n_bytes

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

    from cranfield.tables.readers.sheets import Sheet

_FILE = b"ARROW1\0"
_BUFFER = 1 << 20
BATCH = 1 << 20  # rows of a sheet of a large file
_WIDTH = 8  # minimum number of bytes per value in memory
_WRITTEN_OUT = 1 << 28  # bytes that the values of a dictionary may take in one batch before they are counted
_FROM_DISK = {"pre_buffer": False, "buffer_size": _BUFFER}  # otherwise the whole file would be held in memory


def _is_parquet(start: bytes) -> bool:
    """Whether a file begins like Parquet, rather than with a query called PAR1."""
    return start.startswith(b"PAR1") and start[4:5] < b" " and not start[4:5].isspace()


def _is_arrow(start: bytes) -> bool:
    """Whether a file begins like an Arrow file or stream."""
    return start.startswith(_FILE) or (start.startswith(b"\xff\xff\xff\xff") and b"\0" in start[4:8])


def _parquet(stream: Stream, kind: Kind) -> Iterator[ArrowChunk]:
    """The rows of a Parquet file; only the needed columns are read."""
    from pyarrow.parquet import ParquetFile  # slow to import and rarely needed

    data = _random(stream)
    with ParquetFile(data, **_FROM_DISK) as file:
        columns = chosen(file.schema_arrow.names, kind, stream.name)
        limits.require_ratio(_unpacked(file, [*columns]), data.size(), stream.name)
        n_rows = file.metadata.num_rows
        size = n_bytes(stream.path) or 0 if stream.path else 0
        batches = _parquet_rows(file, data, list(columns), ROWS, stream.name)
        yield from slices(batches, columns, stream.name, lambda batch: size * len(batch) // max(n_rows, 1))


def _parquet_rows(
    file: ParquetFile, data: pa.NativeFile, columns: Sequence[str], n_rows: int, name: str
) -> Iterator[pa.RecordBatch]:
    """Some columns, so many rows at a time; refused if they take too many times the size of the file.

    A value of a dictionary is stored once, however often it occurs. If this may matter, rows are read as codes, and
    their values are counted before they are written out. For short, mostly different values this would take longer.
    """
    coded = _with_codes(file, data, columns)
    most = [_longest(coded, group, columns) for group in range(file.num_row_groups)]
    sizes = [file.metadata.row_group(group).num_rows * longest for group, longest in enumerate(most)]
    n_unpacked = 0
    if sum(sizes) > limits.unpacked(data.size()):
        for batch in coded.iter_batches(n_rows, columns=list(columns)):
            n_unpacked += batch.nbytes + added_bytes(batch)
            limits.require_ratio(n_unpacked, data.size(), name)
    types = {field.name: field.type for field in file.schema_arrow}
    for as_codes, groups in groupby(range(file.num_row_groups), lambda group: n_rows * most[group] > _WRITTEN_OUT):
        reader = coded if as_codes else file
        for batch in reader.iter_batches(n_rows, row_groups=list(groups), columns=list(columns)):
            limits.require_memory(added_bytes(batch), name)
            kinds = map(types.__getitem__, batch.schema.names)
            values = [column.cast(kind) for column, kind in zip(batch.columns, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(values, batch.schema.names)


def _with_codes(file: ParquetFile, data: pa.NativeFile, columns: Sequence[str]) -> ParquetFile:
    """The same file, in which texts are read as codes of a dictionary."""
    from pyarrow.parquet import ParquetFile  # slow to import and rarely needed

    leaves = [file.schema.column(place) for place in range(len(file.schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY" and _belongs(leaf.path, columns)]
    return ParquetFile(data, metadata=file.metadata, read_dictionary=texts, **_FROM_DISK)


def _belongs(path: str, columns: Sequence[str]) -> bool:
    """Whether a leaf of the schema is one of the columns, or within one."""
    return any(path == column or path.startswith(f"{column}.") for column in columns)


def _longest(coded: ParquetFile, group: int, columns: Sequence[str]) -> float:
    """How many bytes a row of a group may take at most, by its dictionaries, which come before its rows."""
    first = next(coded.iter_batches(1, row_groups=[group], columns=list(columns)), None)
    return 0 if first is None else sum(map(longest, first.columns))


def _arrow(stream: Stream, kind: Kind) -> Iterator[ArrowChunk]:
    """The rows of an Arrow file or stream."""
    schema, batches = _arrow_batches(stream)
    columns = chosen(schema.names, kind, stream.name)
    yield from slices(batches, columns, stream.name, lambda batch: batch.nbytes)


def _unpacked(file: ParquetFile, columns: Sequence[str]) -> int:
    """A lower bound on the decompressed size of some columns of a Parquet file, in bytes.

    A repeated value takes almost no space in the file, but the width of a number, or of its type, per row in memory.
    Column metadata are not used for this: PyArrow ends the process if they are damaged or encrypted.
    """
    groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
    types = [field.type for field in file.schema_arrow if field.name in columns]
    width = sum(kind.byte_width if pa.types.is_fixed_size_binary(kind) else _WIDTH for kind in types)
    return int(max(sum(group.total_byte_size for group in groups), width * file.metadata.num_rows))


def _arrow_batches(stream: Stream) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema and batches of an Arrow file or stream; too high a decompression ratio is refused."""
    whole_file, data = stream.peek(len(_FILE)).startswith(_FILE), _random(stream)
    reader = (pa.ipc.open_file if whole_file else pa.ipc.open_stream)(data)
    batches = map(reader.get_batch, range(reader.num_record_batches)) if whole_file else iter(reader)

    def checked() -> Iterator[pa.RecordBatch]:
        n_unpacked = 0
        with reader:
            for batch in batches:
                n_unpacked += batch.get_total_buffer_size()  # nbytes would follow offsets not validated yet
                if any(map(has_codes, reader.schema.types)):
                    n_unpacked += added_bytes(validated(batch, stream.name))
                limits.require_ratio(n_unpacked, data.size(), stream.name)
                yield batch

    return reader.schema, checked()


def _random(stream: Stream) -> pa.NativeFile:
    """The content with random access: the file itself if it is uncompressed on disk."""
    if stream.path is not None and not stream.packed:
        return pa.OSFile(stream.path)
    return pa.BufferReader(stream.rest())


def _parquet_sheet(stream: Stream) -> Sheet:
    from pyarrow.parquet import ParquetFile  # slow to import and rarely needed

    from cranfield.tables.readers.sheets import Sheet

    data = _random(stream)
    with ParquetFile(data) as file:
        n_unpacked = _unpacked(file, file.schema_arrow.names)
        limits.require_ratio(n_unpacked, data.size(), stream.name)
        limits.require_memory(n_unpacked, stream.name)
        return Sheet(_whole(file, data, stream.name), stream.name, "Parquet", numbered_rows(stream.name))


def _whole(file: ParquetFile, data: pa.NativeFile, name: str) -> pa.Table:
    """All rows of a Parquet file, at once if the values of its dictionaries cannot take much memory."""
    names = file.schema_arrow.names
    coded = _with_codes(file, data, names)
    sizes = (
        file.metadata.row_group(group).num_rows * _longest(coded, group, names) for group in range(file.num_row_groups)
    )
    if sum(sizes) <= _WRITTEN_OUT:
        return file.read()
    batches = []
    for batch in _parquet_rows(file, data, names, BATCH, name):
        batches.append(batch)
        limits.require_memory(sum(one.nbytes for one in batches), name)
    return pa.Table.from_batches(batches, pa.schema(list(file.schema_arrow)))


def _arrow_sheet(stream: Stream) -> Sheet:
    from cranfield.tables.readers.sheets import Sheet

    schema, batches = _arrow_batches(stream)
    return Sheet(pa.Table.from_batches(batches, schema), stream.name, "Arrow", numbered_rows(stream.name))


def _parquet_batches(stream: Stream, columns: Sequence[str]) -> Batches | None:
    """Some columns of a Parquet file with many rows."""
    from pyarrow.parquet import ParquetFile  # slow to import and rarely needed

    from cranfield.tables.readers.sheets import place_of

    if stream.path is None or stream.packed:
        return None
    data = _random(stream)
    file = ParquetFile(data, **_FROM_DISK)
    n_rows = file.metadata.num_rows
    if n_rows < recognition.MANY_ROWS:
        return None
    for column in columns:
        place_of(column, file.schema_arrow.names, stream.name)
    limits.require_ratio(_unpacked(file, [*columns]), data.size(), stream.name)
    batches = _parquet_rows(file, data, columns, BATCH, stream.name)
    return Batches("Parquet", _sheets(batches, "Parquet", stream.name, data.size() / n_rows))


def _arrow_file_batches(stream: Stream, columns: Sequence[str]) -> Batches | None:
    """Some columns of an Arrow file or stream with many rows."""
    from cranfield.tables.readers.sheets import place_of

    size = n_bytes(stream.path) if stream.path is not None and not stream.packed else None
    if size is None or size < recognition.MANY_ROWS * _WIDTH:
        return None
    schema, batches = _arrow_batches(stream)
    for column in columns:
        place_of(column, schema.names, stream.name)
    parts = (
        batch.select(list(columns)).slice(start, BATCH) for batch in batches for start in range(0, len(batch), BATCH)
    )
    return Batches("Arrow", _sheets(parts, "Arrow", stream.name, sum(_WIDTH for _ in schema)))


def _sheets(
    batches: Iterable[pa.RecordBatch], form: str, name: str, bytes_per_row: float
) -> Iterator[tuple[Sheet, int]]:
    from cranfield.tables.readers.sheets import Sheet

    first = 0
    for batch in batches:
        sheet = Sheet(pa.Table.from_batches([batch]), name, form, numbered_rows(name, first))
        first += len(batch)
        yield sheet, int(first * bytes_per_row)


def _content(form: str, read: Callable[[Stream, Kind], Iterator[ArrowChunk]], stream: Stream, shape: Shape) -> Content:
    def chunks() -> Iterator[ArrowChunk]:
        try:
            yield from read(stream, kind_of(shape))
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise damaged(f"{stream.name}: the {form} data are damaged or truncated", error) from None
        stream.drain()

    return Content(form, chunks())


FORMATS = (
    Format("Parquet", _is_parquet, partial(_content, "Parquet", _parquet), _parquet_sheet, batches=_parquet_batches),
    Format("Arrow", _is_arrow, partial(_content, "Arrow", _arrow), _arrow_sheet, batches=_arrow_file_batches),
)
