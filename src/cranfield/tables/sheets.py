"""Sheets: columns by name, of a file or of a data frame."""

from __future__ import annotations

import csv
import difflib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc

from cranfield.errors import BadInput
from cranfield.tables.arrow_files import is_arrow, is_parquet
from cranfield.tables.labels import Where
from cranfield.tables.streams import Stream, opened, source

_HEAD = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DAMAGED = (pa.ArrowException, OSError, ValueError)


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table with named columns; `where` says where a row came from."""

    table: pa.Table
    name: str
    form: str
    where: Where
    digest: str | None = None

    def column(self, name: str) -> pa.ChunkedArray:
        """The column of this name."""
        names = self.table.column_names
        if names.count(name) == 1:
            return self._text(name, self.table.column(name))
        if name in names:
            raise BadInput(f"{self.name}: there are {names.count(name)} columns called {name!r}")
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise BadInput(f"{self.name}: there is no column {name!r}{hint} (there are {', '.join(map(repr, names))})")

    def _text(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """The column, if its texts can be read: those that are no UTF-8 come as bytes."""
        if pa.types.is_binary(column.type):
            for place, value in enumerate(column.to_pylist()):
                if value is not None and not _is_text(value):
                    raise BadInput(
                        f"{self.where(place)}: {name} is {value!r}, which is not UTF-8; save the file as such"
                    )
        return column


def _is_text(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def as_sheet(data: Any) -> Sheet:
    """The sheet in what was given: a path, a data frame, a dict of columns or a list of dicts."""
    if isinstance(data, str | PathLike):
        return read_sheet(fspath(data))
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        data = data.collect()
    try:
        table = pa.Table.from_pylist(data) if isinstance(data, list) else pa.table(data)
    except (*_DAMAGED, TypeError) as error:
        raise BadInput(f"cannot read a table from {type(data).__name__}: {_first_line(error)}") from None
    name = type(data).__name__
    return Sheet(table, name, name, lambda row: f"{name}, row {row}")


def read_sheet(path: str) -> Sheet:
    """The sheet in a file: CSV or TSV with a header, JSON Lines, JSON, Parquet or Arrow, packed or not."""
    with opened(source(path)) as stream:
        start = stream.peek(_HEAD)
        if not start.strip():
            raise BadInput(f"{stream.name}: the file is empty")
        try:
            sheet = _reader(start)(stream)
        except _DAMAGED as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"{stream.name}: cannot be read ({_first_line(error)})") from None
        stream.drain()
        return Sheet(sheet.table, sheet.name, sheet.form, sheet.where, stream.digest)


def _reader(start: bytes) -> Callable[[Stream], Sheet]:
    if is_parquet(start):
        return _parquet
    if is_arrow(start):
        return _arrow
    first = start.removeprefix(_BYTE_ORDER_MARK).lstrip()[:1]
    return _json_lines if first == b"{" else _json if first == b"[" else _separated


def _parquet(stream: Stream) -> Sheet:
    from pyarrow.parquet import read_table  # slow to import, and seldom needed

    table = read_table(pa.BufferReader(stream.rest()))
    return Sheet(table, stream.name, "Parquet", lambda row: f"{stream.name}, row {row}")


def _arrow(stream: Stream) -> Sheet:
    whole_file = stream.peek(8).startswith(b"ARROW1")
    data = pa.BufferReader(stream.rest())
    with (pa.ipc.open_file if whole_file else pa.ipc.open_stream)(data) as reader:
        return Sheet(reader.read_all(), stream.name, "Arrow", lambda row: f"{stream.name}, row {row}")


def _json_lines(stream: Stream) -> Sheet:
    from pyarrow.json import read_json

    data = stream.rest()
    lines = {number: line for number, line in enumerate(data.split(b"\n"), 1) if line.strip()}
    try:
        table = read_json(pa.BufferReader(data))
    except pa.ArrowInvalid:
        _require_objects(stream.name, lines)
        raise

    def where(row: int) -> str:
        return f"{stream.name}, line {list(lines)[row]}"

    return Sheet(table, stream.name, "JSON Lines", where)


def _require_objects(name: str, lines: Mapping[int, bytes]) -> None:
    """Refuse a line that is no JSON object."""
    for number, line in lines.items():
        try:
            fits = isinstance(json.loads(line), dict)
        except json.JSONDecodeError as error:
            raise BadInput(f"{name}, line {number}: this is no JSON ({error.msg} at character {error.colno})") from None
        if not fits:
            raise BadInput(f"{name}, line {number}: every line must be a JSON object, {{…}}")


def _json(stream: Stream) -> Sheet:
    rows = json.loads(stream.rest())
    if not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{stream.name}: JSON must be a list of objects, [{{…}}, …], one for each item")
    return Sheet(pa.Table.from_pylist(rows), stream.name, "JSON", lambda row: f"{stream.name}, item {row}")


def _separated(stream: Stream) -> Sheet:
    data = stream.rest().removeprefix(_BYTE_ORDER_MARK)
    header = data.partition(b"\n")[0]
    delimiter = max("\t;,", key=lambda sign: header.count(sign.encode()))
    try:
        table = pa.csv.read_csv(pa.BufferReader(data), parse_options=pa.csv.ParseOptions(delimiter=delimiter))
    except pa.ArrowInvalid:
        _require_width(stream.name, data, delimiter)
        raise
    if not len(table):
        raise BadInput(f"{stream.name}: there is a header, but no row")

    def where(row: int) -> str:
        lines = csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline=""), delimiter=delimiter)
        number = 0
        for fields in lines:
            if fields and number == row + 1:
                return f"{stream.name}, line {lines.line_num}"
            number += bool(fields)
        return f"{stream.name}, row {row}"

    return Sheet(table, stream.name, "TSV" if delimiter == "\t" else "CSV", where)


def _require_width(name: str, data: bytes, delimiter: str) -> None:
    """Refuse a line that has more or fewer fields than the header."""
    lines = csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline=""), delimiter=delimiter)
    width = 0
    for fields in lines:
        width = width or len(fields)
        if fields and len(fields) != width:
            raise BadInput(f"{name}, line {lines.line_num}: there are {len(fields)} fields, and {width} in the header")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
