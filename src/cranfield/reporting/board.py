"""The data of the interactive leaderboard: values, intervals, tiers and tested differences by measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cranfield.comparison.plots import measured, tiers_by_system, tiers_of
from cranfield.comparison.result import Compared, Comparison
from cranfield.comparison.tables import tested
from cranfield.measures.registry import Measure
from cranfield.present.values import best_shown, ranked
from cranfield.rankings.findings.judgments import judged_by_system
from cranfield.rankings.findings.runs import SHORT, typical_depth
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result
from cranfield.results.verb_result import number
from cranfield.results.writing import decoded
from cranfield.rounding import less
from cranfield.text import any_of, count, listed, percent, verb

# The opening sentences of a report on rankings: the best system, and how certain this is


NAMED = 3  # systems named in one sentence


def best_system(system: str, measure: Measure, value: str, interval: str, n_systems: int) -> str:
    """The sentence that names the best system by a measure, its value and the interval of that."""
    if n_systems == 1:
        return f"{system} has {measure} {value}{interval and f' ({interval})'}."
    return f"{system} has the best {measure} of {count(n_systems, 'system')} ({value}{interval and f', {interval}'})."


def leads(result: Result, intervals: Intervals | None, compared: Comparison | None, by: Measure) -> tuple[str, ...]:
    """The best system by a measure, its value, and the systems from which it is significantly different."""
    measure, best = str(by), ranked(result, by).systems[0]
    value = f"{result[best, measure]:.4f}"
    if intervals is not None and not np.isnan(intervals[best, measure][0]):
        low, high = intervals[best, measure]
        value += f", {percent(intervals.confidence)} CI {low:.4f} to {high:.4f}"
    tied = _equal(result, best, by)
    have = f"{listed(tied, NAMED)} {verb(len(tied), 'has', 'have')}"
    first = f"{have} the best {measure} of {count(len(result.systems), 'system')} ({value})."
    if len(result.systems) == 1:
        first = f"{best} has {measure} {value} over {count(int(result.n_counted[0, result.place(by)]), 'query')}."
    if compared is None:
        untested = ["There are too few queries to test the differences."] if len(result.systems) > 1 else []
        return (first, *untested)
    rows = [row for row in compared.rows if row.measure == measure]
    if not rows:
        return (first,)
    ahead = compared.baseline in (None, best)
    sentence = ahead_of(best, rows) if ahead else _against(compared.baseline or "", rows)
    return (first, f"In {measure}, {sentence}.")


def _equal(result: Result, best: str, by: Measure) -> list[str]:
    """The systems that have the value of the best one up to rounding."""
    values = np.array([result[system, str(by)] for system in result.systems], np.float64)
    apart = less(values, np.full_like(values, result[best, str(by)]))
    return [best, *(name for name, gap in zip(result.systems, apart, strict=True) if gap == 0 and name != best)]


def ahead_of(best: str, rows: Sequence[Compared]) -> str:
    """The systems that the best one is significantly better than, and the others."""
    others = {
        row.baseline if row.system == best else row.system: row for row in rows if best in (row.system, row.baseline)
    }
    worse = [name for name, row in others.items() if row.significant]
    similar = [name for name, row in others.items() if row.tested and not row.significant]
    untested = [name for name, row in others.items() if not row.tested]
    parts = [
        *([f"{best} is not significantly better than {any_of(similar, NAMED)}"] if similar else []),
        *([f"{best} is significantly better than {_worse(worse, bool(similar))}"] if worse else []),
        *([f"the difference from {listed(untested, NAMED)} has no variance and was not tested"] if untested else []),
    ]
    return "; ".join(parts)


def _worse(systems: Sequence[str], others_named: bool) -> str:
    return f"the other {count(len(systems), 'system')}" if others_named and len(systems) > 1 else listed(systems, NAMED)


def _against(baseline: str, rows: Sequence[Compared]) -> str:
    """The systems that are significantly different from the baseline."""
    different = [row.system for row in rows if row.significant]
    if not different:
        some = "no system" if all(row.tested for row in rows) else "no system that could be tested"
        return f"{some} is significantly different from {baseline}"
    return f"{listed(different, NAMED)} {verb(len(different), 'is', 'are')} significantly different from {baseline}"


TOP = 10  # documents whose judgments are counted


def board(
    result: Result, intervals: Intervals | None, compared: Comparison | None, baseline: str | None, digits: int
) -> dict[str, Any]:
    """Everything that the leaderboard can show for any measure and baseline; `result` has the best system first."""
    values = result.aggregated()
    best = best_shown(values[:, :, None], result.measures, [digits] * len(result.measures))
    return {
        "values": [[*map(number, row)] for row in values.tolist()],
        "best": best[:, :, 0].astype(int).tolist(),
        "intervals": None if intervals is None else _bounds(intervals),
        "confidence": None if intervals is None else intervals.confidence,
        "tiers": [_tiers(result, compared, str(measure)) for measure in result.measures],
        "pairs": [_pairs(result, compared, str(measure)) for measure in result.measures],
        "tested": "" if compared is None else tested(compared),
        "terms": None if compared is None else _terms(compared),
        "connected": intervals is not None and compared is not None and _same_intervals(intervals, compared),
        "baseline": None if baseline is None else result.systems.index(baseline),
        "compared": _first_pair(result, baseline),
        "leads": [leads(result, intervals, compared, measure) for measure in result.measures],
        "judged": _judged(result),
        "remarks": [[*_remarks(result, system)] for system in result.systems],
        "digits": digits,
    }


def _bounds(intervals: Intervals) -> list[list[list[float] | None]]:
    return [
        [None if np.isnan(one) else [one, other] for one, other in zip(low, high, strict=True)]
        for low, high in zip(intervals.low.tolist(), intervals.high.tolist(), strict=True)
    ]


def _tiers(result: Result, compared: Comparison | None, measure: str) -> list[str] | None:
    """The tiers of each system, if all pairs were compared."""
    if compared is None or compared.baseline is not None or measure not in compared.samples:
        return None
    tiers = tiers_by_system(tiers_of(*measured(result, measure), compared))
    return [tiers[decoded(system)] for system in result.systems]


def _terms(compared: Comparison) -> list[str]:
    """The names of the interval and of the p-value of a difference."""
    alone = any(row.interval.endswith("not adjusted") for row in compared.rows)
    adjusted = compared.correction != "none" or compared.test.simultaneous
    return [f"{'unadjusted ' * alone}{percent(1 - compared.level)} CI", f"{'adjusted ' * adjusted}p"]


def _same_intervals(intervals: Intervals, compared: Comparison) -> bool:
    """Whether the plot of tiers shows the same means and intervals as the leaderboard."""
    return compared.test.name != "nemenyi" and math.isclose(intervals.confidence, 1 - compared.level)


def _first_pair(result: Result, baseline: str | None) -> list[int]:
    """The systems of the plot of differences: the best one and the baseline, or else the next best."""
    other = 1 if baseline is None else result.systems.index(baseline)
    return [1 if other == 0 else 0, other]


def _pairs(result: Result, compared: Comparison | None, measure: str) -> list[list[Any]]:
    """For each tested pair: the places of the systems, the interval of the difference, p, whether significant."""
    if compared is None:
        return []
    place = {system: s for s, system in enumerate(result.systems)}
    return [
        [
            place[row.system],
            place[row.baseline],
            *map(number, (row.low, row.high, row.adjusted_p)),
            int(row.significant),
        ]
        for row in compared.rows
        if row.measure == measure and row.baseline in place  # rather than a number
    ]


def _judged(result: Result) -> list[float | None] | None:
    """The proportion of judged documents in the top ten, unless it is among the measures."""
    if not result.evidence or f"Judged@{TOP}" in map(str, result.measures):
        return None
    judged = judged_by_system(result, TOP)
    return [judged.get(system) for system in result.systems]


def _remarks(result: Result, system: str) -> Iterator[str]:
    """Warnings shown next to the name: few documents per query, and missing queries."""
    if system not in result.evidence:
        return
    typical = [typical_depth(hits) for hits in result.evidence.values()]
    n_retrieved = typical_depth(result.evidence[system])
    if n_retrieved < SHORT * max(typical):
        yield f"{count(n_retrieved, 'document')} per query"
    missing = int((result.evidence[system].n_retrieved == 0).sum())
    if missing:
        yield f"{count(missing, 'query')} missing"
