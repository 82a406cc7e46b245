"""What rules ask of a result: its means, and what they would be under other values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.hits import Hits
from cranfield.findings.finding import Said, said
from cranfield.findings.words import count, numbers, tally
from cranfield.registry import Measure
from cranfield.results.values import Result

Floats = NDArray[np.float64]


def averaged(result: Result) -> Iterator[tuple[int, Measure]]:
    """The measures that are means over queries and have a better end, each with its place."""
    for place, measure in enumerate(result.measures):
        if measure.family.aggregate == "mean" and measure.family.higher_is_better is not None:
            yield place, measure


def counted(result: Result) -> Iterator[tuple[int, str, Hits]]:
    """The systems whose evidence was kept, each with its place."""
    for place, system in enumerate(result.systems):
        if system in result.evidence:
            yield place, system, result.evidence[system]


def mean(result: Result, s: int, values: Floats) -> float:
    """The mean over the queries of a system, were these the values; what is undefined counts as the result has it."""
    kept = result.counted[s] & ~np.isnan(values) if result.undefined == "skip" else result.counted[s]
    return float(np.nan_to_num(values[kept]).mean()) if kept.any() else float("nan")


class Turn(NamedTuple):
    """Two systems whose order could turn: the values they have, and what would turn it."""

    ahead: str
    behind: str
    values: tuple[float, float]
    turned: tuple[float, float]


def turns(result: Result, m: int, low: Floats, high: Floats) -> list[Turn]:
    """The pairs of systems whose order turns somewhere between their bounds, those farthest apart now first."""
    better = -1.0 if result.measures[m].family.higher_is_better is False else 1.0
    value = result.aggregated()[:, m]
    worst, best = (low, high) if better > 0 else (high, low)
    found = [
        Turn(
            result.systems[a],
            result.systems[b],
            (float(value[a]), float(value[b])),
            (float(worst[a]), float(best[b])),
        )
        for a in range(len(result.systems))
        for b in range(len(result.systems))
        if better * value[a] > better * value[b] and better * best[b] > better * worst[a]
    ]
    return sorted(found, key=lambda turn: -abs(turn.values[0] - turn.values[1]))


def n_ordered(result: Result, m: int) -> int:
    """How many pairs of systems a measure puts in an order."""
    value = result.aggregated()[:, m]
    return int((value[:, None] > value[None, :]).sum())


def turning(result: Result, found: Mapping[int, list[Turn]], how: str) -> Said:
    """What is said of orders that could turn: the first of them, and how many there are on each measure."""
    m, turn = next((m, each[0]) for m, each in found.items())
    n_found, n_pairs = sum(map(len, found.values())), sum(n_ordered(result, m) for m, _ in averaged(result))
    shown = numbers(*turn.values, *turn.turned)
    where = tally({str(result.measures[m]): len(each) for m, each in found.items()})
    many = f"; in all, the order of {n_found} of {count(n_pairs, 'pair')} could turn ({where})" if n_found > 1 else ""
    return said(
        f"{result.measures[m]}: {turn.ahead} has {shown[0]} and {turn.behind} {shown[1]}, but it could be {shown[2]} "
        f"and {shown[3]}, {how}{many}.",
        {"n_turning": n_found, "n_pairs": n_pairs, "values": turn.values, "turned": turn.turned},
        system=turn.behind,
        other=turn.ahead,
        measure=str(result.measures[m]),
    )
