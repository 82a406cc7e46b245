"""Results as tidy tables: one row per aggregate with its interval, or one row per value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.arrow import pa
from cranfield.measures.declaration import Aggregate
from cranfield.results.verb_result import number
from cranfield.results.writing import decoded
from cranfield.text import plural

if TYPE_CHECKING:
    from cranfield.results.values import Result


def aggregate_rows(
    result: Result, aggregates: Sequence[Aggregate | None], *, confidence: float | None, **settings: Any
) -> list[dict[str, Any]]:
    """One row per aggregate of each system; with its bounds and the interval method, unless confidence is None."""
    return [row for how in aggregates or (None,) for row in _rows_of(result, how, confidence, settings)]


def _rows_of(
    result: Result, how: Aggregate | None, confidence: float | None, settings: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    value = result.aggregated(how)
    intervals = None if confidence is None else result.intervals(confidence=confidence, how=how, **settings)
    for s, system in enumerate(result.systems):
        for m, measure in enumerate(result.measures):
            row: dict[str, Any] = {"system": decoded(system), "measure": str(measure)}
            row |= {"aggregate": how or measure.declaration.aggregate, "value": number(value[s, m])}
            if intervals is not None:
                row |= {"low": number(intervals.low[s, m]), "high": number(intervals.high[s, m])}
                row["interval"] = intervals.method[s][m]
            n_units = result.counted[s].sum() if how == "micro" else result.n_counted[s, m]
            row |= {plural(result.unit): int(n_units), "undefined": int(result.n_undefined[s, m])}
            yield row | {name: values[system] for name, values in result.info.items()}


def aggregates_of(result: Result, aggregates: Sequence[Aggregate | None], **settings: Any) -> pa.Table:
    """The rows of `aggregate_rows` as a table, with undefined values as null."""
    rows = aggregate_rows(result, aggregates, **settings)
    types = dict.fromkeys(("value", "low", "high"), pa.float64())
    return pa.table({name: pa.array([row[name] for row in rows], types.get(name)) for name in rows[0]})


def values_of(result: Result) -> pa.Table:
    """One row per counted value."""
    per_unit = np.array([measure.declaration.per_unit for measure in result.measures])
    s, m, q = np.nonzero(result.counted[:, None, :] & per_unit[None, :, None])
    value = result.values[s, m, q]
    return pa.table(
        {
            "system": _named(s, [decoded(system) for system in result.systems]),
            result.unit: _named(q, [decoded(query) for query in result.units]),
            "measure": _named(m, [str(measure) for measure in result.measures]),
            "value": pa.array(value, mask=np.isnan(value)),  # null where undefined
        }
    )


def _named(places: Any, names: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(places, names).cast(pa.string())
