"""The shape of a result: named columns with a schema, from which rows, records, CSV, JSON, tables and storage follow.

A result declares each of its lists once, as a `Schema`, and fills it with rows:

    PAIRS = Schema("pairs", "Posterior probabilities", (*texts("measure", "system"), *figures("difference")))
    PAIRS.of([("AP", "new", 0.1)])[0].difference
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, overload

from cranfield.frozen import cached_property, frozen

Kind = Literal["text", "number", "flag"]
_IS: Mapping[Kind, tuple[type, ...]] = {"text": (str,), "number": (int, float), "flag": (bool,)}


@frozen
class Field:
    """A column: its name in data, and how tables show it."""

    name: str
    heading: str = ""  # in tables; without one, the name
    kind: Kind = "number"
    digits: int | None = None  # decimals; without a number, as many as requested
    star: str = ""  # the column of flags that says which values have a star
    probability: bool = False  # shown as 0 or 1 only if it is
    optional: bool = False  # left out of tables where it is empty
    in_tables: bool = True


def texts(*names: str, **shown: Any) -> tuple[Field, ...]:
    """Columns of text."""
    return tuple(Field(name, kind="text", **shown) for name in names)


def figures(*names: str, **shown: Any) -> tuple[Field, ...]:
    """Columns of numbers that are shown alike."""
    return tuple(Field(name, **shown) for name in names)


@frozen
class Schema:
    """A list that results of one kind contain: its name in JSON, the title of its table, and its columns."""

    name: str
    title: str
    fields: tuple[Field, ...]
    in_tables: bool = True

    def of(self, rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> Columns:
        """The columns of these rows, which are sequences in the order of the fields, or mappings from their names."""
        names = [field.name for field in self.fields]
        listed = [[row[name] for name in names] if isinstance(row, Mapping) else row for row in rows]
        columns = zip(*listed, strict=True) if listed else [()] * len(names)
        return Columns(self, tuple(tuple(map(plain, column)) for column in columns))

    @cached_property
    def row(self) -> Any:
        """The named tuple of a row."""
        return namedtuple("Row", [field.name for field in self.fields])


@frozen
class Columns(Sequence[Any]):
    """Rows with named values: `rows[0].difference`, or all of a column, `rows["difference"]`; None is undefined."""

    schema: Schema
    values: tuple[tuple[Any, ...], ...]  # by column

    def __post_init__(self) -> None:
        if len(self.values) != len(self.schema.fields) or len({*map(len, self.values)}) > 1:
            raise ValueError(f"{self.schema.name}: columns of other numbers or lengths than the schema has")
        for field, column in zip(self.schema.fields, self.values, strict=True):
            if not all(value is None or isinstance(value, _IS[field.kind]) for value in column):
                raise ValueError(f"{self.schema.name}: {field.name} has a value that is no {field.kind}")

    def __len__(self) -> int:
        return len(self.values[0]) if self.values else 0

    @overload
    def __getitem__(self, place: int | str) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | str | slice) -> Any:
        if isinstance(place, str):
            names = [field.name for field in self.schema.fields]
            if place not in names:
                raise KeyError(f"{place!r} is not one of the columns {', '.join(names)}")
            return self.values[names.index(place)]
        if isinstance(place, slice):
            return Columns(self.schema, tuple(column[place] for column in self.values))
        return self.schema.row(*(column[place] for column in self.values))

    def __iter__(self) -> Iterator[Any]:
        return map(self.schema.row, *self.values)

    def records(self) -> list[dict[str, Any]]:
        """One dict per row; None where a number is undefined or infinite, which JSON does not have."""
        return [{name: finite(value) for name, value in row._asdict().items()} for row in self]


def plain(value: Any) -> Any:
    """The value as Python has it, such as a number of NumPy's; None for a number that is undefined."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value


def finite(value: Any) -> Any:
    """The value; None for an infinite number."""
    return None if isinstance(value, float) and math.isinf(value) else value
