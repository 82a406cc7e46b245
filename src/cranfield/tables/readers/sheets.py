"""Sheets: tables with named columns, from a file or a data frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, TypeVar

import pyarrow as pa

from cranfield.errors import BadInput, did_you_mean
from cranfield.frozen import frozen
from cranfield.tables.adapters.arrow import damaged, first_line_of, validated
from cranfield.tables.adapters.frames import arrow_table
from cranfield.tables.adapters.spark_inputs import is_in_spark
from cranfield.tables.columns import Where, numbered_rows, row
from cranfield.tables.labels import arrow
from cranfield.tables.numbers import EXACT, widened_column
from cranfield.tables.readers.cells import TextColumn
from cranfield.tables.readers.recognition import HEAD, recognised
from cranfield.tables.readers.streams import Stream, opened, source

Name = TypeVar("Name", str, bytes)

DAMAGED = (pa.ArrowException, OSError, ValueError, OverflowError)


@frozen(eq=False)
class Sheet:
    """A table with named columns; `where` locates a row."""

    table: pa.Table
    name: str
    form: str
    where: Where
    digest: str | None = None
    typed: bool = True  # otherwise all cells are text

    def column(self, name: str) -> pa.ChunkedArray:
        """The column with this name; cells of a text file become numbers if all of them are, otherwise text."""
        cells = self.cells(name)
        return pa.chunked_array([cells.typed]) if isinstance(cells, TextColumn) else cells

    def names(self, name: str) -> list[Any]:
        """The values of a column as names: cells of a text file as written, whole numbers as integers."""
        return _as_names(arrow(name, self.cells(name)))

    def cells(self, name: str) -> pa.ChunkedArray | TextColumn:
        """The column with this name; cells of a text file as written."""
        column = self.text(place_of(name, self.table.column_names, self.name))
        return column if self.typed else TextColumn(column.combine_chunks())

    def text(self, place: int) -> pa.ChunkedArray:
        """The column at a place, with bytes decoded and narrow floating-point numbers widened."""
        name, column = self.table.column_names[place], self.table.column(place)
        if not pa.types.is_binary(column.type):
            return widened_column(column)
        try:
            return column.cast(pa.large_string())
        except pa.ArrowInvalid:
            place, value = next((place, value) for place, value in enumerate(column.to_pylist()) if not _is_text(value))
            raise BadInput(
                f"{self.where(place)}: {name} is {value!r}, which is not UTF-8; save the file as UTF-8"
            ) from None


def place_of(name: str, names: list[str], sheet: str) -> int:
    """The place of a column among the names of all columns, in which it must occur once."""
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        raise BadInput(f"{sheet}: duplicate column {name!r} ({names.count(name)} times)")
    hint = did_you_mean(name, names, repr)
    raise BadInput(f"{sheet}: there is no column {name!r}{hint} (available: {', '.join(map(repr, names))})")


def rows_by_name(sheet: Sheet, column: str, what: str, key: Callable[[Any], Name]) -> dict[Name, int]:
    """The row of each name in a column; no name may be missing or occur twice."""
    rows: dict[Name, int] = {}
    for place, value in enumerate(sheet.names(column)):
        if value in (None, ""):
            raise BadInput(f"{sheet.where(place)}: the name of the {what} is missing")
        if (name := key(value)) in rows:
            raise BadInput(f"{sheet.where(place)}: duplicate {what} {str(value)!r}; one row per {what} is needed")
        rows[name] = place
    return rows


def _as_names(column: pa.Array) -> list[Any]:
    """The values of a column; integers that pandas stores as floating-point numbers are the ids that they were."""
    values = column.to_pylist()
    if not pa.types.is_floating(column.type):
        return values
    values = [None if value != value else value for value in values]
    whole = all(value is None or (abs(value) <= EXACT and value == int(value)) for value in values)
    return [None if value is None else int(value) for value in values] if whole else values


def _is_text(value: bytes | None) -> bool:
    try:
        (value or b"").decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def as_sheet(data: Any) -> Sheet:
    """The sheet in the input: a path or an address, a data frame, a dict of columns or a list of dicts."""
    if isinstance(data, Sheet):
        return data
    if is_in_spark(data):
        from cranfield.tables.adapters.spark import spark_sheet  # not needed for files

        return spark_sheet(data)
    if isinstance(data, str | PathLike):
        return read_sheet(fspath(data))
    try:
        table = _table(data)
    except (*DAMAGED, TypeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"cannot read a table from {type(data).__name__}: {first_line_of(error)}") from None
    name = type(data).__name__
    return Sheet(validated(table, name), name, name, numbered_rows(name))


def _table(data: Any) -> pa.Table:
    if isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        return table_of(columns_of_rows(data), "rows")
    if isinstance(data, Mapping):
        return table_of(data, type(data).__name__)
    try:
        return arrow_table(data)
    except (pa.ArrowException, OverflowError, TypeError):
        if not hasattr(data, "columns"):
            raise
        return table_of({name: data[name] for name in data.columns}, type(data).__name__)


def read_sheet(path: str) -> Sheet:
    """The sheet in a file: CSV or TSV with a header, JSON Lines, JSON, Parquet or Arrow, compressed or not."""
    with opened(source(path)) as stream:
        return sheet_of(stream)


def sheet_of(stream: Stream) -> Sheet:
    """The sheet in the bytes of a file."""
    if not stream.peek(HEAD).strip():
        raise BadInput(f"{stream.name}: the file is empty")
    try:
        sheet = recognised(stream).sheet(stream)
    except DAMAGED as error:
        if isinstance(error, BadInput):
            raise
        raise damaged(f"{stream.name}: the data cannot be read", error) from None
    stream.drain()
    validated(sheet.table, sheet.name)
    return replace(sheet, digest=stream.digest)


def table_of(columns: Mapping[Any, Any], name: str, where: Where = row) -> pa.Table:
    """A table of columns that are lists, arrays or series."""
    try:
        return pa.table({str(column): arrow(str(column), values, where) for column, values in columns.items()})
    except BadInput as error:
        raise BadInput(f"{name}, {error}") from None


def columns_of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The columns of rows, with None where a row lacks a key."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key) for row in rows] for key in keys}
