"""The report on any result: its tables, plots, findings, settings and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import tested
from cranfield.present.plots.plot import Plot
from cranfield.present.rendering import tables_of
from cranfield.present.table import Column, Table, row
from cranfield.reporting.content import Content, Passage, main_files
from cranfield.reporting.figures import figure
from cranfield.reporting.methods import inference_passage
from cranfield.reporting.page import Report
from cranfield.results.verb_result import VerbResult
from cranfield.text import count, verb


def result_page(
    result: VerbResult, plots: Mapping[str, Plot], *, title: str, digits: int | None, steps: bool, pairs: bool
) -> Report:
    """The page on a result, with these plots of it; `steps` explains every test, `pairs` lists every pair."""
    listed = {"every": True, "pairs": pairs} if isinstance(result, Comparison) else {}
    first, *others = [*tables_of(result, digits=digits, **listed)] or [_severities(result)]
    kind = result.kind.replace("-", " ").capitalize()
    content = Content(
        title=title or kind,
        subtitle=f"{count(len(result.table()), 'row')} in {count(len(others) + 1, 'table')}",
        lead=tuple(_lead(result)),
        findings=tuple(result.findings()),
        board=replace(first, title="", lead=()),  # shown as the heading
        tables=tuple(others),
        figures=tuple(figure(name, plot) for name, plot in plots.items()),
        passages=tuple(_methods(result, steps)),
        cited=(result.test.cite,) if isinstance(result, Comparison) else (),
        provenance=result.provenance,
        files=main_files(f"{result.kind}.csv", "the main table", result.to_csv(), result.to_json(), first, "table"),
        heading=first.title or kind,
    )
    return Report(content)


def _severities(result: VerbResult) -> Table:
    """The severity and rule of each finding; the sentences are in the summary."""
    rows = [row(finding.severity, finding.rule) for finding in result.findings()]
    return Table((Column("severity"), Column("rule")), tuple(rows), title="Rules")


def _lead(result: VerbResult) -> Iterator[str]:
    """The answer, if the result has one; how many differences are significant, if systems were compared."""
    if result.answer:
        yield result.answer
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
