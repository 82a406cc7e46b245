"""The report on agreement: coefficients for all raters, every pair and every topic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from cranfield.agreement.plots import kappas
from cranfield.agreement.result import Agreed, Agreement
from cranfield.agreement.tables import TITLES, tables, working
from cranfield.errors import BadSetting
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.table import Cell, Column, Row, Table, numbers
from cranfield.reporting.content import Content, Figure, main_files
from cranfield.reporting.figures import figure
from cranfield.reporting.methods import measures_passage
from cranfield.reporting.page import Report
from cranfield.text import count, number, percent

MATRICES = ("Kappa", "Kappa(weights='quadratic')")


def agreement_page(agreement: Agreement, *, title: str, digits: int, steps: bool) -> Report:
    """The page on raters; with `steps`, the working of kappa is shown."""
    first, *others = tables(agreement, digits=digits, every=True)
    measures = [parse(name, "ratings") for name in agreement.settings["measures"]]
    raters = count(len(agreement.raters), "rater") if agreement.raters else "raters without names"
    content = Content(
        title=title or f"Agreement of {raters}",
        subtitle=f"{raters}, {count(len(agreement.items), 'item')}, {count(len(agreement.topics), 'topic')}",
        lead=tuple(_lead(agreement, measures)),
        findings=tuple(agreement.findings()),
        board=replace(first, title=""),  # shown as the heading
        tables=(*(working(agreement, digits) if steps else ()), *_side_by_side(agreement, others, digits)),
        figures=tuple(_matrices(agreement)),
        passages=(measures_passage(measures),),
        cited=tuple(measure.declaration.cite for measure in measures),
        provenance=agreement.provenance,
        files=main_files("agreement.csv", "all coefficients", agreement.to_csv(), agreement.to_json(), first, "table"),
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
    for scope, (title, name) in TITLES.items():
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
        *(Cell(agreed.value, bounds=None if math.isnan(agreed.low) else (agreed.low, agreed.high)) for agreed in rows),
    )


def _matrices(agreement: Agreement) -> Iterator[Figure]:
    """The agreement of every pair of raters, by kappa and, for grades, by weighted kappa."""
    for place, measure in enumerate(MATRICES):
        try:
            yield figure(f"kappas-{place}", kappas(agreement, measure=measure))
        except BadSetting:  # the coefficient was not computed for every pair
            continue
