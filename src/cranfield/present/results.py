"""Results as tables: systems in rows and measures in columns, or the queries one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.findings.finding import Finding
from cranfield.present.data import comma_separated, json_text
from cranfield.present.notes import notes
from cranfield.present.table import Cell, Column, Row, Table, decoded
from cranfield.registry import Aggregate, Measure, parse
from cranfield.results.values import Floats, Result

DIGITS = 4

Aggregates = Sequence[Aggregate]
Mask = NDArray[np.bool_]


def overview(result: Result, *, aggregates: Aggregates = (), digits: int = DIGITS) -> Table:
    """A row for each system with what its values come to, the best of each column marked."""
    several = len(aggregates) > 1
    measured = _measured(result, aggregates, digits)
    rows = [
        row
        for how in aggregates or (None,)
        for row in _rows(result, result.aggregated(how), measured, (str(how),) * several, named=True)
    ]
    names = ("aggregate", "system") if several else ("system",)
    return Table((*map(Column, names), *measured), tuple(rows), notes=notes(result, aggregates))


def by_query(result: Result, *, aggregates: Aggregates = (), digits: int = DIGITS) -> Table:
    """A row for each query and system, the best system of each query marked, and below what they come to."""
    named = len(result.systems) > 1
    measured = _measured(result, aggregates, digits)
    best = _best(result.values, result.measures, measured)
    rows = [
        row
        for q, query in enumerate(result.queries)
        for row in _rows_of_query(result, q, best[:, :, q], query, named=named)
    ]
    summary = [
        row
        for how in aggregates or (None,)
        for row in _rows(result, result.aggregated(how), measured, (how or "all",), named=named)
    ]
    names = ("query", "system") if named else ("query",)
    title = "" if named else result.systems[0]
    return Table((*map(Column, names), *measured), tuple(rows), tuple(summary), title, notes=notes(result, aggregates))


def _measured(result: Result, aggregates: Aggregates, digits: int) -> tuple[Column, ...]:
    """A column for each measure; what is counted rather than measured has no decimals."""
    shown = [result.values, *(result.aggregated(how)[:, :, None] for how in aggregates or (None,))]
    whole = np.all([(np.nan_to_num(values) % 1 == 0).all(axis=(0, 2)) for values in shown], axis=0)
    return tuple(
        Column(str(measure), numeric=True, digits=0 if whole[m] and measure.family.aggregate == "sum" else digits)
        for m, measure in enumerate(result.measures)
    )


def _rows(
    result: Result, values: Floats, measured: Sequence[Column], label: tuple[str, ...], *, named: bool
) -> Iterator[Row]:
    best = _best(values[:, :, None], result.measures, measured)[:, :, 0]
    for s, system in enumerate(result.systems):
        yield _row((*label, system) if named else label, values[s], best[s])


def _rows_of_query(result: Result, q: int, best: Mask, query: str, *, named: bool) -> Iterator[Row]:
    for s, system in enumerate(result.systems):
        if result.counted[s, q]:
            yield _row((query, system) if named else (query,), result.values[s, :, q], best[s])


def _row(names: tuple[str, ...], values: Floats, best: Mask) -> Row:
    numbers = (Cell(None if np.isnan(value) else float(value), bool(top)) for value, top in zip(values, best))
    return (*map(Cell, names), *numbers)


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


def tidy(result: Result, *, per_query: bool, aggregates: Aggregates = (), digits: int | None = None) -> str:
    """CSV with a row for each value: of each aggregate, or of each query."""
    table = _readable(result).table(per_query=per_query, aggregates=aggregates)
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return comma_separated(table.column_names, rows, digits=digits)


def document(
    result: Result,
    *,
    per_query: bool,
    aggregates: Aggregates = (),
    digits: int | None = None,
    findings: Sequence[Finding] | None = None,
) -> str:
    """JSON with the aggregates, the values of each query and the findings if wanted, and where all came from."""
    readable = _readable(result)
    content: dict[str, Any] = {"results": _records(readable.table(aggregates=aggregates), digits)}
    if per_query:
        content["queries"] = _records(readable.table(per_query=True), digits)
    if findings is not None:
        content["findings"] = [finding.to_dict() for finding in findings]
    content["provenance"] = result.provenance.to_dict()
    return json_text(content)


def _readable(result: Result) -> Result:
    """The same result with the names of systems in characters, as Arrow wants them."""
    return replace(result, systems=tuple(map(decoded, result.systems)))


def _records(table: Any, digits: int | None) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = table.to_pylist()
    if digits is not None:
        for record in records:
            record["value"] = None if record["value"] is None else round(record["value"], digits)
    return records
