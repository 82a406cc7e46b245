"""Rules about judgments: how many there are, and what unjudged documents could change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.evidence.counterfactual import with_missed
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.findings.rules import Observation, Observations, observation, reaches, rule
from cranfield.rankings.cautions import tie_bounds
from cranfield.results.leaderboard import averaged, counted, mean, places
from cranfield.results.values import Result
from cranfield.rounding import LONG_SUMS
from cranfield.text import brief, count, listed, numbers, percent, tally, top, verb

# Reversals: pairs of systems whose order would reverse under other values, such as those of unjudged documents


class Reversal(NamedTuple):
    """Two systems whose order could reverse: their values, and values within their bounds that reverse it."""

    ahead: str
    behind: str
    values: tuple[float, float]
    reversed: tuple[float, float]


def reversals(result: Result, m: int, low: Floats, high: Floats) -> list[Reversal]:
    """The pairs of systems whose order reverses within their bounds, those at the top of the leaderboard first."""
    better = -1.0 if result.measures[m].declaration.higher_is_better is False else 1.0
    value = result.aggregated()[:, m]
    worst, best = (low, high) if better > 0 else (high, low)
    pairs = [
        Reversal(
            result.systems[a], result.systems[b], (float(value[a]), float(value[b])), (float(worst[a]), float(best[b]))
        )
        for a in range(len(result.systems))
        for b in range(len(result.systems))
        if better * value[a] > better * value[b] and better * best[b] > better * worst[a]
    ]
    return sorted(pairs, key=lambda pair: (-better * pair.values[0], -better * pair.values[1]))


def n_ordered(result: Result, m: int) -> int:
    """The number of system pairs with different values of a measure."""
    value = result.aggregated()[:, m]
    return int((value[:, None] > value[None, :]).sum())


def reversal_observation(
    result: Result, reversible: Mapping[int, list[Reversal]], cause: str, condition: str
) -> Observation:
    """The first reversible order, and their number by measure; `condition` may name {ahead} and {behind}."""
    pairs = {m: reversals for m, reversals in reversible.items() if reversals}
    m, first = next((m, reversals[0]) for m, reversals in pairs.items())
    n_reversible, n_pairs = sum(map(len, pairs.values())), sum(n_ordered(result, m) for m, _ in averaged(result))
    values = numbers(*first.values, *first.reversed)
    by_measure = tally({str(result.measures[m]): len(reversals) for m, reversals in pairs.items()})
    many = f"; in total they could reverse {n_reversible} of {count(n_pairs, 'pair')} ({by_measure})"
    change = "below" if result.measures[m].declaration.higher_is_better is False else "above"
    return observation(
        f"{cause} could reverse this order: {result.measures[m]} is {values[0]} for {first.ahead} and {values[1]} for "
        f"{first.behind}, but could be {values[2]} and {values[3]} "
        f"{condition.format(ahead=first.ahead, behind=first.behind)}{many if n_reversible > 1 else ''}.",
        {"n_reversible": n_reversible, "n_pairs": n_pairs, "values": first.values, "reversed": first.reversed},
        headline=f"{cause} could put {brief(first.behind)} {change} {brief(first.ahead)} in {result.measures[m]}.",
        system=first.behind,
        other=first.ahead,
        measure=str(result.measures[m]),
    )


_NAMED = 3  # systems named; the others are counted
_NO_ORDER = ("best", "worst", "expected")  # treatments of ties that depend on grades


@rule(
    "sparse-judgments",
    about="judgments",
    title="Too few judgments for measures that depend on recall",
    severity="serious",
    why="Recall, average precision and nDCG divide by the number (or ideal gain) of all relevant documents. When "
    "only a few documents per query are judged, that is unknown, and unjudged relevant documents count as not "
    "relevant.",
    action="Report reciprocal rank (RR), which needs only the first known relevant document, or judge the top of every "
    "ranking.",
)
def sparse_judgments(result: Result, *, judged: float = 10, proportion: float = 0.5, k: int = 10) -> Observations:
    """The median query has fewer than `judged` judgments, less than `proportion` of a system's top `k` is judged, and a
    measure depends on relevant documents that were not retrieved.

    Measures that equal RR on these data, because no query has a second relevant document, are not reported.
    """
    names = [str(measure) for m, measure in averaged(result) if counts_missed(measure) and not _same_as_rank(result, m)]
    judged_at_k = judged_by_system(result, k)
    if not names or not judged_at_k or min(judged_at_k.values()) >= proportion:
        return
    hits = next(hits for _, _, hits in counted(result))
    typical = float(np.median(hits.n_judged()))
    if typical < judged:
        system = min(judged_at_k, key=lambda name: judged_at_k[name])
        yield observation(
            f"The median query has {count(typical, 'judged document')}, and only {percent(judged_at_k[system])} of "
            f"{system}'s {top(k)} are judged: {listed(names, 5)} {verb(len(names), 'is', 'are')} unreliable, because "
            "it is unknown how many relevant documents there are.",
            {"judged_per_query": typical, "judged": judged_at_k[system], "k": k, "measures": names},
            system=system,
        )


@cache
def counts_missed(measure: Measure) -> bool:
    """Whether a measure is lowered by relevant documents that were not retrieved."""
    if measure.declaration.evidence is not Hits:
        return False
    complete, missed = (float(measure.values(_one_found(n_relevant))[0]) for n_relevant in (1, 3))
    return missed < complete


def _same_as_rank(result: Result, m: int) -> bool:
    """Whether a measure equals the reciprocal rank on every query."""
    shared = {name: result.measures[m].options.get(name) for name in ("rel", "k")}
    options = {name: value for name, value in shared.items() if value is not None}
    rank = parse("RR", "ranking")(**options)
    return all(np.allclose(result.values[s, m], rank.values(hits), equal_nan=True) for s, _, hits in counted(result))


def _one_found(n_relevant: int) -> Hits:
    """One query with a single retrieved document, which is relevant."""
    one, grade = np.ones(1, np.int64), np.full(n_relevant, 9.0)
    return Hits(
        queries=(b"q",),
        n_retrieved=one,
        unit=np.zeros(1, np.int64),
        rank=one,
        grade=grade[:1],
        pool_unit=np.zeros(n_relevant, np.int64),
        pool_grade=grade,
        tie_start=one,
        tie_size=one,
        size=one,
    )


def judged_by_system(result: Result, k: int) -> dict[str, float]:
    """Judged@k, the mean proportion of the top k that is judged, of every system that retrieved something."""
    judged = parse("Judged", "ranking")(k=k)
    values = {system: judged.values(hits)[result.counted[s]] for s, system, hits in counted(result)}
    return {name: float(np.nanmean(proportion)) for name, proportion in values.items() if np.isfinite(proportion).any()}


@rule(
    "low-judged",
    about="judgments",
    title="Many top-ranked documents are unjudged",
    severity="caution",
    why="Unjudged documents count as not relevant. The more of them are ranked at the top, the more a value reflects "
    "the judgments rather than the system.",
    action="Judge the top of these runs; until then report Judged@k next to every value, together with bounds "
    "(--bounds, which gives two cases for AP, nDCG and R) or values on condensed lists (unjudged='skip').",
)
def low_judged(result: Result, *, least: float = 0.8, k: int = 10) -> Observations:
    """On average less than `least` of a system's top `k` documents is judged."""
    judged = judged_by_system(result, k)
    low = sorted((system for system in judged if judged[system] < least), key=lambda system: judged[system])
    if low:
        named = [f"{percent(judged[system])} of {system}'s" for system in low[:_NAMED]]
        more = len(low) - len(named)
        others = [f"less than {percent(least)} of {_whose(more)}"] if more else []
        yield observation(
            f"On average only {listed([*named, *others], _NAMED + 1)} {top(k)} are judged; unjudged documents "
            "count as not relevant.",
            {"judged": {system: judged[system] for system in low}, "k": k},
            system=low[0],
        )


