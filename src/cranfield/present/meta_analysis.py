"""Meta-analyses as tables."""

from __future__ import annotations

from cranfield.findings.words import percent
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.meta_analysis import MetaAnalysis

_NAMES = ("measure", "system", "baseline")
_OVER = ("difference", "low", "high", "p", "between", "inconsistency", "q_p", "new_low", "new_high")
_ON = ("collection", "n", "difference", "low", "high", "weight")


def tables(analysis: MetaAnalysis, *, digits: int = DIGITS) -> list[Table]:
    """The mean differences over collections, and the differences on each."""
    columns = (
        *map(Column, _NAMES),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("p", digits=digits, probability=True),
        *numbers("between", digits=digits),
        *numbers("I²", digits=2),
        *numbers("p of Q", digits=digits, probability=True),
        *numbers("new low", "new high", digits=digits),
    )
    rows = tuple(row(*(getattr(one, name) for name in (*_NAMES, *_OVER))) for one in analysis.rows)
    confidence = f"{percent(analysis.settings['confidence'])}"
    notes = (
        f"difference: random-effects mean over collections; heterogeneity by {analysis.settings['heterogeneity']}",
        f"low, high: {confidence} intervals of the mean (Knapp and Hartung); new low, new high: prediction of the "
        "difference on another collection",
        "between: standard deviation of the true differences; I²: proportion of the variance beyond sampling error",
        *analysis.notes,
    )
    over = Table(columns, rows, title="Differences over collections", notes=notes)
    heads = (
        *map(Column, (*_NAMES, "collection")),
        *numbers("n", digits=0),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("weight", digits=2),
    )
    lines = tuple(row(*(getattr(one, name) for name in (*_NAMES, *_ON))) for one in analysis.collections)
    return [over, Table(heads, lines, title="Differences on each collection")]
