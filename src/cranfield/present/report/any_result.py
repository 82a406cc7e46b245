"""The report on any result: its tables, plots, findings, settings and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from cranfield.findings.words import count, verb
from cranfield.measures.citations import references
from cranfield.present.comparison import tested
from cranfield.present.latex import latex
from cranfield.present.plots.plot import Plot
from cranfield.present.rendering import tables_of
from cranfield.present.report.content import Content, Download, Passage, csv_file, downloads, json_file, text_file
from cranfield.present.report.figures import figure
from cranfield.present.report.methods import inference_passage, inputs_table, methods
from cranfield.present.report.page import Report
from cranfield.present.table import Column, Table, row
from cranfield.results.comparison import Comparison
from cranfield.results.verb_result import VerbResult


def result_page(
    result: VerbResult, plots: Mapping[str, Plot], *, title: str, digits: int | None, steps: bool, pairs: bool
) -> Report:
    """The page on a result, with these plots of it; `steps` explains every test, `pairs` lists every pair."""
    listed = {"pairs": True} if pairs and isinstance(result, Comparison) else {}
    first, *others = [*tables_of(result, digits=digits, **listed)] or [_severities(result)]
    findings = result.findings()
    kind = result.kind.replace("-", " ").capitalize()
    heading = first.title or kind
    cited = [result.test.cite] if isinstance(result, Comparison) else []
    sources = references(cited)
    content = Content(
        title=title or kind,
        subtitle=f"{count(len(result.table()), 'row')} in {count(len(others) + 1, 'table')}",
        lead=tuple(_lead(result)),
        findings=tuple(findings),
        board=replace(first, title=""),  # shown as the heading
        tables=tuple(others),
        figures=tuple(figure(name, plot) for name, plot in plots.items()),
        explorer=None,
        methods=methods(_methods(result, steps), sources),
        inputs=inputs_table(result.provenance),
        downloads=downloads(_files(result, latex(first)), findings, sources),
        heading=heading,
    )
    return Report(content)


def _severities(result: VerbResult) -> Table:
    """The severity and rule of each finding; the sentences are in the summary."""
    rows = [row(finding.severity, finding.rule) for finding in result.findings()]
    return Table((Column("severity"), Column("rule")), tuple(rows), title="Rules")


def _lead(result: VerbResult) -> Iterator[str]:
    """How many differences are significant, if systems were compared."""
    if isinstance(result, Comparison):
        n, differences = sum(pair.significant for pair in result.rows), count(len(result.rows), "difference")
        yield f"{n} of {differences} {verb(n, 'is', 'are')} statistically significant ({tested(result)})."


def _methods(result: VerbResult, steps: bool) -> Iterator[Passage]:
    """How the values were computed: the test, and the settings."""
    if isinstance(result, Comparison):
        yield inference_passage(None, result)
        if steps:
            yield Passage("Steps of the tests", tuple(map(result.steps, result.rows)))
    about = result.about()
    settings: Mapping[str, Any] = about.get("settings") or {}
    if settings:
        yield Passage("Settings", tuple(f"{name}: {value}" for name, value in settings.items() if value is not None))


def _files(result: VerbResult, table: str) -> tuple[Download, ...]:
    return (
        csv_file(f"{result.kind}.csv", "the main table", result.to_csv()),
        json_file("report.json", "all tables with settings and provenance", result.to_json()),
        text_file("table.tex", "the first table in LaTeX", table),
    )
