"""The tables of a report on classification: correct predictions, AUC, classes, groups and thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.classification.result import Classification, columns_of_classes
from cranfield.classification.tables import CELLS, CHOSEN, areas, classes
from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import SIGNIFICANT
from cranfield.inference.corrections import title
from cranfield.present.rankings import by_query
from cranfield.present.report.figures import SEVERAL
from cranfield.present.table import DIGITS, Cell, Column, Row, Table, numbers
from cranfield.tables.number_spelling import short_number
from cranfield.text import count


def tables(classification: Classification, compared: Comparison | None) -> Iterator[Table]:
    """The tables that are not empty."""
    if compared is not None:
        yield _correct(compared)
    yield from areas(replace(classification, evaluated=classification.evaluated[:SEVERAL]), DIGITS)
    for evaluated in classification.evaluated[:SEVERAL] if len(classification.evaluated[0].units) > 1 else ():
        prefix = f"{evaluated.predictions.system}: " if len(classification.systems) > 1 else ""
        if columns := columns_of_classes(classification, evaluated):
            table = classes(evaluated, columns)
            yield replace(table, title=f"{prefix}{table.title}")
    if classification.evaluated[0].predictions.groups:
        groups = by_query(classification.result)
        yield Table((Column("group"), *groups.columns[1:]), groups.rows, title="By group")
    if rows := [row for system in classification.systems for row in _choices(classification, system)]:
        yield _thresholds(rows)


def _thresholds(rows: list[Row]) -> Table:
    figures = numbers("threshold", "cross-validated", "apparent", digits=4)
    columns = (Column("system"), Column("goal"), *figures, *numbers(*CELLS))
    return Table(columns, tuple(rows), title="Best threshold by goal on these items", notes=(CHOSEN,))


def _correct(compared: Comparison) -> Table:
    """One row per pair: the items that only one of the two predicts correctly, with McNemar's test."""
    columns = (
        *map(Column, ("system", "other")),
        *numbers("only system", "only other", digits=0),
        *numbers("difference", "low", "high", digits=DIGITS),
        *numbers("p", "adjusted p", digits=DIGITS, probability=True),
    )
    rows = [
        (
            *(Cell(name) for name in (row.system, row.baseline)),
            *map(Cell, (row.wins, row.losses)),
            *map(Cell, (row.difference, row.low, row.high, row.p)),
            Cell(row.adjusted_p, marks=SIGNIFICANT if row.significant else ""),
        )
        for row in compared.rows
    ]
    note = (
        "items that only one of the two predicts correctly, the difference in accuracy with its confidence interval, "
        f"and McNemar's exact test; {SIGNIFICANT} significant: p-value, adjusted by "
        f"{title(compared.correction)} over {count(len(compared), 'comparison')}, below {compared.level:g}"
    )
    notes = (note, f"low, high: {compared.bounds}")
    return Table(columns, tuple(rows), title="Correct predictions compared (McNemar)", notes=notes)


def _choices(classification: Classification, system: str) -> Iterator[Row]:
    if not classification.of(system).separates:
        return
    validated = classification.cross_validations(system=system)
    for goal, choice in classification.choices(system=system).items():
        if choice.thresholds:
            whole = [short_number(float(cell[0])) for cell in choice.cells.counts]
            at = choice.threshold if np.isfinite(choice.threshold) else "above every score"
            value = None if validated[goal].reason else validated[goal].value
            yield tuple(map(Cell, (system, goal, at, value, choice.value, *whole)))
