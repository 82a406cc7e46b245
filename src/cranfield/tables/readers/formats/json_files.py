"""JSON files: one object `{query: {document: number}}`, an array of objects, or JSON Lines with one object per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.chunks import Columns
from cranfield.tables.columns import NUMBERS, Kind, kind_of, roles, tag_place
from cranfield.tables.numbers import beyond_exact
from cranfield.tables.rankings import Tags, some_lines, tags
from cranfield.tables.readers.json_values import json_value, require_shallow, require_shallow_lines
from cranfield.tables.readers.recognition import HEAD, Batches, Content, Format, Shape, may_be_large, refuse_binary
from cranfield.tables.readers.streams import Stream, limits
from cranfield.tables.readers.text import Block, blocks, first_line, n_lines, shown, whole_lines

if TYPE_CHECKING:
    from cranfield.tables.columns import Where
    from cranfield.tables.readers.sheets import Sheet

# the beginning of a row of a table: an object whose first value is a text or number
_ROW = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^{\[\s]')
_NAMES = {str: "string", int: "int64"}  # Arrow's types


@frozen
class Objects:
    """JSON Lines, one object per line; `roles` gives the role of each key."""

    roles: Mapping[str, str]
    quoted: bool = False
    tag: str | None = None  # the key of the tag of a line of a run

    def query(self, line: bytes) -> object | None:
        """The query of a line; None if the line is blank."""
        if not line.strip():
            return None
        try:
            return json_value(line, "")[next(key for key, role in self.roles.items() if role == "query")] or ""
        except (ValueError, LookupError, TypeError):
            return b""

    def records(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The object of each line, with its number."""
        for number, line in enumerate(block.data.split(b"\n"), block.line):
            if line.strip():
                yield number, _object(line, block.name, number)

    def tags(self, block: Block) -> Tags:
        """The tags of some lines."""
        return () if self.tag is None else tags(_values(some_lines(block.buffer).split(b"\n"), self.tag))

    def columns(self, block: Block) -> Columns:
        """The columns of a block: names as Arrow bytes, numbers as NumPy."""
        parsed = _parsed(block, self.roles)
        if parsed is not None:
            return parsed
        from cranfield.tables.adapters.rows import columns_of

        rows = (row for _, row in self.records(block))
        return columns_of(rows, list(self.roles.values()), itemgetter(*self.roles), block.where)


def _objects(first: bytes, kind: Kind, name: str, line: int) -> Objects:
    """How to read JSON Lines, from the first line."""
    keys, where = list(_object(first, name, line)), f"{name}, line {line}"
    place_of = roles(keys, kind, where)
    tag = tag_place(keys, kind)
    return Objects({keys[place]: role for role, place in place_of.items()}, tag=None if tag is None else keys[tag])


def _values(lines: Iterable[bytes], key: str) -> Iterator[Any]:
    """The values of a key in the lines that are objects; others are refused when they are read."""
    for line in lines:
        with suppress(BadInput):
            row = json_value(line, "") if line.strip() else None
            yield row.get(key) if isinstance(row, dict) else None


def _is_row(line: bytes) -> bool:
    """Whether a line is a row of a table: an object with texts or numbers, unlike `{query: {document: …}}`."""
    try:
        row = json_value(line, "")
    except BadInput:
        return False
    return isinstance(row, dict) and any(not isinstance(value, dict | list) for value in row.values())


def _document(data: bytes, name: str) -> Any:
    """The JSON value of a file; duplicate keys are refused."""
    value, repeated = _with_repeated(data, name)
    if repeated is None:
        return value
    query = next((query for query in value if value[query] is repeated[0]), None) if isinstance(value, dict) else None
    if query is None:
        raise BadInput(f"{name}: {repeated[1]!r} occurs twice in one object")
    raise BadInput(f"{name}: duplicate document {repeated[1]!r} for query {query!r}")


def _with_repeated(data: bytes, name: str, line: int = 1) -> tuple[Any, tuple[dict[str, Any], str] | None]:
    """A JSON value and, if it has duplicate keys, the last object with one, and that key."""
    repeated: list[tuple[dict[str, Any], str]] = []

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.append((content, next(key for place, key in enumerate(keys) if key in keys[:place])))
        return content

    value = json_value(data, name, line, checked)
    return value, repeated[-1] if repeated else None


def _object(line: bytes, name: str, number: int) -> dict[str, Any]:
    """The object on a line, in which no key may occur twice."""
    row = _unique_keys(line, name, number)
    if not isinstance(row, dict):
        raise BadInput(f"{name}, line {number}: every line must be a JSON object, {{…}}: {shown(line)}")
    return row


