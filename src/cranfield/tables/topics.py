"""Topics: which queries ask for the same, as variants of one another."""

from __future__ import annotations

from cranfield.errors import BadInput
from cranfield.tables.names import decode
from cranfield.tables.streams import opened, source

_HEADER = ("query", "topic")


def read_topics(path: str) -> dict[str, str]:
    """The topic of each query, from a file with a query and its topic a line, between them a tab, a comma or blanks."""
    topics: dict[str, str] = {}
    with opened(source(path)) as stream:
        lines = decode(stream.rest().removeprefix(b"\xef\xbb\xbf")).splitlines()
        for number, line in enumerate(lines, 1):
            fields = _fields(line)
            if not fields or (number == 1 and tuple(map(str.lower, fields)) == _HEADER):
                continue
            where = f"{stream.name}, line {number}"
            if len(fields) != 2 or not all(fields):
                raise BadInput(f"{where}: {line.strip()!r} is not a query and its topic")
            if fields[0] in topics:
                raise BadInput(f"{where}: query {fields[0]!r} has a topic already, {topics[fields[0]]!r}")
            topics[fields[0]] = fields[1]
        if not topics:
            raise BadInput(f"{stream.name}: there is no topic in it; a query and its topic a line are needed")
    return topics


def _fields(line: str) -> list[str]:
    sign = next((sign for sign in "\t," if sign in line), None)
    return [field.strip() for field in line.split(sign)] if line.strip() else []
