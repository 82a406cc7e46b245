"""Agreement as tables: coefficients for all raters, every two and every topic, and the orders by each judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cranfield.evidence.samples import counted
from cranfield.present.table import Column, Row, Table, row
from cranfield.results.agreement import Agreed, Agreement, Scope
from cranfield.results.judges import Reordering
from cranfield.results.records import records

_TITLES: dict[Scope, tuple[str, str]] = {
    "all": ("All raters", ""),
    "pair": ("Every two raters", "raters"),
    "topic": ("Every topic", "topic"),
}


def coefficients(agreement: Agreement, digits: int) -> Iterator[Table]:
    """A table for all raters, one for every two, one for every topic; none that only says the same again."""
    notes = tuple(_notes(agreement))
    overall = [_figures(each) for each in agreement.of("all")]
    for scope, (title, name) in _TITLES.items():
        rows = agreement.of(scope)
        if not rows or (name and [_figures(each) for each in rows] == overall):
            continue
        names = list(dict.fromkeys(each.name for each in rows))
        together = sorted(rows, key=lambda each: names.index(each.name))
        heads = (Column(name), Column("measure")) if name else (Column("measure"),)
        numbers = (Column(each, numeric=True, digits=digits) for each in ("value", "low", "high"))
        columns = (*heads, Column("items", numeric=True, digits=0), *numbers, Column("which is"))
        yield Table(columns, tuple(_cells(together, bool(name))), title=title, notes=notes)
        notes = ()


def _figures(found: Agreed) -> tuple[str, int, float | None]:
    return found.measure, found.n_items, None if math.isnan(found.value) else found.value


def _cells(rows: Sequence[Agreed], named: bool) -> Iterator[Row]:
    """A row for each coefficient, the name of what it is of standing before the first of them."""
    before = None
    for each, record in zip(rows, records(rows), strict=True):
        name = ["" if each.name == before else each.name] if named else []
        figures = (record[field] for field in ("measure", "n_items", "value", "low", "high"))
        yield row(*name, *figures, each.note or each.band)
        before = each.name


def _notes(agreement: Agreement) -> Iterator[str]:
    who = f"{len(agreement.raters)} raters" if agreement.raters else "raters without names"
    yield f"{who}, {counted(len(agreement.categories), 'category')}, {counted(len(agreement.topics), 'topic')}"
    chosen = agreement.settings
    if chosen["resamples"]:
        yield (
            f"intervals with {chosen['confidence']:.0%} confidence from {chosen['resamples']:,} resamples of "
            f"{chosen['resample']}s, seed {chosen['seed']}"
        )
    yield "above 0.8 excellent, 0.6 good, 0.4 fair, 0.2 slight"
    yield from agreement.notes


def orders(reordering: Reordering, digits: int) -> Table:
    """A row for each two judges: how much of the order of the systems is the same."""
    columns = (
        *map(Column, ("measure", "judge", "other")),
        Column("topics", numeric=True, digits=0),
        *(Column(name, numeric=True, digits=digits) for name in ("tau", "tau_AP")),
        Column("swapped", numeric=True, digits=0),
        Column("best"),
        Column("other's best"),
        Column("greatest change", numeric=True, digits=digits),
        *([Column("note")] if any(each.note for each in reordering.rows) else []),
    )
    rows = tuple(row(*list(record.values())[: len(columns)]) for record in reordering.to_dicts())
    n_pairs = len(reordering.systems) * (len(reordering.systems) - 1) // 2
    notes = (
        f"swapped: of the {n_pairs} pairs of systems; greatest change: of any system's value",
        "topics: those that both judged, on which the systems are compared; tau_AP: the mean of both directions",
    )
    return Table(columns, rows, title="The order of the systems by each judge", notes=notes)
