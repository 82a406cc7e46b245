"""Lines of fields: TREC's format, MS MARCO's and their kin, parsed a block at a time.

A regular block, its fields apart by one blank, is parsed as it stands; an irregular one (several blanks, comments)
is tidied first; and one that still does not parse is gone through line by line, to mend it or to say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from cranfield.errors import BadInput

BLOCK = 4 << 20
_CACHED = 1 << 17
_BLANK = re.compile(rb"[ \t\v\f\r]+")
_EDGE = re.compile(rb"(?m)^ | $")
_COMMENT = re.compile(rb"(?m)^#.*\n?")
_NUMBERS = ("score", "rank", "grade")


@dataclass(frozen=True)
class Layout:
    """What the columns of a file of lines are; `""` is a column that says nothing here."""

    columns: tuple[str, ...]
    delimiter: str = " "
    strict: bool = False  # every delimiter counts, as in TSV with a header; else any stretch of blanks is one
    header: bool = False
    spare: bool = False  # further fields may follow, and are passed over
    more: str = ""  # what a line should hold, in words


class Block(NamedTuple):
    """Some whole lines of a file, and where they come from."""

    data: bytes
    name: str
    line: int

    def where(self, row: int) -> str:
        """The file and line of a row."""
        for number, line in enumerate(self.data.split(b"\n"), self.line):
            if line.strip() and not line.startswith(b"#"):
                if row == 0:
                    return f"{self.name}, line {number}"
                row -= 1
        raise IndexError(row)


def blocks(stream: BinaryIO, name: str, *, whole_queries: bool, first: bytes = b"", line: int = 1) -> Iterator[Block]:
    """The lines of a stream in blocks; with `whole_queries` a block ends where the first field changes."""
    rest = [first]
    while data := stream.read(BLOCK):
        rest.append(data)
        if b"\n" not in data:
            continue
        joined = b"".join(rest)
        cut = joined.rfind(b"\n") + 1
        if whole_queries:
            cut = _start_of_last_query(joined, cut)
        rest = [joined[cut:]]
        if cut:
            block = Block(joined[:cut], name, line)
            yield block
            line += _n_lines(block.data)
    if last := b"".join(rest):
        yield Block(last, name, line)


def _n_lines(data: bytes) -> int:
    whole = np.frombuffer(data, np.uint8)
    return sum(int(np.count_nonzero(whole[at : at + _CACHED] == ord("\n"))) for at in range(0, len(whole), _CACHED))


def _start_of_last_query(data: bytes, end: int) -> int:
    """Where the lines begin whose first field is that of the last line before `end`."""
    query = None
    while end > 0:
        start = data.rfind(b"\n", 0, end - 1) + 1
        field = data[start : min(end, start + 500)].split(None, 1)[:1]
        if field and not field[0].startswith(b"#"):
            if query is None:
                query = field
            elif field != query:
                return end
        end = start
    return 0


def parsed(block: Block, layout: Layout) -> dict[str, pa.Array | NDArray[np.float64]]:
    """The columns of a block: names as Arrow bytes, numbers as NumPy."""
    data = block.data.replace(b"\r\n", b"\n") if b"\r" in block.data else block.data
    if not layout.strict and not _regular(data, layout.delimiter):
        data = _tidied(data, layout.delimiter)
    try:
        table = _read(data, layout)
    except pa.ArrowInvalid:
        table = _read(b"\n".join(_mended(block, layout)), layout)
    return {
        name: np.from_dlpack(column.combine_chunks()) if name in _NUMBERS else column.combine_chunks()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _regular(data: bytes, delimiter: str) -> bool:
    """Whether the fields of every line are apart by just one delimiter."""
    return not (
        (b"\t" if delimiter == " " else b" ") in data
        or data[:1].isspace()
        or (b"#" in data and (data.startswith(b"#") or b"\n#" in data))
        or any((blank[1:] & blank[:-1]).any() for blank in _blanks(data))
    )


def _blanks(data: bytes) -> Iterator[NDArray[np.bool_]]:
    """Which bytes are blank, in pieces that fit in the processor's cache and overlap by one."""
    whole = np.frombuffer(data, np.uint8)
    return (whole[start : start + _CACHED + 1] <= ord(" ") for start in range(0, len(whole), _CACHED))


def _tidied(data: bytes, delimiter: str) -> bytes:
    """The lines with one delimiter between fields, none at the edges, and no comments."""
    return _EDGE.sub(b"", _BLANK.sub(b" ", _COMMENT.sub(b"", data))).replace(b" ", delimiter.encode())


def _read(data: bytes, layout: Layout) -> pa.Table:
    named = [(name, f"{name or 'column'}{place}") for place, name in enumerate(layout.columns)]
    wanted = [(name, column) for name, column in named if name]
    table = pa.csv.read_csv(
        pa.BufferReader(data),
        pa.csv.ReadOptions(column_names=[column for _, column in named], block_size=len(data) + 1, use_threads=False),
        pa.csv.ParseOptions(delimiter=layout.delimiter, quote_char=False),
        pa.csv.ConvertOptions(
            include_columns=[column for _, column in wanted],
            column_types={column: pa.float64() if name in _NUMBERS else pa.binary() for name, column in wanted},
            null_values=[],
        ),
    )
    return table.rename_columns([name for name, _ in wanted])


def _mended(block: Block, layout: Layout) -> Iterator[bytes]:
    """The lines of a block with the fields the layout has, or the error that says which line cannot be read."""
    delimiter = layout.delimiter.encode()
    expected = len(layout.columns)
    for number, line in enumerate(block.data.split(b"\n"), block.line):
        line = line.rstrip(b"\r")
        fields = line.split(delimiter) if layout.strict else line.split()
        if not line.strip() or line.startswith(b"#"):
            continue
        if len(fields) < expected or (len(fields) > expected and not layout.spare):
            raise BadInput(
                f"{block.name}, line {number}: {len(fields)} fields where {expected} are needed "
                f"({layout.more or ' '.join(layout.columns)}): {shown(line)}"
            )
        for name, place in ((name, layout.columns.index(name)) for name in _NUMBERS if name in layout.columns):
            fields[place] = _number(fields[place], name, f"{block.name}, line {number}")
        yield delimiter.join(fields[:expected])


def _number(text: bytes, name: str, where: str) -> bytes:
    try:
        return repr(float(text)).encode()
    except ValueError:
        raise BadInput(f"{where}: {name} {shown(text)} is not a number") from None


def shown(text: bytes, limit: int = 80) -> str:
    """Text of a file, quoted and short enough for a message."""
    whole = text.decode("utf-8", "replace")
    return repr(whole if len(whole) <= limit else whole[: limit - 1] + "…")


Where = Callable[[int], str]
