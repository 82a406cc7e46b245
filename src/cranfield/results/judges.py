"""Judges: how much the order of the systems changes with whose judgments are believed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.samples import counted
from cranfield.inference.correlation import tau_ap, tau_b
from cranfield.results.orders import better
from cranfield.results.records import arrow_table, records
from cranfield.results.values import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reordered:
    """The order of the systems by one judge beside that by another, on one measure."""

    measure: str
    judge: str
    other: str
    n_topics: int  # that both judged, on which the systems are compared
    tau: float  # Kendall's tau-b, NaN where a judge ties all systems
    tau_ap: float
    swapped: int  # pairs of systems in opposite order
    best: str
    other_best: str
    greatest_change: float  # of a system's mean value
    note: str = ""


@dataclass(frozen=True, eq=False)
class Reordering:
    """Every two judges on every measure, and the values by each judge's topics: `values[judge, system, measure]`."""

    rows: tuple[Reordered, ...]
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats

    def table(self) -> pa.Table:
        """The comparisons of judges as one Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each two judges and measure."""
        return records(self.rows)


def reordering(results: Mapping[str, Result]) -> Reordering:
    """The orders of the systems by each judge's result, two by two."""
    if len(results) < 2:
        raise BadInput("one judge only: two are needed to see whether the order of the systems changes")
    first = next(iter(results.values()))
    if len(first.systems) < 2:
        raise BadInput("one system only: there is no order that could change")
    rows = [
        row
        for judges in combinations(results, 2)
        for row in _reordered(judges, (results[judges[0]], results[judges[1]]))
    ]
    measures = tuple(map(str, first.measures))
    values = np.array([result.aggregated() for result in results.values()])
    rows.sort(key=lambda row: measures.index(row.measure))
    return Reordering(tuple(rows), tuple(results), first.systems, measures, values)


def _reordered(judges: tuple[str, str], results: tuple[Result, Result]) -> Iterator[Reordered]:
    """The orders by two judges on each measure, over the topics that both judged."""
    shared = set(results[0].queries) & set(results[1].queries)
    apart = len(set(results[0].queries) | set(results[1].queries)) - len(shared)
    notes = [f"{counted(apart, 'topic')} judged by one of them alone left out"] if apart else []
    tables = [_over(result, shared) for result in results]
    for m, measure in enumerate(results[0].measures):
        a, b = (better(table[:, m], measure) for table in tables)
        opposite = np.sign(a[:, None] - a) * np.sign(b[:, None] - b) < 0
        yield Reordered(
            measure=str(measure),
            judge=judges[0],
            other=judges[1],
            n_topics=len(shared),
            tau=tau_b(a, b),
            tau_ap=tau_ap(a, b, symmetric=True),
            swapped=int(opposite.sum() // 2),
            best=_best(a, results[0].systems),
            other_best=_best(b, results[0].systems),
            greatest_change=float(np.abs(a - b).max()),
            note="; ".join([*notes, *_tied(judges, (a, b))]),
        )


def _over(result: Result, topics: set[str]) -> Floats:
    """What measures come to over these topics alone."""
    if not topics:
        return np.full((len(result.systems), len(result.measures)), np.nan)
    kept = np.array([query in topics for query in result.queries])
    return replace(result, counted=result.counted & kept).aggregated()


def _best(values: Floats, systems: tuple[str, ...]) -> str:
    """The systems that no other is better than; none where all are equal."""
    best = [system for system, value in zip(systems, values, strict=True) if value == values.max()]
    return " = ".join(best) if len(best) < len(systems) else ""


def _tied(judges: tuple[str, str], values: tuple[Floats, Floats]) -> Iterator[str]:
    if np.isnan(values[0]).any() or np.isnan(values[1]).any():
        yield "no tau: some system has no value on what both judged"
        return
    yield from (
        f"no tau: by {judge} all systems are equal"
        for judge, each in zip(judges, values, strict=True)
        if len(np.unique(each)) == 1
    )
