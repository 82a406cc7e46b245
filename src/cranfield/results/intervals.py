"""The interval of every aggregate of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.intervals import Interval, Method, absent, bootstrap_statistic, mean_interval
from cranfield.registry import Aggregate
from cranfield.results.values import LEAST, Result

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Intervals:
    """Bounds by system and measure, NaN where there are none; `method` says how each came, or why there is none."""

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    low: Floats
    high: Floats
    method: tuple[tuple[str, ...], ...]
    confidence: float

    def __getitem__(self, key: tuple[str, str]) -> tuple[float, float]:
        """The bounds of a measure for a system."""
        system, measure = key[0], str(key[1])
        if system not in self.systems or measure not in self.measures:
            known = f"{', '.join(self.systems)}; {', '.join(self.measures)}"
            raise BadSetting(f"there is no interval of {measure} for {system!r}; there are {known}")
        s, m = self.systems.index(system), self.measures.index(measure)
        return float(self.low[s, m]), float(self.high[s, m])

    def table(self) -> pa.Table:
        """The bounds as one tidy Arrow table."""
        return pa.Table.from_pylist(self.to_dicts())

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each system and measure; None where there is no bound."""
        return [
            {
                "system": system,
                "measure": measure,
                "low": None if np.isnan(self.low[s, m]) else float(self.low[s, m]),
                "high": None if np.isnan(self.high[s, m]) else float(self.high[s, m]),
                "confidence": self.confidence,
                "method": self.method[s][m],
            }
            for s, system in enumerate(self.systems)
            for m, measure in enumerate(self.measures)
        ]


def intervals_of(
    result: Result,
    *,
    confidence: float = 0.95,
    method: Method = "auto",
    topic: Mapping[str, str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    how: Aggregate | None = None,
) -> Intervals:
    """The interval of each aggregate; `topic` names the cluster of each query, and clusters are then resampled."""
    cluster = None if topic is None else _clusters(result, topic)
    found: list[list[Interval]] = []
    for s in range(len(result.systems)):
        found.append([])
        for m, measure in enumerate(result.measures):
            values, kept = result.counted_values(s, m)
            interval = _interval(
                values,
                how or measure.family.aggregate,
                confidence=confidence,
                method=method,
                cluster=None if cluster is None else cluster[kept],
                resamples=resamples,
                seed=seed,
            )
            found[-1].append(interval.within(_bounds(measure.family.bounds, how or measure.family.aggregate)))
    return Intervals(
        systems=result.systems,
        measures=tuple(map(str, result.measures)),
        low=np.array([[each.low[0] for each in row] for row in found]),
        high=np.array([[each.high[0] for each in row] for row in found]),
        method=tuple(tuple(each.reason or each.method for each in row) for row in found),
        confidence=confidence,
    )


def _bounds(bounds: tuple[float, float], how: str) -> tuple[float, float]:
    return (-np.inf, np.inf) if how == "sum" else bounds


def _clusters(result: Result, topic: Mapping[str, str]) -> Ints:
    missing = [query for query in result.queries if query not in topic]
    if missing:
        raise BadInput(f"query {missing[0]!r} has no topic; {len(missing)} of {len(result.queries)} have none")
    return np.unique([topic[query] for query in result.queries], return_inverse=True)[1]


def _interval(
    values: Floats,
    how: str,
    *,
    confidence: float,
    method: Method,
    cluster: Ints | None,
    resamples: int,
    seed: int,
) -> Interval:
    if how == "micro":
        return absent(1, confidence, "all queries are pooled: there is no value a query to resample")
    if how == "weighted":
        return absent(1, confidence, "classes are weighted by their size, and are no sample of classes")
    if how == "median" and len(values) > 1:
        return bootstrap_statistic(
            values, lambda drawn: np.median(drawn, axis=-1), confidence, resamples=resamples, seed=seed
        )
    if how == "geometric":
        logs = np.log(np.maximum(values, LEAST))
        own: Method = "t" if method == "auto" else method
        found = mean_interval(logs, confidence, own, cluster=cluster, resamples=resamples, seed=seed)
        return Interval(np.exp(found.low), np.exp(found.high), confidence, found.method, found.reason)
    found = mean_interval(values, confidence, method, cluster=cluster, resamples=resamples, seed=seed)
    if how == "sum":
        return Interval(found.low * len(values), found.high * len(values), confidence, found.method, found.reason)
    return found
