"""JSON: one object `{query: {document: number}}`, an array of rows, or rows one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from cranfield.errors import BadInput
from cranfield.tables.blocks import Block
from cranfield.tables.items import columns_of
from cranfield.tables.pieces import Columns
from cranfield.tables.roles import NUMBERS, Kind, roles
from cranfield.tables.text import shown

_LONGEST = 1 << 16  # a longer line is a whole file
_NAMES = {str: pa.string(), int: pa.int64()}


@dataclass(frozen=True)
class Objects:
    """Lines of JSON, each an object; `roles` says what is under which key."""

    roles: Mapping[str, str]
    quoted: bool = False

    def query(self, line: bytes) -> object | None:
        """The query of a line; None if the line is blank."""
        if not line.strip():
            return None
        try:
            return json.loads(_text(line))[next(key for key, role in self.roles.items() if role == "query")] or ""
        except (ValueError, LookupError, TypeError):
            return b""

    def records(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The object of each line, with its number."""
        for number, line in enumerate(block.data.split(b"\n"), block.line):
            if line.strip():
                yield number, _object(line, block.at(number))

    def columns(self, block: Block) -> Columns:
        """The columns of a block: names as Arrow bytes, numbers as NumPy."""
        found = _parsed(block, self.roles)
        if found is None:
            rows = (row for _, row in self.records(block))
            return columns_of(rows, list(self.roles.values()), itemgetter(*self.roles), block.where)
        return found


def objects(first: bytes, kind: Kind, where: str) -> Objects:
    """How lines of JSON are read, told from the first."""
    keys = list(_object(first, where))
    return Objects({keys[place]: role for role, place in roles(keys, kind, where).items()})


def is_row(line: bytes) -> bool:
    """Whether a line is an object that holds no other, as the rows of a table do."""
    if len(line) > _LONGEST:
        return False
    try:
        row = json.loads(_text(line))
    except ValueError:
        return False
    return isinstance(row, dict) and bool(row) and not any(isinstance(value, dict) for value in row.values())


def document(data: bytes, name: str) -> Any:
    """The one JSON value of a file, in which no key is there twice."""
    twice: list[tuple[dict[str, Any], str]] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            twice.append((made, next(key for place, key in enumerate(keys) if key in keys[:place])))
        return made

    try:
        value = json.loads(_text(data), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        line = data.split(b"\n")[error.lineno - 1]
        raise BadInput(f"{name}, line {error.lineno}: this is not JSON ({error.msg}): {shown(line)}") from None
    if twice:
        raise _repeated(value, *twice[-1], name)
    return value


def _repeated(value: Any, made: dict[str, Any], key: str, name: str) -> BadInput:
    """What to say of a key that is there twice."""
    query = next((query for query in value if value[query] is made), None) if isinstance(value, dict) else None
    if query is None:
        return BadInput(f"{name}: {key!r} is there twice in one object")
    return BadInput(f"{name}: document {key!r} appears again for query {query!r}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(_text(line))
    except ValueError:
        raise BadInput(f"{where}: this is not JSON: {shown(line)}") from None
    if not isinstance(row, dict):
        raise BadInput(f"{where}: an object is needed: {shown(line)}")
    return row


def _parsed(block: Block, keys: Mapping[str, str]) -> Columns | None:
    """The columns if every line has the same kinds of values as the first, else None."""
    first = next(iter(block.data.lstrip().splitlines()), b"{}")
    try:
        row = json.loads(_text(first))
        schema = [(key, pa.float64() if role in NUMBERS else _NAMES[type(row[key])]) for key, role in keys.items()]
        table = pa.json.read_json(
            pa.BufferReader(block.data),
            pa.json.ReadOptions(use_threads=False, block_size=len(block.data) + 1),
            pa.json.ParseOptions(explicit_schema=pa.schema(schema), unexpected_field_behavior="ignore"),
        )
    except (ValueError, LookupError, TypeError):
        return None
    columns = {role: table[key].combine_chunks() for key, role in keys.items()}
    if any(column.null_count for column in columns.values()):
        return None
    return {
        role: np.from_dlpack(column) if role in NUMBERS else column.cast(pa.large_string()).cast(pa.large_binary())
        for role, column in columns.items()
    }