def _whose(n_systems: int) -> str:
    return "1 other system's" if n_systems == 1 else f"{n_systems:,} other systems'"


@rule(
    "unequal-judged",
    about="judgments",
    title="One system has more judged documents than another",
    severity="serious",
    why="The judged pool usually comes from earlier systems. A system that retrieves other documents has fewer of them "
    "judged and looks worse than it is.",
    action="Judge the top of that run too, or compare on condensed lists (unjudged='skip') and with bounds.",
    covers=("low-judged",),
)
def unequal_judged(result: Result, *, difference: float = 0.1, k: int = 10) -> Observations:
    """The proportion of judged documents in the top `k` differs by at least `difference` between two systems; the
    system highest on the leaderboard that has fewer is named first."""
    judged, place = judged_by_system(result, k), places(result)
    high = max(judged, key=lambda name: (judged[name], -place[name]), default="")
    low = sorted((name for name in judged if reaches(judged[high] - judged[name], difference)), key=place.__getitem__)
    if low:
        first, *others = low
        named = [first, *sorted(others, key=judged.__getitem__)[:_NAMED]]
        unnamed = [judged[name] for name in low if name not in named]
        rest = [f"at most {percent(max(unnamed))} of {_whose(len(unnamed))}"] if unnamed else []
        fewer = listed([*(f"{percent(judged[name])} of {name}'s" for name in named), *rest], _NAMED + 2)
        them = "these systems" if others else first
        yield observation(
            f"{percent(judged[high])} of {high}'s {top(k)} are judged, but only {fewer}; "
            f"unjudged documents count as not relevant, which puts {them} at a disadvantage.",
            {"judged": {name: judged[name] for name in (high, *low)}, "k": k},
            headline=f"Only {percent(judged[first])} of {brief(first)}'s {top(k)} are judged, but "
            f"{percent(judged[high])} of {brief(high)}'s.",
            system=first,
        )


