"""Runs and judgments as rows in memory: tuples, named tuples, dataclasses or dicts, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.judgments import Where
from cranfield.tables.names import encode, named
from cranfield.tables.pieces import Columns, arrow_names
from cranfield.tables.roles import NUMBERS, Kind, roles

Read = Callable[[Any], tuple[Any, ...]]

_PLAIN: dict[Kind, tuple[str, str, str]] = {
    "run": ("query", "document", "score"),
    "qrels": ("query", "document", "grade"),
}


@dataclass(frozen=True)
class Items:
    """Rows in memory as a piece of a table."""

    given: Columns
    where: Where
    size: int = 0

    def columns(self) -> Columns:
        """The columns by their roles."""
        return self.given


def is_row(item: Any) -> bool:
    """Whether something is one row: a tuple or list of plain values, a dict of them, or an object with named fields."""
    if isinstance(item, Mapping):
        return bool(item) and not any(isinstance(value, Mapping) for value in item.values())
    if isinstance(item, tuple | list):
        return bool(item) and all(value is None or np.isscalar(value) for value in item)
    return bool(_fields(item))


def items(rows: Iterable[Any], kind: Kind, name: str, size: int = 0) -> Items:
    """The columns of rows, which are gone through once; `size` is that of the file they came from."""

    def where(number: int) -> str:
        return f"{name}, row {number} (counting from 0)"

    rest = iter(rows)
    first = next(rest, None)
    if first is None:
        raise BadInput(f"{name}: there are no rows")
    wanted, read = _reader(first, kind, where(0))
    return Items(columns_of(chain([first], rest), wanted, read, where), where, size)


def columns_of(rows: Iterable[Any], wanted: list[str], read: Read, where: Where) -> Columns:
    """The columns of rows: `read` takes the wanted fields out of a row, `where` says the place of one in an error."""
    values = list(zip(*_taken(read, rows, where), strict=True)) or [()] * len(wanted)
    return {
        role: _numbers(column, role, where) if role in NUMBERS else _names(column, role, where)
        for role, column in zip(wanted, values, strict=True)
    }


def _reader(first: Any, kind: Kind, where: str) -> tuple[list[str], Read]:
    """The roles of a row's fields, and what takes these fields out of a row."""
    fields = list(first) if isinstance(first, Mapping) else _fields(first)
    if fields:
        found = roles(fields, kind, where)
        keys = [fields[place] for place in found.values()]
        return list(found), itemgetter(*keys) if isinstance(first, Mapping) else attrgetter(*keys)
    if isinstance(first, tuple | list) and len(first) == len(_PLAIN[kind]):
        return list(_PLAIN[kind]), _three
    raise BadInput(
        f"{where}: {first!r:.80} is no row; a row is ({', '.join(_PLAIN[kind])}), or a dict, named tuple or dataclass "
        "with such fields"
    )


def _fields(item: Any) -> list[str]:
    if isinstance(item, type):
        return []
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
            raise BadInput(f"{where(number)}: {row!r:.80} has not the fields of the first row") from None


def _names(values: Sequence[Any], role: str, where: Where) -> pa.Array:
    try:
        return arrow_names(list(map(str.encode, values)))
    except (TypeError, UnicodeEncodeError):
        return arrow_names([_name(value, role, where, number) for number, value in enumerate(values)])


def _name(value: Any, role: str, where: Where, number: int) -> bytes:
    try:
        name = named(value)
        return name if isinstance(name, bytes) else encode(name)
    except BadInput as error:
        raise BadInput(f"{where(number)}: {role} {error}") from None


def _numbers(values: Sequence[Any], role: str, where: Where) -> NDArray[np.float64]:
    try:
        found = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.array([np.nan])
    if not np.isnan(found).any():
        return found
    return np.array([_number(value, role, where, number) for number, value in enumerate(values)], np.float64)


def _number(value: Any, role: str, where: Where, number: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{where(number)}: {role} {value!r:.60} is not a number") from None
