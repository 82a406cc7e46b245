"""What must be said below a table of results: over what it was counted, and how."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.api import evaluate
from cranfield.registry import Aggregate
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result
from cranfield.results.writing import plural

_NAMED = 5  # as many systems are named; more are only counted


def notes(result: Result, aggregates: Sequence[Aggregate], intervals: Sequence[Intervals] = ()) -> tuple[str, ...]:
    """Over how many queries, how the intervals came, what was undefined, and the settings that are not the usual."""
    return (
        _counted(result, aggregates),
        *_bounded(result, intervals),
        *_undefined(result),
        *_unpooled(result, aggregates),
        *_settings(result),
    )


def _counted(result: Result, aggregates: Sequence[Aggregate]) -> str:
    if result.bounded is not None:
        return "over all items"
    few, many = int(result.counted.sum(axis=1).min()), int(result.counted.sum(axis=1).max())
    queries = f"{many} {result.unit if many == 1 else plural(result.unit)}"
    over = queries if few == many else f"{few} to {queries}, as each system answers"
    usual, *others = _kinds(result, aggregates)
    return "; ".join([f"{usual} over {over}", *others])


def _bounded(result: Result, intervals: Sequence[Intervals]) -> Iterator[str]:
    """How the bounds below the values came: as most did, and which did not."""
    if not intervals:
        return
    came: dict[str, dict[str, None]] = {}  # the measures of each method, in order
    for each in intervals:
        for row, low in zip(each.method, each.low, strict=True):
            for measure, method, known in zip(each.measures, row, ~np.isnan(low), strict=True):
                came.setdefault(method if known else f"none ({method})", {})[measure] = None
    shares = []
    if result.bounded is None and "wilson" in came:
        del came["wilson"]
        shares = ["wilson where all values are 0 or 1"]  # of one system perhaps, and not of another
    usual = max(came, key=lambda method: (not method.startswith("none"), len(came[method])), default="")
    others = [f"{method} for {', '.join(came[method])}" for method in came if method != usual]
    yield f"{intervals[0].confidence * 100:g} % intervals: {'; '.join(filter(None, [usual, *others, *shares]))}"


def _kinds(result: Result, aggregates: Sequence[Aggregate]) -> list[str]:
    """What the values come to: as was asked, or the aggregate of the first measure and those that differ from it."""
    if aggregates:
        return [", ".join(aggregates)]
    own: dict[Aggregate, list[str]] = {}
    for measure in result.measures:
        own.setdefault(measure.family.aggregate, []).append(str(measure))
    usual = next(iter(own))
    return [usual, *(f"{kind} for {', '.join(own[kind])}" for kind in own if kind != usual)]


def _undefined(result: Result) -> Iterator[str]:
    counts = result.n_undefined
    if not counts.any():
        return
    counted = "counted as 0" if result.undefined == "zero" else "left out"
    if (counts == counts[0]).all():
        yield f"undefined and {counted}: {_each(result, counts[0])}"
        return
    systems = [s for s in range(len(result.systems)) if counts[s].any()]
    each = [f"{result.systems[s]} ({_each(result, counts[s])})" for s in systems[:_NAMED]]
    more = [f"{len(systems) - _NAMED} more systems"] if len(systems) > _NAMED else []
    yield f"undefined and {counted}: {'; '.join(each + more)}"


def _each(result: Result, counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
    named = (f"{measure} for {count}" for measure, count in zip(result.measures, counts, strict=True) if count)
    return ", ".join(named)


def _unpooled(result: Result, aggregates: Sequence[Aggregate]) -> Iterator[str]:
    alone = [str(measure) for measure in result.measures if not measure.family.pools]
    if "micro" in aggregates and alone:
        yield f"no micro average, since queries cannot be pooled: {', '.join(alone)}"


def _settings(result: Result) -> Iterator[str]:
    if result.unit != "query":
        return  # what a ranking is evaluated with does not apply
    usual = inspect.signature(evaluate).parameters
    settings = result.provenance.settings.items()
    chosen = [f"{name}: {value}" for name, value in settings if name in usual and value != usual[name].default]
    if chosen:
        yield ", ".join(chosen)
