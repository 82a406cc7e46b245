"""Results as tables: systems in rows and measures in columns, or the queries one by one.

Decided here: in which order systems are shown, and which value of a table is the best.

Decided here: what is said below the table of `eval`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.engines.evaluation import Counting
from cranfield.measures.declaration import Aggregate
from cranfield.measures.registry import Measure
from cranfield.present.table import DIGITS, Cell, Column, LowHigh, Row, Table
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result, of_measures, of_systems
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import t_tail
from cranfield.statistics.intervals import BCA, BOUNDED_T, PERCENTILE, STUDENT
from cranfield.tables.items import numeric_columns
from cranfield.text import counted, percent, plural, probability

# Notes below a table of results: the number of queries, intervals, undefined values and settings


_NAMED = 5  # systems named; others are only counted
_ENOUGH = 50  # with this many queries or more, intervals cover about as stated (docs/explanation/skewed-intervals.md)
_SKEWED = 1.0  # at this skewness or above, intervals that do not adjust for it are too short


def notes(result: Result, aggregates: Sequence[Aggregate], intervals: Sequence[Intervals] = ()) -> tuple[str, ...]:
    """The number of queries, the interval methods, undefined values, and settings that differ from the default."""
    return (
        _counted(result, aggregates),
        *_bounded(result, intervals),
        *_coverage(result, intervals),
        *_undefined(result),
        *_without_value(result),
        *_significance_of_risk(result),
        *_unpooled(result, aggregates),
        *_two_cases(result),
        *_settings(result),
    )


def _counted(result: Result, aggregates: Sequence[Aggregate]) -> str:
    if result.bounded is not None:
        return "over all items"
    few, many = int(result.counted.sum(axis=1).min()), int(result.counted.sum(axis=1).max())
    over = _queries(result, few, many) + (" per system" if few != many else "")
    usual, *others = _kinds(result, aggregates)
    fewer = _fewer(result, aggregates)
    if len(fewer) == 1 and len(*fewer.values()) == len(result.measures):  # the same number for every measure
        (over,), fewer = fewer, {}
    left_out = [f"{', '.join(measures)} over {queries}" for queries, measures in fewer.items()]
    return "; ".join([f"{usual} over {over}", *others, *left_out])


def _queries(result: Result, few: int, many: int, of: int | None = None) -> str:
    numbers = (str(many) if few == many else f"{few} to {many}") + ("" if of is None else f" of {of}")
    return f"{numbers} {result.unit if (of or many) == 1 else plural(result.unit)}"


def _fewer(result: Result, aggregates: Sequence[Aggregate]) -> dict[str, list[str]]:
    """The measures that leave out undefined values, by the number of queries left."""
    by_number: dict[str, list[str]] = {}
    if "micro" in aggregates:
        return by_number
    total = result.counted.sum(axis=1)
    of = int(total[0]) if (total == total[0]).all() else None
    for m, measure in enumerate(result.measures):
        n = result.n_counted[:, m]
        if (n < total).any():
            by_number.setdefault(_queries(result, int(n.min()), int(n.max()), of), []).append(str(measure))
    return by_number


def _bounded(result: Result, intervals: Sequence[Intervals]) -> Iterator[str]:
    """The interval methods: the most common one, and the exceptions."""
    if not intervals:
        return
    by_method: dict[str, dict[str, list[str]]] = {}  # the measures of each method, and the systems of each measure
    for table in intervals:
        for system, row, low in zip(table.systems, table.method, table.low, strict=True):
            for measure, method, known in zip(table.measures, row, ~np.isnan(low), strict=True):
                systems_of = by_method.setdefault(method if known else f"none ({method})", {})
                systems_of.setdefault(measure, []).append(system)
    usual = max(by_method, key=lambda method: (not method.startswith("none"), len(by_method[method])), default="")
    others = [
        f"{method} for {_named(by_method[method], len(result.systems))}" for method in by_method if method != usual
    ]
    yield f"{percent(intervals[0].confidence)} intervals: {'; '.join(filter(None, [usual, *others]))}"


def _coverage(result: Result, intervals: Sequence[Intervals]) -> Iterator[str]:
    """The intervals that are known to cover more or less than stated."""
    off: dict[str, dict[str, list[str]]] = {}
    for table in intervals:
        for system, row in zip(table.systems, table.method, strict=True):
            for measure, method in zip(table.measures, row, strict=True):
                s, m = result.systems.index(system), result.place(measure)
                if 0 < result.n_counted[s, m] < _ENOUGH and (why := _uncovered(method, result.counted_values(s, m)[0])):
                    off.setdefault(why, {}).setdefault(measure, []).append(system)
    for why, systems in off.items():
        yield f"{_named(systems, len(result.systems))}: {why} than {percent(intervals[0].confidence)}"


def _uncovered(method: str, values: Floats) -> str:
    """Why an interval of the mean of these values covers more or less than stated, if so."""
    if method == BOUNDED_T and np.mean(values == 0) > 1 / 2:
        return "more than half of the values are 0, so the intervals cover more"
    if method in (STUDENT, BCA, PERCENTILE) and abs(_skewness(values)) > _SKEWED:
        return f"fewer than {_ENOUGH} skewed values, so the intervals cover less"
    return ""


def _skewness(values: Floats) -> float:
    """The skewness of a sample; 0 if the values are all the same."""
    deviation = values - values.mean()
    spread = float(np.mean(deviation**2))
    return float(np.mean(deviation**3)) / spread**1.5 if spread > 0 else 0.0


def _named(systems: Mapping[str, Sequence[str]], n_systems: int) -> str:
    """The measures, each with its systems unless these are all systems."""
    by_systems: dict[tuple[str, ...], list[str]] = {}
    for measure, names in systems.items():
        named = tuple(dict.fromkeys(names))
        by_systems.setdefault(named if len(named) < n_systems else (), []).append(measure)
    return ", ".join(f"{', '.join(measures)}{_of(names)}" for names, measures in by_systems.items())


def _of(systems: Sequence[str]) -> str:
    more = [f"{len(systems) - _NAMED} more"] if len(systems) > _NAMED else []
    return f" of {', '.join([*systems[:_NAMED], *more])}" if systems else ""


def _kinds(result: Result, aggregates: Sequence[Aggregate]) -> list[str]:
    """The aggregates: the requested ones, or the first measure's own and those that differ from it."""
    if aggregates:
        return [", ".join(aggregates)]
    by_aggregate: dict[str, list[str]] = {}
    for measure in result.measures:
        declared = measure.declaration
        by_aggregate.setdefault(declared.aggregate if declared.per_unit else "one value", []).append(str(measure))
    usual = next(iter(by_aggregate))
    return [usual, *(f"{kind} for {', '.join(by_aggregate[kind])}" for kind in by_aggregate if kind != usual)]


