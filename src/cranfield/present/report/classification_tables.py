"""The tables of a report on classification: right answers, areas, classes, groups and thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.assessment.classification import Classification
from cranfield.findings.words import count
from cranfield.present.classification import classes
from cranfield.present.comparison import SIGNIFICANT
from cranfield.present.results import DIGITS, by_query
from cranfield.present.table import Cell, Column, Row, Table
from cranfield.present.thresholds import areas
from cranfield.results.comparison import Comparison

SEVERAL = 7  # systems that have tables and pictures of their own


def tables(given: Classification, compared: Comparison | None) -> Iterator[Table]:
    """The tables that there is anything to say in."""
    if compared is not None:
        yield _right_answers(compared)
    yield from areas(replace(given, assessed=given.assessed[:SEVERAL]), DIGITS)
    for own in given.assessed[:SEVERAL] if len(given.assessed[0].units) > 1 else ():
        prefix = f"{own.predictions.system}: " if len(given.systems) > 1 else ""
        table = classes(given, own)
        yield replace(table, title=f"{prefix}{table.title}")
    if given.assessed[0].predictions.groups:
        groups = by_query(given.result)
        yield Table((Column("group"), *groups.columns[1:]), groups.rows, title="Each group")
    if rows := [row for system in given.systems for row in _choices(given, system)]:
        yield _thresholds(rows)


def _thresholds(rows: list[Row]) -> Table:
    columns = (Column("system"), Column("goal"), *(Column(name, True, 4) for name in ("threshold", "value")))
    counts = tuple(Column(name, True) for name in ("TP", "FP", "FN", "TN"))
    return Table((*columns, *counts), tuple(rows), title="The best threshold for each goal")


def _right_answers(compared: Comparison) -> Table:
    """A row for each pair: the items that only one of them answers rightly, and whether that could be chance."""
    heads = (*map(Column, ("system", "other")), *(Column(name, True, 0) for name in ("only system", "only other")))
    numbers = (
        *(Column(name, True, DIGITS) for name in ("difference", "low", "high")),
        *(Column(name, True, DIGITS, probability=True) for name in ("p", "corrected p")),
    )
    rows = [
        (
            *(Cell(name) for name in (row.system, row.baseline)),
            *(Cell(figure) for figure in (row.wins, row.losses, row.difference, row.low, row.high, row.p)),
            Cell(row.corrected, marks=SIGNIFICANT if row.significant else ""),
        )
        for row in compared.rows
    ]
    note = (
        "items that only one of the two answers rightly, the difference of the shares of right answers with its "
        f"{1 - compared.level:.0%} interval, and McNemar's exact test; {SIGNIFICANT} the p-value, corrected by "
        f"{compared.correction.capitalize()} over {count(len(compared), 'comparison')}, is below {compared.level:g}"
    )
    return Table((*heads, *numbers), tuple(rows), title="Right answers compared (McNemar)", notes=(note,))


def _choices(given: Classification, system: str) -> Iterator[Row]:
    if given.of(system).thresholds is None:
        return
    for goal, choice in given.choices(system=system).items():
        if choice.thresholds:
            counts = [float(cell[0]) for cell in choice.cells.each]
            whole = [int(count) if count.is_integer() else count for count in counts]
            at = choice.threshold if np.isfinite(choice.threshold) else "above every score"
            yield tuple(map(Cell, (system, goal, at, choice.value, *whole)))
