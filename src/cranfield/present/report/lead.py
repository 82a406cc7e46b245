"""The opening sentences of a report on rankings: the best system, and how certain this is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.comparison.result import Compared, Comparison
from cranfield.evidence.rounding import less
from cranfield.measures.registry import Measure
from cranfield.present.rankings import ranked
from cranfield.results.interval_table import Intervals
from cranfield.results.rankings import Result
from cranfield.text import any_of, count, listed, percent, verb

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
