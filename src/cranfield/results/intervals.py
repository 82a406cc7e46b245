"""The interval of every aggregate of a result.

Decided here: which interval each aggregate over queries has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.counterfactual import only
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.measures.declaration import Aggregate
from cranfield.measures.registry import LEAST, Measure
from cranfield.results.values import Result, require_aggregate
from cranfield.results.verb_result import number
from cranfield.statistics.distributions import require_confidence
from cranfield.statistics.intervals import (
    CONSTANT,
    Interval,
    Method,
    absent,
    constant,
    jackknife,
    mean_interval,
    median_interval,
)
from cranfield.statistics.resampling import RESAMPLES, require_draws, require_seed
from cranfield.text import plural

if TYPE_CHECKING:
    import pyarrow as pa

GROUPS = 50  # of queries, each left out in turn


@frozen(eq=False)
class Intervals:
    """Bounds by system and measure, NaN if there are none; `method` is the method, or the reason why there is none."""

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
        measures: Iterable[Measure | str],
        bounds: Sequence[Sequence[tuple[float, float, str]]],
        confidence: float,
    ) -> Intervals:
        """The intervals with these lower bounds, upper bounds and methods: `bounds[system][measure]`."""
        low, high = (np.array([[bound[end] for bound in row] for row in bounds]) for end in (0, 1))
        method = tuple(tuple(bound[2] for bound in row) for row in bounds)
        return cls(systems, tuple(map(str, measures)), low, high, method, confidence)

    def __getitem__(self, key: tuple[str, str]) -> tuple[float, float]:
        """The bounds of a measure for a system."""
        system, measure = key[0], str(key[1])
        if system not in self.systems or measure not in self.measures:
            known = f"{', '.join(self.systems)}; {', '.join(self.measures)}"
            raise BadSetting(f"there is no interval of {measure} for {system!r}; available: {known}")
        s, m = self.systems.index(system), self.measures.index(measure)
        return float(self.low[s, m]), float(self.high[s, m])

    def ordered(self, systems: Sequence[str], measures: Sequence[str]) -> Intervals:
        """The same bounds for these systems and measures, in this order."""
        s, m = [self.systems.index(system) for system in systems], [self.measures.index(name) for name in measures]
        method = tuple(tuple(self.method[system][measure] for measure in m) for system in s)
        low, high = self.low[np.ix_(s, m)], self.high[np.ix_(s, m)]
        return Intervals(tuple(systems), tuple(measures), low, high, method, self.confidence)

    def table(self) -> pa.Table:
        """The bounds as one tidy Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.to_dicts())

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict per system and measure; None where there is no bound."""
        return [
            {
                "system": system,
                "measure": measure,
                "low": number(self.low[s, m]),
                "high": number(self.high[s, m]),
                "confidence": self.confidence,
                "method": self.method[s][m],
            }
            for s, system in enumerate(self.systems)
            for m, measure in enumerate(self.measures)
        ]


def intervals_of(
    result: Result, how: Aggregate | None, topic: Mapping[str, str] | None, resamples: int | None, **settings: Any
) -> Intervals:
    """The interval of each aggregate over queries, or over the topics of the queries; the settings are `Settings`."""
    require_aggregate(how)
    cluster = None if topic is None else _clusters(result, topic)
    chosen = Settings(cluster=cluster, resamples=RESAMPLES if resamples is None else resamples, **settings)
    bounds = [
        [
            chosen.interval(result, s, m, how).within(measure.declaration.bounds).of_one
            for m, measure in enumerate(result.measures)
        ]
        for s in range(len(result.systems))
    ]
    return Intervals.of(result.systems, result.measures, bounds, chosen.confidence)


def _clusters(result: Result, topic: Mapping[str, str]) -> Ints:
    missing = [query for query in result.units if query not in topic]
    if missing:
        raise BadInput(
            f"query {missing[0]!r} has no topic; it is missing for {len(missing)} of {len(result.units)} queries"
        )
    return np.unique([topic[query] for query in result.units], return_inverse=True)[1]


@frozen(eq=False)
class Settings:
    """How intervals are computed."""

    confidence: float
    method: Method
    cluster: Ints | None  # of each query
    resamples: int
    seed: int

    def __post_init__(self) -> None:
        require_one_of("method", self.method, Method)
        require_confidence(self.confidence)
        require_draws(self.resamples, "resamples")
        require_seed(self.seed)

    def interval(self, result: Result, s: int, m: int, how: Aggregate | None) -> Interval:
        """The interval of the aggregate of a measure for a system, or why it has none."""
        aggregate = how or result.measures[m].declaration.aggregate
        if not result.measures[m].declaration.per_unit:
            return self._none(f"one value over all {plural(result.unit)}, not a mean over them")
        if aggregate == "weighted":
            return self._none("classes weighted by their size are not a random sample of classes")
        if aggregate == "sum":
            return self._none("a sum over these queries does not generalise to other queries")
        if aggregate in ("median", "micro") and self.method != "auto":
            return self._none(
                f"{self.method} applies to means, not to {'medians' if aggregate == 'median' else 'pooled queries'}"
            )
        if aggregate == "micro":
            return self._pooled(result, s, m)
        values, counted = result.counted_values(s, m)
        if aggregate != "median":
            return self._mean(values, counted, result, m, geometric=aggregate == "geometric")
        if self.cluster is not None:
            return self._none("the median assumes independent queries, but queries of one topic are not")
        return median_interval(values, self.confidence)

    def _none(self, reason: str) -> Interval:
        return absent(self.confidence, reason)

    def _mean(self, values: Floats, counted: Mask, result: Result, m: int, *, geometric: bool) -> Interval:
        cluster = None if self.cluster is None else self.cluster[counted]
        drawn: dict[str, Any] = {"cluster": cluster, "resamples": self.resamples, "seed": self.seed}
        if not geometric:
            measure = result.measures[m]
            binary = measure.binary and result.provenance.settings.get("ties") != "expected"
            known: dict[str, Any] = {"binary": binary, "bounds": measure.declaration.bounds}
            return mean_interval(values, self.confidence, self.method, **known, **drawn)
        method: Method = "t" if self.method == "auto" else self.method
        return mean_interval(np.log(np.maximum(values, LEAST)), self.confidence, method, **drawn).exp()

    def _pooled(self, result: Result, s: int, m: int) -> Interval:
        """The interval over pooled queries: the jackknife over queries or topics, in groups if there are many."""
        hits, measure = result.evidence.get(result.systems[s]), result.measures[m]
        if not measure.declaration.pools:
            return self._none("the measure has no value over pooled queries")
        if (
            hits is None
            or measure.declaration.evidence is not Hits
            or result.provenance.settings.get("ties") == "expected"
        ):
            return self._none("the counts of each query are unknown")
        counted = np.flatnonzero(result.counted[s])
        cluster = counted if self.cluster is None else self.cluster[counted]
        unit = np.unique(cluster, return_inverse=True)[1]
        n_units = int(unit.max(initial=-1)) + 1
        if n_units < 2:
            return self._none("at least 2 units are needed to estimate variance")
        group = unit % min(n_units, GROUPS)
        every = np.arange(len(hits))
        left_out = [measure.micro(only(hits, np.isin(every, counted[group != one]))) for one in np.unique(group)]
        if np.isnan(left_out).any():
            return self._none("undefined without some of the queries, so the variance cannot be estimated")
        if constant(np.array(left_out)):
            return self._none(CONSTANT)
        return jackknife(float(result.micro[s, m]), np.array(left_out), self.confidence)
