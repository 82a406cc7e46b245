"""Tables in HTML for pages and notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from cranfield.present.table import Cell, Column, Row, Table, visible
from cranfield.results.writing import decoded

_NUMBER = ' style="text-align: right"'


def html(table: Table) -> str:
    """The table as an HTML element that needs no style sheet."""
    lines = ['<div class="cranfield">', *(f"<p>{escaped(text)}</p>" for text in table.lead)]
    lines += _table(table) if table.columns else [f"<p><b>{escaped(table.title)}</b></p>"]
    lines += [*(f"<p>{escaped(note)}</p>" for note in table.notes), "</div>"]
    return "\n".join(lines) + "\n"


def _table(table: Table) -> list[str]:
    lines = ["<table>", *([f"<caption>{escaped(table.title)}</caption>"] if table.title else [])]
    lines += ["<thead>", _line(_head(column) for column in table.columns), "</thead>"]
    for part in table.parts:
        lines += ["<tbody>", *(_line(_cells(table, row)) for row in part), "</tbody>"]
    return [*lines, "</table>"]


def escaped(text: str) -> str:
    """The text escaped for HTML."""
    return escape(visible(text))


def script_literal(content: Any) -> str:
    """The content as JSON, safe inside a script element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return decoded(text).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


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
