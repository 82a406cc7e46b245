"""Results as tidy tables: a row for each aggregate with its interval, or a row for each value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from cranfield.registry import Aggregate
from cranfield.results.writing import decoded, plural

if TYPE_CHECKING:
    from cranfield.results.values import Result


def aggregates_of(
    result: Result, aggregates: Sequence[Aggregate | None], *, confidence: float | None, **settings: Any
) -> pa.Table:
    """A row for each aggregate of each system, with its bounds and how these came unless there is no confidence."""
    rows = [
        row for how in aggregates or (None,) for row in _rows(result, how, confidence=confidence, settings=settings)
    ]
    bounds = () if confidence is None else (("low", pa.float64()), ("high", pa.float64()), ("interval", pa.string()))
    schema = pa.schema(
        [
            ("system", pa.string()),
            ("measure", pa.string()),
            ("aggregate", pa.string()),
            ("value", pa.float64()),
            *bounds,
            (plural(result.unit), pa.int64()),
            ("undefined", pa.int64()),
        ]
    )
    return pa.Table.from_pylist(rows, schema=schema)


def _rows(
    result: Result, how: Aggregate | None, *, confidence: float | None, settings: dict[str, Any]
) -> list[dict[str, Any]]:
    values = result.aggregated(how)
    found = None if confidence is None else result.intervals(confidence=confidence, how=how, **settings)
    rows = []
    for s, system in enumerate(result.systems):
        for m, measure in enumerate(result.measures):
            row = {
                "system": decoded(system),
                "measure": str(measure),
                "aggregate": how or measure.family.aggregate,
                "value": _number(values[s, m]),
                plural(result.unit): int(result.counted[s].sum()),
                "undefined": int(result.n_undefined[s, m]),
            }
            if found is not None:
                row |= {
                    "low": _number(found.low[s, m]),
                    "high": _number(found.high[s, m]),
                    "interval": found.method[s][m],
                }
            rows.append(row)
    return rows


def values_of(result: Result) -> pa.Table:
    """A row for each value that is counted."""
    s, m, q = np.nonzero(np.broadcast_to(result.counted[:, None, :], result.values.shape))
    value = result.values[s, m, q]
    return pa.table(
        {
            "system": _named(s, [decoded(system) for system in result.systems]),
            result.unit: _named(q, [decoded(query) for query in result.queries]),
            "measure": _named(m, [str(measure) for measure in result.measures]),
            "value": pa.array(value, mask=np.isnan(value)),
        }
    )


def _named(places: Any, names: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(places, names).cast(pa.string())


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