@rule(
    "unjudged-order",
    about="judgments",
    title="Unjudged documents could reverse the order of two systems",
    severity="caution",
    why="The order depends on the assumption that unjudged documents are not relevant. If those of the lower system "
    "were relevant, it could be the better one.",
    action="Judge the unjudged documents at the top of both runs before claiming that either is better.",
)
def unjudged_order(result: Result, *, deepest: int = 100) -> Observations:
    """One system is ahead, but would be behind if its unjudged documents were not relevant and the other's had the top
    grade.

    Only measures with a cutoff of at most `deepest` are checked: further down, nearly all documents are unjudged and
    few of them are relevant. Documents that both systems retrieved cannot be both relevant and not; which ones they
    share is not known here.
    """
    if len(result.evidence) < max(2, len(result.systems)) or result.provenance.settings.get("ties") in _NO_ORDER:
        return
    top = max(1.0, *(float(hits.pool_grade.max(initial=1)) for hits in result.evidence.values()))
    reversible: dict[int, list[Reversal]] = {}
    for m, measure in averaged(result):
        if gradable(measure, deepest):
            low, high = _extremes(result, measure, top)
            lower_is_better = measure.declaration.higher_is_better is False
            reversible[m] = reversals(result, m, *((high, low) if lower_is_better else (low, high)))
    if any(reversible.values()):
        m = next(m for m, pairs in reversible.items() if pairs)
        reversible[m][0] = _as_if_judged(result, m, reversible[m][0], top)
        condition = "if {ahead}'s are all not relevant and {behind}'s are other documents and all have the top grade"
        yield reversal_observation(result, reversible, "Unjudged documents", condition)


def gradable(measure: Measure, deepest: int) -> bool:
    """Whether grades for unjudged documents make a measure better, and those of another system's never do."""
    if measure.declaration.evidence is not Hits or measure.options.get("unjudged") is not None:
        return False
    k = measure.options.get("k")
    return isinstance(k, int | float) and k <= deepest and measure.name != "EE_L"  # which more relevant ones may lower


def _extremes(result: Result, measure: Measure, top: float) -> Floats:
    """The mean of each system if its unjudged documents were all not relevant, and if all had the top grade."""
    cases = (measure(unjudged=0), measure(unjudged=top))
    return np.array([[mean(result, s, case.values(hits)) for s, _, hits in counted(result)] for case in cases])


