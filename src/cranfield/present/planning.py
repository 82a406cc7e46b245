"""Plans as tables: what it takes to see a difference."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.present.table import Column, Table, row
from cranfield.results.planning import Design, Plan, Planned


def plans(plan: Plan, digits: int) -> Table:
    """A row for each pair and measure: what it takes to see the difference; columns that say nothing are left out."""
    fields = [(name, column) for name, column in _columns(digits) if any(_asked(one, name) for one in plan.rows)]
    design = plan.design
    rows = tuple(row(*(getattr(one, name) for name, _ in fields)) for one in plan.rows)
    title = "What can be seen" if design.difference is None else f"To see a difference of {design.difference:g}"
    notes = (*_notes(design, {name for name, _ in fields}), *plan.notes)
    return Table(tuple(column for _, column in fields), rows, title=title, notes=notes)


def _asked(one: Planned, name: str) -> bool:
    return getattr(one, name) not in (None, "")


def _columns(digits: int) -> Iterator[tuple[str, Column]]:
    for name in ("measure", "system", "baseline"):
        yield name, Column(name)
    yield "deviation", Column("deviation", numeric=True, digits=digits)
    yield "n", Column("queries", numeric=True, digits=0)
    yield "power", Column("power", numeric=True, digits=2)
    yield "needed", Column("needed", numeric=True, digits=0)
    yield "smallest", Column("smallest", numeric=True, digits=digits)


def _notes(design: Design, shown: set[str]) -> Iterator[str]:
    yield f"deviation: of the differences between the two, from query to query; paired t-test, {design.alternative}"
    if "power" in shown:
        yield f"power: how likely so many queries are to show the difference at the level {design.level:g}"
    if "needed" in shown:
        yield f"needed: queries that show it with power {design.power:g}"
    if "smallest" in shown:
        seen = f"power {design.power:g} at the level {design.level:g}"
        yield f"smallest: difference that so many queries show with {seen}"
