"""Delimited lines, parsed in blocks: TREC, MS MARCO and similar formats, and CSV.

A regular block, with single delimiters, is parsed directly; an irregular one (repeated blanks, comments) is normalised
first; one that still does not parse is read line by line, to repair it or to report the bad line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import BytesIO, StringIO
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

import cranfield.native as extension
from cranfield.arrays import Mask
from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.memory import keep_freed_memory
from cranfield.tables.adapters.chunks import Columns, RunChunk, arrow_names
from cranfield.tables.columns import NUMBERS
from cranfield.tables.names import Names, decode
from cranfield.tables.numbers import as_written, beyond_exact, is_grouped
from cranfield.tables.numbers import number as as_number
from cranfield.tables.rankings import FEW_ROWS, Tags, some_lines, tags
from cranfield.tables.readers.recognition import NeedsWhole
from cranfield.tables.readers.streams import Stream, limits

# Files of lines in blocks: a few megabytes of whole lines at a time, ending where a query ends


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


_COMMENT = re.compile(rb"(?m)^[ \t\v\f\r]*#.*\n?")
_CONTENT = re.compile(rb"(?m)^[ \t\v\f\r]*[^\s#]")  # the start of a line that is neither blank nor a comment


@frozen
class Layout:
    """The columns of a file of lines; `""` is a column that is ignored."""

    form: str
    roles: tuple[str, ...]
    delimiter: str = " "
    strict: bool = False  # every delimiter counts, as in CSV; otherwise repeated blanks are one delimiter
    quoted: bool = False
    least: int = 0  # required number of fields; 0 for all
    spare: bool = False  # further fields may follow and are ignored
    more: str = ""  # description of the expected fields
    tag: int | None = None  # the field with the tag of a line of a run

    def query(self, line: bytes) -> bytes | None:
        """The query field as written; None if the line is blank or a comment."""
        if not has_content(line):
            return None
        place = self.roles.index("query")
        fields = line.split(self.delimiter.encode() if self.strict else None, place + 1)
        return fields[place] if place < len(fields) else b""

    def records(self, block: Block) -> Iterator[tuple[int, list[bytes]]]:
        """The fields of each line with content, with its number."""
        if self.strict:
            yield from _cells(block, self)
            return
        lines = enumerate(BytesIO(block.data), block.line)  # one at a time: often only the first ones are needed
        yield from ((number, line.split()) for number, line in lines if has_content(line))

    def tags(self, block: Block) -> Tags:
        """The tags of some lines; of the first ones if fields are quoted, which may continue on the next line."""
        if self.tag is None:
            return ()
        if self.quoted and b'"' in block.buffer:
            lines: Iterable[list[bytes]] = (fields for _, fields in islice(self.records(block), FEW_ROWS))
        else:
            some = some_lines(block.buffer)
            if (names := self._tag_names(some, self.tag)) is not None:
                return tags(names.texts())
            sign = self.delimiter.encode() if self.strict else None
            lines = (line.split(sign, self.tag + 1) for line in some.split(b"\n") if has_content(line))
        with suppress(BadInput):  # reported when all lines are read
            return tags(decode(fields[self.tag].strip()) for fields in lines if self.tag < len(fields))
        return ()

    def _tag_names(self, lines: bytes, tag: int) -> Names | None:
        """The tag of each of these lines, read in C; None if they are not plain or the extension was not built."""
        if self.strict or extension.native is None:
            return None
        fields = extension.native.columns(lines, b"n".rjust(tag + 1).ljust(len(self.roles)))
        return None if fields is None else Names.packed(*fields[tag])

    def columns(self, block: Block) -> Columns:
        """The columns of a block."""
        columns = self._columns(block)
        ordered = next((role for role in ("score", "rank") if role in columns), None)
        if ordered is None or not beyond_exact(columns[ordered]).any():
            return columns
        place = self.roles.index(ordered)
        return columns | {"written": as_written((row[place] for _, row in self.records(block)), columns[ordered])}

    def _columns(self, block: Block) -> Columns:
        columns = _scanned(block.buffer, self) if "grade" in self.roles and not self.strict else None
        if columns is not None:
            return columns
        try:
            data = _ready(block.data, self)
            return _line_by_line(block, self) if data is None else _parsed(data, self)
        except pa.ArrowInvalid:
            return _line_by_line(block, self)


def _scanned(data: bytearray, layout: Layout) -> Columns | None:
    """The columns of plain lines, read in C; None if they are not plain or the extension was not built."""
    if extension.native is None:
        return None
    kinds = "".join("d" if role in NUMBERS else "n" if role else " " for role in layout.roles)
    fields = extension.native.columns(data, kinds.encode())
    if fields is None:
        return None
    return {
        role: np.frombuffer(field) if role in NUMBERS else Names.packed(*field)
        for role, field in zip(layout.roles, fields, strict=True)
        if role
    }


def has_content(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    return line.lstrip()[:1] not in (b"", b"#")


def lines_with_content(data: bytes) -> list[tuple[int, bytes]]:
    """The lines with content, and their numbers."""
    return [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if has_content(line)]


def first_line(data: bytes) -> tuple[int, bytes]:
    """The first line with content, and its number."""
    blank = len(data) - len(data.lstrip())  # in one step: a file may begin with millions of blank lines
    content = _CONTENT.search(data, data.rfind(b"\n", 0, blank) + 1)
    if content is None:
        return 1, b""
    start = content.start()
    return data.count(b"\n", 0, start) + 1, data[start : data.find(b"\n", start) + 1 or None].strip()


def _ready(data: bytes, layout: Layout) -> bytes | None:
    """The data in the form expected by the parser, or None if they must be read line by line."""
    if layout.strict:
        return None if _ragged(data, layout.delimiter) else data
    if len(layout.roles) > layout.least > 0:  # extra fields, which may belong to the score
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    return data if _regular(data, layout.delimiter) else tidied(data, layout.delimiter)


def _regular(data: bytes, delimiter: str) -> bool:
    """Whether the fields of every line are separated by exactly one delimiter."""
    return not (
        (b"\t" if delimiter == " " else b" ") in data
        or b"\v" in data
        or b"\f" in data
        or data[:1].isspace()
        or data[-1:] == delimiter.encode()
        or _commented(data)
        or any((blank[1:] & blank[:-1]).any() for blank in _blanks(data))
    )


def _commented(data: bytes) -> bool:
    return b"#" in data and (data.startswith(b"#") or b"\n#" in data)


def _blanks(data: bytes) -> Iterator[Mask]:
    """Which bytes are blank, in chunks that fit in the processor's cache and overlap by one."""
    whole = np.frombuffer(data, np.uint8)
    return (whole[start : start + CACHED + 1] <= ord(" ") for start in range(0, len(whole), CACHED))


