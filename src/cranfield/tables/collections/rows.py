"""Rows with named fields: JSON Lines, CSV and TSV with a header, or TSV of ids and texts without one."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cranfield.errors import BadInput
from cranfield.tables.collections.markup import decoded_text
from cranfield.tables.columns import FIELDS, fields
from cranfield.tables.names import decode, named
from cranfield.tables.readers.json_values import json_value
from cranfield.tables.readers.streams import Stream, limits

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class FieldRow(NamedTuple):
    """A row: the line on which it starts, and its fields by name in lower case."""

    line: int
    fields: Mapping[str, Any]


def lines_of(stream: Stream) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text file, with their line ends; overlong lines are refused."""
    rest: list[str] = []  # of the incomplete line
    number, n_rest = 1, 0
    for text in decoded_text(stream):
        *whole, last = text.split("\n")
        if whole:
            whole[0] = "".join([*rest, whole[0]])
            rest, n_rest = [], 0
        for line in whole:
            yield number, f"{line}\n"
            number += 1
        rest.append(last)
        n_rest += len(last)
        if n_rest > limits.line:
            limits.refuse_line(f"{stream.name}, line {number}")
    if n_rest:
        yield number, "".join(rest)


def json_rows(stream: Stream) -> Iterator[FieldRow]:
    """The objects of JSON Lines."""
    for number, line in lines_of(stream):
        if not line.strip():
            continue
        value = json_value(line.encode(), stream.name, number)
        if "\\ud" in line.lower() and _LONE_SURROGATE.search(json.dumps(value, ensure_ascii=False)):
            raise BadInput(f"{stream.name}, line {number}: not JSON (a lone surrogate is not a character)")
        if not isinstance(value, dict):
            raise BadInput(f"{stream.name}, line {number}: expected a JSON object, got {line.strip()[:40]!r}")
        yield FieldRow(number, {str(name).strip().lower(): field for name, field in value.items()})


def delimited_rows(stream: Stream) -> Iterator[FieldRow]:
    """The rows of CSV or TSV; the first line names the columns."""
    numbered = lines_of(stream)
    started, first = [1], 1

    def texts() -> Iterator[str]:
        for number, line in numbered:
            started.append(number)
            yield line

    start = stream.peek(1 << 16).partition(b"\n")[0]
    csv.field_size_limit(max(csv.field_size_limit(), limits.line))
    reader = csv.reader(texts(), delimiter="\t" if b"\t" in start else ",", strict=True)
    try:
        start_cells = next(reader, [])
        header = [name.strip().lower().lstrip("\ufeff") for name in start_cells]
        if b"\t" in start and len(header) == 2 and not header[0].isidentifier():  # ids and texts, as in MS MARCO
            header = ["id", "text"]
            yield FieldRow(1, {"id": start_cells[0].lstrip("\ufeff"), "text": start_cells[1]})
        _check_header(header, stream.name)
        first = started[-1] + 1
        for cells in reader:
            if cells and any(cell.strip() for cell in cells):
                if len(cells) != len(header):
                    message = f"{len(cells)} fields, but the header has {len(header)}"
                    raise BadInput(f"{stream.name}, line {first}: {message}")
                yield FieldRow(first, dict(zip(header, cells, strict=True)))
            first = started[-1] + 1
            del started[:-1]
    except csv.Error as error:
        raise BadInput(f"{stream.name}, line {first}: not CSV ({error})") from None


def _check_header(header: list[str], name: str) -> None:
    twice = [column for column, times in Counter(header).items() if times > 1]
    if twice:
        raise BadInput(f"{name}, line 1: duplicate column {min(twice)!r}")


def field_text(row: FieldRow, role: str, where: str) -> str:
    """The text of the first field with this role that the row has; empty if it has none."""
    for name in fields(row.fields, role):
        value = row.fields[name]
        if value is None:
            continue
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if isinstance(value, str):
            if "\0" in value:  # in JSON, as an escape
                raise BadInput(f"{where}, line {row.line}: {name!r} contains a NUL character")
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise BadInput(f"{where}, line {row.line}: {name!r} must be text, not {type(value).__name__}")
    return ""


def field_id(row: FieldRow, role: str, where: str) -> str:
    """The id of a row, as text: "09" and "9" are different ids."""
    for name in fields(row.fields, role):
        if row.fields[name] not in (None, ""):
            try:
                identifier = named(row.fields[name])
            except BadInput as error:
                raise BadInput(f"{where}, line {row.line}: {error}") from None
            return (decode(identifier) if isinstance(identifier, bytes) else identifier).strip()
    accepted = " or ".join(names[0] for names in FIELDS[role][:3])
    raise BadInput(f"{where}, line {row.line}: no id; it needs a field called {accepted}")
