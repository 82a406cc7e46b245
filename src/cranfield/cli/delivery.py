"""How a command's result is delivered: format, file, number of decimals, and findings below it.

Decided here: in which formats a result is delivered.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from cranfield.cli.output import show, write
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.present.table import Table
    from cranfield.results.verb_result import Format as Layout
    from cranfield.results.verb_result import VerbResult

DIGITS = 4
Format = Literal["table", "csv", "json", "markdown", "latex", "html"]
SUFFIXES: dict[str, Format] = {"": "table", ".txt": "table", ".csv": "csv", ".json": "json", ".md": "markdown",
                               ".tex": "latex", ".html": "html"}  # fmt: skip


class Deliverable(Protocol):
    """A result that can be delivered in every format."""

    def csv(self, digits: int | None) -> str:
        """One row per value."""

    def json(self, digits: int | None, findings: bool) -> Any:
        """Everything as plain values."""

    def tables(self, digits: int) -> Iterable[Table]:
        """Tables for readers."""

    def below(self, format: Layout, findings: bool) -> list[str]:  # noqa: A002
        """The texts printed below the tables."""


class Answer:
    """Results of verbs; options such as per_query, and the findings and rows, apply to the first."""

    def __init__(self, first: VerbResult, *others: VerbResult, **options: Any) -> None:
        self._first, self._others, self._options = first, others, options

    @property
    def passed(self) -> bool:
        """Whether all release gates are passed; true of results without gates."""
        return getattr(self._first, "passed", True)

    def csv(self, digits: int | None) -> str:
        """The main records of the first result."""
        return self._first.to_csv(digits=digits, **self._options)

    def json(self, digits: int | None, findings: bool) -> dict[str, Any]:
        """All results in one document."""
        document = self._first.to_dict(digits=digits, findings=findings, **self._options)
        for other in self._others:
            more = other.to_dict(digits=digits)
            notes = {"notes": list(dict.fromkeys([*document["notes"], *more.get("notes", ())]))}
            document = {**more, **document, **notes}
        return document

    def tables(self, digits: int) -> Iterable[Table]:
        """The tables of all results."""
        from cranfield.present.rendering import tables_of

        yield from tables_of(self._first, digits=digits, **self._options)
        for other in self._others:
            yield from tables_of(other, digits=digits)

    def below(self, format: Layout, findings: bool) -> list[str]:  # noqa: A002
        """The findings, if requested."""
        if not findings:
            return []
        from cranfield.present import findings as texts

        findings_shown = self._first.findings()
        if format != "table":
            return [getattr(texts, format)(findings_shown)]
        import shutil

        wide = shutil.get_terminal_size((texts.WIDTH, 0)).columns if sys.stdout.isatty() else texts.WIDTH
        return [texts.plain(findings_shown, min(wide, texts.WIDTH))]


class Listing(NamedTuple):
    """Records that no verb computes, such as a catalogue: rows for CSV, tables for readers, a document for JSON."""

    records: Sequence[dict[str, Any]]
    tables_shown: Iterable[Table]
    document: Any = None  # the records, if there is no more

    def csv(self, digits: int | None) -> str:
        """One row per record."""
        from cranfield.results.writing import comma_separated

        return comma_separated(list(self.records[0]), [list(map(str, record.values())) for record in self.records])

    def json(self, digits: int | None, findings: bool) -> Any:
        """The document, or the records."""
        return self.document or self.records

    def tables(self, digits: int) -> Iterable[Table]:
        """The tables."""
        return self.tables_shown

    def below(self, format: Layout, findings: bool) -> list[str]:  # noqa: A002
        """No text."""
        return []


class Delivery(NamedTuple):
    """The format, the file, the number of decimals, and whether findings are shown."""

    format: Format
    output: str | None
    digits: int | None
    findings: bool

    @classmethod
    def requested(cls, values: dict[str, Any]) -> Delivery:
        """The delivery requested by the options, which are removed from the values and checked in advance."""
        output, findings = values.pop("output"), values.pop("findings", False)
        format_ = values.pop("format") or _format_of(output)
        if findings and format_ == "csv":
            raise BadSetting("CSV has one row per value and no place for findings; use --format json")
        return cls(format_, output, values.pop("digits"), findings)

    def prepared(self, answer: Deliverable) -> Callable[[], None]:
        """Prepare the output; the returned function writes it."""
        if self.format == "csv":
            return partial(write, answer.csv(self.digits), self.output)
        if self.format == "json":
            from cranfield.results.writing import json_text

            return partial(write, json_text(answer.json(self.digits, self.findings)), self.output)
        tables = list(answer.tables(DIGITS if self.digits is None else self.digits))
        return partial(show, tables, self.format, self.output, "\n".join(answer.below(self.format, self.findings)))


def _format_of(output: str | None) -> Format:
    """The format for a file extension."""
    suffix = os.path.splitext(output or "")[1].lower()
    if suffix not in SUFFIXES:
        endings = ", ".join(filter(None, SUFFIXES))
        raise BadSetting(f"{output}: no format has the extension {suffix!r}; use one of {endings}, or --format")
    return SUFFIXES[suffix]
