"""A table as a description: what it says, apart from how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Value = str | float | None  # None where a value is undefined

UNDEFINED = "–"


@dataclass(frozen=True)
class Column:
    """What stands in one column: text on the left, or numbers on the right with so many decimals."""

    name: str
    numeric: bool = False
    digits: int | None = None  # None keeps them all

    def shown(self, value: Value) -> str:
        """The value as a reader sees it."""
        if value is None:
            return UNDEFINED if self.numeric else ""
        if isinstance(value, str):
            return visible(value)
        if isinstance(value, int) or self.digits is None:
            return str(value)
        return f"{value:z.{self.digits}f}"  # z: what rounds to zero has no sign


@dataclass(frozen=True)
class Cell:
    """A value, whether it is the best of those it is compared with, and the marks that stand beside it."""

    value: Value
    best: bool = False
    marks: str = ""


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


def decoded(text: str) -> str:
    """The text with bytes that are not UTF-8 written out."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def visible(text: str) -> str:
    """The text with whatever does not print written out, so that no name can break a line or move the cursor."""
    clean = decoded(text)
    if clean.isprintable():
        return clean
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in clean)
