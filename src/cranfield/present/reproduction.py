"""Reproducibility as tables: what each measure tells apart, and how much of the order fewer topics give."""

from __future__ import annotations

from cranfield.present.table import Column, Table, row
from cranfield.results.reproduction import Reproduction


def figures(found: Reproduction, digits: int) -> Table:
    """A row for each measure: the share of pairs it tells apart, how often halves of the topics swap two systems."""
    columns = (
        Column("measure"),
        Column("systems", numeric=True, digits=0),
        Column("topics", numeric=True, digits=0),
        *(Column(name, numeric=True, digits=digits) for name in ("told apart", "swapped", "difference", "tau")),
    )
    rows = tuple(row(*list(record.values())[:-1]) for record in found.to_dicts())
    chosen = found.settings
    notes = (
        f"told apart: share of the pairs of systems that differ at the level {chosen['level']:g} ({chosen['test']})",
        "swapped: share of the pairs that two halves of the topics put in opposite order",
        f"difference: from which on at most {chosen['rate']:.0%} of the pairs swap",
        "tau: Kendall's, between the order by half of the topics and that by all",
        f"{chosen['draws']:,} subsets of the topics drawn, seed {chosen['seed']}",
        *(f"{one.measure}: {one.note}" for one in found.rows if one.note),
    )
    return Table(columns, rows, title="Would other topics have shown the same", notes=notes)


def orders(found: Reproduction, digits: int) -> Table:
    """A row for each number of topics: tau between the order of the systems by so many and that by all."""
    by_size: dict[int, dict[str, float]] = {}
    for record in found.orders():
        by_size.setdefault(record["topics"], {})[record["measure"]] = record["tau"]
    columns = (
        Column("topics", numeric=True, digits=0),
        *(Column(measure, numeric=True, digits=digits) for measure in found.stability),
    )
    rows = tuple(
        row(size, *(taus.get(measure) for measure in found.stability)) for size, taus in sorted(by_size.items())
    )
    note = "Kendall's tau with the order by all topics, in the mean over subsets of so many"
    return Table(columns, rows, title="The order of the systems by fewer topics", notes=(note,))
