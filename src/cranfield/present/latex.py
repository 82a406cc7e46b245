"""Tables in LaTeX, with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cranfield.present.table import Cell, Column, Table, visible

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
}
_SIGN = re.compile("|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))))


def latex(table: Table) -> str:
    r"""The table as a tabular, to stand in a table of one's own; it needs `\usepackage{booktabs}`."""
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [f"% {visible(note)}" for note in (table.title, *table.lead, *table.notes) if note]
    lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", _line(escaped(column.name) for column in table.columns)]
    for part in table.parts:
        lines += [r"\midrule", *(_line(_cell(*shown) for shown in table.shown(row)) for row in part)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


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
