"""Plans of judging as tables."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.judging_plans import JudgingPlan

_SHOWN = 20  # documents shown; files contain all


def tables(plan: JudgingPlan, *, digits: int) -> list[Table]:
    """The number of documents to judge in each stratum, and the first of them."""
    strata = (
        *numbers("stratum", digits=0),
        *numbers("machine grade", digits=1),
        *numbers("weight", "deviation", digits=digits),
        *numbers("documents", "to judge", digits=0),
    )
    note = "weight: largest contribution of a document; deviation: expected, of the human gain"
    figures = (*numbers("stratum", digits=0), *numbers("probability", digits=digits))
    documents = (Column("query"), Column("document"), *figures)
    more = len(plan) - _SHOWN
    notes = (f"and {more:,} more: -f csv, or -o judge.csv, lists all of them",) if more > 0 else ()
    first = rows_of(plan.rows[:_SHOWN], documents)
    return [
        Table(strata, rows_of(plan.strata, strata), title="Strata", notes=(*plan.notes, note)),
        Table(documents, first, title="Documents to judge", notes=notes),
    ]
