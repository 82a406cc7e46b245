"""Tables in LaTeX with booktabs rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase

from cranfield.present.table import Cell, Column, Row, Table, visible

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
    lines = [rf"\textbf{{{escaped(table.title)}}}\par\smallskip"] if table.title else []
    heads, explained = _headers(table.columns)
    if table.columns:
        lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", _line(heads)]
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
            heads.append(rf"{escaped(short)}\textsuperscript{{{letter}}}")
            notes.append(rf"\textsuperscript{{{letter}}} {escaped(column.name)}")
        else:
            heads.append(escaped(column.name))
    return heads, notes


def _below(table: Table, explained: Sequence[str]) -> list[str]:
    """The explained column names and the notes of the table, one paragraph each, in small type."""
    notes = [rf"{note}\par" for note in (*explained, *(escaped(note) for note in (*table.lead, *table.notes) if note))]
    begin = r"\par\smallskip{\footnotesize\raggedright\setlength{\parindent}{0pt}"
    return [begin, *notes, "}"] if notes else []


def _lines(table: Table, row: Row) -> Iterator[str]:
    """The cells of a row, with their bounds below if there are any."""
    yield _line(_cell(*shown) for shown in table.shown(row))
    if below := table.below(row):
        yield _line(rf"{{\footnotesize {escaped(text)}}}" if text else "" for text in below)


def escaped(text: str) -> str:
    """The text escaped for LaTeX."""
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], visible(text))


def _cell(text: str, cell: Cell, column: Column) -> str:
    number = column.numeric and text.startswith("-")
    written = f"$-${escaped(text[1:])}" if number else escaped(text)
    strong = rf"\textbf{{{written}}}" if cell.best else written
    return strong + (rf"\textsuperscript{{{escaped(cell.marks)}}}" if cell.marks else "")


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
