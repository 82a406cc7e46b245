"""How the ranking of the systems depends on whose judgments are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from cranfield.arrays import Floats
from cranfield.correlation.result import better
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.values import Result
from cranfield.results.verb_result import VerbResult
from cranfield.rounding import merged
from cranfield.statistics.rank_correlation import tau_ap, tau_b
from cranfield.text import counted


@frozen
class Reordered:
    """The rankings of the systems by two judges on one measure."""

    measure: str
    judge: str
    other: str
    n_topics: int  # topics judged by both, on which the systems are compared
    tau: float  # Kendall's tau-b, NaN where a judge ties all systems
    tau_ap: float
    swapped: int | None  # pairs of systems in opposite order; None where some system has no value
    best: str
    other_best: str
    greatest_change: float  # of a system's mean value
    note: str = ""


@frozen(eq=False)
class Reordering(VerbResult):
    """Every pair of judges on every measure, and the values under each judge: `values[judge, system, measure]`."""

    kind = "reordering"
    record_fields = (("orders", "rows"),)

    rows: tuple[Reordered, ...]
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    provenance: Provenance = NOTHING_READ

    @property
    def answer(self) -> str:
        """The two judges whose rankings of the systems differ most on the first measure."""
        known = [row for row in self.rows if row.measure == self.measures[0] and not np.isnan(row.tau)]
        if not known:
            return f"No two judges rank the systems by {self.measures[0]}."
        lowest = min(known, key=lambda row: row.tau)
        agreeing = (
            f"The rankings by {lowest.measure} of {lowest.judge} and {lowest.other} correlate with tau {lowest.tau:.2f}"
        )
        least = f", the lowest of {counted(len(known), 'pair')} of judges" if len(known) > 1 else ""
        best = (
            f"both find {lowest.best} best"
            if lowest.best == lowest.other_best
            else (f"{lowest.judge} finds {lowest.best} best, {lowest.other} {lowest.other_best}")
        )
        return f"{agreeing}{least}; {best}."


def reordering(results: Mapping[str, Result]) -> Reordering:
    """The rankings of the systems by every pair of judges."""
    if len(results) < 2:
        raise BadInput("only one judge: two are needed to compare the rankings of the systems")
    first = next(iter(results.values()))
    if len(first.systems) < 2:
        raise BadInput("only one system: there is no ranking that could change")
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
    """The rankings by two judges on each measure, over the topics that both judged."""
    shared = set(results[0].units) & set(results[1].units)
    apart = len(set(results[0].units) | set(results[1].units)) - len(shared)
    notes = [f"{counted(apart, 'topic')} judged by only one of them left out"] if apart else []
    tables = [_over(result, shared) for result in results]
    for m, measure in enumerate(results[0].measures):
        a, b = (merged(values, np.abs(values)) for values in (better(table[:, m], measure) for table in tables))
        opposite = np.sign(a[:, None] - a) * np.sign(b[:, None] - b) < 0
        yield Reordered(
            measure=str(measure),
            judge=judges[0],
            other=judges[1],
            n_topics=len(shared),
            tau=tau_b(a, b),
            tau_ap=tau_ap(a, b, symmetric=True),
            swapped=None if np.isnan(a + b).any() else int(opposite.sum() // 2),
            best=_best(a, results[0].systems),
            other_best=_best(b, results[0].systems),
            greatest_change=float(np.abs(a - b).max()),
            note="; ".join([*notes, *_tied(judges, (a, b))]),
        )


def _over(result: Result, topics: set[str]) -> Floats:
    """The aggregates over these topics only."""
    if not topics:
        return np.full((len(result.systems), len(result.measures)), np.nan)
    judged = np.array([query in topics for query in result.units])
    values = replace(result, counted=result.counted & judged).aggregated()
    if not judged.all():  # values over all topics are not known for some of them
        values[:, [not measure.declaration.per_unit for measure in result.measures]] = np.nan
    return values


def _best(values: Floats, systems: tuple[str, ...]) -> str:
    """The best systems; empty if all are equal."""
    best = [system for system, value in zip(systems, values, strict=True) if value == values.max()]
    return " = ".join(best) if len(best) < len(systems) else ""


def _tied(judges: tuple[str, str], values: tuple[Floats, Floats]) -> Iterator[str]:
    if np.isnan(values[0]).any() or np.isnan(values[1]).any():
        yield "no tau: a system has no value on the topics that both judged"
        return
    yield from (
        f"no tau: all systems are equal by {judge}"
        for judge, scores in zip(judges, values, strict=True)
        if len(np.unique(scores)) == 1
    )
