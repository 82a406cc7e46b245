"""Rules about ties: documents with the same score, whose order the run does not say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.altered import reordered
from cranfield.evidence.hits import Hits
from cranfield.findings.finding import Said, said
from cranfield.findings.rankings import averaged, counted, mean, turning, turns
from cranfield.findings.rules import ROUNDING, reaches, rule
from cranfield.findings.words import count, numbers, verb
from cranfield.results.values import Result

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@rule(
    "ties-order",
    title="Ties decide which system is better",
    severity="serious",
    why="Documents with the same score have no order; some convention put them in one. Here it, and not the "
    "systems, decides who is ahead.",
    action="Write runs with scores that differ, or evaluate with ties='expected', the mean over all orders.",
)
def ties_order(result: Result, *, least: float = 0.0) -> Iterator[Said]:
    """Two systems that differ by more than `least` change places by the order of documents with the same score."""
    if len(result.evidence) < max(2, len(result.systems)) or _settled(result):
        return
    low, high = _ends(result)
    found = {m: turns(result, m, low[:, m], high[:, m]) for m, _ in averaged(result)}
    found = {m: [turn for turn in each if abs(turn.values[0] - turn.values[1]) > least] for m, each in found.items()}
    if any(found.values()):
        how = "were documents with the same score in another order"
        yield turning(result, {m: each for m, each in found.items() if each}, how)


@rule(
    "ties-value",
    title="Ties move a value",
    severity="caution",
    why="Documents with the same score have no order; another tool, or another naming of the documents, gives "
    "another value for the same run.",
    action="Write runs with more decimals, or evaluate with ties='expected', the mean over all orders.",
)
def ties_value(result: Result, *, apart: float = 0.01) -> Iterator[Said]:
    """Between the best and the worst order of documents with the same score, a mean differs by at least `apart`."""
    if _settled(result):
        return
    low, high = _ends(result)
    width = np.full_like(low, -1.0)
    for m, _ in averaged(result):
        width[:, m] = high[:, m] - low[:, m]
    if width.size and reaches(width.max(), apart):
        s, place = divmod(int(width.argmax()), width.shape[1])
        yield _moved(result, s, place, float(low[s, place]), float(high[s, place]), width >= apart - ROUNDING)


def _moved(result: Result, s: int, m: int, low: float, high: float, moved: Mask) -> Said:
    system, measure, hits = result.systems[s], str(result.measures[m]), result.evidence[result.systems[s]]
    tied, value = len(np.unique(hits.unit[hits.tied > 1])), float(result.aggregated()[s, m])
    lowest, highest, now = numbers(low, high, value)
    others = int(moved.sum()) - 1
    also = f"; so {verb(others, 'does', 'do')} {count(others, 'other value')}" if others else ""
    return said(
        f"{system}: {tied:,} of {count(len(hits), 'query')} {verb(tied, 'has', 'have')} judged documents that share "
        f"their score with others; by their order {measure} moves between {lowest} and {highest} (reported: "
        f"{now}){also}.",
        {"low": low, "high": high, "value": value, "n_tied": tied, "n_moved": others + 1},
        system=system,
        measure=measure,
    )


def _settled(result: Result) -> bool:
    """Whether the values are already the mean over all orders, or no documents share a score."""
    tied = any(bool((hits.tied > 1).any()) for hits in result.evidence.values())
    return not tied or result.provenance.settings.get("ties") == "expected"


def _ends(result: Result) -> tuple[Floats, Floats]:
    """The lowest and the highest mean over the orders of documents with the same score, by system and measure."""
    low, high = result.aggregated(), result.aggregated()
    for s, _, hits in counted(result):
        if not (hits.tied > 1).any():
            continue
        orders = [reordered(hits, best=best) for best in (True, False)]
        for m, measure in averaged(result):
            if measure.family.evidence is Hits:
                each = np.array([result.values[s, m], *(measure.values(order) for order in orders)])
                low[s, m] = mean(result, s, np.fmin.reduce(each))
                high[s, m] = mean(result, s, np.fmax.reduce(each))
    return low, high
