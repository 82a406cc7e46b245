"""Lines of fields: TREC's format, MS MARCO's and their kin, and CSV, parsed a block at a time.

A regular block, its fields apart by one blank, is parsed as it stands; an irregular one (several blanks, comments)
is tidied first; and one that still does not parse is gone through line by line, to mend it or to say what is wrong.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.blocks import CACHED, Block
from cranfield.tables.pieces import Columns, arrow_names
from cranfield.tables.roles import NUMBERS, is_number

_COMMENT = re.compile(rb"(?m)^[ \t\v\f\r]*#.*\n?")


@dataclass(frozen=True)
class Layout:
    """What the columns of a file of lines are; `""` is a column that says nothing here."""

    form: str
    roles: tuple[str, ...]
    delimiter: str = " "
    strict: bool = False  # every delimiter counts, as in CSV; else any stretch of blanks is one
    quoted: bool = False
    least: int = 0  # so many fields must be there; 0 for all
    spare: bool = False  # further fields may follow, and are passed over
    more: str = ""  # what a line should hold, in words

    def query(self, line: bytes) -> bytes | None:
        """The field of the query, as it stands; None if the line is blank or a comment."""
        if not holds(line):
            return None
        place = self.roles.index("query")
        fields = line.split(self.delimiter.encode() if self.strict else None, place + 1)
        return fields[place] if place < len(fields) else b""

    def records(self, block: Block) -> Iterator[tuple[int, list[bytes]]]:
        """The fields of each line that holds something, with its number."""
        if self.strict:
            yield from _cells(block, self)
            return
        for number, line in enumerate(block.data.split(b"\n"), block.line):
            if holds(line):
                yield number, line.split()

    def columns(self, block: Block) -> Columns:
        """The columns of a block: names as Arrow bytes, numbers as NumPy."""
        try:
            data = _ready(block.data, self)
            return _line_by_line(block, self) if data is None else _parsed(data, self)
        except pa.ArrowInvalid:
            return _line_by_line(block, self)


def holds(line: bytes) -> bool:
    """Whether a line holds something, and not only a comment."""
    start = line.lstrip()[:1]
    return start not in (b"", b"#")


def _ready(data: bytes, layout: Layout) -> bytes | None:
    """The data as the parser takes them, or None if they must be gone through line by line."""
    if layout.strict:
        return None if _ragged(data, layout.delimiter) else data
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    return data if _regular(data, layout.delimiter) else _tidied(data, layout.delimiter)


def _regular(data: bytes, delimiter: str) -> bool:
    """Whether the fields of every line are apart by just one delimiter."""
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


def _blanks(data: bytes) -> Iterator[NDArray[np.bool_]]:
    """Which bytes are blank, in pieces that fit in the processor's cache and overlap by one."""
    whole = np.frombuffer(data, np.uint8)
    return (whole[start : start + CACHED + 1] <= ord(" ") for start in range(0, len(whole), CACHED))


def _tidied(data: bytes, delimiter: str) -> bytes:
    """The lines with one delimiter between fields, none at the edges, and no comments."""
    text = np.frombuffer(_COMMENT.sub(b"", data) if b"#" in data else data, np.uint8)
    end = text == ord("\n")
    blank = (text == ord(" ")) | ((text >= ord("\t")) & (text <= ord("\r")) & ~end)
    kept = ~(blank & np.concatenate([[True], (blank | end)[:-1]]))  # the first blank of each stretch, none at the start
    text, blank, end = text[kept], blank[kept], end[kept]
    kept = ~(blank & np.concatenate([end[1:], [True]]))
    return np.where(blank, np.uint8(ord(delimiter)), text)[kept].tobytes()


