"""Tables as aligned text: no colour, no borders, never cut to a width."""

from __future__ import annotations

from rich.cells import cell_len

from cranfield.present.table import Column, Row, Table, visible

_GAP = "  "


def aligned(table: Table) -> str:
    """The table as lines of text, its columns aligned."""
    heads = [visible(column.name) for column in table.columns]
    parts = [[_texts(table, row) for row in part] for part in table.parts]
    width = [max(map(cell_len, column)) for column in zip(heads, *(row for part in parts for row in part), strict=True)]
    rule = "-" * (sum(width) + len(_GAP) * (len(width) - 1))
    lines = [line for text in (table.title, *table.lead) if text for line in (visible(text), "")]
    lines += [_line(heads, table.columns, width)]
    for part in parts:
        lines += [rule, *(_line(texts, table.columns, width) for texts in part)]
    lines += ["", *map(visible, table.notes)] if table.notes else []
    return "\n".join(lines) + "\n"


def _texts(table: Table, row: Row) -> list[str]:
    return [text + marks for (text, _, _), marks in zip(table.shown(row), table.beside(row), strict=True)]


def _line(texts: list[str], columns: tuple[Column, ...], width: list[int]) -> str:
    padded = (
        " " * (wide - cell_len(text)) + text if column.numeric else text + " " * (wide - cell_len(text))
        for text, column, wide in zip(texts, columns, width, strict=True)
    )
    return _GAP.join(padded).rstrip()
