"""Rules about queries: few, missing, undefined, failed by all systems, or decisive for a mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.measures.registry import Measure
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.results.leaderboard import averaged, counted, mean
from cranfield.results.values import Result
from cranfield.text import brief, count, listed, numbers, percent, plural, verb

_NAMED = 5  # queries named; the others are counted
_MOST_OF_IT = 2 / 3  # the smallest number of queries that contribute this proportion of a mean is reported


class _Influence(NamedTuple):
    change: float  # relative change of the mean without the query
    system: str
    measure: str
    query: str
    mean: float
    without: float
    n_queries: int
    n_top: int
    top: float  # their proportion of the mean

    def matters(self, change: float, least: float) -> bool:
        """Whether the mean is lowered by both limits."""
        return reaches(self.change, change) and reaches(self.mean - self.without, least)


@rule(
    "one-query",
    about="queries",
    title="One query dominates the mean",
    severity="caution",
    why="With few {units}, a single one can dominate the mean; on other {units} the system could look different.",
    action="Show the values per {unit}, report the median next to the mean, and test on more {units}.",
    on_folds="Show the values per fold, report the median next to the mean, and repeat the cross-validation with other "
    "splits.",
)
def one_query(result: Result, *, change: float = 0.2, least: float = 0.02) -> Observations:
    """Leaving out the best query lowers the mean of a measure by at least a proportion `change`, and by at least
    `least`."""
    places = [m for m, measure in averaged(result) if measure.declaration.higher_is_better]
    influences = [_influence(result, s, m) for s in range(len(result.systems)) for m in places]
    strong = sorted((one for one in influences if one is not None and one.matters(change, least)), reverse=True)
    for system in dict.fromkeys(one.system for one in strong):
        worst, *others = (one for one in strong if one.system == system)
        sentence = _influence_sentence(worst, [one.measure for one in others], result.unit)
        yield observation(sentence, worst._asdict(), system=system, measure=worst.measure, query=worst.query)


def _influence(result: Result, s: int, m: int) -> _Influence | None:
    values, counted = result.counted_values(s, m)
    n_queries, total = len(values), float(values.sum())
    if n_queries < 2 or values.min() < 0 or not total > 0:
        return None
    best = int(np.argmax(values))
    without = (total - float(values[best])) / (n_queries - 1)
    parts = np.cumsum(np.sort(values)[::-1]) / total
    n_top = int(np.argmax(parts >= _MOST_OF_IT)) + 1
    return _Influence(
        change=1 - without / (total / n_queries),
        system=result.systems[s],
        measure=str(result.measures[m]),
        query=result.units[int(np.flatnonzero(counted)[best])],
        mean=total / n_queries,
        without=without,
        n_queries=n_queries,
        n_top=n_top,
        top=float(parts[n_top - 1]),
    )


def _influence_sentence(one: _Influence, others: list[str], unit: str) -> str:
    without, now = numbers(one.without, one.mean)
    make = verb(one.n_top, "makes", "make")
    also = f"; the same applies to {listed(others)}" if others else ""
    return (
        f"{one.system}: without {one.query} the mean {one.measure} would be {without} instead of {now}; "
        f"{one.n_top:,} of {count(one.n_queries, unit)} {make} up {percent(one.top)} of it{also}."
    )


@rule(
    "few-queries",
    about="queries",
    title="Too few queries to estimate variability",
    severity="serious",
    why="The uncertainty of a mean is estimated from its variation over queries. A single query says nothing about "
    "others, however large the difference.",
    action="Evaluate on more queries, at least a few dozen, before claiming how good a system is or which is better.",
)
def few_queries(result: Result, *, least: int = 2) -> Observations:
    """Fewer than `least` queries are scored for all systems."""
    n_queries = int(result.counted.all(axis=0).sum())
    if result.unit != "query" or n_queries >= least:
        return
    basis = (
        f"The values are based on {count(n_queries, result.unit)}"
        if len(result.systems) == 1
        else f"Only {count(n_queries, result.unit)} {verb(n_queries, 'is', 'are')} scored for all systems"
    )
    yield observation(
        f"{basis}: variability, and so statistical significance, cannot be estimated.",
        {"n_queries": n_queries, "n_systems": len(result.systems)},
    )


@rule(
    "unanswered-queries",
    about="queries",
    title="Missing queries count as 0",
    severity="caution",
    why="A query that is missing from the run lowers the mean as if nothing relevant had been retrieved; often the "
    "run is merely incomplete.",
    action="Check that the run is complete; if it is, keep the zeros, since an unanswered query is a failure.",
)
def unanswered_queries(result: Result, *, least: int = 1) -> Observations:
    """At least `least` judged queries are missing from a run and count as 0."""
    for s, system, hits in counted(result):
        unanswered = (hits.n_retrieved == 0) & result.counted[s]
        n_unanswered, n_queries = int(unanswered.sum()), int(result.counted[s].sum())
        if n_unanswered < least or n_unanswered == n_queries:
            continue
        figures: dict[str, object] = {"n_unanswered": n_unanswered, "n_queries": n_queries}
        sentence = (
            f"{system}: {n_unanswered} of {count(n_queries, 'query')} {verb(n_unanswered, 'is', 'are')} missing from "
            f"the run and {verb(n_unanswered, 'counts', 'count')} as 0"
        )
        for m, measure in list(averaged(result))[:1]:
            values, used = result.counted_values(s, m)
            answered = values[~unanswered[used]]
            if not len(answered):
                continue
            other, now = numbers(float(answered.mean()), float(values.mean()))
            figures |= {"measure": str(measure), "mean": float(values.mean()), "answered": float(answered.mean())}
            sentence += f"; over the other queries the mean {measure} would be {other} instead of {now}"
        yield observation(f"{sentence}.", figures, system=system)


@rule(
    "different-queries",
    about="queries",
    title="Means over different queries",
    severity="serious",
    why="A system that skips hard {units} gets a higher mean, so means over different {units} are not comparable.",
    action="Count missing {units} as 0 (missing='zero'), or compare on the {units} that all systems have in common.",
)
def different_queries(result: Result, *, least: int = 1) -> Observations:
    """At least `least` queries are scored for some systems but not for others."""
    some, every = result.counted.any(axis=0), result.counted.all(axis=0)
    n_partial = int((some & ~every).sum())
    if n_partial >= least:
        fewest, most = int(result.counted.sum(axis=1).min()), int(result.counted.sum(axis=1).max())
        shorter = result.systems[int(result.counted.sum(axis=1).argmin())]
        yield observation(
            f"The means are not over the same {plural(result.unit)}: {count(n_partial, result.unit)} "
            f"{verb(n_partial, 'is', 'are')} scored for some systems only; {shorter} has {fewest}, others up to "
            f"{most}.",
            {"n_partial": n_partial, "fewest": fewest, "most": most},
            system=shorter,
        )


@rule(
    "undefined-queries",
    about="queries",
    title="Undefined values count as 0",
    severity="caution",
    why="When a measure is undefined, such as recall when nothing is relevant, no system can do well: the zero lowers "
    "every mean and says nothing about the systems.",
    action="Leave undefined values out (undefined='skip') and report their number, or drop these {units}.",
)
def undefined_queries(result: Result, *, change: float = 0.01) -> Observations:
    """Counting undefined values as 0 changes a mean by at least `change`."""
    for m, measure in averaged(result):
        if result.undefined_value(m) != 0:
            continue
        s = int(result.n_undefined[:, m].argmax())
        n_undefined, n_queries = int(result.n_undefined[s, m]), int(result.counted[s].sum())
        if not 0 < n_undefined < n_queries:
            continue
        now, other = mean(result, s, result.values[s, m]), float(np.nanmean(result.values[s, m, result.counted[s]]))
        if not reaches(abs(other - now), change):
            continue
        left_out, counted_in = numbers(other, now)
        yield observation(
            f"{measure} is undefined for {n_undefined} of {count(n_queries, result.unit)} and counts as 0 there; "
            f"without {verb(n_undefined, 'it', 'them')} {result.systems[s]} would have {left_out} instead of "
            f"{counted_in}.",
            {"n_undefined": n_undefined, "n_queries": n_queries, "mean": now, "left_out": other},
            system=result.systems[s],
            measure=str(measure),
        )


@rule(
    "failed-queries",
    about="queries",
    title="Every system fails on the same queries",
    severity="note",
    why="Queries on which every system scores 0 lower all means alike and cannot distinguish systems.",
    action="Read these queries and their judgments: a topic may be unclear, a judgment wrong, or all systems may lack "
    "the same thing.",
)
def failed_queries(result: Result, *, least: int = 1) -> Observations:
    """On at least `least` queries, but not on all, the first measure is 0 for each of several systems."""
    zero = ((m, measure) for m, measure in averaged(result) if measure.declaration.higher_is_better)
    m, measure = next(zero, (0, None))
    if measure is None or result.unit != "query" or len(result.systems) < 2 or measure.declaration.bounds[0] != 0:
        return
    failed = (result.values[:, m] == 0).all(axis=0) & result.counted.all(axis=0)
    n_failed, n_queries = int(failed.sum()), int(result.counted.all(axis=0).sum())
    if least <= n_failed < n_queries:
        queries = [result.units[q] for q in np.flatnonzero(failed).tolist()]
        yield observation(
            f"{measure} is 0 for {_all(result)} on {n_failed:,} of {count(n_queries, 'query')} "
            f"({listed(queries, _NAMED)}).",
            {"n_failed": n_failed, "n_queries": n_queries, "queries": queries},
            headline=f"{_all(result).capitalize()} fail on {n_failed:,} of {count(n_queries, 'query')}.",
            measure=str(measure),
        )


def _all(result: Result) -> str:
    return "both systems" if len(result.systems) == 2 else f"all {len(result.systems)} systems"


# Rules about the best system: measures that disagree about it


_BEST_NAMED = 3  # measures named with their values; the others are counted


@rule(
    "best-differs",
    about="the best system",
    title="Measures disagree about the best system",
    severity="note",
    why="Measures reward different things: the first relevant result, all of them, or the best grades. Which system is "
    "best then depends on what its users need.",
    action="Decide which measure fits the task before looking at the values (cranfield advise), and report the others "
    "too.",
)
def best_differs(result: Result, *, least: float = 0.01) -> Observations:
    """The system that is best in the first measure is at least `least` behind another one in a further measure."""
    values = result.aggregated()
    better = {m: values[:, m] * (-1 if measure.declaration.higher_is_better is False else 1)
              for m, measure in averaged(result)}  # fmt: skip
    if len(result.systems) < 2 or not better or any(np.isnan(value).any() for value in better.values()):
        return
    first = int(np.argmax(next(iter(better.values()))))
    ahead = {m: int(np.argmax(value)) for m, value in better.items() if reaches(value.max() - value[first], least)}
    if not ahead:
        return
    best = result.systems[first]
    agreed = [str(result.measures[m]) for m in better if m not in ahead and np.argmax(better[m]) == first]
    named = [_ahead(result, m, s, first) for m, s in list(ahead.items())[:_BEST_NAMED]]
    rest = [f"other systems in {len(ahead) - _BEST_NAMED} more measures"] if len(ahead) > _BEST_NAMED else []
    m, s = next(iter(ahead.items()))
    yield observation(
        f"{best} is the best system in {listed(agreed)}, but {listed([*named, *rest])}.",
        {"best": {str(result.measures[m]): result.systems[s] for m, s in ahead.items()}},
        headline=f"{brief(best)} is best in {agreed[0]}, but {brief(result.systems[s])} in {result.measures[m]}.",
        system=best,
        other=result.systems[s],
    )


def _ahead(result: Result, m: int, s: int, first: int) -> str:
    best, other = numbers(float(result.aggregated()[s, m]), float(result.aggregated()[first, m]))
    return f"{result.systems[s]} in {result.measures[m]} ({best} against {other})"


# Rules about risk: gains on average that cost single queries


@rule(
    "risky-gain",
    about="risk",
    title="A gain on average that does not outweigh its losses",
    severity="caution",
    why="The mean difference hides that some {units} get worse. Users notice failures more than small improvements, so "
    "a loss may count more than a gain.",
    action="Look at the {units} that lose most (the plot 'differences'), and state how much a loss counts (alpha). "
    "Test URisk with compare and the same baseline.",
)
def risky_gain(result: Result, *, hurt: float = 0.2) -> Observations:
    """The mean gain of a system is positive but its URisk is negative, and at least a proportion `hurt` of its queries
    lose."""
    for m, measure in enumerate(result.measures):
        if measure.name != "URisk":
            continue
        for s, system in enumerate(result.systems):
            risk = result.counted_values(s, m)[0]
            gain = np.where(risk < 0, risk / (1 + _alpha(measure)), risk)
            n_hurt = int((gain < 0).sum())
            if len(gain) and gain.mean() > 0 > risk.mean() and n_hurt >= hurt * len(gain):
                baseline = str(measure.options["baseline"])
                shown, weighted = numbers(float(gain.mean()), float(risk.mean()))
                losing = f"{n_hurt} of {count(len(gain), result.unit)} {verb(n_hurt, 'loses', 'lose')}"
                yield observation(
                    f"{system} gains {shown} {measure.options['of']} over {baseline} on average, but {losing}; with "
                    f"losses weighted {1 + _alpha(measure):g} the mean is {weighted}.",
                    {"gain": float(gain.mean()), "risk": float(risk.mean()), "n_hurt": n_hurt, "n": len(gain)},
                    system=system,
                    other=baseline,
                    measure=str(measure),
                )


def _alpha(measure: Measure) -> float:
    """The additional weight of losses."""
    return float(measure.options["alpha"])  # type: ignore[arg-type]
