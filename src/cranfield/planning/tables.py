"""Plans as tables: power, sample sizes and detectable differences."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.planning.result import Design, Plan
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.settings import CONFIDENCE
from cranfield.text import percent

_FIELDS = {"queries": "n", "low": "needed_low", "high": "needed_high"}


def tables(plan: Plan, *, digits: int) -> list[Table]:
    """One row per pair and measure; empty columns are left out."""
    every = (
        *map(Column, ("measure", "system", "baseline")),
        *numbers("deviation", digits=digits),
        *numbers("queries", digits=0),
        *numbers("power", digits=2),
        *numbers("needed", "low", "high", digits=0),
        *numbers("smallest", digits=digits),
    )
    columns = tuple(
        column
        for column, cells in zip(every, zip(*rows_of(plan.rows, every, _FIELDS), strict=True), strict=True)
        if any(cell.value not in (None, "") for cell in cells)
    )
    design = plan.design
    title = (
        "Detectable differences" if design.difference is None else f"To detect a difference of {design.difference:g}"
    )
    notes = (*_notes(design, {column.name for column in columns}), *plan.notes)
    return [Table(columns, rows_of(plan.rows, columns, _FIELDS), title=title, notes=notes)]


def _notes(design: Design, shown: set[str]) -> Iterator[str]:
    yield f"deviation: standard deviation of the per-query differences; paired t-test, {design.alternative}"
    yield f"level: {_level(design)}"
    if "power" in shown:
        yield "power: probability of detecting the difference with this number of queries"
    if "needed" in shown:
        yield f"needed: number of queries for power {design.power:g}"
    if shown & {"low", "high"}:
        yield (
            f"low, high: {percent(CONFIDENCE)} interval of the number of queries needed, since the pilot only "
            "estimates the deviation; from the chi-square interval of the variance, which assumes normal differences"
        )
    if "smallest" in shown:
        yield f"smallest: smallest difference detectable with power {design.power:g}"


def _level(design: Design) -> str:
    if design.comparisons == 1:
        return f"{design.level:g}, for one comparison"
    return f"{design.level_of_each:.4g}, {design.level:g} divided by {design.comparisons} comparisons (Bonferroni)"
