"""Results as tidy tables: one row per aggregate with its interval, or one row per value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.evidence.samples import plural
from cranfield.measures.declaration import Aggregate
from cranfield.results.writing import decoded

if TYPE_CHECKING:
    from cranfield.results.rankings import Result


def aggregates_of(
    result: Result, aggregates: Sequence[Aggregate | None], *, confidence: float | None, **settings: Any
) -> pa.Table:
    """One row per aggregate of each system; with its bounds and the interval method, unless confidence is None."""
    return pa.concat_tables(_aggregate_rows(result, how, confidence, settings) for how in aggregates or (None,))


def _aggregate_rows(
    result: Result, how: Aggregate | None, confidence: float | None, settings: dict[str, Any]
) -> pa.Table:
    n_systems, n_measures = len(result.systems), len(result.measures)
    n_units = np.repeat(result.counted.sum(axis=1), n_measures) if how == "micro" else result.n_counted.ravel()
    columns = {
        "system": pa.array([decoded(system) for system in result.systems for _ in range(n_measures)], pa.string()),
        "measure": pa.array([str(measure) for measure in result.measures] * n_systems, pa.string()),
        "aggregate": pa.array([how or one.declaration.aggregate for one in result.measures] * n_systems, pa.string()),
        "value": _numbers(result.aggregated(how)),
    }
    if confidence is not None:
        intervals = result.intervals(confidence=confidence, how=how, **settings)
        methods = [method for row in intervals.method for method in row]
        columns |= {"low": _numbers(intervals.low), "high": _numbers(intervals.high)}
        columns["interval"] = pa.array(methods, pa.string())
    columns |= {plural(result.unit): n_units, "undefined": result.n_undefined.ravel()}
    info = {
        name: pa.array([values[system] for system in result.systems for _ in range(n_measures)])
        for name, values in result.info.items()
    }
    return pa.table(columns | info)


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
            "value": _numbers(value),
        }
    )


def _named(places: Any, names: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(places, names).cast(pa.string())


def _numbers(values: Floats) -> pa.Array:
    """The numbers as a column, null where undefined."""
    return pa.array(values.ravel(), mask=np.isnan(values.ravel()))
