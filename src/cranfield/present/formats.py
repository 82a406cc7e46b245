"""Tables as aligned plain text: no colour, no borders, any width."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from string import ascii_lowercase
from typing import Any

from cranfield.present.table import GAP, Cell, Column, Row, Table, cell_len, line_width, padded, visible
from cranfield.results.writing import decoded


def aligned(table: Table) -> str:
    """The table as lines of text with aligned columns."""
    heads = [visible(column.name) for column in table.columns]
    parts = [[texts for row in part for texts in _texts(table, row)] for part in table.parts]
    width = [max(map(cell_len, column)) for column in zip(heads, *(row for part in parts for row in part), strict=True)]
    rule = "-" * line_width(width)
    lines = [line for text in (table.title, *table.lead) if text for line in (visible(text), "")]
    lines = lines if table.columns or table.notes or table.title else lines[:-1]
    lines += [_plain_line(heads, table.columns, width)] if heads else []
    for part in parts:
        lines += [rule, *(_plain_line(texts, table.columns, width) for texts in part)]
    lines += [*([""] if heads else []), *map(visible, table.notes)] if table.notes else []
    return "\n".join(lines) + "\n"


def _texts(table: Table, row: Row) -> Iterator[list[str]]:
    """The cells of a row, with their bounds below if there are any."""
    marks = list(table.beside(row))
    yield [text + mark for (text, _, _), mark in zip(table.shown(row), marks, strict=True)]
    if below := table.below(row):
        yield [text + " " * len(mark) for text, mark in zip(below, marks, strict=True)]


def _plain_line(texts: list[str], columns: tuple[Column, ...], width: list[int]) -> str:
    return GAP.join(padded(texts, columns, width)).rstrip()


# Tables in HTML for pages and notebooks


_NUMBER = ' style="text-align: right"'


def html(table: Table) -> str:
    """The table as an HTML element that needs no style sheet."""
    lines = ['<div class="cranfield">', *(f"<p>{in_html(text)}</p>" for text in table.lead)]
    if table.columns:
        lines += _table(table)
    elif table.title:
        lines.append(f"<p><b>{in_html(table.title)}</b></p>")
    lines += [*(f"<p>{in_html(note)}</p>" for note in table.notes), "</div>"]
    return "\n".join(lines) + "\n"


def _table(table: Table) -> list[str]:
    lines = ["<table>", *([f"<caption>{in_html(table.title)}</caption>"] if table.title else [])]
    lines += ["<thead>", _line(_head(column) for column in table.columns), "</thead>"]
    for part in table.parts:
        lines += ["<tbody>", *(_line(_cells(table, row)) for row in part), "</tbody>"]
    return [*lines, "</table>"]


def in_html(text: str) -> str:
    """The text escaped for HTML."""
    return escape(visible(text))


def script_literal(content: Any) -> str:
    """The content as JSON, safe inside a script element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return decoded(text).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _head(column: Column) -> str:
    return f'<th scope="col"{_NUMBER if column.numeric else ""}>{in_html(column.name)}</th>'


def _cells(table: Table, row: Row) -> Iterable[str]:
    for text, cell, column in table.shown(row):
        yield f"<td{_NUMBER if column.numeric else ''}>{_content(text, cell, column)}</td>"


def _content(text: str, cell: Cell, column: Column) -> str:
    strong = f"<b>{escape(text)}</b>" if cell.best else escape(text)
    marks = f"<sup>{in_html(cell.marks)}</sup>" if cell.marks else ""
    return strong + marks + (f"<br><small>{column.between(cell.bounds)}</small>" if cell.bounds else "")


def _line(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


# Tables in LaTeX with booktabs rules


_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "'": r"\textquotesingle{}",
    "[": "{[}",  # after a line break it would start an optional argument
    "*": "{*}",  # and this would be its star
    "--": "-{}-",  # would become a dash
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "–": "--",
    "†": r"\textdagger{}",
}
_SETTINGS = re.compile(r"\(.*\)")
LONGEST = 20  # characters of a column name that keeps its settings
_SIGN = re.compile("|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))))


def latex(table: Table) -> str:
    r"""The title, a tabular and its notes, for use in a table environment; needs `\usepackage{booktabs}`."""
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [rf"\textbf{{{in_latex(table.title)}}}\par\smallskip"] if table.title else []
    heads, explained = _headers(table.columns)
    if table.columns:
        lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", _latex_line(heads)]
        for part in table.parts:
            lines += [r"\midrule", *(line for row in part for line in _lines(table, row))]
        lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *_below(table, explained)]) + "\n"


