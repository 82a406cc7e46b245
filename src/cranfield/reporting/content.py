"""The content of a report, independent of its layout: text, tables, figures and files.

Decided here: which sections and files a report has.
"""

from __future__ import annotations

import platform
import re
from base64 import b64encode
from importlib.metadata import version
from pathlib import PurePath
from typing import Any, Literal

from cranfield.frozen import cached_property, frozen
from cranfield.measures.declaration import Reference, references
from cranfield.present.findings.rules import Finding
from cranfield.present.formats import latex
from cranfield.present.table import Column, Table, row
from cranfield.results.provenance import Provenance
from cranfield.results.writing import json_text

COLUMNS, MEASURES = 8, 5  # most columns of a main table, and most measures of a ranking, with findings at its side
HEADER, ROW, SMALL, FINDING = 110, 36, 18, 115  # pixels: parts of a main table, and a finding at its side
MOST_FINDINGS = 7  # shown at first
HALF = 700  # pixels; wider figures take the full page width
STRETCHED = ("tiers", "differences", "systems")  # figures that scripts draw at any width
Explored = Literal["queries", "items"]
_KINDS = {".csv": "text/csv", ".json": "application/json"}
SYSTEMS = "systems.csv", "values of all measures by system"
COMPARISONS = "comparisons.csv", "all pairwise comparisons"
WIDTH = re.compile(r'<svg [^>]*?\bwidth="([0-9.]+)"')


@frozen
class Download:
    """A file embedded in the page as a link."""

    name: str
    what: str
    link: str
    size: int


@frozen
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


@frozen
class Passage:
    """A heading and the paragraphs below it."""

    heading: str
    paragraphs: tuple[str, ...]


@frozen
class Content:
    """The content of a report, from summary to downloads."""

    title: str
    subtitle: str
    lead: tuple[str, ...]
    findings: tuple[Finding, ...]
    board: Table
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    passages: tuple[Passage, ...]  # on methods
    cited: tuple[str, ...]
    provenance: Provenance
    files: tuple[Download, ...]
    explorer: dict[str, Any] | None = None  # the data of the interactive table of queries or items
    explored: Explored = "queries"
    heading: str = "Leaderboard"  # above the main table

    @property
    def leader(self) -> str:
        """The system in the first row of the main table."""
        return str(self.board.rows[0][0].value) if self.board.rows else ""

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The literature cited."""
        return tuple(references(self.cited))

    @property
    def methods(self) -> tuple[Passage, ...]:
        """The methods section: the passages, the software, and the references if there are any."""
        packages = ", ".join(f"{name} {version(name)}" for name in ("cranfield", "numpy", "scipy", "pyarrow"))
        software = Passage("Software", (f"Computed with {packages} and Python {platform.python_version()}.",))
        literature = [Passage("References", tuple(map(str, self.references)))] if self.references else []
        return (*self.passages, software, *literature)

    @property
    def inputs(self) -> Table:
        """The inputs with their format and digest, and the warnings about them."""
        columns = (Column("role"), Column("name"), Column("form"), Column("SHA-256"))
        rows = tuple(
            row(source.role, source.name, source.form, source.digest or "not a file")
            for source in self.provenance.inputs
        )
        return Table(columns, rows, notes=tuple(f"{warning}." for warning in self.provenance.warnings))

    @property
    def downloads(self) -> tuple[Download, ...]:
        """The files, the findings, and the references in BibTeX if there are any."""
        bibtex = "\n".join(reference.bibtex for reference in self.references)
        return (
            *self.files,
            embedded("findings.json", "findings", json_text([finding.to_dict() for finding in self.findings])),
            *([embedded("references.bib", "references in BibTeX", bibtex)] if self.references else []),
        )

    @property
    def across(self) -> frozenset[str]:
        """The names of the figures as wide as the page, chosen so that the grid of two columns has no hole."""
        wide = {figure.name for figure in self.figures if figure.wide}
        halves = [figure.name for figure in self.figures if not figure.wide]
        if len(halves) % 2:
            wide.add(next((name for name in STRETCHED if name in halves), halves[-1]))
        return frozenset(wide)

    def stacked(self, n_findings: int) -> bool:
        """Whether findings follow below the main table: if it needs the width of the page or is much shorter than
        they are."""
        rows = sum(ROW + SMALL * any(cell.bounds for cell in cells) for cells in self.board.rows)
        if FINDING * min(n_findings, MOST_FINDINGS) > 1.5 * (HEADER + rows):
            return True
        if self.explorer is not None and self.explored == "queries":
            return len(self.explorer["measures"]) > MEASURES
        return len(self.board.columns) > COLUMNS


def embedded(name: str, what: str, text: str) -> Download:
    """A file with this text; its extension determines the media type."""
    kind, content = _KINDS.get(PurePath(name).suffix, "text/plain"), text.encode("utf-8", "backslashreplace")
    return Download(name, what, f"data:{kind};charset=utf-8;base64,{b64encode(content).decode()}", len(content))


def main_files(
    name: str, what: str, values: str, document: str, board: Table, called: str = "leaderboard"
) -> tuple[Download, ...]:
    """Values as CSV, all of them with settings and provenance as JSON, and the main table in LaTeX."""
    return (
        embedded(name, what, values),
        embedded("report.json", "all values with settings and provenance", document),
        embedded(f"{called}.tex", f"{called} in LaTeX", latex(board)),
    )
