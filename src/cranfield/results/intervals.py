"""The interval of every aggregate of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.altered import only
from cranfield.evidence.hits import Hits
from cranfield.inference.intervals import Interval, Method, absent, jackknife, mean_interval, median_interval
from cranfield.registry import Aggregate
from cranfield.results.values import LEAST, Result

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUPS = 50  # of queries, each left out in turn


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

    def ordered(self, systems: Sequence[str], measures: Sequence[str]) -> Intervals:
        """The same bounds for these systems and measures, in this order."""
        s, m = [self.systems.index(system) for system in systems], [self.measures.index(each) for each in measures]
        method = tuple(tuple(self.method[system][measure] for measure in m) for system in s)
        low, high = self.low[np.ix_(s, m)], self.high[np.ix_(s, m)]
        return Intervals(tuple(systems), tuple(measures), low, high, method, self.confidence)

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
            own = how or measure.family.aggregate
            interval = (
                _pooled(result, s, m, confidence)
                if own == "micro"
                else _interval(
                    values,
                    own,
                    confidence=confidence,
                    method=method,
                    cluster=None if cluster is None else cluster[kept],
                    resamples=resamples,
                    seed=seed,
                )
            )
            found[-1].append(interval.within(measure.family.bounds))
    return Intervals(
        systems=result.systems,
        measures=tuple(map(str, result.measures)),
        low=np.array([[each.low[0] for each in row] for row in found]),
        high=np.array([[each.high[0] for each in row] for row in found]),
        method=tuple(tuple(each.reason or each.method for each in row) for row in found),
        confidence=confidence,
    )


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
    if how == "weighted":
        return absent(1, confidence, "classes are weighted by their size, and are no sample of classes")
    if how == "sum":
        return absent(1, confidence, "a sum is of these queries, and says nothing of others")
    if how == "median":
        return median_interval(values, confidence)
    if how == "geometric":
        logs = np.log(np.maximum(values, LEAST))
        own: Method = "t" if method == "auto" else method
        found = mean_interval(logs, confidence, own, cluster=cluster, resamples=resamples, seed=seed)
        return Interval(np.exp(found.low), np.exp(found.high), confidence, found.method, found.reason)
    return mean_interval(values, confidence, method, cluster=cluster, resamples=resamples, seed=seed)


def _pooled(result: Result, s: int, m: int, confidence: float) -> Interval:
    """The interval of all queries pooled, by leaving out each of them, or each of some groups where they are many."""
    hits, measure = result.evidence.get(result.systems[s]), result.measures[m]
    counted = np.flatnonzero(result.counted[s])
    n_groups = min(len(counted), GROUPS)
    if not measure.family.pools:
        return absent(1, confidence, "there is no value of all queries pooled")
    if hits is None or measure.family.evidence is not Hits or result.provenance.settings.get("ties") == "expected":
        return absent(1, confidence, "what was counted for each query is not known")
    if n_groups < 2:
        return absent(1, confidence, "how values vary cannot be told from fewer than 2 units")
    left_out = np.empty(n_groups)
    for group in range(n_groups):
        kept = np.zeros(len(hits), np.bool_)
        kept[np.delete(counted, np.s_[group::n_groups])] = True
        left_out[group] = measure.micro(only(hits, kept))
    return jackknife(float(result.micro[s, m]), left_out, confidence)