def tidied(data: bytes, delimiter: str) -> bytes:
    """The lines with one delimiter between fields, none at the edges, and no comments."""
    text = np.frombuffer(_COMMENT.sub(b"", data) if b"#" in data else data, np.uint8)
    end = text == ord("\n")
    blank = (text == ord(" ")) | ((text >= ord("\t")) & (text <= ord("\r")) & ~end)
    needed = ~(blank & np.concatenate([[True], (blank | end)[:-1]]))  # no blank at the start or after another
    text, blank, end = text[needed], blank[needed], end[needed]
    needed = ~(blank & np.concatenate([end[1:], [True]]))
    return np.where(blank, np.uint8(ord(delimiter)), text)[needed].tobytes()


def _ragged(data: bytes, delimiter: str) -> bool:
    """Whether there are comments, or blanks around a cell that are not part of it."""
    if _commented(data):
        return True
    if b" " not in data and (delimiter == "\t" or b"\t" not in data):
        return False
    text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    edge = np.isin(text, np.frombuffer(delimiter.encode() + b'"\r\n', np.uint8))
    blank = ((text == ord(" ")) | (text == ord("\t"))) & ~edge
    return bool(((blank[1:] & edge[:-1]) | (edge[1:] & blank[:-1])).any())


def _parsed(data: bytes, layout: Layout) -> Columns:
    from pyarrow import csv as parser  # slow to import and not needed for plain lines

    named = [(role, f"{role or 'column'}{place}") for place, role in enumerate(layout.roles)]
    used = [(role, column) for role, column in named if role]
    table = parser.read_csv(
        pa.BufferReader(
            b"\n" + data if data.startswith(b"\xef\xbb\xbf") else data
        ),  # otherwise the parser would drop these
        parser.ReadOptions(column_names=[column for _, column in named], block_size=len(data) + 2, use_threads=False),
        parser.ParseOptions(delimiter=layout.delimiter, quote_char='"' if layout.quoted else False),
        parser.ConvertOptions(
            include_columns=[column for _, column in used],
            column_types={column: pa.float64() if role in NUMBERS else pa.binary() for role, column in used},
            null_values=[],
        ),
    )
    columns = {role: table[column].combine_chunks() for role, column in used}
    if layout.strict and any(_some_empty(columns[role]) for role in columns if role not in NUMBERS):
        raise pa.ArrowInvalid("an empty name")
    columns = {role: np.from_dlpack(column) if role in NUMBERS else column for role, column in columns.items()}
    if any(np.isinf(columns[role]).any() for role in columns if role in NUMBERS):
        raise pa.ArrowInvalid("a number that is infinite, or too large")
    return columns