def _headers(columns: Sequence[Column]) -> tuple[list[str], list[str]]:
    """The names of the columns, long ones without their settings in parentheses, and the notes that give these."""
    heads: list[str] = []
    notes: list[str] = []
    for column in columns:
        short = _SETTINGS.sub("", column.name)
        if len(column.name) > LONGEST and short != column.name:
            letter = ascii_lowercase[len(notes) % len(ascii_lowercase)]
            heads.append(rf"{in_latex(short)}\textsuperscript{{{letter}}}")
            notes.append(rf"\textsuperscript{{{letter}}} {in_latex(column.name)}")
        else:
            heads.append(in_latex(column.name))
    return heads, notes


def _below(table: Table, explained: Sequence[str]) -> list[str]:
    """The explained column names and the notes of the table, one paragraph each, in small type."""
    notes = [rf"{note}\par" for note in (*explained, *(in_latex(note) for note in (*table.lead, *table.notes) if note))]
    begin = r"\par\smallskip{\footnotesize\raggedright\setlength{\parindent}{0pt}"
    return [begin, *notes, "}"] if notes else []


def _lines(table: Table, row: Row) -> Iterator[str]:
    """The cells of a row, with their bounds below if there are any."""
    yield _latex_line(_cell(*shown) for shown in table.shown(row))
    if below := table.below(row):
        yield _latex_line(rf"{{\footnotesize {in_latex(text)}}}" if text else "" for text in below)


def in_latex(text: str) -> str:
    """The text escaped for LaTeX."""
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], visible(text))


def _cell(text: str, cell: Cell, column: Column) -> str:
    number = column.numeric and text.startswith("-")
    written = f"$-${in_latex(text[1:])}" if number else in_latex(text)
    strong = rf"\textbf{{{written}}}" if cell.best else written
    return strong + (rf"\textsuperscript{{{in_latex(cell.marks)}}}" if cell.marks else "")


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


# Tables in Markdown, for GitHub and pandoc


# an underscore inside a word needs no escape, and run names are full of them
_SPECIAL = re.compile(r"[\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w)")
_CODE = re.compile(r"(`[^`]+`)")


def markdown(table: Table) -> str:
    """The table as a pipe table, padded so that the source is readable."""
    heads = [in_markdown(column.name) for column in table.columns]
    rows = [[_markdown_cell(*shown) for shown in table.shown(row)] for part in table.parts for row in part]
    width = [max(3, *map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [f"**{in_markdown(table.title)}**", ""] if table.title else []
    for paragraph in table.lead:
        lines += [prose(paragraph), ""]
    if table.columns:
        lines += [_markdown_line(heads, table.columns, width), _rule(table.columns, width)]
        lines += [*(_markdown_line(texts, table.columns, width) for texts in rows), ""]
    for note in table.notes:
        lines += [in_markdown(note), ""]
    return "\n".join(lines)


def in_markdown(text: str) -> str:
    """The text escaped for Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", visible(text))


def prose(text: str) -> str:
    """The text escaped for Markdown, except for code in backticks."""
    parts = _CODE.split(visible(text))  # odd parts are code
    return "".join(part if place % 2 else in_markdown(part) for place, part in enumerate(parts))


def _markdown_cell(text: str, cell: Cell, column: Column) -> str:
    strong = f"**{in_markdown(text)}**" if cell.best else in_markdown(text)
    marked = strong + (f"<sup>{in_markdown(cell.marks)}</sup>" if cell.marks else "")
    return f"{marked} ({column.between(cell.bounds)})" if cell.bounds else marked


def _markdown_line(texts: list[str], columns: tuple[Column, ...], width: list[int]) -> str:
    return f"| {' | '.join(padded(texts, columns, width))} |"


def _rule(columns: tuple[Column, ...], width: list[int]) -> str:
    dashes = ("-" * (wide - 1) + (":" if column.numeric else "-") for column, wide in zip(columns, width, strict=True))
    return f"| {' | '.join(dashes)} |"
