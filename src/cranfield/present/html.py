"""Tables in HTML, to stand in a page or a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from cranfield.present.table import Cell, Column, Row, Table, visible

_NUMBER = ' style="text-align: right"'


def html(table: Table) -> str:
    """The table as an element of its own; a browser needs no style sheet to align it."""
    lines = ['<div class="cranfield">', *(f"<p>{escaped(text)}</p>" for text in table.lead), "<table>"]
    lines += [f"<caption>{escaped(table.title)}</caption>"] if table.title else []
    lines += ["<thead>", _line(_head(column) for column in table.columns), "</thead>"]
    for part in table.parts:
        lines += ["<tbody>", *(_line(_cells(table, row)) for row in part), "</tbody>"]
    lines += ["</table>", *(f"<p>{escaped(note)}</p>" for note in table.notes), "</div>"]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """The text with what HTML would read as a tag taken literally."""
    return escape(visible(text))


def _head(column: Column) -> str:
    return f'<th scope="col"{_NUMBER if column.numeric else ""}>{escaped(column.name)}</th>'


def _cells(table: Table, row: Row) -> Iterable[str]:
    for text, cell, column in table.shown(row):
        yield f"<td{_NUMBER if column.numeric else ''}>{_content(text, cell, column)}</td>"


def _content(text: str, cell: Cell, column: Column) -> str:
    strong = f"<b>{escape(text)}</b>" if cell.best else escape(text)
    marks = f"<sup>{escaped(cell.marks)}</sup>" if cell.marks else ""
    return strong + marks + (f"<br><small>{column.between(cell.bounds)}</small>" if cell.bounds else "")


def _line(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"