def _parsed(block: Block, keys: Mapping[str, str]) -> Columns | None:
    """The columns, if every line has the same types as the first and no number would be rounded; otherwise None."""
    from pyarrow import json  # slow to import and rarely needed

    data = block.data
    require_shallow_lines(data, block.name, block.line)
    first = next(iter(data.lstrip().splitlines()), b"{}")
    try:
        row = json_value(first, block.name, block.line)
        schema = [(key, pa.float64() if role in NUMBERS else _NAMES[type(row[key])]) for key, role in keys.items()]
        table = json.read_json(
            pa.BufferReader(data),
            json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            json.ParseOptions(explicit_schema=pa.schema(schema), unexpected_field_behavior="ignore"),
        )
    except (ValueError, LookupError, TypeError):
        return None
    columns = {role: table[key].combine_chunks() for key, role in keys.items()}
    if any(column.null_count for column in columns.values()):
        return None
    by_role: Columns = {
        role: np.from_dlpack(column) if role in NUMBERS else column.cast(pa.large_string()).cast(pa.large_binary())
        for role, column in columns.items()
    }
    numbers = [by_role[role] for role in by_role if role in NUMBERS]
    return None if any(beyond_exact(column).any() or np.isinf(column).any() for column in numbers) else by_role


def _is_json(start: bytes) -> bool:
    """Whether a file begins like JSON, and not with a name in brackets."""
    _, line = first_line(start)
    second = line[1:].lstrip()[:1]
    if line.startswith(b"["):
        return second in (b"{", b"[", b"]", b"") or line.endswith(b"]")
    return line.startswith(b"{") and second in (b'"', b"}", b"")


def _first_line(stream: Stream) -> tuple[int, bytes]:
    """The first line with content, and its number; only its beginning if it is long and not a row of a table."""
    data = stream.peek(HEAD)
    n_read = 0
    while n_read < len(data) and _ROW.match(data) and b"\n" not in data.lstrip():
        n_read = len(data)
        if n_read > limits.line:
            limits.refuse_line(f"{stream.name}, line {first_line(data)[0]}")
        data = stream.peek(2 * n_read)
    return first_line(data)


def _content(stream: Stream, shape: Shape) -> Content:
    kind, (number, line) = kind_of(shape), _first_line(stream)
    if _is_row(line):
        columns = _objects(line, kind, stream.name, number)
        return Content("JSON Lines", blocks(stream, columns, whole_queries=kind == "run"))
    value = _document(stream.rest(), stream.name)
    if isinstance(value, dict):
        return Content("JSON", nested=value)
    if all(isinstance(row, dict) for row in value):
        from cranfield.tables.adapters.rows import items

        return Content("JSON", iter([items(value, kind, stream.name, stream.position)]))
    raise BadInput(
        f"{stream.name}: JSON of this form is not supported ({shown(line)}); "
        "expected {query: {document: number}} or [{…}, …]"
    )


def _sheet(stream: Stream) -> Sheet:
    if first_line(stream.peek(HEAD))[1].startswith(b"["):
        rows = _rows_of_list(stream.rest(), stream.name)
        return _sheet_of_rows(stream, "JSON", rows, lambda row: f"item {row}")
    return _sheet_of_lines(stream, stream.text(), 1)


def _sheet_of_lines(stream: Stream, data: bytes, first: int) -> Sheet:
    """The rows on lines; `first` is the number of the first line."""
    lines = {number: line for number, line in enumerate(data.split(b"\n"), first) if line.strip()}
    rows = [_object(line, stream.name, number) for number, line in lines.items()]
    numbers = list(lines)
    return _sheet_of_rows(stream, "JSON Lines", rows, lambda row: f"line {numbers[row]}")


def _batches(stream: Stream, _: Sequence[str]) -> Batches | None:
    """The rows of large JSON Lines, with all keys."""
    if not may_be_large(stream) or not first_line(stream.peek(HEAD))[1].startswith(b"{"):
        return None
    refuse_binary(stream.peek(HEAD), stream.name)
    return Batches("JSON Lines", _sheets(stream))


def _sheets(stream: Stream) -> Iterator[tuple[Sheet, int]]:
    first = 1
    for data in whole_lines(stream):
        if data.strip():
            yield _sheet_of_lines(stream, data, first), stream.position
        first += n_lines(data)


def _sheet_of_rows(stream: Stream, form: str, rows: list[dict[str, Any]], where: Where) -> Sheet:
    from cranfield.tables.readers.sheets import Sheet, columns_of_rows, table_of

    for place, row in enumerate(rows):
        require_shallow(row, f"{stream.name}, {where(place)}")
    table = table_of(columns_of_rows(rows), stream.name, where)
    return Sheet(table, stream.name, form, lambda row: f"{stream.name}, {where(row)}")


def _rows_of_list(data: bytes, name: str) -> list[dict[str, Any]]:
    """The objects in one list."""
    rows = _unique_keys(data, name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{name}: JSON must be a list of objects, [{{…}}, …], one for each item")
    return rows


def _unique_keys(text: bytes, name: str, line: int = 1) -> Any:
    value, repeated = _with_repeated(text, name, line)
    if repeated is not None:
        raise BadInput(f"{name}, line {line}: the key {repeated[1]!r} occurs twice in one object")
    return value


FORMATS = (Format("JSON", _is_json, _content, _sheet, text=True, batches=_batches),)
