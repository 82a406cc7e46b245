"""Rules about queries: those that carry a mean, that went without an answer, or that have no value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cranfield.findings.finding import Said, said
from cranfield.findings.rankings import averaged, counted, mean
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import count, listed, numbers, share, verb
from cranfield.results.values import Result

_MOST_OF_IT = 2 / 3  # of a mean: the fewest queries that make up so much of it are counted


class _Carried(NamedTuple):
    change: float  # of the mean without the query, as a share of it
    system: str
    measure: str
    query: str
    mean: float
    without: float
    n_queries: int
    n_top: int
    top: float  # share of the mean that those make up


@rule(
    "one-query",
    title="One query carries the mean",
    severity="caution",
    why="A mean over few queries can be the work of one: on other queries the system would look different.",
    action="Show the values query by query, report the median beside the mean, and test on more queries.",
)
def one_query(result: Result, *, change: float = 0.2) -> Iterator[Said]:
    """The mean of a measure falls by at least the share `change` when its best query is left out."""
    places = [m for m, measure in averaged(result) if measure.family.higher_is_better]
    found = [_carried(result, s, m) for s in range(len(result.systems)) for m in places]
    strong = sorted((one for one in found if one is not None and reaches(one.change, change)), reverse=True)
    for system in dict.fromkeys(one.system for one in strong):
        worst, *others = (one for one in strong if one.system == system)
        sentence = _carrying(worst, [one.measure for one in others])
        yield said(sentence, worst._asdict(), system=system, measure=worst.measure, query=worst.query)


def _carried(result: Result, s: int, m: int) -> _Carried | None:
    values, kept = result.counted_values(s, m)
    n_queries, total = len(values), float(values.sum())
    if n_queries < 2 or values.min() < 0 or not total > 0:
        return None
    best = int(np.argmax(values))
    without = (total - float(values[best])) / (n_queries - 1)
    parts = np.cumsum(np.sort(values)[::-1]) / total
    n_top = int(np.argmax(parts >= _MOST_OF_IT)) + 1
    return _Carried(
        change=1 - without / (total / n_queries),
        system=result.systems[s],
        measure=str(result.measures[m]),
        query=result.queries[int(np.flatnonzero(kept)[best])],
        mean=total / n_queries,
        without=without,
        n_queries=n_queries,
        n_top=n_top,
        top=float(parts[n_top - 1]),
    )


def _carrying(one: _Carried, others: list[str]) -> str:
    without, now = numbers(one.without, one.mean)
    make = verb(one.n_top, "makes", "make")
    also = f"; the same goes for {listed(others)}" if others else ""
    return (
        f"{one.system}: without {one.query} the mean {one.measure} would be {without} instead of {now}; "
        f"{one.n_top:,} of {count(one.n_queries, 'query')} {make} up {share(one.top)} of it{also}."
    )


@rule(
    "few-queries",
    title="Too few queries to tell anything from chance",
    severity="serious",
    why="How far a value would move with other queries is told by how it varies over several. From a single one "
    "nothing follows for others, however large a difference is.",
    action="Evaluate on more queries, some tens at least, before you say how good a system is or which is better.",
)
def few_queries(result: Result, *, least: int = 2) -> Iterator[Said]:
    """Fewer than `least` queries count for all systems."""
    n_queries = int(result.counted.all(axis=0).sum())
    if result.unit != "query" or n_queries >= least:
        return
    rests = (
        f"The values rest on {count(n_queries, 'query')}"
        if len(result.systems) == 1
        else f"Only {count(n_queries, 'query')} {verb(n_queries, 'counts', 'count')} for all systems"
    )
    yield said(
        f"{rests}: how values vary, and so whether a difference could be chance, cannot be told.",
        {"n_queries": n_queries, "n_systems": len(result.systems)},
    )


@rule(
    "unanswered-queries",
    title="Queries without an answer count as 0",
    severity="caution",
    why="A query that a run does not answer lowers its means as if all it found were wrong; often part of the run "
    "is merely missing.",
    action="Check that the run is complete; if it is, keep the zeros, for an unanswered query is a failure.",
)
def unanswered_queries(result: Result, *, least: int = 1) -> Iterator[Said]:
    """At least `least` judged queries have no answer in a run, and count as 0."""
    for s, system, hits in counted(result):
        unanswered = (hits.n_retrieved == 0) & result.counted[s]
        n_unanswered, n_queries = int(unanswered.sum()), int(result.counted[s].sum())
        if n_unanswered < least or n_unanswered == n_queries:
            continue
        figures: dict[str, object] = {"n_unanswered": n_unanswered, "n_queries": n_queries}
        sentence = (
            f"{system}: {n_unanswered} of {count(n_queries, 'query')} {verb(n_unanswered, 'has', 'have')} no answer in "
            f"the run and {verb(n_unanswered, 'counts', 'count')} as 0"
        )
        for m, measure in list(averaged(result))[:1]:
            answered = float(np.nan_to_num(result.values[s, m, result.counted[s] & ~unanswered]).mean())
            figures |= {"measure": str(measure), "mean": mean(result, s, result.values[s, m]), "answered": answered}
            other, now = numbers(answered, mean(result, s, result.values[s, m]))
            sentence += f"; over the answered ones the mean {measure} would be {other} instead of {now}"
        yield said(f"{sentence}.", figures, system=system)


@rule(
    "different-queries",
    title="Means over different queries",
    severity="serious",
    why="A system that skips hard queries gets a higher mean: means over different queries do not compare systems.",
    action="Count unanswered queries as 0 (missing='zero'), or compare on the queries that all systems answer.",
)
def different_queries(result: Result, *, least: int = 1) -> Iterator[Said]:
    """At least `least` queries count for some of the systems and not for others."""
    some, every = result.counted.any(axis=0), result.counted.all(axis=0)
    n_apart = int((some & ~every).sum())
    if n_apart >= least:
        fewest, most = int(result.counted.sum(axis=1).min()), int(result.counted.sum(axis=1).max())
        shorter = result.systems[int(result.counted.sum(axis=1).argmin())]
        yield said(
            f"The means are not over the same queries: {count(n_apart, 'query')} {verb(n_apart, 'counts', 'count')} "
            f"for some systems only; {shorter} has {fewest}, where others have up to {most}.",
            {"n_apart": n_apart, "fewest": fewest, "most": most},
            system=shorter,
        )


@rule(
    "undefined-queries",
    title="Undefined values count as 0",
    severity="caution",
    why="Where a measure is undefined, such as recall where nothing is relevant, no system can do well: the zero "
    "lowers every mean and says nothing of the systems.",
    action="Leave undefined values out (undefined='skip') and say how many there are, or drop such queries.",
)
def undefined_queries(result: Result, *, change: float = 0.01) -> Iterator[Said]:
    """Values that are undefined and counted as 0 lower a mean by at least `change`."""
    if result.undefined != "zero":
        return
    for m, measure in averaged(result):
        s = int(result.n_undefined[:, m].argmax())
        n_undefined, n_queries = int(result.n_undefined[s, m]), int(result.counted[s].sum())
        if not 0 < n_undefined < n_queries:
            continue
        now, other = mean(result, s, result.values[s, m]), float(np.nanmean(result.values[s, m, result.counted[s]]))
        if not reaches(abs(other - now), change):
            continue
        left_out, counted_in = numbers(other, now)
        yield said(
            f"{measure} is undefined for {n_undefined} of {count(n_queries, 'query')} and counts as 0 there; left out, "
            f"{result.systems[s]} would have {left_out} instead of {counted_in}.",
            {"n_undefined": n_undefined, "n_queries": n_queries, "mean": now, "left_out": other},
            system=result.systems[s],
            measure=str(measure),
        )
