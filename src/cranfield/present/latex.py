"""Tables in LaTeX with booktabs rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
_SIGN = re.compile("|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))))


def latex(table: Table) -> str:
    r"""The title, a tabular and its notes, for use in a table environment; needs `\usepackage{booktabs}`."""
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [rf"\textbf{{{escaped(table.title)}}}\par\smallskip"] if table.title else []
    if table.columns:
        head = _line(escaped(column.name) for column in table.columns)
        lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head]
        for part in table.parts:
            lines += [r"\midrule", *(line for row in part for line in _lines(table, row))]
        lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *_below(table)]) + "\n"


def _below(table: Table) -> list[str]:
    """The notes of the table, one paragraph each, in small type."""
    notes = [rf"{escaped(note)}\par" for note in (*table.lead, *table.notes) if note]
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
