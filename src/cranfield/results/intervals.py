"""The interval of every aggregate of a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.altered import only
from cranfield.evidence.hits import Hits
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import (
    RESAMPLES,
    Interval,
    Method,
    absent,
    jackknife,
    mean_interval,
    median_interval,
    require_method,
)
from cranfield.registry import Aggregate, Measure
from cranfield.results.values import LEAST, Result, require_aggregate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

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

    @classmethod
    def of(
        cls,
        systems: tuple[str, ...],
        measures: Iterable[Measure],
        found: Sequence[Sequence[tuple[float, float, str]]],
        confidence: float,
    ) -> Intervals:
        """Those found for each system and measure: the bounds, and how they came or why there are none."""
        low, high = (np.array([[each[end] for each in row] for row in found]) for end in (0, 1))
        method = tuple(tuple(each[2] for each in row) for row in found)
        return cls(systems, tuple(map(str, measures)), low, high, method, confidence)

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
    resamples: int | None = None,
    seed: int = 0,
    how: Aggregate | None = None,
) -> Intervals:
    """The interval of each aggregate; `topic` names the cluster of each query, and it is then over clusters."""
    require_aggregate(how)
    require_method(method)
    require_confidence(confidence)
    cluster = None if topic is None else _clusters(result, topic)
    asked = Asked(confidence, method, cluster, RESAMPLES if resamples is None else resamples, seed)
    found = [
        [
            asked.interval(result, s, m, how).within(measure.family.bounds).of_one
            for m, measure in enumerate(result.measures)
        ]
        for s in range(len(result.systems))
    ]
    return Intervals.of(result.systems, result.measures, found, confidence)


def _clusters(result: Result, topic: Mapping[str, str]) -> Ints:
    missing = [query for query in result.queries if query not in topic]
    if missing:
        raise BadInput(f"query {missing[0]!r} has no topic; {len(missing)} of {len(result.queries)} have none")
    return np.unique([topic[query] for query in result.queries], return_inverse=True)[1]


@dataclass(frozen=True, eq=False)
class Asked:
    """How intervals are to be found."""

    confidence: float
    method: Method
    cluster: Ints | None  # of each query
    resamples: int
    seed: int

    def interval(self, result: Result, s: int, m: int, how: Aggregate | None) -> Interval:
        """The interval of what a measure comes to for a system, or why it has none."""
        own = how or result.measures[m].family.aggregate
        if own == "weighted":
            return self._none("classes are weighted by their size, and are no sample of classes")
        if own == "sum":
            return self._none("a sum is of these queries, and says nothing of others")
        if own in ("median", "micro") and self.method != "auto":
            return self._none(
                f"{self.method} is for means, not for {'medians' if own == 'median' else 'queries pooled'}"
            )
        if own == "micro":
            return self._pooled(result, s, m)
        values, kept = result.counted_values(s, m)
        if own != "median":
            return self._mean(values, kept, geometric=own == "geometric")
        if self.cluster is not None:
            return self._none("the median takes queries for independent, which those of a topic are not")
        return median_interval(values, self.confidence)

    def _none(self, reason: str) -> Interval:
        return absent(1, self.confidence, reason)

    def _mean(self, values: Floats, kept: Mask, *, geometric: bool) -> Interval:
        cluster = None if self.cluster is None else self.cluster[kept]
        drawn: dict[str, Any] = {"cluster": cluster, "resamples": self.resamples, "seed": self.seed}
        if not geometric:
            return mean_interval(values, self.confidence, self.method, **drawn)
        method: Method = "t" if self.method == "auto" else self.method
        found = mean_interval(np.log(np.maximum(values, LEAST)), self.confidence, method, **drawn)
        return replace(found, low=np.exp(found.low), high=np.exp(found.high))

    def _pooled(self, result: Result, s: int, m: int) -> Interval:
        """The interval of all queries pooled: by leaving out each of them, or each topic, or groups of many."""
        hits, measure = result.evidence.get(result.systems[s]), result.measures[m]
        if not measure.family.pools:
            return self._none("there is no value of all queries pooled")
        if hits is None or measure.family.evidence is not Hits or result.provenance.settings.get("ties") == "expected":
            return self._none("what was counted for each query is not known")
        counted = np.flatnonzero(result.counted[s])
        unit = (
            np.arange(len(counted))
            if self.cluster is None
            else np.unique(self.cluster[counted], return_inverse=True)[1]
        )
        n_units = int(unit.max(initial=-1)) + 1
        if n_units < 2:
            return self._none("how values vary cannot be told from fewer than 2 units")
        group = unit % min(n_units, GROUPS)
        left_out = [measure.micro(only(hits, _mask(counted[group != one], len(hits)))) for one in np.unique(group)]
        if np.isnan(left_out).any():
            return self._none("undefined where some of the queries are left out, so that how it varies cannot be told")
        return jackknife(float(result.micro[s, m]), np.array(left_out), self.confidence)


def _mask(places: Ints, n: int) -> Mask:
    inside = np.zeros(n, np.bool_)
    inside[places] = True
    return inside
