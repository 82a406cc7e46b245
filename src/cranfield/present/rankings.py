"""Results as tables: systems in rows and measures in columns, or the queries one by one.

Decided here: in which order systems are shown, and which value of a table is the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.measures.declaration import Aggregate
from cranfield.measures.registry import Measure
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.ranking_notes import notes
from cranfield.present.table import DIGITS, Cell, Column, LowHigh, Row, Table
from cranfield.results.interval_table import Intervals
from cranfield.results.rankings import Result, of_systems
from cranfield.tables.system_info import numeric_columns

Aggregates = Sequence[Aggregate]


def tables(result: Result, *, per_query: bool = False, **options: Any) -> list[Table]:
    """The systems with their aggregates, or the queries one by one."""
    return [(by_query if per_query else overview)(result, **options)]


def overview(
    result: Result,
    *,
    aggregates: Aggregates = (),
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """One row per system with aggregates and their intervals; the best of each column is marked.

    The settings are those of `Result.intervals`; without `confidence` there are no intervals.
    """
    several = len(aggregates) > 1
    measured = _measured(result, aggregates, digits)
    computed = _aggregated(result, aggregates, confidence, settings)
    rows = [row for one in computed for row in _rows(result, one, measured, (one.name,) * several, named=True)]
    names = ("aggregate", "system") if several else ("system",)
    below = notes(result, aggregates, [one.intervals for one in computed if one.intervals])
    systems = result.systems * max(len(aggregates), 1)
    rows = [(*row, *info_cells(result, system)) for row, system in zip(rows, systems, strict=True)]
    return Table((*map(Column, names), *measured, *info_columns(result)), tuple(rows), notes=below)


def info_columns(result: Result) -> tuple[Column, ...]:
    """The columns of the system info."""
    numeric = numeric_columns(result.info)
    return tuple(Column(name, numeric=name in numeric) for name in result.info)


def info_cells(result: Result, system: str) -> tuple[Cell, ...]:
    """The system info of one system; numbers unchanged."""
    values = (by_system[system] for by_system in result.info.values())
    return tuple(Cell(f"{value:.10g}" if isinstance(value, float) else value) for value in values)


def by_query(
    result: Result,
    *,
    aggregates: Aggregates = (),
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """One row per query and system, with the best system of each query marked; the aggregates are below."""
    named = len(result.systems) > 1
    measured = _measured(result, aggregates, digits)
    best = best_shown(result.values, result.measures, _decimals(measured))
    rows = [
        row
        for q, query in enumerate(result.units)
        for row in _rows_of_query(result, q, best[:, :, q], query, named=named)
    ]
    computed = _aggregated(result, aggregates, confidence, settings)
    summary = [row for one in computed for row in _rows(result, one, measured, (one.name or "all",), named=named)]
    names = (result.unit, "system") if named else (result.unit,)
    title = "" if named else result.systems[0]
    below = notes(result, aggregates, [one.intervals for one in computed if one.intervals])
    return Table((*map(Column, names), *measured), tuple(rows), tuple(summary), title, notes=below)


class _Aggregated(NamedTuple):
    """The aggregates of one kind, with their intervals."""

    name: str  # empty for each measure's own aggregate
    values: Floats
    intervals: Intervals | None

    def bounds(self, s: int, m: int) -> LowHigh | None:
        """The bounds of a value, if it has any."""
        if self.intervals is None or np.isnan(self.intervals.low[s, m]):
            return None
        return float(self.intervals.low[s, m]), float(self.intervals.high[s, m])


def _aggregated(
    result: Result, aggregates: Aggregates, confidence: float | None, settings: Mapping[str, Any]
) -> list[_Aggregated]:
    def intervals(how: Aggregate | None) -> Intervals | None:
        return None if confidence is None else result.intervals(confidence=confidence, how=how, **settings)

    return [_Aggregated(how or "", result.aggregated(how), intervals(how)) for how in aggregates or (None,)]


def _measured(result: Result, aggregates: Aggregates, digits: int) -> tuple[Column, ...]:
    """One column per measure; counts have no decimals."""
    counts = [m for m, measure in enumerate(result.measures) if measure.declaration.aggregate == "sum"]
    shown = [result.values, *(result.aggregated(how)[:, :, None] for how in aggregates or (None,))] if counts else []
    whole = [m for m in counts if all((np.nan_to_num(values[:, m]) % 1 == 0).all() for values in shown)]
    return tuple(
        Column(str(measure), numeric=True, digits=0 if m in whole else digits)
        for m, measure in enumerate(result.measures)
    )


def _rows(
    result: Result, aggregated: _Aggregated, measured: Sequence[Column], label: tuple[str, ...], *, named: bool
) -> Iterator[Row]:
    best = best_shown(aggregated.values[:, :, None], result.measures, _decimals(measured))[:, :, 0]
    for s, system in enumerate(result.systems):
        names = (*label, system) if named else label
        cells = _cells(aggregated.values[s], best[s])
        yield (*map(Cell, names), *(replace(cell, bounds=aggregated.bounds(s, m)) for m, cell in enumerate(cells)))


def _rows_of_query(result: Result, q: int, best: Mask, query: str, *, named: bool) -> Iterator[Row]:
    for s, system in enumerate(result.systems):
        if result.counted[s, q]:
            names = (query, system) if named else (query,)
            yield (*map(Cell, names), *_cells(result.values[s, :, q], best[s]))


def _cells(values: Floats, best: Mask) -> Iterator[Cell]:
    return (Cell(float(value), bool(top)) for value, top in zip(values, best))


def _decimals(measured: Sequence[Column]) -> list[int]:
    return [column.digits or 0 for column in measured]


def best_shown(values: Floats, measures: Sequence[Measure], digits: Sequence[int]) -> Mask:
    """Which systems have the best displayed value of a measure; none if all are equal."""
    best = np.zeros(values.shape, np.bool_)
    for m, (measure, decimals) in enumerate(zip(measures, digits, strict=True)):
        better = measure.declaration.higher_is_better
        if better is not None:
            shown = np.round(values[:, m], decimals) * (1 if better else -1)
            shown = np.where(np.isnan(shown), -np.inf, shown)
            best[:, m] = (shown == shown.max(axis=0)) & (shown.max(axis=0) > shown.min(axis=0))
    return best


def ranked(result: Result, measure: Measure | str, how: Aggregate | None = None) -> Result:
    """The same result with its systems sorted by a measure, best first."""
    place = result.place(measure)
    values = result.aggregated(how)[:, place]
    descending = result.measures[place].declaration.higher_is_better is not False
    order = np.argsort(-values if descending else values, kind="stable")  # NaN is last in either order
    return of_systems(result, order.tolist())
