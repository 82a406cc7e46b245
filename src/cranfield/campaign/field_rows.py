"""Rows with named fields: JSON Lines, CSV and TSV with a header, or TSV of ids and texts without one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cranfield.campaign.markup import decoded_text
from cranfield.errors import BadInput
from cranfield.tables.names import decode, named
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.streams import Stream


class FieldRow(NamedTuple):
    """A row: the line on which it starts, and its fields by name in lower case."""

    line: int
    fields: Mapping[str, Any]


def lines_of(stream: Stream) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers, each with its line end; none may be too long."""
    rest: list[str] = []  # of the line that is not complete yet
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
        try:
            value = json.loads(line)
            if "\\ud" in line.lower():  # half a surrogate pair is no character
                json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{stream.name}, line {number}: not JSON ({str(error)[:80]})") from None
        if not isinstance(value, dict):
            raise BadInput(f"{stream.name}, line {number}: a JSON object is needed, not {line.strip()[:40]!r}")
        yield FieldRow(number, {str(name).strip().lower(): field for name, field in value.items()})


def delimited_rows(stream: Stream) -> Iterator[FieldRow]:
    """The rows of CSV or TSV; the first line names the columns."""
    numbered = lines_of(stream)
    started = [1]

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
        if b"\t" in start and len(header) == 2 and not header[0].isidentifier():  # ids and texts, as MS MARCO has them
            header = ["id", "text"]
            yield FieldRow(1, {"id": start_cells[0].lstrip("\ufeff"), "text": start_cells[1]})
        _check_header(header, stream.name)
        first = started[-1] + 1
        for cells in reader:
            if cells and any(cell.strip() for cell in cells):
                if len(cells) != len(header):
                    message = f"{len(cells)} fields where the header has {len(header)}"
                    raise BadInput(f"{stream.name}, line {first}: {message}")
                yield FieldRow(first, dict(zip(header, cells, strict=True)))
            first = started[-1] + 1
            del started[:-1]
    except csv.Error as error:
        raise BadInput(f"{stream.name}, line {first}: not CSV ({error})") from None


def _check_header(header: list[str], name: str) -> None:
    twice = {column for column in header if header.count(column) > 1}
    if twice:
        raise BadInput(f"{name}, line 1: two columns are called {min(twice)!r}")


def field_text(row: FieldRow, names: tuple[str, ...], where: str) -> str:
    """The text of the first of these fields that the row has; empty if it has none."""
    for name in names:
        value = row.fields.get(name)
        if value is None:
            continue
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return " ".join(value)
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise BadInput(f"{where}, line {row.line}: {name!r} must be text, not {type(value).__name__}")
    return ""


def field_id(row: FieldRow, names: tuple[str, ...], where: str) -> str:
    """The id of a row, as text: "09" and "9" are two ids."""
    for name in names:
        if row.fields.get(name) not in (None, ""):
            try:
                identifier = named(row.fields[name])
            except BadInput as error:
                raise BadInput(f"{where}, line {row.line}: {error}") from None
            return (decode(identifier) if isinstance(identifier, bytes) else identifier).strip()
    raise BadInput(f"{where}, line {row.line}: no id; it needs a field called {' or '.join(names[:3])}")
