"""Runs and judgments as rows in memory: tuples, named tuples, dataclasses or dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.changes import not_changed
from cranfield.tables.adapters.chunks import Columns, arrow_names
from cranfield.tables.columns import NUMBERS, Kind, Where, roles, row_of, tag_place
from cranfield.tables.names import named
from cranfield.tables.numbers import as_written, plain_floats
from cranfield.tables.numbers import number as as_number
from cranfield.tables.rankings import Tags, tags

Read = Callable[[Any], tuple[Any, ...]]

_PLAIN: dict[Kind, tuple[str, str, str]] = {
    "run": ("query", "document", "score"),
    "qrels": ("query", "document", "grade"),
}


@frozen
class RowChunk:
    """Rows in memory as a chunk of a table."""

    by_role: Columns
    where: Where
    size: int = 0
    tags: Tags = ()

    def columns(self) -> Columns:
        """The columns by their roles."""
        return self.by_role

    def located(self, n_rows: int) -> Where:  # noqa: ARG002
        """How errors name a row."""
        return self.where


def is_row(item: Any) -> bool:
    """Whether an object is one row: a tuple or list of plain values, a dict of them, or an object with named fields."""
    if isinstance(item, Mapping):
        return bool(item) and not any(isinstance(value, Mapping) for value in item.values())
    if isinstance(item, tuple | list):
        return bool(item) and all(value is None or np.isscalar(value) for value in item)
    return bool(_fields(item))


def items(rows: Iterable[Any], kind: Kind, name: str, size: int = 0) -> RowChunk:
    """The columns of rows, which are iterated once; `size` is the size of their file."""
    where, rest = partial(row_of, name), iter(list(rows) if isinstance(rows, list) else rows)
    with not_changed(name):
        first = next(rest, None)
        if first is None:
            raise BadInput(f"{name}: there are no rows")
        field_roles, read = _reader(first, kind, where(0))
        tags_seen: dict[Any, None] = {}
        columns = columns_of(_watched(chain([first], rest), _tag(first, kind), tags_seen), field_roles, read, where)
    return RowChunk(columns, where, size, tags(tags_seen))


def _tag(first: Any, kind: Kind) -> str | None:
    """The field with the tag of a row, if there is one."""
    fields = _fields(first)
    place = tag_place(fields, kind)
    return None if place is None else fields[place]


def _watched(rows: Iterable[Any], tag: str | None, tags_seen: dict[Any, None]) -> Iterable[Any]:
    """The rows, whose tags are collected while they are read."""
    if tag is None:
        return rows

    def read() -> Iterator[Any]:
        for row in rows:
            tags_seen[str(row.get(tag) if isinstance(row, Mapping) else getattr(row, tag, None) or "")] = None
            yield row

    return read()


def columns_of(rows: Iterable[Any], field_roles: list[str], read: Read, where: Where) -> Columns:
    """The columns of rows: `read` extracts the needed fields of a row, `where` names a row in errors."""
    values = list(zip(*_taken(read, rows, where), strict=True)) or [()] * len(field_roles)
    columns: Columns = {}
    for role, column in zip(field_roles, values, strict=True):
        columns[role] = _numbers(column, role, where) if role in NUMBERS else names_of(column, role, where)
        if role in ("score", "rank") and (written := as_written(column, columns[role])) is not None:
            columns["written"] = written
    return columns


def _reader(first: Any, kind: Kind, where: str) -> tuple[list[str], Read]:
    """The roles of a row's fields, and a function that extracts them."""
    fields = _fields(first)
    if fields:
        place_of = roles(fields, kind, where)
        keys = [fields[place] for place in place_of.values()]
        return list(place_of), itemgetter(*keys) if isinstance(first, Mapping) else attrgetter(*keys)
    if isinstance(first, tuple | list) and len(first) == len(_PLAIN[kind]):
        return list(_PLAIN[kind]), _three
    raise BadInput(
        f"{where}: {first!r:.80} is not a row; a row is ({', '.join(_PLAIN[kind])}), or a dict, named tuple or "
        "dataclass with such fields"
    )


def _fields(item: Any) -> list[str]:
    if isinstance(item, Mapping | type):
        return list(item) if isinstance(item, Mapping) else []
    return list(getattr(item, "_fields", None) or getattr(item, "__dataclass_fields__", None) or ())


def _three(row: Any) -> tuple[Any, ...]:
    if not isinstance(row, tuple | list) or len(row) != 3:
        raise TypeError
    return tuple(row)


def _taken(read: Read, rows: Iterable[Any], where: Where) -> Iterator[tuple[Any, ...]]:
    for number, row in enumerate(rows):
        try:
            yield read(row)
        except (AttributeError, LookupError, TypeError):
            raise BadInput(f"{where(number)}: {row!r:.80} does not have the fields of the first row") from None


def names_of(values: Sequence[Any], role: str, where: Where) -> pa.Array:
    """The names in a column of texts, bytes or integers; `where` names a row in errors."""
    try:
        return arrow_names(list(map(str.encode, values)))
    except (TypeError, UnicodeEncodeError):
        return arrow_names([_name(value, role, where, number) for number, value in enumerate(values)])


def _name(value: Any, role: str, where: Where, number: int) -> bytes:
    try:
        return named(value)
    except BadInput as error:
        raise BadInput(f"{where(number)}: {role} {error}") from None


def _numbers(values: Sequence[Any], role: str, where: Where) -> Floats:
    floats = plain_floats(values)
    if floats is not None:
        return floats
    return np.array([_number(value, role, where, number) for number, value in enumerate(values)], np.float64)


def _number(value: Any, role: str, where: Where, number: int) -> float:
    try:
        return as_number(value)
    except ValueError as reason:
        raise BadInput(f"{where(number)}: {role} {value!r:.60} {reason}") from None
