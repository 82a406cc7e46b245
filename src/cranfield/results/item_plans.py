"""Plans of classifications and ratings: the number of items needed to detect an area or a kappa."""

from __future__ import annotations

from cranfield.frozen import frozen
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
