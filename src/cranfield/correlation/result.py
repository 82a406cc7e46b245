"""Correlations of rankings of systems, by every pair of measures or of sets of judgments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.measures.registry import LEAST, Measure
from cranfield.results.samples import means_of_samples, on_tested_scale
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.values import Result
from cranfield.results.verb_result import AnnotatedResult, Records
from cranfield.settings import CONFIDENCE
from cranfield.statistics.rank_correlation import (
    OVERLAPS,
    TopicValues,
    interval_over_items,
    pair_counts,
    rank_coefficient,
    undefined,
)
from cranfield.text import coefficient, interval

Scores = Mapping[str, float]

COEFFICIENTS = ("tau-b", "tau-AP")  # unless rankings contain different items, which only RBO and its bounds support


CORRELATIONS = Schema(
    "correlations",
    "Confidence intervals",
    (
        Field("first", "ranking", "text"),
        Field("second", "other", "text"),
        *texts("coefficient"),
        Field("value"),  # undefined, with a note, if a ranking ties all systems
        *texts("note", in_tables=False),
        *figures("low", "high"),
        *texts("interval"),  # how the bounds are computed, or why there are none
    ),
)


@frozen(eq=False)
class Correlations(AnnotatedResult):
    """Every pair of rankings by every coefficient."""

    kind = "correlations"

    rows: Columns
    systems: tuple[str, ...]
    orders: tuple[str, ...]
    coefficients: tuple[str, ...]
    rankings: Mapping[str, Scores] = field(default_factory=dict)
    by_query: tuple[Mapping[str, Any], ...] = ()  # for rankings of documents, whose rows are means over queries
    pairs_by_query: tuple[Mapping[str, Any], ...] = ()
    confidence: float = CONFIDENCE

    def __float__(self) -> float:
        """The value of the only coefficient."""
        if len(self.rows) != 1:
            raise BadSetting(
                f"float() needs a single coefficient; got {len(self.rows)}: choose one, such as rows[0].value"
            )
        value = self.rows[0].value
        return math.nan if value is None else float(value)

    @property
    def answer(self) -> str:
        """The correlation of two rankings, or the least and the most similar pairs by the first coefficient."""
        name = self.rows[0].coefficient
        known = [row for row in self.rows if row.coefficient == name and row.value is not None]
        if not known:
            return f"{name} is undefined: {self.rows[0].note.removeprefix('undefined: ')}."
        low, high = (choose(known, key=lambda row: row.value) for choose in (min, max))
        if len(known) == 1:
            bounds = f" ({interval(low.low, low.high)})" if low.low is not None else ""
            return f"The rankings by {low.first} and {low.second} agree with {name} {coefficient(low.value)}{bounds}."
        return (
            f"The rankings agree with {name} from {coefficient(low.value)} ({low.first} and {low.second}) to "
            f"{coefficient(high.value)} ({high.first} and {high.second}), over {len(known):,} pairs."
        )

    def records(self, *, steps: bool = False) -> Records:
        """One row per pair of rankings and coefficient; with `steps`, first the pairs that Kendall's tau counts."""
        tables = ({"steps": self.steps()} if steps else {}) | {"correlations": self.rows.records()}
        return tables | ({"queries": [dict(row) for row in self.by_query]} if self.by_query else {})

    def steps(self) -> list[dict[str, Any]]:
        """Concordant, discordant and tied pairs of items for every pair of rankings of the same items."""
        if self.by_query:
            return [dict(row) for row in self.pairs_by_query]
        pairs = combinations(self.rankings.items(), 2)
        return [
            {"first": one, "second": other, **pair_counts(first, second)}
            for (one, first), (other, second) in pairs
            if first.keys() == second.keys() and not any(map(math.isnan, (*first.values(), *second.values())))
        ]

    def about(self, **options: Any) -> dict[str, Any]:
        """The ranked systems, the confidence of the intervals, the settings and the notes."""
        return {"systems": list(self.systems), "confidence": self.confidence} | super().about(**options)


def correlations(
    orders: Mapping[str, Scores],
    coefficients: Sequence[str] | None = None,
    *,
    p: float = 0.9,
    symmetric: bool = True,
    notes: tuple[str, ...] = (),
    confidence: float = CONFIDENCE,
    topics: TopicValues | None = None,
    **settings: Any,
) -> Correlations:
    """The correlation of every pair of rankings; tau-AP is the mean of both directions if symmetric.

    Intervals are over topics if the values by topic are known, and over the ranked items otherwise.
    """
    if len(orders) < 2:
        raise BadSetting("only one ranking; pass two measures or several judgments to compare rankings")
    if coefficients is None:
        same = len({frozenset(order) for order in orders.values()}) == 1
        coefficients = COEFFICIENTS if same else tuple(OVERLAPS)
    if not coefficients:
        raise BadSetting("no coefficient was requested, such as tau-b")
    systems = tuple(dict.fromkeys(name for order in orders.values() for name in order))
    if len(systems) < 2:
        raise BadInput("at least two systems are needed for a ranking; got 1")
    chosen: dict[str, dict[str, Any]] = {"tau-AP": {"symmetric": symmetric}, **{name: {"p": p} for name in OVERLAPS}}
    by_name = {name: chosen.get(name, {}) | settings for name in coefficients}
    pairs = [(pair, name) for pair in combinations(orders, 2) for name in by_name]
    rows = [_correlated(orders, pair, name, by_name[name], confidence, topics) for pair, name in pairs]
    named = (systems, tuple(orders), tuple(by_name))
    return Correlations(CORRELATIONS.of(rows), *named, orders, settings=by_name, notes=notes, confidence=confidence)


