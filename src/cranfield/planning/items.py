"""Plans of classifications and ratings: the number of items needed to detect an area or a kappa."""

from __future__ import annotations

from cranfield.frozen import frozen
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.verb_result import AnnotatedResult


@frozen
class PlannedItems:
    """The items needed to distinguish two values of a measure, and the power of a given number of items."""

    measure: str
    value: float
    null: float
    prevalence: float
    needed: int
    n: int | None
    power: float | None  # of n items


@frozen(eq=False)
class ItemPlan(AnnotatedResult):
    """The number of items for a test of an area under the ROC curve, or of kappa."""

    kind = "item plan"
    record_fields = (("plan", "rows"),)

    rows: tuple[PlannedItems, ...]


# Plans of classifications and ratings as tables


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
