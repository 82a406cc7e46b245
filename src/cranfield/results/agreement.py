"""Agreements: every coefficient for all raters, for every two of them, and for every topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.ratings import Ratings
from cranfield.evidence.samples import counted
from cranfield.inference.agreement import NOT_ASKED, Resampled, agreement_interval, band
from cranfield.inference.intervals import Interval
from cranfield.registry import Measure, parse
from cranfield.results.records import arrow_table, csv_text, records
from cranfield.results.views import View
from cranfield.results.writing import json_text

Scope = Literal["all", "pair", "topic"]
SCOPES: tuple[Scope, ...] = ("all", "pair", "topic")

_STANDARD = ("Agreement", "Kappa", "Fleiss", "S", "AC1", "Alpha")
_ORDERED = ("Kappa(weights='linear')", "Kappa(weights='quadratic')", "Alpha(level='ordinal')")
_UNBANDED = ("Agreement", "Overlap")  # they say nothing of chance, so that no band fits


@dataclass(frozen=True)
class Agreed:
    """One coefficient, for all raters, two of them, or a topic."""

    measure: str
    scope: Scope
    name: str
    n_items: int
    value: float
    low: float
    high: float
    band: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class Agreement:
    """The coefficients, and the conventions behind them."""

    rows: tuple[Agreed, ...]
    raters: tuple[str, ...]
    topics: tuple[str, ...]
    categories: tuple[str | float, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    plot = View()

    def row(self, measure: str, name: str = "all") -> Agreed:
        """The coefficient of all raters, or of two of them or a topic, by its name."""
        for row in self.rows:
            if (row.measure, row.name) == (str(parse(measure, "ratings")), name):
                return row
        known = ", ".join(dict.fromkeys(row.name for row in self.rows))
        raise BadInput(f"there is no {measure} of {name!r}; there is one of {known}")

    def __getitem__(self, measure: str) -> float:
        """The coefficient of all raters on all topics."""
        return self.row(measure).value

    def of(self, scope: Scope) -> tuple[Agreed, ...]:
        """The coefficients of all raters, of every two, or of every topic."""
        return tuple(row for row in self.rows if row.scope == scope)

    def table(self) -> pa.Table:
        """The coefficients as one tidy Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict a coefficient; None where it is undefined."""
        return records(self.rows)

    def to_json(self) -> str:
        """The coefficients and the settings, as JSON."""
        return json_text({"agreement": self.to_dicts(), "settings": dict(self.settings), "notes": list(self.notes)})

    def to_csv(self) -> str:
        """The coefficients as CSV."""
        return csv_text(self.rows)


def standard_measures(ratings: Ratings) -> list[Measure]:
    """The coefficients that fit: those for grades only where categories have an order, and are more than two."""
    several = ratings.n_categories > 2
    wanted = [*_STANDARD, *(_ORDERED if ratings.ordered and several else ())]
    if ratings.numeric:
        wanted += ["Alpha(level='interval')", "Overlap"] if several else ["Overlap"]
    if not ratings.raters:
        wanted = [name for name in wanted if not name.startswith("Kappa")]
    return [parse(name, "ratings") for name in wanted]


def agreement(
    ratings: Ratings,
    measures: Sequence[Measure],
    *,
    per: Sequence[Scope] = SCOPES,
    confidence: float = 0.95,
    resamples: int = 1_000,
    seed: int = 0,
    resample: Resampled = "item",
) -> Agreement:
    """The coefficients of ratings."""
    _require(ratings, measures, per)
    drawn: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    rows: list[Agreed] = []
    for measure in measures:
        if "all" in per:
            rows += _of_all(measure, ratings, resample, drawn)
        if "pair" in per:
            rows += _of_pairs(measure, ratings, drawn)
        if "topic" in per:
            rows += _rows(measure, "topic", ratings.units, ratings, agreement_interval(measure, ratings, **drawn))
    return Agreement(
        rows=tuple(rows),
        raters=ratings.raters,
        topics=ratings.units,
        categories=ratings.categories,
        settings={"measures": [str(measure) for measure in measures], "resample": resample, **drawn},
        notes=_notes(ratings),
    )


def _require(ratings: Ratings, measures: Sequence[Measure], per: Sequence[Scope]) -> None:
    if not per or not set(per) <= set(SCOPES):
        raise BadSetting(f"coefficients are given per {', '.join(SCOPES)}, not {', '.join(per) or 'nothing'}")
    if set(per) == {"pair"} and not ratings.raters:
        raise BadInput("it is not known who rated, so that there are no two raters to tell apart")
    if not measures:
        raise BadSetting("no coefficient is asked for; Kappa is one")
    if not ratings.pairable.any():
        raise BadInput("no item was rated by two raters or more: there is nothing to agree on")


def _of_all(measure: Measure, ratings: Ratings, resample: Resampled, drawn: Mapping[str, Any]) -> Iterator[Agreed]:
    resampled = ratings if resample == "topic" else ratings.pooled
    bounds = agreement_interval(measure, resampled, resample=resample, **drawn)
    return _rows(measure, "all", ["all"], ratings.pooled, bounds)


def _of_pairs(measure: Measure, ratings: Ratings, drawn: Mapping[str, Any]) -> Iterator[Agreed]:
    for first, second in ratings.pairs:
        two = ratings.between(first, second).pooled
        name = f"{ratings.raters[first]} & {ratings.raters[second]}"
        if not len(two.unit):
            yield Agreed(str(measure), "pair", name, 0, np.nan, np.nan, np.nan, "", "the two share no item")
            continue
        yield from _rows(measure, "pair", [name], two, agreement_interval(measure, two, **drawn))


def _rows(measure: Measure, scope: Scope, names: Sequence[str], ratings: Ratings, bounds: Interval) -> Iterator[Agreed]:
    values, n_items = measure.values(ratings), ratings.n_items()
    for place, name in enumerate(names):
        value = float(values[place])
        yield Agreed(
            measure=str(measure),
            scope=scope,
            name=name,
            n_items=int(n_items[place]),
            value=value,
            low=float(bounds.low[place]),
            high=float(bounds.high[place]),
            band="" if measure.name in _UNBANDED else band(value),
            note=_note(measure, ratings, value, bounds, place),
        )


def _note(measure: Measure, ratings: Ratings, value: float, bounds: Interval, place: int) -> str:
    """Why there is no coefficient, or no interval of it."""
    n_items = ratings.n_items()[place]
    if np.isnan(value):
        return f"undefined: {_cause(measure, ratings, n_items)}"
    if not np.isnan(bounds.low[place]) or bounds.reason == NOT_ASKED:
        return ""
    if n_items < 2 and not bounds.reason:
        return "no interval: 1 item only"
    return f"no interval: {bounds.reason or 'the coefficient is undefined in nearly all resamples'}"


def _cause(measure: Measure, ratings: Ratings, n_items: int) -> str:
    """Which of the reasons it may be undefined for is the one."""
    if not n_items:
        return "no item has two ratings"
    if measure.name == "Kappa" and not ratings.raters:
        return "it is not known who rated"
    return measure.family.undefined.partition(";")[0].removeprefix("where ")  # what is left is named first


def _notes(ratings: Ratings) -> tuple[str, ...]:
    alone = round(float(ratings.weight[~ratings.pairable].sum()))
    if not alone:
        return ()
    return (f"fewer than two ratings, so that nobody can agree on them: {counted(alone, 'item')}",)