def _ragged(data: bytes, delimiter: str) -> bool:
    """Whether there are comments, or blanks at the edge of a cell, which are no part of it."""
    if _commented(data):
        return True
    if b" " not in data and (delimiter == "\t" or b"\t" not in data):
        return False
    text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    edge = np.isin(text, np.frombuffer(delimiter.encode() + b'"\r\n', np.uint8))
    blank = ((text == ord(" ")) | (text == ord("\t"))) & ~edge
    return bool(((blank[1:] & edge[:-1]) | (edge[1:] & blank[:-1])).any())


def _parsed(data: bytes, layout: Layout) -> Columns:
    named = [(role, f"{role or 'column'}{place}") for place, role in enumerate(layout.roles)]
    wanted = [(role, column) for role, column in named if role]
    table = pa.csv.read_csv(
        pa.BufferReader(b"\n" + data if data.startswith(b"\xef\xbb\xbf") else data),  # else the parser would drop these
        pa.csv.ReadOptions(column_names=[column for _, column in named], block_size=len(data) + 2, use_threads=False),
        pa.csv.ParseOptions(delimiter=layout.delimiter, quote_char='"' if layout.quoted else False),
        pa.csv.ConvertOptions(
            include_columns=[column for _, column in wanted],
            column_types={column: pa.float64() if role in NUMBERS else pa.binary() for role, column in wanted},
            null_values=[],
        ),
    )
    columns = {role: table[column].combine_chunks() for role, column in wanted}
    if layout.strict and any(_some_empty(columns[role]) for role in columns if role not in NUMBERS):
        raise pa.ArrowInvalid("an empty name")
    return {role: np.from_dlpack(column) if role in NUMBERS else column for role, column in columns.items()}


def _some_empty(column: pa.Array) -> bool:
    return pa.compute.min(pa.compute.binary_length(column)).as_py() == 0


def _line_by_line(block: Block, layout: Layout) -> Columns:
    """The columns of a block, or the error that says which line cannot be read."""
    expected = layout.least or len(layout.roles)
    columns: dict[str, list[bytes]] = {role: [] for role in layout.roles if role}
    for number, fields in layout.records(block):
        if len(fields) < expected or (len(fields) > expected and not layout.spare):
            raise BadInput(
                f"{block.at(number)}: {len(fields)} fields where {expected} are needed "
                f"({layout.more}): {_line(fields, layout)}"
            )
        for role, field in zip(layout.roles, fields, strict=False):
            wrong = _wrong(role, field)
            if wrong:
                raise BadInput(f"{block.at(number)}: {wrong} ({layout.more}): {_line(fields, layout)}")
            if role:
                columns[role].append(field)
    return {
        role: np.array(list(map(float, fields)), np.float64) if role in NUMBERS else arrow_names(fields)
        for role, fields in columns.items()
    }


def _wrong(role: str, field: bytes) -> str | None:
    """What is wrong with a field, in words."""
    if role and not field:
        return f"the {role} is missing"
    return f"{role} {shown(field)} is not a number" if role in NUMBERS and not is_number(field) else None


def _cells(block: Block, layout: Layout) -> Iterator[tuple[int, list[bytes]]]:
    """The cells of each line of CSV that holds something, with the number of the line it begins on."""
    text = StringIO(block.data.decode("latin-1"), newline="")  # latin-1 keeps every byte
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
    """What takes lines apart as CSV."""
    if layout.quoted:
        return csv.reader(text, delimiter=layout.delimiter)
    return csv.reader(text, delimiter=layout.delimiter, quoting=csv.QUOTE_NONE)


def stripped(cells: list[str]) -> list[bytes]:
    """The cells as bytes, without blanks at their edges."""
    return [cell.strip(" \t\r\n").encode("latin-1") for cell in cells]


def _line(fields: list[bytes], layout: Layout) -> str:
    return shown((layout.delimiter.encode() if layout.strict else b" ").join(fields))


def shown(text: bytes, limit: int = 80) -> str:
    """Text of a file, quoted and short enough for a message."""
    whole = text.decode("utf-8", "replace")
    return repr(whole if len(whole) <= limit else whole[: limit - 1] + "…")