def _correlated(
    orders: Mapping[str, Scores], names: tuple[str, str], coefficient: str, settings: Mapping[str, Any],
    confidence: float, topics: TopicValues | None,
) -> tuple[Any, ...]:  # fmt: skip
    """The correlation of two rankings with its interval, or why it is undefined."""
    first, second = (orders[name] for name in names)
    unknown = [name for name in names if any(map(math.isnan, orders[name].values()))]
    if unknown:
        return (*names, coefficient, None, f"undefined: {unknown[0]} has no value for some system", None, None, "")
    value = rank_coefficient(first, second, coefficient, **settings)
    if math.isnan(value):
        return (*names, coefficient, None, f"undefined: {undefined(first, second)}", None, None, "")
    if topics is not None:
        bounds = topics.interval(names, coefficient, value, **settings)
    else:
        bounds = interval_over_items(first, second, coefficient, value, confidence, **settings)
    return (*names, coefficient, value, "", *bounds.of_one)


def orders_of(results: Mapping[str, Result]) -> dict[str, dict[str, float]]:
    """The values of the systems by each measure (higher is better); judgments are named if there are several."""
    orders = {}
    for name, result, m in _ranked_by(results):
        values = better(result.aggregated()[:, m], result.measures[m])
        orders[name] = dict(zip(result.systems, values.tolist(), strict=True))
    return orders


def _ranked_by(results: Mapping[str, Result]) -> Iterator[tuple[str, Result, int]]:
    """The name of each ranking, its result and the place of its measure."""
    for judgments, result in results.items():
        for m, measure in enumerate(result.measures):
            yield (str(measure) if len(results) == 1 else f"{measure} by {judgments}"), result, m


def topic_values(results: Mapping[str, Result], **settings: Any) -> TopicValues | None:
    """The values behind the rankings of `orders_of`; None if some are not means over queries."""
    units = tuple(dict.fromkeys(unit for result in results.values() for unit in result.units))
    place_of, systems, values = {unit: place for place, unit in enumerate(units)}, {}, {}
    for name, result, m in _ranked_by(results):
        kind = result.measures[m].declaration.aggregate
        if kind not in ("mean", "geometric") or result.bounded is not None:
            return None
        entering = np.full((len(result.systems), len(units)), np.nan)
        place = np.array([place_of[unit] for unit in result.units])
        for s in range(len(result.systems)):
            scores, counted = result.counted_values(s, m)
            entering[s, place[counted]] = np.log(np.maximum(scores, LEAST)) if kind == "geometric" else scores
        systems[name], values[name] = result.systems, better(entering, result.measures[m])
    return TopicValues(systems, values, **settings)


def ranked_by_means(
    by_measure: Mapping[str, Samples], **settings: Any
) -> tuple[dict[str, dict[str, float]], TopicValues]:
    """The rankings of the systems by their means on each measure, and the values behind them."""
    units = tuple(dict.fromkeys(unit for samples in by_measure.values() for unit in samples.units))
    orders, systems, values = {}, {}, {}
    for measure, samples in on_tested_scale(by_measure).items():
        sign = -1 if samples.lower_is_better else 1
        means = sign * means_of_samples({measure: by_measure[measure]})[:, 0]
        orders[measure] = dict(zip(samples.systems, means.tolist(), strict=True))
        by_unit = dict(zip(samples.units, samples.values.T, strict=True))
        unknown = np.full(len(samples.systems), np.nan)
        systems[measure] = samples.systems
        values[measure] = sign * np.stack([by_unit.get(unit, unknown) for unit in units], axis=1)
    return orders, TopicValues(systems, values, **settings)


def notes_of(results: Iterable[Result]) -> tuple[str, ...]:
    """A note if the means of the systems are over different queries."""
    uneven = any((counted != counted[:1]).any() for counted in map(_counting, results))
    return ("systems are ranked by means over different queries: those present in each run",) if uneven else ()


def _counting(result: Result) -> Mask:
    """Which values count in the means: `counting[system, measure, query]`."""
    left_out = np.isnan([result.undefined_value(m) for m in range(len(result.measures))])[None, :, None]
    known = ~(np.isnan(result.values) & left_out)
    return known & result.counted[:, None, :]


def better(values: Floats, measure: Measure) -> Floats:
    """The values, negated if lower is better."""
    return -values if measure.declaration.higher_is_better is False else values