def _some_empty(column: pa.Array) -> bool:
    ends = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
    return bool((ends[1:] == ends[:-1]).any())


def _line_by_line(block: Block, layout: Layout) -> Columns:
    """The columns of a block, or the error that names the line that cannot be read."""
    expected = layout.least or len(layout.roles)
    columns: dict[str, list[bytes]] = {role: [] for role in layout.roles if role}
    for number, fields in layout.records(block):
        if len(fields) < expected or (len(fields) > expected and not layout.spare):
            raise BadInput(
                f"{block.at(number)}: {len(fields)} field{'s' * (len(fields) != 1)} instead of {expected} "
                f"({layout.more}): {_line(fields, layout)}"
            )
        grouped = len(fields) > expected and _grouped(fields, layout.roles.index("score"))
        for role, field in zip(layout.roles, fields, strict=False):
            wrong = grouped or _wrong(role, field)
            if wrong:
                raise BadInput(f"{block.at(number)}: {wrong} ({layout.more}): {_line(fields, layout)}")
            if role:
                columns[role].append(field)
    return {
        role: np.array(list(map(as_number, fields)), np.float64) if role in NUMBERS else arrow_names(fields)
        for role, fields in columns.items()
    }


def _wrong(role: str, field: bytes) -> str | None:
    """A description of what is wrong with a field."""
    if role and not field:
        return f"the {role} is missing"
    if role in NUMBERS:
        try:
            as_number(field)
        except ValueError as reason:
            return f"{role} {shown(field)} {reason}"
    return None


def _grouped(fields: list[bytes], score: int) -> str | None:
    """A description of a score that was split at a blank between its digits."""
    whole = b" ".join(fields[score : score + 2])
    return f"score {shown(whole)} is not a number; write it without blanks" if is_grouped(whole) else None


def _cells(block: Block, layout: Layout) -> Iterator[tuple[int, list[bytes]]]:
    """The cells of each CSV line with content, with the number of the line on which it begins."""
    import csv  # not needed for lines without quotes

    text = StringIO(block.data.decode("latin-1"), newline="")  # latin-1 preserves every byte
    reader = csv_reader(text, layout)
    before = 0
    try:
        for cells in reader:
            fields = stripped(cells)
            if any(fields) and not fields[0].startswith(b"#"):
                yield block.line + before, fields
            before = reader.line_num
    except csv.Error as error:
        raise BadInput(f"{block.at(block.line + before)}: {error}") from None


def csv_reader(text: Iterable[str], layout: Layout) -> Any:
    """A CSV reader for the lines."""
    import csv  # not needed for lines without quotes

    if layout.quoted:
        return csv.reader(text, delimiter=layout.delimiter)
    return csv.reader(text, delimiter=layout.delimiter, quoting=csv.QUOTE_NONE)


def stripped(cells: list[str]) -> list[bytes]:
    """The cells as bytes, without surrounding blanks."""
    return [cell.strip(" \t\r\n").encode("latin-1") for cell in cells]


def _line(fields: list[bytes], layout: Layout) -> str:
    return shown((layout.delimiter.encode() if layout.strict else b" ").join(fields))


def shown(text: bytes, limit: int = 80) -> str:
    """Text of a file, quoted and shortened for an error message."""
    whole = text.decode("utf-8", "replace")
    return repr(whole if len(whole) <= limit else whole[: limit - 1] + "…")
