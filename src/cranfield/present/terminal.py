"""Tables on a terminal: coloured by Rich, and folded into blocks where they are wider than the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Drawing
from rich.text import Text

from cranfield.present.table import Row, Table, visible

_GAP = 3
_HEAD = 18  # a longer name is broken over several lines unless its numbers are as wide
_RULES = box.Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n")  # one under the head, one above the summary


def printed(table: Table, console: Console) -> None:
    """Print the table."""
    if table.title:
        console.print(Text(visible(table.title), style="bold"), end="\n\n")
    for paragraph in table.lead:
        console.print(Text(visible(paragraph)), end="\n\n")
    for place, block in enumerate(blocks(table, console.width)):
        if place:
            console.print()
        console.print(_drawing(block))
    if table.notes:
        console.print()
    for note in table.notes:
        console.print(Text(visible(note), style="dim"))


def blocks(table: Table, width: int) -> Iterator[Table]:
    """The table in parts no wider than the window, each with the columns that name its rows."""
    wide = _widths(table)
    named = [place for place, column in enumerate(table.columns) if not column.numeric]
    start = used = sum(wide[place] + _GAP for place in named)
    taken: list[int] = []
    for place in (place for place, column in enumerate(table.columns) if column.numeric):
        if taken and used + wide[place] > width:
            yield _narrowed(table, named + taken)
            taken, used = [], start
        taken, used = [*taken, place], used + wide[place] + _GAP
    yield _narrowed(table, named + taken)


def _narrowed(table: Table, places: Sequence[int]) -> Table:
    def part(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(tuple(row[place] for place in places) for row in rows)

    columns = tuple(table.columns[place] for place in places)
    return replace(table, columns=columns, rows=part(table.rows), summary=part(table.summary))


def _widths(table: Table) -> list[int]:
    heads = [min(cell_len(column.name), _HEAD) if column.numeric else cell_len(column.name) for column in table.columns]
    rows = ([cell_len(text.plain) for text in _texts(table, row)] for part in table.parts for row in part)
    return [max(column) for column in zip(heads, *rows, strict=True)]


def _drawing(table: Table) -> Drawing:
    drawing = Drawing(box=_RULES, show_edge=False, pad_edge=False, header_style="bold cyan")
    for column, width in zip(table.columns, _widths(table), strict=True):
        if column.numeric:
            drawing.add_column(Text(visible(column.name)), justify="right", overflow="fold", width=width)
        else:
            drawing.add_column(Text(visible(column.name)), overflow="fold")
    for part in table.parts:
        for row in part:
            drawing.add_row(*_texts(table, row))
        drawing.add_section()
    return drawing


def _texts(table: Table, row: Row) -> Iterator[Text]:
    for (text, cell, _), marks in zip(table.shown(row), table.beside(row), strict=True):
        yield Text.assemble((text, "bold green" if cell.best else ""), (marks, "dim"))
