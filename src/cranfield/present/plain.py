"""Tables as aligned plain text: no colour, no borders, any width."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.present.table import GAP, Column, Row, Table, cell_len, line_width, padded, visible


def aligned(table: Table) -> str:
    """The table as lines of text with aligned columns."""
    heads = [visible(column.name) for column in table.columns]
    parts = [[texts for row in part for texts in _texts(table, row)] for part in table.parts]
    width = [max(map(cell_len, column)) for column in zip(heads, *(row for part in parts for row in part), strict=True)]
    rule = "-" * line_width(width)
    lines = [line for text in (table.title, *table.lead) if text for line in (visible(text), "")]
    lines += [_line(heads, table.columns, width)] if heads else []
    for part in parts:
        lines += [rule, *(_line(texts, table.columns, width) for texts in part)]
    lines += [*([""] if heads else []), *map(visible, table.notes)] if table.notes else []
    return "\n".join(lines) + "\n"


def _texts(table: Table, row: Row) -> Iterator[list[str]]:
    """The cells of a row, with their bounds below if there are any."""
    marks = list(table.beside(row))
    yield [text + mark for (text, _, _), mark in zip(table.shown(row), marks, strict=True)]
    if below := table.below(row):
        yield [text + " " * len(mark) for text, mark in zip(below, marks, strict=True)]


def _line(texts: list[str], columns: tuple[Column, ...], width: list[int]) -> str:
    return GAP.join(padded(texts, columns, width)).rstrip()