def _undefined(result: Result) -> Iterator[str]:
    """How many values are undefined, and what they count as: one line for each way of counting them."""
    instead = [result.undefined_value(m) for m in range(len(result.measures))]
    for value in dict.fromkeys(map(str, instead)):
        counts = result.n_undefined * [str(other) == value for other in instead]
        if not counts.any():
            continue
        how = "left out" if value == "nan" else f"counted as {float(value):g}"
        if (counts == counts[0]).all():
            yield f"undefined and {how}: {_per_measure(result, counts[0])}"
            continue
        systems = [s for s in range(len(result.systems)) if counts[s].any()]
        named = [f"{result.systems[s]} ({_per_measure(result, counts[s])})" for s in systems[:_NAMED]]
        more = [counted(len(systems) - _NAMED, "more system")] if len(systems) > _NAMED else []
        yield f"undefined and {how}: {'; '.join(named + more)}"


def _without_value(result: Result) -> Iterator[str]:
    """Why measures over all queries have no value."""
    for m, measure in enumerate(result.measures):
        systems = [system for s, system in enumerate(result.systems) if np.isnan(result.micro[s, m])]
        if systems and not measure.declaration.per_unit:
            yield f"no {measure}{_of(systems)}: {measure.declaration.undefined}"


def _significance_of_risk(result: Result) -> Iterator[str]:
    """The p-values of TRisk, which is a t statistic, where all values enter it."""
    for m, measure in enumerate(result.measures):
        name = str(measure.options.get("baseline"))
        if measure.name != "TRisk" or result.undefined != "zero" or name not in result.systems:
            continue
        baseline = result.counted[result.systems.index(name)]
        tested = [s for s in range(len(result.systems)) if not np.isnan(result.micro[s, m])]
        freedom = {s: int((result.counted[s] & baseline).sum()) - 1 for s in tested}
        p = {s: float(t_tail(result.micro[s, m], freedom[s])) for s in tested[:_NAMED]}
        named = [f"{probability(p[s])} for {result.systems[s]}" for s in p]
        more = [f"{len(tested) - _NAMED} more"] if len(tested) > _NAMED else []
        if named:
            yield f"{measure} in a t-test: {', '.join([*named, *more])}; not adjusted for several systems"


