"""A table as a description: what it says, apart from how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cranfield.results.writing import Value, decoded

Bounds = tuple[float, float]

UNDEFINED = "–"


@dataclass(frozen=True)
class Column:
    """What stands in one column: text on the left, or numbers on the right with so many decimals."""

    name: str
    numeric: bool = False
    digits: int | None = None  # None keeps them all
    probability: bool = False  # of chance, which is never said to be none

    def shown(self, value: Value) -> str:
        """The value as a reader sees it."""
        if value is None:
            return UNDEFINED if self.numeric else ""
        if isinstance(value, str):
            return visible(value)
        if isinstance(value, int) or self.digits is None:
            return str(value)
        if self.probability and 0 <= value < 10.0**-self.digits:
            return f"< {10.0**-self.digits:.{self.digits}f}"
        return f"{value:z.{self.digits}f}"  # z: what rounds to zero has no sign

    def between(self, bounds: Bounds | None) -> str:
        """The bounds of a value as a reader sees them, with a decimal less: they are not that sure."""
        if bounds is None:
            return ""
        digits = 3 if self.digits is None else max(self.digits - 1, min(self.digits, 2))
        low, high = (f"{bound:z.{digits}f}" for bound in bounds)
        return f"{low} to {high}" if "-" in low + high else f"{low}–{high}"


@dataclass(frozen=True)
class Cell:
    """A value, whether it is the best of those it is compared with, the marks beside it and its bounds below."""

    value: Value
    best: bool = False
    marks: str = ""
    bounds: Bounds | None = None


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """Columns and rows, the rows that sum them up, and what is said above (a title, paragraphs) and below."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    summary: tuple[Row, ...] = ()
    title: str = ""
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[tuple[Row, ...], ...]:
        """The rows, then those that sum them up: a rule goes between."""
        return tuple(part for part in (self.rows, self.summary) if part)

    def shown(self, row: Row) -> Iterator[tuple[str, Cell, Column]]:
        """The cells of a row as a reader sees them, each with what is behind it."""
        for cell, column in zip(row, self.columns, strict=True):
            yield column.shown(cell.value), cell, column

    def below(self, row: Row) -> list[str]:
        """The bounds of a row's values, to stand in a line of their own; nothing where no value has any."""
        between = [column.between(cell.bounds) for cell, column in zip(row, self.columns, strict=True)]
        return between if any(between) else []

    def beside(self, row: Row) -> Iterator[str]:
        """The marks of a row, each as wide as the widest of its column, so that numbers stay aligned."""
        for cell, width in zip(row, self._marks, strict=True):
            yield f" {cell.marks:<{width}}" if width else ""

    @cached_property
    def _marks(self) -> list[int]:
        rows = [row for part in self.parts for row in part]
        return [max((len(row[place].marks) for row in rows), default=0) for place in range(len(self.columns))]


def row(*values: Value) -> Row:
    """A row of plain values."""
    return tuple(map(Cell, values))


def visible(text: str) -> str:
    """The text with whatever does not print written out, so that no name can break a line or move the cursor."""
    clean = decoded(text)
    if clean.isprintable():
        return clean
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in clean)
