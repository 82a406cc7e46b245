"""The content of a report, independent of its layout: text, tables, figures and files."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from cranfield.findings.finding import Finding
from cranfield.measures.citations import Reference
from cranfield.present.latex import latex
from cranfield.present.table import Table
from cranfield.results.writing import json_text

COLUMNS, MEASURES = 6, 5  # most columns of a main table, and most measures of a ranking, with findings at its side
HALF = 700  # pixels; wider figures take the full page width
WIDTH = re.compile(r'<svg [^>]*?\bwidth="([0-9.]+)"')


@dataclass(frozen=True)
class Download:
    """A file embedded in the page as a link."""

    name: str
    what: str
    link: str
    size: int


@dataclass(frozen=True)
class Figure:
    """A plot with caption and data; `dark` is empty if the colours are variables of the page."""

    name: str
    title: str
    caption: str
    light: str
    dark: str
    data: Table
    file: Download | None
    logarithmic: str = ""  # with a logarithmic rank axis

    @property
    def wide(self) -> bool:
        """Whether the plot is wider than half a page."""
        width = WIDTH.search(self.light)
        return width is not None and float(width[1]) > HALF


@dataclass(frozen=True)
class Passage:
    """A heading and the paragraphs below it."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """The content of a report, from summary to downloads."""

    title: str
    subtitle: str
    lead: tuple[str, ...]
    findings: tuple[Finding, ...]
    board: Table
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    explorer: dict[str, Any] | None  # the data of the interactive table of queries or items
    methods: tuple[Passage, ...]
    inputs: Table
    downloads: tuple[Download, ...]
    explored: Literal["queries", "items"] = "queries"
    heading: str = "Leaderboard"  # above the main table

    @property
    def wide(self) -> bool:
        """Whether the main table needs the width of the page, so that findings follow below it."""
        if self.explorer is not None and self.explored == "queries":
            return len(self.explorer["measures"]) > MEASURES
        return len(self.board.columns) > COLUMNS


def csv_file(name: str, what: str, text: str) -> Download:
    """A table as CSV."""
    return _embedded(name, what, "text/csv", text)


def json_file(name: str, what: str, text: str) -> Download:
    """Data as JSON."""
    return _embedded(name, what, "application/json", text)


def text_file(name: str, what: str, text: str) -> Download:
    """Plain text."""
    return _embedded(name, what, "text/plain", text)


def _embedded(name: str, what: str, kind: str, text: str) -> Download:
    content = text.encode("utf-8", "backslashreplace")
    return Download(name, what, f"data:{kind};charset=utf-8;base64,{b64encode(content).decode()}", len(content))


def files_of_systems(values: str, document: str, board: Table) -> tuple[Download, ...]:
    """The values by system as CSV, with settings and provenance as JSON, and the leaderboard in LaTeX."""
    return (
        csv_file("systems.csv", "values of all measures by system", values),
        json_file("report.json", "the same with settings and provenance", document),
        text_file("leaderboard.tex", "leaderboard in LaTeX", latex(board)),
    )


def downloads(
    files: Iterable[Download], findings: Iterable[Finding], cited: Sequence[Reference]
) -> tuple[Download, ...]:
    """The files of a report: these, the findings, and the references in BibTeX if there are any."""
    bibtex = "\n".join(reference.bibtex for reference in cited)
    return (
        *files,
        json_file("findings.json", "findings", json_text([finding.to_dict() for finding in findings])),
        *([text_file("references.bib", "references in BibTeX", bibtex)] if cited else []),
    )
