"""Meta-analyses as tables."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.meta_analysis import MetaAnalysis
from cranfield.text import percent

_NAMES = ("measure", "system", "baseline")


def tables(analysis: MetaAnalysis, *, digits: int) -> list[Table]:
    """The mean differences over collections, and the differences on each."""
    over = (
        *map(Column, _NAMES),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("p", digits=digits, probability=True),
        *numbers("between", digits=digits),
        *numbers("I²", digits=2),
        *numbers("p of Q", digits=digits, probability=True),
        *numbers("new low", "new high", digits=digits),
    )
    confidence = percent(analysis.settings["confidence"])
    notes = (
        f"difference: random-effects mean over collections; heterogeneity by {analysis.settings['heterogeneity']}",
        f"low, high: {confidence} intervals of the mean (Knapp and Hartung); new low, new high: prediction of the "
        "difference on another collection",
        "between: standard deviation of the true differences; I²: proportion of the variance beyond sampling error",
        *analysis.notes,
    )
    on_each = (
        *map(Column, (*_NAMES, "collection")),
        *numbers("n", digits=0),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("weight", digits=2),
    )
    rows = rows_of(analysis.rows, over, {"I²": "inconsistency", "p of Q": "q_p"})
    return [
        Table(over, rows, title="Differences over collections", notes=notes),
        Table(on_each, rows_of(analysis.collections, on_each), title="Differences on each collection"),
    ]
