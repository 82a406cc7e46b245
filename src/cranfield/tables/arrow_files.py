"""Parquet and Arrow files, read in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from cranfield.errors import BadInput
from cranfield.tables.batches import ROWS, Slice, chosen, slices
from cranfield.tables.roles import Kind
from cranfield.tables.streams import Stream, n_bytes

_FILE = b"ARROW1\0"
_DAMAGED = (pa.ArrowException, OSError)


def is_parquet(start: bytes) -> bool:
    """Whether a file begins as Parquet does, and not with a query that is called PAR1."""
    return start.startswith(b"PAR1") and start[4:5] < b" " and not start[4:5].isspace()


def is_arrow(start: bytes) -> bool:
    """Whether a file begins as an Arrow file or stream does."""
    return start.startswith(_FILE) or (start.startswith(b"\xff\xff\xff\xff") and b"\0" in start[4:8])


def parquet(stream: Stream, kind: Kind) -> Iterator[Slice]:
    """The rows of a Parquet file; only the columns that are wanted are read."""
    from pyarrow.parquet import ParquetFile  # slow to import, and seldom needed

    try:
        with ParquetFile(_random(stream)) as file:
            columns = chosen(file.schema_arrow.names, kind, stream.name)
            n_rows = file.metadata.num_rows
            size = n_bytes(stream.path) or 0 if stream.path else 0
            batches = file.iter_batches(ROWS, columns=list(columns))
            yield from slices(batches, columns, stream.name, lambda batch: size * len(batch) // n_rows)
    except _DAMAGED as error:
        raise _damaged(stream, "Parquet", error) from None
    stream.drain()


def arrow(stream: Stream, kind: Kind) -> Iterator[Slice]:
    """The rows of an Arrow file or stream."""
    whole_file = stream.peek(len(_FILE)).startswith(_FILE)
    try:
        with (pa.ipc.open_file if whole_file else pa.ipc.open_stream)(_random(stream)) as reader:
            columns = chosen(reader.schema.names, kind, stream.name)
            yield from slices(_batches(reader), columns, stream.name, lambda batch: batch.nbytes)
    except _DAMAGED as error:
        raise _damaged(stream, "Arrow", error) from None
    stream.drain()


def _batches(reader: Any) -> Iterator[pa.RecordBatch]:
    if isinstance(reader, pa.RecordBatchFileReader):
        return (reader.get_batch(number) for number in range(reader.num_record_batches))
    return iter(reader)


def _random(stream: Stream) -> Any:
    """The content as something that can be read anywhere: the file itself if it lies open on the disk."""
    if stream.path is not None and not stream.packed:
        return pa.OSFile(stream.path)
    return pa.BufferReader(stream.rest())


def _damaged(stream: Stream, form: str, error: Exception) -> BadInput:
    return BadInput(f"{stream.name}: the {form} data are damaged or cut off ({str(error).splitlines()[0]})")
