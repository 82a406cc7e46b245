"""Reversals: pairs of systems whose order would reverse under other values, such as those of unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cranfield.arrays import Floats
from cranfield.findings.finding import Observation, observation
from cranfield.findings.leaderboard import averaged
from cranfield.results.rankings import Result
from cranfield.text import brief, count, numbers, tally


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
