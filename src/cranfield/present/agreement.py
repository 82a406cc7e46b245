"""Agreement as tables: coefficients for all raters, every two and every topic, and the orders by each judge."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.present.table import Column, Table, row
from cranfield.results.agreement import Agreement, Scope
from cranfield.results.judges import Reordering

_TITLES: dict[Scope, tuple[str, str]] = {
    "all": ("All raters", ""),
    "pair": ("Every two raters", "raters"),
    "topic": ("Every topic", "topic"),
}


def coefficients(agreement: Agreement, digits: int) -> Iterator[Table]:
    """A table for all raters, one for every two, one for every topic."""
    for scope, (title, name) in _TITLES.items():
        records = [record for record in agreement.to_dicts() if record["scope"] == scope]
        if not records:
            continue
        columns = [Column("measure"), *([Column(name)] if name else []), Column("items", numeric=True, digits=0)]
        columns += [Column(each, numeric=True, digits=digits) for each in ("value", "low", "high")]
        fields = ("measure", *(["name"] if name else []), "n_items", "value", "low", "high")
        cells = tuple(row(*map(record.get, fields), record["note"] or record["band"]) for record in records)
        notes = tuple(_notes(agreement)) if scope == "all" else ()
        yield Table((*columns, Column("which is")), cells, title=title, notes=notes)


def _notes(agreement: Agreement) -> Iterator[str]:
    who = f"{len(agreement.raters)} raters" if agreement.raters else "raters without names"
    yield f"{who}, {len(agreement.categories)} categories, {len(agreement.topics)} topics"
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
        *(Column(name, numeric=True, digits=digits) for name in ("tau", "tau_AP")),
        Column("swapped", numeric=True, digits=0),
        Column("best"),
        Column("other's best"),
        Column("greatest change", numeric=True, digits=digits),
    )
    rows = tuple(row(*record.values()) for record in reordering.to_dicts())
    n_pairs = len(reordering.systems) * (len(reordering.systems) - 1) // 2
    note = f"swapped: of the {n_pairs} pairs of systems; greatest change: of any system's value"
    return Table(columns, rows, title="The order of the systems by each judge", notes=(note,))
