"""Plans as tables: power, sample sizes and detectable differences."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.findings.words import percent
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, row
from cranfield.results.planning import CONFIDENCE, Design, Plan, Planned


def tables(plan: Plan, *, digits: int = DIGITS) -> list[Table]:
    """One row per pair and measure; empty columns are left out."""
    fields = [(name, column) for name, column in _columns(digits) if any(_has(one, name) for one in plan.rows)]
    design = plan.design
    rows = tuple(row(*(getattr(one, name) for name, _ in fields)) for one in plan.rows)
    title = (
        "Detectable differences" if design.difference is None else f"To detect a difference of {design.difference:g}"
    )
    notes = (*_notes(design, {name for name, _ in fields}), *plan.notes)
    return [Table(tuple(column for _, column in fields), rows, title=title, notes=notes)]


def _has(one: Planned, name: str) -> bool:
    return getattr(one, name) not in (None, "")


def _columns(digits: int) -> Iterator[tuple[str, Column]]:
    yield from ((name, Column(name)) for name in ("measure", "system", "baseline"))
    for name, head, decimals in (
        ("deviation", "deviation", digits), ("n", "queries", 0), ("power", "power", 2), ("needed", "needed", 0),
        ("needed_low", "low", 0), ("needed_high", "high", 0), ("smallest", "smallest", digits),
    ):  # fmt: skip
        yield name, Column(head, numeric=True, digits=decimals)


def _notes(design: Design, shown: set[str]) -> Iterator[str]:
    yield f"deviation: standard deviation of the per-query differences; paired t-test, {design.alternative}"
    yield f"level: {_level(design)}"
    if "power" in shown:
        yield "power: probability of detecting the difference with this number of queries"
    if "needed" in shown:
        yield f"needed: number of queries for power {design.power:g}"
    if shown & {"needed_low", "needed_high"}:
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
