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
    notes = [f"orders of {len(found.systems)} systems; 1: the same order"]
    if any(None in values for values in pairs.values()):
        notes.append("–: undefined, for one of the orders ties all systems")
    return Table((Column("order"), Column("other"), *numbers), rows, title="How alike orders are", notes=tuple(notes))
