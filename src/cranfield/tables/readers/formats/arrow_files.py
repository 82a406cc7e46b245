"""Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.arrow import pa
from cranfield.tables.adapters.arrow_chunks import ROWS, ArrowChunk, chosen, slices
from cranfield.tables.arrow_validity import damaged
from cranfield.tables.column_roles import Kind, kind_of
from cranfield.tables.locations import numbered_rows
from cranfield.tables.readers import recognition
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.recognition import Batches, Content, Format, Shape
from cranfield.tables.readers.streams import Stream, n_bytes

if TYPE_CHECKING:
    from cranfield.tables.readers.sheets import Sheet

_FILE = b"ARROW1\0"
_BUFFER = 1 << 20
BATCH = 1 << 20  # rows of a sheet of a large file
_WIDTH = 8  # minimum number of bytes per value in memory


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
    # without these settings, the whole file would be held in memory
    with ParquetFile(data, pre_buffer=False, buffer_size=_BUFFER) as file:
        columns = chosen(file.schema_arrow.names, kind, stream.name)
        limits.require_ratio(_unpacked(file.metadata, len(columns)), data.size(), stream.name)
        n_rows = file.metadata.num_rows
        size = n_bytes(stream.path) or 0 if stream.path else 0
        batches = file.iter_batches(ROWS, columns=list(columns))
        yield from slices(batches, columns, stream.name, lambda batch: size * len(batch) // max(n_rows, 1))


def _arrow(stream: Stream, kind: Kind) -> Iterator[ArrowChunk]:
    """The rows of an Arrow file or stream."""
    schema, batches = _arrow_batches(stream)
    columns = chosen(schema.names, kind, stream.name)
    yield from slices(batches, columns, stream.name, lambda batch: batch.nbytes)


def _unpacked(metadata: Any, n_columns: int) -> int:
    """A lower bound on the decompressed size of this many columns of a Parquet file, in bytes.

    A repeated value takes almost no space in the file, but the width of a number per row in memory. Column metadata
    are not used for this: PyArrow ends the process if they are damaged or encrypted.
    """
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return int(max(sum(group.total_byte_size for group in groups), _WIDTH * metadata.num_rows * n_columns))


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
        n_unpacked = _unpacked(file.metadata, len(file.schema_arrow))
        limits.require_ratio(n_unpacked, data.size(), stream.name)
        limits.require_memory(n_unpacked, stream.name)
        return Sheet(file.read(), stream.name, "Parquet", numbered_rows(stream.name))


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
    file = ParquetFile(data, pre_buffer=False, buffer_size=_BUFFER)
    n_rows = file.metadata.num_rows
    if n_rows < recognition.MANY_ROWS:
        return None
    for column in columns:
        place_of(column, file.schema_arrow.names, stream.name)
    limits.require_ratio(_unpacked(file.metadata, len(columns)), data.size(), stream.name)
    batches = file.iter_batches(BATCH, columns=list(columns))
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