def _as_if_judged(result: Result, m: int, pair: Reversal, top: float) -> Reversal:
    """The pair with the value of the first system where the relevant documents of the other count as missed by it."""
    measure = result.measures[m]
    ahead, behind = (result.evidence[system] for system in (pair.ahead, pair.behind))
    k = int(measure.options["k"])  # type: ignore[arg-type]
    n_unjudged = behind.depth(k) - behind.count(behind.judged & behind.top(k)).astype(np.int64)
    values = measure(unjudged=0).values(with_missed(ahead, n_unjudged, top))
    lower = mean(result, result.systems.index(pair.ahead), values)
    return pair._replace(reversed=(lower, pair.reversed[1]))


# Rules about ties: documents with the same score, whose order is arbitrary


@rule(
    "ties-order",
    about="ties",
    title="Tied scores decide which system is better",
    severity="caution",
    why="The order of documents with the same score is arbitrary. Here the tie-breaking convention, not the systems, "
    "decides which one is ahead.",
    action="Write runs without tied scores, or evaluate with ties='expected', the mean over all orders of tied "
    "documents.",
    covers=("ties-value",),
)
def ties_order(result: Result, *, least: float = 0.0) -> Observations:
    """Two systems that differ by more than `least` are reversed by another order of tied documents."""
    if len(result.evidence) < max(2, len(result.systems)) or _order_is_irrelevant(result):
        return
    low, high = tie_bounds(result)
    reversible = {
        m: [
            pair for pair in reversals(result, m, low[:, m], high[:, m]) if abs(pair.values[0] - pair.values[1]) > least
        ]
        for m, _ in averaged(result)
    }
    if any(reversible.values()):
        yield reversal_observation(result, reversible, "Tied documents", "with tied documents in another order")


@rule(
    "ties-value",
    about="ties",
    title="Tied scores change a value",
    severity="caution",
    why="The order of documents with the same score is arbitrary: another tool, or different document ids, would give "
    "a different value for the same run.",
    action="Write runs with more decimals, or evaluate with ties='expected', the mean over all orders of tied "
    "documents.",
)
def ties_value(result: Result, *, difference: float = 0.01) -> Observations:
    """A mean differs by at least `difference` between the best and the worst order of tied documents."""
    if _order_is_irrelevant(result):
        return
    low, high = tie_bounds(result)
    width = np.full_like(low, -1.0)
    for m, _ in averaged(result):
        width[:, m] = high[:, m] - low[:, m]
    if width.size and reaches(width.max(), difference):
        s, place = divmod(int(width.argmax()), width.shape[1])
        yield _range(result, s, place, float(low[s, place]), float(high[s, place]), width >= difference - LONG_SUMS)


def _range(result: Result, s: int, m: int, low: float, high: float, affected: Mask) -> Observation:
    system, measure, hits = result.systems[s], str(result.measures[m]), result.evidence[result.systems[s]]
    tied, value = len(np.unique(hits.unit[hits.tie_size > 1])), float(result.aggregated()[s, m])
    lowest, highest, now = numbers(low, high, value)
    others = int(affected.sum()) - 1
    also = f"; {count(others, 'other value')} {verb(others, 'is', 'are')} affected too" if others else ""
    return observation(
        f"{system}: {tied:,} of {count(len(hits), 'query')} {verb(tied, 'has', 'have')} judged documents with "
        f"tied scores; depending on their order {measure} lies between {lowest} and {highest} (reported: {now}){also}.",
        {"low": low, "high": high, "value": value, "n_tied": tied, "n_affected": others + 1},
        system=system,
        measure=measure,
    )


def _order_is_irrelevant(result: Result) -> bool:
    """Whether the values do not depend on the order of tied documents."""
    any_tied = any(bool((hits.tie_size > 1).any()) for hits in result.evidence.values())
    return not any_tied or result.provenance.settings.get("ties") == "expected"
