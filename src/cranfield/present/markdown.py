"""Tables in Markdown, for GitHub and pandoc."""

from __future__ import annotations

import re

from cranfield.present.table import Cell, Column, Table, cell_len, padded, visible

# an underscore inside a word needs no escape, and run names are full of them
_SPECIAL = re.compile(r"[\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w)")
_CODE = re.compile(r"(`[^`]+`)")


def markdown(table: Table) -> str:
    """The table as a pipe table, padded so that the source is readable."""
    heads = [escaped(column.name) for column in table.columns]
    rows = [[_cell(*shown) for shown in table.shown(row)] for part in table.parts for row in part]
    width = [max(3, *map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [f"**{escaped(table.title)}**", ""] if table.title else []
    for paragraph in table.lead:
        lines += [prose(paragraph), ""]
    if table.columns:
        lines += [_line(heads, table.columns, width), _rule(table.columns, width)]
        lines += [*(_line(texts, table.columns, width) for texts in rows), ""]
    for note in table.notes:
        lines += [escaped(note), ""]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """The text escaped for Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", visible(text))


def prose(text: str) -> str:
    """The text escaped for Markdown, except for code in backticks."""
    parts = _CODE.split(visible(text))  # odd parts are code
    return "".join(part if place % 2 else escaped(part) for place, part in enumerate(parts))


def _cell(text: str, cell: Cell, column: Column) -> str:
    strong = f"**{escaped(text)}**" if cell.best else escaped(text)
    marked = strong + (f"<sup>{escaped(cell.marks)}</sup>" if cell.marks else "")
    return f"{marked} ({column.between(cell.bounds)})" if cell.bounds else marked


def _line(texts: list[str], columns: tuple[Column, ...], width: list[int]) -> str:
    return f"| {' | '.join(padded(texts, columns, width))} |"


def _rule(columns: tuple[Column, ...], width: list[int]) -> str:
    dashes = ("-" * (wide - 1) + (":" if column.numeric else "-") for column, wide in zip(columns, width, strict=True))
    return f"| {' | '.join(dashes)} |"
