"""Rank correlations as a table: a row for every two orders, a column for each coefficient."""

from __future__ import annotations

from cranfield.present.table import Column, Table, row
from cranfield.results.orders import Correlations


def correlated(found: Correlations, digits: int) -> Table:
    """A row for every two orders."""
    pairs: dict[tuple[str, str], list[float | None]] = {}
    for record in found.to_dicts():
        pairs.setdefault((record["first"], record["second"]), []).append(record["value"])
    numbers = (Column(name, numeric=True, digits=digits) for name in found.coefficients)
    rows = tuple(row(*names, *values) for names, values in pairs.items())
    notes = [f"orders of {len(found.systems)}; 1: the same order"]
    if "tau-AP" in found.coefficients:
        notes.append("tau-AP: the mean of both directions, neither order being the true one")
    notes += dict.fromkeys(f"–: {each.first} and {each.second}, {each.note}" for each in found.rows if each.note)
    return Table((Column("order"), Column("other"), *numbers), rows, title="How alike orders are", notes=tuple(notes))
