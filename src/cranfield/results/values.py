"""Results: the value of every measure for every query of every system, and their aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.catalogue import provided
from cranfield.errors import BadSetting, UnknownMeasure, require_one_of
from cranfield.evidence.hits import Hits
from cranfield.frozen import cached_property, frozen
from cranfield.measures.declaration import Aggregate, Kind
from cranfield.measures.naming import parse
from cranfield.measures.registry import LEAST, Measure
from cranfield.results.provenance import Provenance
from cranfield.results.verb_result import Key, Records, VerbResult, by_name, number, system_place
from cranfield.settings import CONFIDENCE
from cranfield.text import plural

if TYPE_CHECKING:
    import pyarrow as pa

    from cranfield.evidence.samples import Samples
    from cranfield.results.intervals import Intervals
    from cranfield.statistics.intervals import Method
    from cranfield.tables.items import Info

Undefined = Literal["zero", "skip"]
_OF_DATA = {"baseline", "top"}  # settings that evaluation takes from its data where a measure has none


class HasIntervals(Protocol):
    """The items behind a result, over which its intervals are computed."""

    def intervals(self, confidence: float, seed: int) -> Intervals:
        """The interval of every measure for every system."""


@frozen(eq=False)
class Result(VerbResult):
    """The value of every measure for every unit (query, fold, class) of every system.

    Attributes
    ----------
    systems, measures, units
        The names of the systems, the measures, and the names of the units.
    values
        `values[s, m, u]`, NaN where undefined.
    counted
        `counted[s, u]`: whether a unit enters the aggregates of a system.
    micro
        `micro[s, m]`: the values of all units pooled, NaN for measures that do not pool.
    evidence
        The counts behind the values of each system, in the order of the units.
    weight
        The weight of each unit, for weighted aggregates.
    unit
        The kind of unit: `"query"`, `"group"` or `"class"`.
    info
        Attributes of the systems, such as their cost: `info[column][system]`.
    answered
        `answered[s, u]`: whether a run has documents for a query; None if the units are not queries of runs.

    Examples
    --------
    >>> import cranfield
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 0, "b": 1}}
    >>> runs = {"up": {"q1": {"a": 1}, "q2": {"a": 2, "b": 1}}, "down": {"q1": {"a": 1}, "q2": {"b": 2, "a": 1}}}
    >>> result = cranfield.evaluate(qrels, runs, ["RR", "P@1"])
    >>> result["up"]
    {'RR': 0.75, 'P@1': 0.5}
    >>> result["RR"]
    {'up': 0.75, 'down': 1.0}
    >>> result.per_query("RR", "up")
    {'q1': 1.0, 'q2': 0.5}
    """

    kind = "result"  # whose findings are not shown unasked: their rules take 0.1 to 0.3 s, `eval` otherwise 0.12

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    units: Sequence[str]
    values: Floats
    counted: Mask
    micro: Floats
    provenance: Provenance
    evidence: Mapping[str, Hits] = field(default_factory=dict)
    weight: Floats | None = None
    unit: str = "query"
    bounded: HasIntervals | None = None  # provides the intervals if units are not a sample
    info: Info = field(default_factory=dict)
    answered: Mask | None = None

    @property
    def undefined(self) -> Undefined:
        """How undefined values count in an aggregate."""
        return self.provenance.settings["undefined"]

    def __getitem__(self, key: Key) -> Any:
        """The aggregate of a measure for a system, or a dict of those of all measures or of all systems.

        `result["dense", "AP"]` is a number, `result["dense"]` is `{measure: value}` and `result["AP"]` is
        `{system: value}`, or the number where there is only one system.
        """
        return by_name(key, self.aggregated(), self.systems, list(map(str, self.measures)), self.place)

    def per_query(self, measure: Measure | str, system: str | None = None) -> dict[str, float]:
        """The value for each query, NaN where undefined."""
        place = 0 if system is None else system_place(system, self.systems)
        values = self.values[place, self.place(measure)]
        return {query: float(values[i]) for i, query in enumerate(self.units) if self.counted[place, i]}

    def place(self, name: Measure | str) -> int:
        """The index of a measure among those evaluated."""
        matching = self._evaluated(name)
        if len(matching) > 1:
            raise BadSetting(f"{name} is ambiguous here: name {' or '.join(map(str, matching))}")
        if not matching:
            unknown = parse(name, tuple(self._kinds) or "ranking")
            raise BadSetting(f"{unknown} was not evaluated; available: {', '.join(map(str, self.measures))}")
        return self.measures.index(matching[0])

    @property
    def _kinds(self) -> dict[Kind, None]:
        return dict.fromkeys(measure.kind for measure in self.measures)

    def _evaluated(self, name: Measure | str) -> list[Measure]:
        """The measures of a name among those evaluated, also without the settings that were taken from the data."""
        for kind in self._kinds:
            with suppress(UnknownMeasure, BadSetting):
                measure = parse(name, kind)
                if measure in self.measures:
                    return [measure]
                if completed := [one for one in self.measures if _completes(one, measure)]:
                    return completed
        return []

    def aggregated(self, how: Aggregate | None = None) -> Floats:
        """The aggregate of each measure for each system (default: the measure's own)."""
        require_aggregate(how)
        table = np.empty((len(self.systems), len(self.measures)))
        for s in range(len(self.systems)):
            for m, measure in enumerate(self.measures):
                kind = how or measure.declaration.aggregate
                if kind != "micro" and not measure.declaration.per_unit:
                    table[s, m] = np.nan
                else:
                    table[s, m] = self.micro[s, m] if kind == "micro" else self._aggregate(s, m, kind)
        return table

    def aggregate_of(self, s: int, m: int, values: Floats) -> float:
        """The aggregate of a measure for a system if the queries had these values."""
        return self._aggregate(s, m, self.measures[m].declaration.aggregate, values)

    def _aggregate(self, s: int, m: int, how: Aggregate, others: Floats | None = None) -> float:
        values, counted = self.counted_values(s, m, others)
        if how != "weighted":
            return aggregate(values, how)
        if self.weight is None:
            raise BadSetting("a weighted aggregate needs weights; queries have none")
        return float(np.average(values, weights=self.weight[counted])) if self.weight[counted].any() else float("nan")

    def counted_values(self, s: int, m: int, others: Floats | None = None) -> tuple[Floats, Mask]:
        """The values, or others in their place, that enter an aggregate, and which queries they belong to."""
        values = self.values[s, m] if others is None else others
        instead = self.undefined_value(m)
        counted = self.counted[s] & ~np.isnan(values) if np.isnan(instead) else self.counted[s]
        entering = values if counted.all() else values[counted]
        undefined = np.isnan(entering)
        return np.where(undefined, instead, entering) if undefined.any() else entering, counted

    def undefined_value(self, m: int) -> float:
        """What an undefined value of a measure counts as in aggregates; NaN if it is left out."""
        return float("nan") if self.undefined == "skip" else self.measures[m].declaration.undefined_value

    @cached_property
    def n_undefined(self) -> Ints:
        """The number of counted values that are undefined, by system and measure; none of those without any."""
        per_unit = np.array([measure.declaration.per_unit for measure in self.measures])
        numbers = np.zeros((len(self.systems), len(self.measures)), np.int64)
        for s, m in np.ndindex(*numbers.shape):
            numbers[s, m] = np.count_nonzero(np.isnan(self.values[s, m]) & self.counted[s])
        return numbers * per_unit

    @cached_property
    def n_counted(self) -> Ints:
        """The number of values in the aggregate, by system and measure."""
        n = np.repeat(self.counted.sum(axis=1)[:, None], len(self.measures), axis=1)
        left_out = np.isnan([self.undefined_value(m) for m in range(len(self.measures))])
        return n - self.n_undefined * left_out

    def answer_with(self, **options: Any) -> str:
        """The best system, with the interval that the options ask for."""
        return str(provided("answer")(self, **options))

    def _by_unit(self) -> Result:
        return self

    # intervals are imported on use, for faster start-up

    def intervals(
        self,
        *,
        confidence: float = CONFIDENCE,
        method: Method = "auto",
        topic: Mapping[str, str] | None = None,
        resamples: int | None = None,
        seed: int = 0,
        how: Aggregate | None = None,
    ) -> Intervals:
        """The confidence interval of every aggregate over queries, or over topics if these are passed."""
        from cranfield.results.intervals import intervals_of

        if self.bounded is None:
            return intervals_of(self, how, topic, resamples, confidence=confidence, method=method, seed=seed)
        for name, value in {"method": method, "topic": topic, "resamples": resamples, "how": how}.items():
            if value not in (None, "auto"):
                raise BadSetting(f"{name} does not apply to values computed over all items")
        return self.bounded.intervals(confidence, seed).ordered(self.systems, [*map(str, self.measures)])

    def samples(self, measure: Measure | str) -> Samples:
        """The values of a measure for every system on their common queries."""
        from cranfield.results.samples import samples_of

        return samples_of(self, self.place(measure))

    def steps(self, *, query: str | None = None, k: int | None = None) -> Any:
        """The working of the rankings, rank by rank, for one query or all; `cranfield.steps` also names documents."""
        return provided("ranking_steps")(self, query=query, k=k)

    # the same as tables

    def records(
        self,
        *,
        per_query: bool = False,
        aggregates: Sequence[Aggregate] = (),
        confidence: float | None = CONFIDENCE,
        **settings: Any,
    ) -> Records:
        """One row per aggregate with its interval and, with `per_query`, one per value; settings as for `table`."""
        from cranfield.results.tidy_tables import aggregate_rows

        rows = {"results": aggregate_rows(self, aggregates, confidence=confidence, **settings)}
        return rows | ({plural(self.unit): self.table(per_query=True).to_pylist()} if per_query else {})

    def main(self, *, per_query: bool = False, **_: Any) -> str:
        """The aggregates, or the values of each query."""
        return plural(self.unit) if per_query else "results"

    def table(
        self,
        name: str | None = None,
        *,
        per_query: bool = False,
        aggregates: Sequence[Aggregate] = (),
        confidence: float | None = CONFIDENCE,
        **settings: Any,
    ) -> pa.Table:
        """The result as one tidy Arrow table: every aggregate with its interval, or every value.

        The settings are those of `intervals`; without a confidence there are none.
        """
        from cranfield.results.tidy_tables import aggregates_of, values_of

        if (name or self.main(per_query=per_query)) != "results":
            return values_of(self)
        return aggregates_of(self, aggregates, confidence=confidence, **settings)

    def by_system(self, *, per_query: bool = False) -> dict[str, Any]:
        """`{system: {measure: value}}`, or `{system: {query: {measure: value}}}`; None where undefined."""
        names = [str(measure) for measure in self.measures]
        if not per_query:
            return {
                s: dict(zip(names, map(number, row), strict=True))
                for s, row in zip(self.systems, self.aggregated(), strict=True)
            }
        return {
            system: {
                query: dict(zip(names, map(number, self.values[s, :, q]), strict=True))
                for q, query in enumerate(self.units)
                if self.counted[s, q]
            }
            for s, system in enumerate(self.systems)
        }


def _completes(measure: Measure, requested: Measure) -> bool:
    """Whether this is the requested measure with the settings that evaluation takes from its data."""
    of_data = {name: value for name, value in measure.settings if name in _OF_DATA - dict(requested.settings).keys()}
    return (measure.name, measure.kind) == (requested.name, requested.kind) and requested(**of_data) == measure


def of_systems(result: Result, places: Sequence[int]) -> Result:
    """The same result for some of its systems, in this order; the evidence is still that of all."""
    systems, rows = tuple(result.systems[s] for s in places), np.asarray(places, np.int64)
    values, counted, micro = result.values[rows], result.counted[rows], result.micro[rows]
    answered = None if result.answered is None else result.answered[rows]
    return replace(result, systems=systems, values=values, counted=counted, micro=micro, answered=answered)


def of_measures(result: Result, places: Sequence[int]) -> Result:
    """The same result for some of its measures, in this order."""
    measures, columns = tuple(result.measures[m] for m in places), np.asarray(places, np.int64)
    return replace(result, measures=measures, values=result.values[:, columns], micro=result.micro[:, columns])


def require_aggregate(how: str | None) -> None:
    """Refuse an unknown aggregate; None is the measure's own."""
    require_one_of("aggregate", how, (None, *get_args(Aggregate)))


def aggregate(values: Floats, how: Aggregate) -> float:
    """The aggregate of the values; NaN if there are none."""
    if how == "sum":
        return float(values.sum())
    if not len(values):
        return float("nan")
    if how == "geometric":
        return float(np.exp(np.log(np.maximum(values, LEAST)).mean()))
    return float(np.median(values) if how == "median" else values.mean())
