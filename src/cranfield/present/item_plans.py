"""Plans of classifications and ratings as tables."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.item_plans import ItemPlan


def tables(plan: ItemPlan, *, digits: int) -> list[Table]:
    """One row per test: the items needed, and the power of a given number."""
    columns = (
        Column("measure"),
        *numbers("value", "null", "prevalence", digits=digits),
        *numbers("needed", "items", digits=0),
        *numbers("power", digits=2),
    )
    settings = plan.settings
    note = f"needed: items for power {settings['power']:g} at level {settings['level']:g}, {settings['alternative']}"
    return [
        Table(columns, rows_of(plan.rows, columns, {"items": "n"}), title="Items needed", notes=(note, *plan.notes))
    ]
