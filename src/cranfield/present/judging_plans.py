"""Plans of judging as tables."""

from __future__ import annotations

from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.judging_plans import JudgingPlan

_SHOWN = 20  # documents shown; files contain all


def tables(plan: JudgingPlan, *, digits: int = DIGITS) -> list[Table]:
    """The number of documents to judge in each stratum, and the first of them."""
    return [_strata(plan, digits), _documents(plan, digits)]


def _strata(plan: JudgingPlan, digits: int) -> Table:
    columns = (
        *numbers("stratum", digits=0),
        *numbers("machine grade", digits=1),
        *numbers("weight", "deviation", digits=digits),
        *numbers("documents", "to judge", digits=0),
    )
    rows = tuple(
        row(one.stratum, one.machine_grade, one.weight, one.deviation, one.documents, one.to_judge)
        for one in plan.strata
    )
    note = "weight: largest contribution of a document; deviation: expected, of the human gain"
    return Table(columns, rows, title="Strata", notes=(*plan.notes, note))


def _documents(plan: JudgingPlan, digits: int) -> Table:
    columns = (
        *map(Column, ("query", "document")),
        *numbers("stratum", digits=0),
        *numbers("probability", digits=digits),
    )
    rows = tuple(row(one.query, one.document, one.stratum, one.probability) for one in plan.rows[:_SHOWN])
    more = len(plan) - _SHOWN
    notes = (f"and {more:,} more: -f csv, or -o judge.csv, lists all of them",) if more > 0 else ()
    return Table(columns, rows, title="Documents to judge", notes=notes)
