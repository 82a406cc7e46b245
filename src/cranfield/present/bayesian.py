"""Bayesian comparisons as tables."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.bayesian import BayesianComparison
from cranfield.text import percent


def tables(compared: BayesianComparison, *, digits: int) -> list[Table]:
    """One row per pair and measure."""
    columns = (
        *map(Column, ("measure", "system", "baseline")),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("P(better)", "P(equivalent)", "P(worse)", digits=3, probability=True),
        Column("decision"),
    )
    fields = {f"P({outcome})": outcome for outcome in ("better", "equivalent", "worse")}
    rope, model = compared.settings["rope"], compared.settings["model"]
    credibility = compared.settings["credibility"]
    bounds = f"low, high: {percent(credibility)} credible interval of the mean difference"
    notes = (
        f"model: {model}; practically equivalent: mean differences from {-rope:g} to {rope:g}",
        f"decision: an event with a probability of at least {credibility:g}",
        *([] if model == "signed-rank" else [bounds]),
        *compared.notes,
    )
    return [Table(columns, rows_of(compared.rows, columns, fields), title="Posterior probabilities", notes=notes)]
