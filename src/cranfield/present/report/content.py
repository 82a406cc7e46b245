"""What a report says, apart from how its page looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cranfield.findings.finding import Finding
from cranfield.present.report.downloads import Download
from cranfield.present.report.figures import Figure
from cranfield.present.table import Table


@dataclass(frozen=True)
class Passage:
    """A heading and the paragraphs below it."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """A report: what is said first, figures in tables and pictures, how they came, and the data."""

    title: str
    subtitle: str
    lead: tuple[str, ...]
    findings: tuple[Finding, ...]
    board: Table
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    explorer: dict[str, Any] | None  # what the script needs to show query by query, or item by item
    methods: tuple[Passage, ...]
    inputs: Table
    downloads: tuple[Download, ...]
    explored: Literal["queries", "items"] = "queries"