def _per_measure(result: Result, counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
    named = (f"{measure} for {count}" for measure, count in zip(result.measures, counts, strict=True) if count)
    return ", ".join(named)


def _unpooled(result: Result, aggregates: Sequence[Aggregate]) -> Iterator[str]:
    alone = [str(measure) for measure in result.measures if not measure.declaration.pools]
    if "micro" in aggregates and alone:
        yield f"no micro average, because queries cannot be pooled: {', '.join(alone)}"


def _two_cases(result: Result) -> Iterator[str]:
    """The measures whose values with unjudged documents all not relevant and all of the top grade are not bounds."""
    printed = set(result.measures)
    both = [
        (measure, low, high)
        for high in result.measures
        if isinstance(grade := high.options.get("unjudged"), int | float) and grade > 0
        if {measure := high(unjudged=None), low := high(unjudged=0)} <= printed
    ]
    cases = [str(measure) for measure, _, _ in both if not measure.unjudged_bounds]
    if cases:
        yield (
            f"{', '.join(cases)}: with unjudged={both[0][1].options['unjudged']} and "
            f"unjudged={both[0][2].options['unjudged']} two cases, not bounds; if some of the unjudged documents are "
            "relevant and others are not, the values may be lower or higher"
        )


def _settings(result: Result) -> Iterator[str]:
    if result.unit != "query":
        return  # the settings of rankings do not apply
    usual = vars(Counting()) | {"undefined": "zero"}
    settings = result.provenance.settings.items()
    chosen = [f"{name}: {value}" for name, value in settings if name in usual and value != usual[name]]
    if chosen:
        yield ", ".join(chosen)


Aggregates = Sequence[Aggregate]


def tables(
    result: Result, *, per_query: bool = False, sort: Measure | str | None = None, **options: Any
) -> list[Table]:
    """The systems with their aggregates, or the queries one by one; the best on the first measure come first."""
    first = result.measures[0]
    if sort or first.declaration.higher_is_better is not None:
        result = ranked(result, sort or first, next(iter(options.get("aggregates", ())), None))
    return [(by_query if per_query else overview)(result, **options)]


def answer(
    result: Result,
    *,
    aggregates: Aggregates = (),
    confidence: float | None = CONFIDENCE,
    per_query: bool = False,  # noqa: ARG001
    **settings: Any,
) -> str:
    """The best system on the first measure with a better direction, and the next; the options are those of tables."""
    m = next((m for m, one in enumerate(result.measures) if one.declaration.higher_is_better is not None), None)
    if m is None:
        return ""
    how, measure = (aggregates[0] if aggregates else None), result.measures[m]
    values = result.aggregated(how)[:, m]
    down = np.where(np.isnan(values), np.inf, -values if measure.declaration.higher_is_better else values)
    best, *others = np.argsort(down, kind="stable").tolist()
    if np.isnan(values[best]):
        return ""
    figure = f"{values[best]:.4g}"
    if confidence is not None:
        alone = result if result.bounded is not None else of_measures(result, [m])
        bounds = alone.intervals(confidence=confidence, how=how, **settings)
        low, high = bounds[result.systems[best], str(measure)]
        if not np.isnan(low):
            figure += f" ({percent(confidence)} CI {Column('', digits=DIGITS).between((low, high))})"
    over = "" if result.bounded is not None else f" over {counted(int(result.n_counted[best, m]), result.unit)}"
    name = f"{how} {measure}" if how not in (None, measure.declaration.aggregate) else str(measure)
    if not others:
        return f"{result.systems[best]} has {name} {figure}{over}."
    follows = f"{result.systems[others[0]]} follows with {values[others[0]]:.4g}"
    if values[others[0]] == values[best]:
        follows = f"{result.systems[others[0]]} has the same"
    return f"{result.systems[best]} has the best {name}, {figure}{over}; {follows}. Differences are not tested here."


def more(result: Result) -> list[str]:
    """What else `eval` shows, with the options."""
    return ["What the figures hide: --findings", f"Every {result.unit}: -q"]


def overview(
    result: Result,
    *,
    aggregates: Aggregates = (),
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """One row per system with aggregates and their intervals; the best of each column is marked.

    The settings are those of `Result.intervals`; without `confidence` there are no intervals.
    """
    several = len(aggregates) > 1
    measured = _measured(result, aggregates, digits)
    computed = _aggregated(result, aggregates, confidence, settings)
    rows = [row for one in computed for row in _rows(result, one, measured, (one.name,) * several, named=True)]
    names = ("aggregate", "system") if several else ("system",)
    below = notes(result, aggregates, [one.intervals for one in computed if one.intervals])
    systems = result.systems * max(len(aggregates), 1)
    rows = [(*row, *info_cells(result, system)) for row, system in zip(rows, systems, strict=True)]
    return Table((*map(Column, names), *measured, *info_columns(result)), tuple(rows), notes=below)


def info_columns(result: Result) -> tuple[Column, ...]:
    """The columns of the system info."""
    numeric = numeric_columns(result.info)
    return tuple(Column(name, numeric=name in numeric) for name in result.info)


def info_cells(result: Result, system: str) -> tuple[Cell, ...]:
    """The system info of one system; numbers unchanged."""
    values = (by_system[system] for by_system in result.info.values())
    return tuple(Cell(f"{value:.10g}" if isinstance(value, float) else value) for value in values)


def by_query(
    result: Result,
    *,
    aggregates: Aggregates = (),
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """One row per query and system, with the best system of each query marked; the aggregates are below."""
    named = len(result.systems) > 1
    measured = _measured(result, aggregates, digits)
    best = best_shown(result.values, result.measures, _decimals(measured))
    rows = [
        row
        for q, query in enumerate(result.units)
        for row in _rows_of_query(result, q, best[:, :, q], query, named=named)
    ]
    computed = _aggregated(result, aggregates, confidence, settings)
    summary = [row for one in computed for row in _rows(result, one, measured, (one.name or "all",), named=named)]
    names = (result.unit, "system") if named else (result.unit,)
    title = "" if named else result.systems[0]
    below = notes(result, aggregates, [one.intervals for one in computed if one.intervals])
    return Table((*map(Column, names), *measured), tuple(rows), tuple(summary), title, notes=below)


class _Aggregated(NamedTuple):
    """The aggregates of one kind, with their intervals."""

    name: str  # empty for each measure's own aggregate
    values: Floats
    intervals: Intervals | None

    def bounds(self, s: int, m: int) -> LowHigh | None:
        """The bounds of a value, if it has any."""
        if self.intervals is None or np.isnan(self.intervals.low[s, m]):
            return None
        return float(self.intervals.low[s, m]), float(self.intervals.high[s, m])


def _aggregated(
    result: Result, aggregates: Aggregates, confidence: float | None, settings: Mapping[str, Any]
) -> list[_Aggregated]:
    def intervals(how: Aggregate | None) -> Intervals | None:
        return None if confidence is None else result.intervals(confidence=confidence, how=how, **settings)

    return [_Aggregated(how or "", result.aggregated(how), intervals(how)) for how in aggregates or (None,)]


def _measured(result: Result, aggregates: Aggregates, digits: int) -> tuple[Column, ...]:
    """One column per measure; counts have no decimals."""
    counts = [m for m, measure in enumerate(result.measures) if measure.declaration.aggregate == "sum"]
    shown = [result.values, *(result.aggregated(how)[:, :, None] for how in aggregates or (None,))] if counts else []
    whole = [m for m in counts if all((np.nan_to_num(values[:, m]) % 1 == 0).all() for values in shown)]
    return tuple(
        Column(str(measure), numeric=True, digits=0 if m in whole else digits)
        for m, measure in enumerate(result.measures)
    )


def _rows(
    result: Result, aggregated: _Aggregated, measured: Sequence[Column], label: tuple[str, ...], *, named: bool
) -> Iterator[Row]:
    best = best_shown(aggregated.values[:, :, None], result.measures, _decimals(measured))[:, :, 0]
    for s, system in enumerate(result.systems):
        names = (*label, system) if named else label
        cells = _cells(aggregated.values[s], best[s])
        yield (*map(Cell, names), *(replace(cell, bounds=aggregated.bounds(s, m)) for m, cell in enumerate(cells)))


def _rows_of_query(result: Result, q: int, best: Mask, query: str, *, named: bool) -> Iterator[Row]:
    for s, system in enumerate(result.systems):
        if result.counted[s, q]:
            names = (query, system) if named else (query,)
            yield (*map(Cell, names), *_cells(result.values[s, :, q], best[s]))


def _cells(values: Floats, best: Mask) -> Iterator[Cell]:
    return (Cell(float(value), bool(top)) for value, top in zip(values, best))


def _decimals(measured: Sequence[Column]) -> list[int]:
    return [column.digits or 0 for column in measured]


def best_shown(values: Floats, measures: Sequence[Measure], digits: Sequence[int]) -> Mask:
    """Which systems have the best displayed value of a measure; none if all are equal."""
    best = np.zeros(values.shape, np.bool_)
    for m, (measure, decimals) in enumerate(zip(measures, digits, strict=True)):
        better = measure.declaration.higher_is_better
        if better is not None:
            shown = np.round(values[:, m], decimals) * (1 if better else -1)
            shown = np.where(np.isnan(shown), -np.inf, shown)
            best[:, m] = (shown == shown.max(axis=0)) & (shown.max(axis=0) > shown.min(axis=0))
    return best


def ranked(result: Result, measure: Measure | str, how: Aggregate | None = None) -> Result:
    """The same result with its systems sorted by a measure, best first."""
    place = result.place(measure)
    values = result.aggregated(how)[:, place]
    descending = result.measures[place].declaration.higher_is_better is not False
    order = np.argsort(-values if descending else values, kind="stable")  # NaN is last in either order
    return of_systems(result, order.tolist())
