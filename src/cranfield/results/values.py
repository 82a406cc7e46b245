"""Results: the value of every measure for every query of every system, and what they come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadSetting, MissingExtra, UnknownMeasure
from cranfield.evidence.hits import Hits
from cranfield.registry import Aggregate, Measure, parse
from cranfield.results.provenance import Provenance
from cranfield.results.views import View
from cranfield.results.writing import comma_separated, json_text, plural, rounded

if TYPE_CHECKING:
    import pandas
    import polars

    from cranfield.evidence.samples import Samples
    from cranfield.inference.intervals import Method
    from cranfield.results.comparison import Comparison
    from cranfield.results.intervals import Intervals

Floats = NDArray[np.float64]
Undefined = Literal["zero", "skip"]

LEAST = 1e-5  # what a value of 0 counts as in a geometric mean, after trec_eval


@dataclass(frozen=True, eq=False)
class Result:
    """Values by system, measure and query: `values[s, m, q]`, NaN where undefined.

    `counted[s, q]` says whether a query enters the aggregates of a system; `micro[s, m]` holds the values of all
    queries pooled, NaN for measures that do not pool. `evidence` keeps what was counted for each system, in the order
    of the queries, for whoever wants to look behind the values.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: NDArray[np.float64]
    counted: NDArray[np.bool_]
    micro: NDArray[np.float64]
    provenance: Provenance
    evidence: Mapping[str, Hits] = field(default_factory=dict)
    weight: NDArray[np.float64] | None = None  # of each query, for weighted aggregates
    unit: str = "query"  # what the values are of; for labels and scores, a group of items or a class
    bounded: Callable[[float, int], Intervals] | None = None  # by confidence and seed, where units are no sample

    @property
    def undefined(self) -> Undefined:
        """What an undefined value counts as in an aggregate."""
        return self.provenance.settings["undefined"]

    def __getitem__(self, key: tuple[str, Measure | str] | Measure | str) -> float:
        """The aggregate of a measure for a system; the system may be left out where there is only one."""
        system, name = key if isinstance(key, tuple) else (self.systems[0], key)
        if not isinstance(key, tuple) and len(self.systems) > 1:
            raise BadSetting(f"say which system: result[system, {str(name)!r}], with one of {', '.join(self.systems)}")
        return float(self.aggregated()[self._system(system), self.place(name)])

    def per_query(self, measure: Measure | str, system: str | None = None) -> dict[str, float]:
        """The value for each query, NaN where undefined."""
        place = self._system(self.systems[0] if system is None else system)
        values = self.values[place, self.place(measure)]
        return {query: float(values[i]) for i, query in enumerate(self.queries) if self.counted[place, i]}

    def _system(self, name: str) -> int:
        if name not in self.systems:
            raise BadSetting(f"there is no system {name!r}; there are {', '.join(self.systems)}")
        return self.systems.index(name)

    def place(self, name: Measure | str) -> int:
        """The place of a measure among those evaluated."""
        wanted = self._parsed(name) if isinstance(name, str) else name
        if wanted not in self.measures:
            raise BadSetting(f"{wanted} was not evaluated; there are {', '.join(map(str, self.measures))}")
        return self.measures.index(wanted)

    def _parsed(self, name: str) -> Measure:
        """The measure a name stands for, among the kinds that were evaluated."""
        kinds = dict.fromkeys(measure.kind for measure in self.measures)
        for kind in kinds:
            with suppress(UnknownMeasure, BadSetting):
                if (wanted := parse(name, kind)) in self.measures or len(kinds) == 1:
                    return wanted
        return parse(name, next(iter(kinds), "ranking"))

    def aggregated(self, how: Aggregate | None = None) -> Floats:
        """The aggregate of each measure for each system; each measure's own unless one is named."""
        require_aggregate(how)
        table = np.empty((len(self.systems), len(self.measures)))
        for s in range(len(self.systems)):
            for m, measure in enumerate(self.measures):
                kind = how or measure.family.aggregate
                table[s, m] = self.micro[s, m] if kind == "micro" else self._aggregate(s, m, kind)
        return table

    def _aggregate(self, s: int, m: int, how: Aggregate) -> float:
        values, kept = self.counted_values(s, m)
        if how != "weighted":
            return aggregate(values, how)
        if self.weight is None:
            raise BadSetting("a weighted aggregate needs weights, which queries do not have")
        return float(np.average(values, weights=self.weight[kept])) if self.weight[kept].any() else float("nan")

    def counted_values(self, s: int, m: int) -> tuple[Floats, NDArray[np.bool_]]:
        """The values that enter an aggregate, and which queries they belong to."""
        values = self.values[s, m]
        kept = self.counted[s] & ~np.isnan(values) if self.undefined == "skip" else self.counted[s]
        return np.where(np.isnan(values[kept]), 0.0, values[kept]), kept

    @cached_property
    def n_undefined(self) -> NDArray[np.int64]:
        """How many of the counted values are undefined, by system and measure."""
        return (np.isnan(self.values) & self.counted[:, None, :]).sum(axis=2)

    # how sure we are; imported when asked for, which keeps plain evaluation quick to start

    def intervals(
        self,
        *,
        confidence: float = 0.95,
        method: Method = "auto",
        topic: Mapping[str, str] | None = None,
        resamples: int | None = None,
        seed: int = 0,
        how: Aggregate | None = None,
    ) -> Intervals:
        """The interval of every aggregate over queries like these; over topics, if the topic of each is given."""
        from cranfield.results.intervals import intervals_of

        chosen = {"method": method, "topic": topic, "resamples": resamples, "how": how}
        if self.bounded is None:
            return intervals_of(self, confidence=confidence, seed=seed, **chosen)  # type: ignore[arg-type]
        for name, value in chosen.items():
            if value not in (None, "auto"):
                raise BadSetting(f"values over all items have intervals of their own, which take no {name}")
        return self.bounded(confidence, seed).ordered(self.systems, [*map(str, self.measures)])

    def samples(self, measure: Measure | str) -> Samples:
        """The values of a measure for every system on the queries they share."""
        from cranfield.results.sampling import samples_of

        return samples_of(self, self.place(measure))

    def compare(self, baseline: str | float | None = None, **settings: Any) -> Comparison:
        """The systems compared with the baseline, or with each other, on every measure.

        The settings are those of `cranfield.compare`: the test, the correction for many comparisons, the level.
        """
        from cranfield.results.comparing import compare
        from cranfield.results.sampling import samples_by_measure

        return compare(samples_by_measure(self), baseline=baseline, **settings)

    plot = View()
    _repr_html_ = View()  # for notebooks

    # the same as tables

    def table(
        self,
        *,
        per_query: bool = False,
        aggregates: Sequence[Aggregate] = (),
        confidence: float | None = 0.95,
        **settings: Any,
    ) -> pa.Table:
        """The result as one tidy Arrow table: every aggregate with its interval, or every value.

        The settings are those of `intervals`; without a confidence there are none.
        """
        from cranfield.results.tidy import aggregates_of, values_of

        if per_query:
            return values_of(self)
        return aggregates_of(self, aggregates, confidence=confidence, **settings)

    def to_polars(self, *, per_query: bool = False) -> polars.DataFrame:
        """The tidy table as a Polars frame."""
        try:
            import polars
        except ImportError:
            raise MissingExtra("frames of Polars need Polars: pip install 'cranfield[frames]'") from None
        return polars.from_arrow(self.table(per_query=per_query))  # type: ignore[return-value]

    def to_pandas(self, *, per_query: bool = False) -> pandas.DataFrame:
        """The tidy table as a pandas frame."""
        try:
            return self.table(per_query=per_query).to_pandas()
        except ImportError:
            raise MissingExtra("frames of pandas need pandas: pip install 'cranfield[frames]'") from None

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """`{system: {measure: value}}`, or `{system: {query: {measure: value}}}`; None where undefined."""
        names = [str(measure) for measure in self.measures]
        if not per_query:
            return {
                s: dict(zip(names, map(_number, row), strict=True))
                for s, row in zip(self.systems, self.aggregated(), strict=True)
            }
        return {
            system: {
                query: dict(zip(names, map(_number, self.values[s, :, q]), strict=True))
                for q, query in enumerate(self.queries)
                if self.counted[s, q]
            }
            for s, system in enumerate(self.systems)
        }

    def to_json(self, *, per_query: bool = False, digits: int | None = None, **settings: Any) -> str:
        """The aggregates, the settings and where the data came from, as JSON; `settings` are those of `table`."""
        return json_text(self.document(per_query=per_query, digits=digits, **settings))

    def document(self, *, per_query: bool = False, digits: int | None = None, **settings: Any) -> dict[str, Any]:
        """The aggregates, the values if wanted, the settings and where the data came from, in plain values."""
        content: dict[str, Any] = {"results": rounded(self.table(**settings).to_pylist(), digits)}
        if per_query:
            content[plural(self.unit)] = rounded(self.table(per_query=True).to_pylist(), digits)
        return content | {"provenance": self.provenance.to_dict()}

    def to_csv(self, *, per_query: bool = False, digits: int | None = None, **settings: Any) -> str:
        """The tidy table as CSV; an undefined value is an empty cell."""
        table = self.table(per_query=per_query, **settings)
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return comma_separated(table.column_names, rows, digits=digits)

    def to_parquet(self, path: str, *, per_query: bool = False) -> None:
        """Write the tidy table as Parquet, the provenance with it."""
        import pyarrow.parquet

        kept = {"cranfield": json.dumps(self.provenance.to_dict())}
        pyarrow.parquet.write_table(self.table(per_query=per_query).replace_schema_metadata(kept), path)


def require_aggregate(how: str | None) -> None:
    """Refuse what is no aggregate; none is each measure's own."""
    if how is not None and how not in get_args(Aggregate):
        raise BadSetting(f"the aggregate must be one of {', '.join(get_args(Aggregate))}, not {how!r}")


def aggregate(values: Floats, how: Aggregate) -> float:
    """What the values come to; NaN if there are none."""
    if how == "sum":
        return float(values.sum())
    if not len(values):
        return float("nan")
    if how == "geometric":
        return float(np.exp(np.log(np.maximum(values, LEAST)).mean()))
    return float(np.median(values) if how == "median" else values.mean())


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
