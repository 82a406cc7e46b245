"""The report on agreement: coefficients for all raters, every pair and every topic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from cranfield.errors import BadSetting
from cranfield.findings.words import count, number, percent
from cranfield.measures.citations import references
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.agreement import coefficients
from cranfield.present.latex import latex
from cranfield.present.plots.agreement import kappas
from cranfield.present.report.content import Content, Download, Figure, csv_file, downloads, json_file, text_file
from cranfield.present.report.figures import figure
from cranfield.present.report.methods import inputs_table, measures_passage, methods
from cranfield.present.report.page import Report
from cranfield.present.table import Cell, Column, Row, Table, known, numbers
from cranfield.results.agreement import Agreed, Agreement, Scope

MATRICES = ("Kappa", "Kappa(weights='quadratic')")
_NAMES: dict[Scope, tuple[str, str]] = {"pair": ("Pairs of raters", "raters"), "topic": ("Topics", "topic")}


def agreement_page(agreement: Agreement, *, title: str, digits: int, steps: bool) -> Report:
    """The page on raters; with `steps`, the working of kappa is shown."""
    first, *others = coefficients(agreement, digits=digits)
    working = [*coefficients(agreement, digits=digits, steps=True)][: -len(others) - 1] if steps else []
    measures = [parse(name, "ratings") for name in agreement.settings["measures"]]
    findings = agreement.findings()
    sources = references(measure.declaration.cite for measure in measures)
    raters = count(len(agreement.raters), "rater") if agreement.raters else "raters without names"
    content = Content(
        title=title or f"Agreement of {raters}",
        subtitle=f"{raters}, {count(len(agreement.items), 'item')}, {count(len(agreement.topics), 'topic')}",
        lead=tuple(_lead(agreement, measures)),
        findings=tuple(findings),
        board=replace(first, title=""),  # shown as the heading
        tables=(*working, *_side_by_side(agreement, others, digits)),
        figures=tuple(_matrices(agreement)),
        explorer=None,
        methods=methods((measures_passage(measures),), sources),
        inputs=inputs_table(agreement.provenance),
        downloads=downloads(_files(agreement, first), findings, sources),
        heading="All raters",
    )
    return Report(content)


def _lead(agreement: Agreement, measures: list[Measure]) -> Iterator[str]:
    """A sentence with the first chance-corrected coefficient, its interval and its interpretation."""
    for measure in measures:
        agreed = agreement.row(str(measure))
        if agreed.band:
            confidence, unknown = percent(agreement.settings["confidence"]), math.isnan(agreed.low)
            bounds = "" if unknown else f", {confidence} CI {number(agreed.low)} to {number(agreed.high)}"
            called = f"{measure.declaration.title} is {number(agreed.value)}{bounds}"
            yield f"{called}, over {count(agreed.n_items, 'item')}: {agreed.band} agreement."
            return


def _side_by_side(agreement: Agreement, shown: list[Table], digits: int) -> Iterator[Table]:
    """The tables of pairs and topics with one column per coefficient, for comparing rows."""
    titles = {table.title for table in shown}
    for scope, (title, name) in _NAMES.items():
        rows = agreement.of(scope)
        if title in titles:
            measures = list(dict.fromkeys(agreed.measure for agreed in rows))
            columns = (Column(name), *numbers("items", digits=0), *numbers(*measures, digits=digits))
            names = dict.fromkeys(agreed.name for agreed in rows)
            lines = tuple(_row(one, [agreed for agreed in rows if agreed.name == one]) for one in names)
            yield Table(columns, lines, title=title)


def _row(name: str, rows: list[Agreed]) -> Row:
    return (
        Cell(name),
        Cell(rows[0].n_items),
        *(
            Cell(known(agreed.value), bounds=None if math.isnan(agreed.low) else (agreed.low, agreed.high))
            for agreed in rows
        ),
    )


def _matrices(agreement: Agreement) -> Iterator[Figure]:
    """The agreement of every pair of raters, by kappa and, for grades, by weighted kappa."""
    for place, measure in enumerate(MATRICES):
        try:
            yield figure(f"kappas-{place}", kappas(agreement, measure=measure))
        except BadSetting:  # the coefficient was not computed for every pair
            continue


def _files(agreement: Agreement, table: Table) -> tuple[Download, ...]:
    return (
        csv_file("agreement.csv", "all coefficients", agreement.to_csv()),
        json_file("report.json", "the same with settings and provenance", agreement.to_json()),
        text_file("table.tex", "the first table in LaTeX", latex(table)),
    )
