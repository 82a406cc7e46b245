"""Delimited text: TREC and MS MARCO lines, CSV and TSV."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.tables.readers.layouts import Head, layout
from cranfield.tables.readers.recognition import (
    HEAD,
    Batches,
    Content,
    Format,
    NeedsWhole,
    Shape,
    anything,
    may_be_large,
    refuse_binary,
)
from cranfield.tables.readers.streams import Stream, limits
from cranfield.tables.readers.text import blocks, end_of_lines, first_line, n_lines, shown, tidied, whole_lines
from cranfield.tables.system_names import ending
from cranfield.tables.threads import in_threads

if TYPE_CHECKING:
    from cranfield.tables.columns import Where
    from cranfield.tables.readers.sheets import Sheet


def _content(stream: Stream, shape: Shape) -> Content:
    head = _head(stream)
    columns, headed = layout(head, shape)
    line = _skip_header(stream, head) if headed else 1
    return Content(columns.form, blocks(stream, columns, whole_queries=shape == "run", line=line))


def _head(stream: Stream) -> Head:
    """The first lines of a file."""
    size = HEAD
    while True:
        start = stream.peek(size)
        cut = len(start) >= size
        whole = start[: start.rfind(b"\n") + 1] if cut else start
        first = first_line(whole)[1]
        if first or not cut:
            break
        if len(start) - len(whole) > limits.line:
            limits.refuse_line(f"{stream.name}, line {n_lines(whole) + 1}")
        size *= 2
    if not first:
        raise BadInput(f"{stream.name}: the file {'contains only comments' if whole.strip() else 'is empty'}")
    if b"\r" in first and b"\n" not in whole:
        raise BadInput(f"{stream.name}: the lines end with CR alone; they must end with LF or CR LF")
    return Head(stream.name, ending(stream.name), whole, cut)


def _skip_header(stream: Stream, head: Head) -> int:
    """Skip the header; the number of the line after it."""
    if len(head.lines) == 1 and not head.cut:
        raise BadInput(f"{head.where}: there is a header but no rows: {shown(head.first)}")
    line = head.line
    stream.read(sum(len(before) + 1 for before in stream.peek(0).split(b"\n", line)[:line]))
    return line + 1


def _sheet(stream: Stream) -> Sheet:
    data = stream.text()
    delimiter = delimiter_of(data)
    if delimiter == " ":
        data = tidied(data, delimiter)
    names = next((fields for _, fields in _lines(stream.name, data, delimiter)), [])
    _refuse_second_header(stream.name, data, delimiter)
    try:
        table = _cells(data, delimiter, names)
    except pa.ArrowInvalid:
        _require_width(stream.name, data, delimiter)
        raise
    if not len(table):
        raise BadInput(f"{stream.name}: there is a header but no rows")

    from cranfield.tables.readers.sheets import Sheet  # not needed to evaluate rankings

    where = _located(stream.name, data, delimiter)
    return Sheet(table, stream.name, "TSV" if delimiter == "\t" else "CSV", where, typed=False)


def _batches(stream: Stream, columns: Sequence[str]) -> Batches | None:
    """Some columns of a large file with a header; blanks between fields are left to `_sheet`."""
    from cranfield.tables.readers.sheets import place_of

    head = stream.peek(HEAD)
    if not may_be_large(stream) or b"\n" not in head or delimiter_of(head) == " ":
        return None
    refuse_binary(head, stream.name)
    delimiter = delimiter_of(head)
    start = _start_of_header(head)
    header = head[: start + end_of_lines(bytearray(head[start:]), quoted=True, first=True)]
    names = next((fields for _, fields in _lines(stream.name, header, delimiter)), [])
    for column in columns:
        place_of(column, names, stream.name)
    form = "TSV" if delimiter == "\t" else "CSV"
    return Batches(form, _sheets(stream, form, delimiter, header, columns))


def _sheets(
    stream: Stream, form: str, delimiter: str, header: bytes, columns: Sequence[str]
) -> Iterator[tuple[Sheet, int]]:
    """The lines after the header in sheets; each is parsed below a copy of the header."""
    from cranfield.tables.readers.sheets import Sheet

    names = list(columns)

    def parsed(part: _Part) -> Sheet:
        data, before, _ = part
        _refuse_second_header(stream.name, data, delimiter, before)
        try:
            table = _cells(data, delimiter, names, len(data) + 1, only=names)
        except pa.ArrowInvalid:
            if b'"' not in data:
                _require_width(stream.name, data, delimiter, before)
            raise NeedsWhole from None
        return Sheet(table, stream.name, form, _located(stream.name, data, delimiter, before), typed=False)

    sheets = in_threads(parsed, _parts(stream, header))
    return ((sheet, part.n_read) for part, sheet in sheets if len(sheet.table))


class _Part(NamedTuple):
    """Some lines below a header, the number of lines before it, and the number of bytes read so far."""

    data: bytes
    before: int
    n_read: int


def _parts(stream: Stream, header: bytes) -> Iterator[_Part]:
    n_before = 0
    for data in whole_lines(stream, quotes=True):
        below, before = (header + data, n_before - n_lines(header)) if n_before else (data, 0)
        yield _Part(below, before, stream.position)
        n_before += n_lines(data)


def _refuse_second_header(name: str, data: bytes, delimiter: str, before: int = 0) -> None:
    """Refuse a line that repeats the header, as in several files in one, whose names would count as labels."""
    start = _start_of_header(data)
    header = data[start : data.find(b"\n", start) + 1 or None].rstrip(b"\r\n")
    place = data.find(b"\n" + header, start) if delimiter.encode() in header else -1
    while place >= 0:
        end = place + 1 + len(header)
        if data[end : end + 1] in (b"", b"\r", b"\n"):
            line = before + data.count(b"\n", 0, end) + 1
            raise BadInput(f"{name}, line {line}: the header occurs again; remove this line")
        place = data.find(b"\n" + header, end)


def _start_of_header(data: bytes) -> int:
    """Where the first line begins that is not empty."""
    line = re.search(rb"[^\r\n]", data)
    return line.start() if line else len(data)


def _located(name: str, data: bytes, delimiter: str, before: int = 0) -> Where:
    """The lines of rows below a header, which follow this many others."""

    def where(row: int) -> str:
        with suppress(BadInput):  # a field too long to be scanned again
            number, _ = next(islice(_lines(name, data, delimiter), row + 1, None))
            return f"{name}, line {before + number}"
        return f"{name}, row {row}"

    return where


def _cells(
    data: bytes, delimiter: str, names: list[str], block: int = 1 << 20, only: list[str] | None = None
) -> pa.Table:
    """The cells as bytes, of all columns or of some; their meaning is left to the caller."""
    from pyarrow import csv  # slow to import and rarely needed for runs and judgments

    try:
        return csv.read_csv(
            pa.BufferReader(data),
            csv.ReadOptions(block_size=block),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in data),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.binary()),
                include_columns=only,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        if "straddling" in str(error) and block <= len(data):  # a row is longer than a block
            return _cells(data, delimiter, names, len(data) + 1)
        raise


def _lines(name: str, data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each non-empty line, with its number."""
    import csv

    lines = csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline=""), delimiter=delimiter)
    try:
        yield from ((lines.line_num, fields) for fields in lines if fields)
    except csv.Error as error:
        raise BadInput(f"{name}, line {lines.line_num}: {error}") from None


def _require_width(name: str, data: bytes, delimiter: str, before: int = 0) -> None:
    """Refuse a line with more or fewer fields than the header; this many lines precede the data."""
    width = 0
    for number, fields in _lines(name, data, delimiter):
        width = width or len(fields)
        if len(fields) != width:
            many = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise BadInput(f"{name}, line {before + number}: {many}, but the header has {width}")


def delimiter_of(data: bytes) -> str:
    """The delimiter of a table with a header: the most frequent of tab, semicolon and comma, or else blanks."""
    header, row = (*data[_start_of_header(data) :].split(b"\n", 2), b"")[:2]
    if not re.search(rb"[\t;,]", header) and len(header.split()) == len(row.split()) > 1:
        return " "
    return max("\t;,", key=lambda sign: header.count(sign.encode()))


def header_of(stream: Stream) -> list[str]:
    """The fields of the first line, whether or not it is a header."""
    data = stream.peek(HEAD).lstrip()
    delimiter = delimiter_of(data)
    cells = data.partition(b"\n")[0].decode("utf-8", "replace").split(None if delimiter == " " else delimiter)
    return [cell.strip() for cell in cells]


FORMATS = (Format("text", anything, _content, _sheet, text=True, batches=_batches),)
