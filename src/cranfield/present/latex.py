"""Tables in LaTeX, with the rules of booktabs."""

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
    "[": "{[}",  # a line break before it would take it as its argument
    "*": "{*}",  # and this as its star
    "--": "-{}-",  # not a dash
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "–": "--",
    "†": r"\textdagger{}",
}
_SIGN = re.compile("|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))))


def latex(table: Table) -> str:
    r"""The table as a tabular, to stand in a table of one's own; it needs `\usepackage{booktabs}`."""
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [f"% {visible(note)}" for note in (table.title, *table.lead, *table.notes) if note]
    lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", _line(escaped(column.name) for column in table.columns)]
    for part in table.parts:
        lines += [r"\midrule", *(line for row in part for line in _lines(table, row))]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _lines(table: Table, row: Row) -> Iterator[str]:
    """The cells of a row, and below them their bounds if there are any."""
    yield _line(_cell(*shown) for shown in table.shown(row))
    if below := table.below(row):
        yield _line(rf"{{\footnotesize {escaped(text)}}}" if text else "" for text in below)


def escaped(text: str) -> str:
    """The text with what LaTeX would read as a command taken literally."""
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], visible(text))


def _cell(text: str, cell: Cell, column: Column) -> str:
    number = column.numeric and text.startswith("-")
    written = f"$-${escaped(text[1:])}" if number else escaped(text)
    strong = rf"\textbf{{{written}}}" if cell.best else written
    return strong + (rf"\textsuperscript{{{escaped(cell.marks)}}}" if cell.marks else "")


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
