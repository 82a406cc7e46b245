"""Results as tables: systems in rows and measures in columns, or the queries one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.present.notes import notes
from cranfield.present.table import Bounds, Cell, Column, Row, Table
from cranfield.registry import Aggregate, Measure, parse
from cranfield.results.intervals import Intervals
from cranfield.results.values import Floats, Result

DIGITS = 4
CONFIDENCE = 0.95

Aggregates = Sequence[Aggregate]
Mask = NDArray[np.bool_]


def overview(
    result: Result,
    *,
    aggregates: Aggregates = (),
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """A row for each system with what its values come to and their intervals, the best of each column marked.

    The settings are those of `Result.intervals`; without a confidence there are none.
    """
    several = len(aggregates) > 1
    measured = _measured(result, aggregates, digits)
    found = _aggregated(result, aggregates, confidence, settings)
    rows = [row for each in found for row in _rows(result, each, measured, (each.name,) * several, named=True)]
    names = ("aggregate", "system") if several else ("system",)
    said = notes(result, aggregates, [each.intervals for each in found if each.intervals])
    return Table((*map(Column, names), *measured), tuple(rows), notes=said)


def by_query(
    result: Result,
    *,
    aggregates: Aggregates = (),
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """A row for each query and system, the best system of each query marked, and below what they come to."""
    named = len(result.systems) > 1
    measured = _measured(result, aggregates, digits)
    best = _best(result.values, result.measures, measured)
    rows = [
        row
        for q, query in enumerate(result.queries)
        for row in _rows_of_query(result, q, best[:, :, q], query, named=named)
    ]
    found = _aggregated(result, aggregates, confidence, settings)
    summary = [row for each in found for row in _rows(result, each, measured, (each.name or "all",), named=named)]
    names = (result.unit, "system") if named else (result.unit,)
    title = "" if named else result.systems[0]
    said = notes(result, aggregates, [each.intervals for each in found if each.intervals])
    return Table((*map(Column, names), *measured), tuple(rows), tuple(summary), title, notes=said)


class _Aggregated(NamedTuple):
    """What the values come to by one kind of aggregate, and how sure that is."""

    name: str  # empty where each measure has its own
    values: Floats
    intervals: Intervals | None

    def bounds(self, s: int, m: int) -> Bounds | None:
        """The bounds of a value, if it has any."""
        if self.intervals is None or np.isnan(self.intervals.low[s, m]):
            return None
        return float(self.intervals.low[s, m]), float(self.intervals.high[s, m])


def _aggregated(
    result: Result, aggregates: Aggregates, confidence: float | None, settings: Mapping[str, Any]
) -> list[_Aggregated]:
    return [
        _Aggregated(
            how or "",
            result.aggregated(how),
            None if confidence is None else result.intervals(confidence=confidence, how=how, **settings),
        )
        for how in aggregates or (None,)
    ]


def _measured(result: Result, aggregates: Aggregates, digits: int) -> tuple[Column, ...]:
    """A column for each measure; what is counted rather than measured has no decimals."""
    shown = [result.values, *(result.aggregated(how)[:, :, None] for how in aggregates or (None,))]
    whole = np.all([(np.nan_to_num(values) % 1 == 0).all(axis=(0, 2)) for values in shown], axis=0)
    return tuple(
        Column(str(measure), numeric=True, digits=0 if whole[m] and measure.family.aggregate == "sum" else digits)
        for m, measure in enumerate(result.measures)
    )


def _rows(
    result: Result, found: _Aggregated, measured: Sequence[Column], label: tuple[str, ...], *, named: bool
) -> Iterator[Row]:
    best = _best(found.values[:, :, None], result.measures, measured)[:, :, 0]
    for s, system in enumerate(result.systems):
        names = (*label, system) if named else label
        cells = _cells(found.values[s], best[s])
        yield (*map(Cell, names), *(replace(cell, bounds=found.bounds(s, m)) for m, cell in enumerate(cells)))


def _rows_of_query(result: Result, q: int, best: Mask, query: str, *, named: bool) -> Iterator[Row]:
    for s, system in enumerate(result.systems):
        if result.counted[s, q]:
            names = (query, system) if named else (query,)
            yield (*map(Cell, names), *_cells(result.values[s, :, q], best[s]))


def _cells(values: Floats, best: Mask) -> Iterator[Cell]:
    return (Cell(None if np.isnan(value) else float(value), bool(top)) for value, top in zip(values, best))


def _best(values: Floats, measures: Sequence[Measure], measured: Sequence[Column]) -> Mask:
    """Which of several systems show the best figure of a measure, unless all show the same."""
    best = np.zeros(values.shape, np.bool_)
    for m, (measure, column) in enumerate(zip(measures, measured, strict=True)):
        better = measure.family.higher_is_better
        if better is not None:
            shown = np.round(values[:, m], column.digits or 0) * (1 if better else -1)
            shown = np.where(np.isnan(shown), -np.inf, shown)
            best[:, m] = (shown == shown.max(axis=0)) & (shown.max(axis=0) > shown.min(axis=0))
    return best


def ranked(result: Result, measure: Measure | str, how: Aggregate | None = None) -> Result:
    """The same result with its systems in the order of a measure, the best first."""
    wanted = parse(measure) if isinstance(measure, str) else measure
    if wanted not in result.measures:
        raise BadSetting(f"cannot sort by {wanted}: evaluated were {', '.join(map(str, result.measures))}")
    place = result.measures.index(wanted)
    values = result.aggregated(how)[:, place]
    falling = result.measures[place].family.higher_is_better is not False
    order = np.argsort(-values if falling else values, kind="stable")  # NaN goes last either way
    return replace(
        result,
        systems=tuple(result.systems[s] for s in order),
        values=result.values[order],
        counted=result.counted[order],
        micro=result.micro[order],
    )
