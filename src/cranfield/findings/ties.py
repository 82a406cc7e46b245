"""Rules about ties: documents with the same score, whose order is arbitrary."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Mask
from cranfield.evidence.rounding import LONG_SUMS
from cranfield.findings.finding import Observation, Observations, observation
from cranfield.findings.leaderboard import averaged
from cranfield.findings.reversals import reversal_observation, reversals
from cranfield.findings.rules import reaches, rule
from cranfield.results.rankings import Result
from cranfield.results.tie_effects import tie_bounds
from cranfield.text import count, numbers, verb


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
