"""Files of lines in blocks: a few megabytes of whole lines at a time, ending where a query ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

import cranfield.extension as extension
from cranfield.errors import BadInput
from cranfield.tables.adapters.chunks import Columns, RunChunk
from cranfield.tables.memory import keep_freed_memory
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.recognition import NeedsWhole
from cranfield.tables.readers.streams import Stream
from cranfield.tables.run_tags import Tags

BLOCK = 4 << 20
MOST = (1 << 31) - (1 << 20)  # bytes of a block: its positions are 32-bit numbers
CACHED = 1 << 17  # fits in the processor's cache


class LineFormat(Protocol):
    """How the lines of a file are read."""

    @property
    def quoted(self) -> bool:
        """Whether a line may continue after a line end inside quotes."""

    def query(self, line: bytes) -> object | None:
        """The bytes that identify the query of a line; None if the line is empty."""

    def records(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The records of a block, each with the number of its line."""

    def columns(self, block: Block) -> Columns:
        """The columns of a block."""

    def tags(self, block: Block) -> Tags:
        """The tags of some lines of a block of a run."""


class Block(NamedTuple):
    """Some whole lines of a file, and their location."""

    buffer: bytearray
    name: str
    line: int
    size: int
    layout: LineFormat

    @property
    def data(self) -> bytes:
        """A copy of the bytes."""
        return bytes(self.buffer)

    @property
    def tags(self) -> Tags:
        """The tags of some of these lines."""
        return self.layout.tags(self)

    def columns(self) -> Columns:
        """The columns of these lines by their roles."""
        return self.layout.columns(self)

    def where(self, row: int) -> str:
        """The file and line of a row."""
        return self.at(next(islice(self.layout.records(self), row, None))[0])

    def located(self, n_rows: int) -> Callable[[int], str]:
        """The same for a known number of rows, without holding the data."""
        name, line = self.name, self.line
        n_ends = n_lines(self.buffer) + (not self.buffer.endswith(b"\n"))
        if n_rows != n_ends or b"\r" in self.buffer:
            return self.where
        return lambda row: f"{name}, line {line + row}"

    def at(self, line: int) -> str:
        """The file and line, in words."""
        return f"{self.name}, line {line}"


def blocks(stream: Stream, layout: LineFormat, *, whole_queries: bool, line: int = 1) -> Iterator[Block]:
    """The lines of a stream in blocks; with `whole_queries`, a block ends where the query changes if possible.

    A query whose lines are scattered may still be in several blocks.
    """
    keep_freed_memory()
    rest = b""
    position = 0
    while data := stream.after(rest, max(BLOCK, len(rest))):  # long queries are read in growing steps
        end = end_of_lines(data, quoted=layout.quoted)
        if len(data) - end > limits.line:
            limits.refuse_line(f"{stream.name}, line {line + n_lines(data[:end])}")
        if stream.ended:
            end = len(data)
        elif whole_queries:
            start = _start_of_last_query(data, end, layout)
            if start == 0 < end and len(rest) < BLOCK:  # the query is longer than a block and is read as a whole
                RunChunk(Block(data[:end], stream.name, line, end, layout))()  # refuses repeated lines at once
            within_quotes = layout.quoted and data.count(b'"', 0, start) % 2 == 1
            end = end if within_quotes else start
        rest = bytes(data[end:])
        _require_room(len(rest), stream.name, line)
        if end:
            del data[end:]
            n_ends = 0 if stream.ended else n_lines(data)  # for the line number of the next block
            yield Block(data, stream.name, line, stream.position - position, layout)
            position = stream.position
            line += n_ends


def _require_room(n_bytes: int, name: str, line: int) -> None:
    """Refuse a block that grows too large because the query of its first line does not end."""
    limits.require_memory(n_bytes, name)
    if n_bytes > MOST - BLOCK:
        raise BadInput(f"{name}, line {line}: the lines of one query take more than 2 GB; split the query or the file")


def n_lines(data: bytes | bytearray) -> int:
    """The number of line ends."""
    if extension.native is not None:
        return int(extension.native.line_ends(data))
    whole = np.frombuffer(data, np.uint8)
    return sum(int(np.count_nonzero(whole[at : at + CACHED] == ord("\n"))) for at in range(0, len(whole), CACHED))


def whole_lines(stream: Stream, *, quotes: bool = False) -> Iterator[bytes]:
    """The lines of a stream in blocks; with `quotes`, a line break in quotes does not end a line."""
    rest, n_before = b"", 0
    while data := stream.after(rest, BLOCK):
        end = len(data) if stream.ended else end_of_lines(data, quoted=quotes and b'"' in data)
        if len(data) - end > limits.line:
            if quotes and b'"' in data:
                raise NeedsWhole  # perhaps a quote that is not closed, but part of a text
            limits.refuse_line(f"{stream.name}, line {n_before + n_lines(data[:end]) + 1}")
        rest = bytes(data[end:])
        if end:
            n_before += n_lines(data[:end])
            yield bytes(data[:end])


def end_of_lines(data: bytearray, *, quoted: bool, first: bool = False) -> int:
    """Where the last whole line ends, or the first one; if quoted, a line break in quotes does not end it."""
    if not quoted:
        return (data.find(b"\n") if first else data.rfind(b"\n")) + 1
    text = np.frombuffer(data, np.uint8)
    end, quote = np.flatnonzero(text == ord("\n")), np.flatnonzero(text == ord('"'))
    whole = end[np.searchsorted(quote, end) % 2 == 0]
    return int(whole[0 if first else -1]) + 1 if len(whole) else 0


def _start_of_last_query(data: bytearray, end: int, layout: LineFormat) -> int:
    """Where the lines of the last query begin, 0 if all lines belong to one query.

    By bisection, assuming that the lines of a query are contiguous. Empty lines belong to the lines after them.
    """
    low = 0
    high = len(data[:end].rstrip()) + 1 if data[end - 2 : end].isspace() else end  # without blank lines
    last = None
    while last is None and high > low:
        high = data.rfind(b"\n", low, high - 1) + 1
        last = _query(data, high, layout)
    if last is None or _query(data, low, layout) in (None, last):
        return 0
    while True:
        middle = data.find(b"\n", (low + high) // 2, high) + 1
        if middle in (0, high):
            middle = data.find(b"\n", low, high) + 1
        if middle in (0, high):
            return high
        if _query(data, middle, layout) in (None, last):
            high = middle
        else:
            low = middle


def _query(data: bytearray, start: int, layout: LineFormat) -> object | None:
    return layout.query(bytes(data[start : data.find(b"\n", start) + 1 or None]))
