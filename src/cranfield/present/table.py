"""Tables as descriptions, independent of how they are rendered.

Decided here: how many decimals are shown, how columns are aligned, and how an undefined value is shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cranfield.frozen import cached_property, frozen
from cranfield.results.shape import Columns, Field
from cranfield.results.writing import Value, decoded

LowHigh = tuple[float, float]

DIGITS = 4  # decimals, unless chosen
UNDEFINED = "–"
STAR = "*"
_NARROW = re.compile("[ -~¡-¬®-˿‐-‧]*")  # Latin letters and punctuation, one column each
_NARROWEST = 1e-9  # smaller widths are rounding errors
GAP = "  "  # between columns
CLASSES = 50  # classes shown; if there are more, the largest


@frozen
class Column:
    """A column of left-aligned text, or of right-aligned numbers with this many decimals."""

    name: str
    numeric: bool = False
    digits: int | None = None  # None shows all
    probability: bool = False  # shown as 0 or 1 only if it is

    def shown(self, value: Value) -> str:
        """The value as text."""
        if value is None or value != value:
            return UNDEFINED if self.numeric else ""
        if isinstance(value, str):
            return visible(value)
        if isinstance(value, int) or self.digits is None:
            return str(value)
        if self.probability and 0 <= value < 10.0**-self.digits:
            return f"< {10.0**-self.digits:.{self.digits}f}"
        if self.probability and 1 > value >= 1 - 10.0**-self.digits / 2:
            return f"> {1 - 10.0**-self.digits:.{self.digits}f}"
        return f"{value:z.{self.digits}f}"  # z: no sign if it rounds to zero

    def between(self, bounds: LowHigh | None) -> str:
        """The bounds of a value as text, with one decimal less, or as many as their width needs."""
        if bounds is None:
            return ""
        digits = 3 if self.digits is None else max(self.digits - 1, min(self.digits, 2))
        if self.digits != 0:
            digits = max(digits, decimals(bounds[1] - bounds[0]))
        low, high = (f"{bound:z.{digits}f}" for bound in bounds)
        return f"{low} to {high}" if "-" in low + high else f"{low}–{high}"


@frozen
class Cell:
    """A value, whether it is the best of its column, its marks, and its lower and upper bound."""

    value: Value
    best: bool = False
    marks: str = ""
    bounds: LowHigh | None = None


Row = tuple[Cell, ...]


@frozen
class Table:
    """Columns, rows and summary rows, with title and paragraphs above and notes below; without columns, text only."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    summary: tuple[Row, ...] = ()
    title: str = ""
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[tuple[Row, ...], ...]:
        """The rows and the summary rows, separated by a rule."""
        return tuple(part for part in (self.rows, self.summary) if part)

    def shown(self, row: Row) -> Iterator[tuple[str, Cell, Column]]:
        """The cells of a row as text, each with its cell and column."""
        for cell, column in zip(row, self.columns, strict=True):
            yield column.shown(cell.value), cell, column

    def below(self, row: Row) -> list[str]:
        """The bounds of the values of a row, for a separate line; empty if there are none."""
        between = [column.between(cell.bounds) for cell, column in zip(row, self.columns, strict=True)]
        return between if any(between) else []

    def beside(self, row: Row) -> Iterator[str]:
        """The marks of a row, padded to the widest of each column so that numbers stay aligned."""
        for cell, width in zip(row, self._marks, strict=True):
            yield f" {cell.marks:<{width}}" if width else ""

    @cached_property
    def _marks(self) -> list[int]:
        rows = [row for part in self.parts for row in part]
        return [max((len(row[place].marks) for row in rows), default=0) for place in range(len(self.columns))]


def decimals(width: float) -> int:
    """The number of decimals that shows two digits of an interval's width."""
    return math.ceil(1 - math.log10(width)) if _NARROWEST < width < 1 else 0


def numbers(*names: str, digits: int | None = None, probability: bool = False) -> tuple[Column, ...]:
    """Columns of numbers with the same number of decimals."""
    return tuple(Column(name, numeric=True, digits=digits, probability=probability) for name in names)


def padding(texts: Sequence[str], columns: Sequence[Column], width: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The padding before and after each text of a line in columns of this width: numbers right, text left."""
    for text, column, wide in zip(texts, columns, width, strict=True):
        blank = " " * (wide - cell_len(text))
        yield (blank, "") if column.numeric else ("", blank)


def padded(texts: Sequence[str], columns: Sequence[Column], width: Sequence[int]) -> Iterator[str]:
    """The texts of a line, aligned in columns of this width."""
    for text, (before, after) in zip(texts, padding(texts, columns, width), strict=True):
        yield before + text + after


def line_width(width: Sequence[int]) -> int:
    """The width of a line with columns of this width."""
    return sum(width) + len(GAP) * (len(width) - 1)


def row(*values: Value) -> Row:
    """A row of plain values."""
    return tuple(map(Cell, values))


def rows_of(
    records: Iterable[Any], columns: Sequence[Column], fields: Mapping[str, str] = MappingProxyType({})
) -> tuple[Row, ...]:
    """One row per record: its attributes named like the columns, or as given in `fields`."""
    names = [fields.get(column.name, column.name.replace(" ", "_")) for column in columns]
    return tuple(row(*(getattr(record, name) for name in names)) for record in records)


def listed(columns: Columns, *, digits: int, notes: Iterable[str] = (), title: str = "") -> Table:
    """The table of a list of a result: its columns as the schema says."""
    fields = zip(columns.schema.fields, columns.values, strict=True)
    shown = [(field, column) for field, column in fields if field.in_tables and not (field.optional and empty(column))]
    heads = tuple(
        Column(
            field.heading or field.name,
            numeric=field.kind == "number",
            digits=digits if field.digits is None else field.digits,
            probability=field.probability,
        )
        for field, _ in shown
    )
    cells = [[*_cells(field, column, columns)] for field, column in shown]
    rows = tuple(zip(*cells, strict=True))
    return Table(heads, rows, title=title or columns.schema.title, notes=tuple(notes))


def _cells(field: Field, column: Iterable[Value], columns: Columns) -> Iterator[Cell]:
    if not field.star:
        yield from map(Cell, column)
    else:
        for value, flag in zip(column, columns[field.star], strict=True):
            yield Cell(value, marks=STAR if flag else "")


def empty(column: Iterable[Value]) -> bool:
    """Whether no value of a column is known."""
    return all(value is None or value == "" for value in column)


def visible(text: str) -> str:
    """The text with unprintable characters escaped, so names cannot break lines or move the cursor."""
    clean = decoded(text)
    if clean.isprintable():
        return clean
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in clean)


def cell_len(text: str) -> int:
    """The width of a text on a terminal, in columns."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    from rich import cells  # slow to import and only needed for other scripts

    return cells.cell_len(text)
