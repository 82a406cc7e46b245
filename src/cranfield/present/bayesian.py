"""Bayesian comparisons as tables."""

from __future__ import annotations

from cranfield.findings.words import percent
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.bayesian import BayesianComparison

_FIELDS = ("measure", "system", "baseline", "difference", "low", "high", "better", "equivalent", "worse", "decision")


def tables(compared: BayesianComparison, *, digits: int = DIGITS) -> list[Table]:
    """One row per pair and measure."""
    columns = (
        *map(Column, _FIELDS[:3]),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("P(better)", "P(equivalent)", "P(worse)", digits=3, probability=True),
        Column("decision"),
    )
    rows = tuple(row(*(getattr(one, name) for name in _FIELDS)) for one in compared.rows)
    rope, model = compared.settings["rope"], compared.settings["model"]
    credibility = compared.settings["credibility"]
    bounds = f"low, high: {percent(credibility)} credible interval of the mean difference"
    notes = (
        f"model: {model}; practically equivalent: mean differences from {-rope:g} to {rope:g}",
        f"decision: an event with a probability of at least {credibility:g}",
        *([] if model == "signed-rank" else [bounds]),
        *compared.notes,
    )
    return [Table(columns, rows, title="Posterior probabilities", notes=notes)]
