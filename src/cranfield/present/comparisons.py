"""Comparisons as a table: every pair of systems on every measure, how far apart, and whether that could be chance."""

from __future__ import annotations

from cranfield.present.results import DIGITS
from cranfield.present.table import Cell, Column, Row, Table
from cranfield.results.comparison import Compared, Comparison

_COLUMNS = (
    Column("measure"),
    Column("system"),
    Column("baseline"),
    Column("difference", numeric=True, digits=DIGITS),
    Column("from", numeric=True, digits=DIGITS),
    Column("to", numeric=True, digits=DIGITS),
    Column("effect", numeric=True, digits=2),
    Column("p", numeric=True, digits=DIGITS),
    Column("corrected p", numeric=True, digits=DIGITS),
)


def compared(comparison: Comparison) -> Table:
    """A row for each comparison; a star marks a difference that is significant."""
    correction = "" if comparison.correction == "none" else f", {comparison.correction}"
    notes = (
        f"{comparison.test.title}, {comparison.alternative}{correction}; * significant at level {comparison.level:g}",
        f"from, to: {1 - comparison.level:.0%} interval of the difference; effect: mean difference over its deviation",
    )
    return Table(_COLUMNS, tuple(map(_row, comparison.rows)), notes=(*notes, *comparison.notes))


def _row(row: Compared) -> Row:
    texts = (row.measure, row.system, row.baseline)
    numbers = (row.difference, row.low, row.high, row.d_z, row.p, row.corrected)
    cells = [Cell(value if value == value and abs(value) != float("inf") else None) for value in numbers]
    cells[0] = Cell(cells[0].value, best=row.significant, marks="*" if row.significant else "")
    return (*map(Cell, texts), *cells)
