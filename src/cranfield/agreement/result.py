"""Agreement: every coefficient for all raters, for every pair of raters, and for every topic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from cranfield.agreement.steps import working
from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.ratings import Ratings
from cranfield.frozen import frozen
from cranfield.measures.interpretation import agreement_label
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results.verb_result import AnnotatedResult, Records, records
from cranfield.rounding import LONG_SUMS
from cranfield.settings import CONFIDENCE
from cranfield.statistics.agreement import AgreementInterval, Resampled, agreement_intervals
from cranfield.statistics.resampling import COSTLY_RESAMPLES
from cranfield.tables.ratings import Category
from cranfield.text import counted

Scales = Sequence[tuple[tuple[Category, ...], str]]
Scope = Literal["all", "pair", "topic"]
SCOPES: tuple[Scope, ...] = ("all", "pair", "topic")

_STANDARD = ("Agreement", "Kappa", "Fleiss", "S", "AC1", "Alpha")
_ORDERED = ("Kappa(weights='linear')", "Kappa(weights='quadratic')", "Alpha(level='ordinal')")
MOST_PAIRS = 4_000  # of raters: 90 raters, whose coefficients take about 20 seconds
_SHOWN = 8  # categories listed in a note
NOTHING_COMMON = "the two raters have no item in common"
_UNBANDED = ("Agreement", "Overlap")  # not corrected for chance, so no label applies


@frozen
class Agreed:
    """One coefficient, for all raters, a pair, or a topic.

    `interval` is the method of the interval, or why there is none; it is empty if none was requested.
    """

    measure: str
    scope: Scope
    name: str
    n_items: int
    value: float
    low: float
    high: float
    band: str
    interval: str = ""
    note: str = ""


@frozen(eq=False)
class Agreement(AnnotatedResult):
    """The coefficients and their settings."""

    kind = "agreement"
    shows_findings = True

    rows: tuple[Agreed, ...]
    raters: tuple[str, ...]
    topics: tuple[str, ...]
    categories: tuple[str | float, ...]
    evidence: Ratings | None = None  # the ratings, for the working
    items: tuple[str, ...] = ()

    @property
    def requested(self) -> bool:
        """Whether the measures were requested, rather than the default ones."""
        return bool(self.settings.get("measures_requested"))

    def row(self, measure: str, name: str = "all") -> Agreed:
        """The coefficient of all raters, or of the pair or topic of this name."""
        printed = str(parse(measure, "ratings"))
        for row in self.rows:
            if (row.measure, row.name) == (printed, name):
                return row
        known = ", ".join(dict.fromkeys(row.name for row in self.rows))
        raise BadInput(f"there is no {measure} for {name!r}; available: {known}")

    def __getitem__(self, measure: str) -> float:
        """The coefficient of all raters on all topics."""
        return self.row(measure).value

    def of(self, scope: Scope) -> tuple[Agreed, ...]:
        """The coefficients of all raters, of the pairs, or of the topics."""
        return tuple(row for row in self.rows if row.scope == scope)

    def records(self, *, steps: bool = False, **_: Any) -> Records:
        """The coefficients; with `steps`, first the working of kappa and of Fleiss' kappa."""
        return ({"steps": self.steps()} if steps else {}) | {"agreement": records(self.rows)}

    def steps(self) -> list[dict[str, Any]]:
        """The working: contingency table, margins, P(A) and P(E) of kappa; p_j and P_i of Fleiss' kappa."""
        if self.evidence is None:
            raise BadInput("the result does not contain the ratings")
        return working(self.evidence, self.items, self.settings["measures"])


def standard_measures(ratings: Ratings) -> list[Measure]:
    """The coefficients that fit the data: those for grades only if there are more than two ordered categories."""
    several = ratings.n_categories > 2
    names = [*_STANDARD, *(_ORDERED if ratings.ordered and several else ())]
    if ratings.numeric:
        names += ["Alpha(level='interval')", "Overlap"] if several else ["Overlap"]
    if not ratings.raters:
        names = [name for name in names if not name.startswith("Kappa")]
    return [parse(name, "ratings") for name in names]


def agreement(
    ratings: Ratings,
    measures: Sequence[Measure],
    *,
    per: Sequence[Scope] = SCOPES,
    confidence: float = CONFIDENCE,
    resamples: int = COSTLY_RESAMPLES,
    seed: int = 0,
    resample: Resampled = "item",
) -> Agreement:
    """The coefficients of ratings."""
    _require(ratings, measures, per)
    drawn: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    scales = list(other_scales(ratings))
    parts = [part for scope in SCOPES if scope in per for part in _parts(ratings, scope, resample)]
    bounds: list[list[AgreementInterval] | None] = []
    for place, part in enumerate(parts):
        same = next((known for known in range(place) if parts[known].same(part)), None)
        bounds.append(_intervals(part, measures, drawn) if same is None else bounds[same])
    rows = [
        row
        for place, measure in enumerate(measures)
        for part, part_bounds in zip(parts, bounds, strict=True)
        for row in _rows(measure, part, part_bounds[place] if part_bounds else None, scales)
    ]
    return Agreement(
        rows=tuple(rows),
        raters=ratings.raters,
        topics=ratings.units,
        categories=ratings.categories,
        settings={"measures": [str(measure) for measure in measures], "resample": resample, **drawn},
        notes=_notes(ratings),
        evidence=ratings,
    )


def _require(ratings: Ratings, measures: Sequence[Measure], per: Sequence[Scope]) -> None:
    if not per or not set(per) <= set(SCOPES):
        raise BadSetting(f"per must be among {', '.join(SCOPES)}, not {', '.join(per) or 'nothing'}")
    if set(per) == {"pair"} and not ratings.raters:
        raise BadInput("the raters are unknown, so pairs of raters cannot be compared")
    if not measures:
        raise BadSetting("no coefficient was requested, such as Kappa")
    if not ratings.pairable.any():
        raise BadInput("no item was rated by at least two raters")
    n_pairs = math.comb(len(ratings.raters), 2)
    if n_pairs > MOST_PAIRS and ("pair" in per or any(measure.name == "Kappa" for measure in measures)):
        raise BadInput(
            f"{len(ratings.raters):,} raters make {n_pairs:,} pairs, of which at most {MOST_PAIRS:,} are compared: "
            "choose fewer raters, or coefficients of all raters at once, such as Fleiss and Alpha, without those of "
            "each pair (per=['all'] in Python, --per all on the command line)"
        )


class _Part(NamedTuple):
    """A part of the ratings with its own coefficients, their names, and what is resampled for intervals."""

    scope: Scope
    names: Sequence[str]
    ratings: Ratings
    resampled: Ratings
    resample: Resampled = "item"

    def same(self, other: _Part) -> bool:
        """Whether another part has the same ratings and hence the same intervals, as with two raters or one topic."""
        columns = [
            (part.resampled.unit, part.resampled.item, part.resampled.rater, part.resampled.category)
            for part in (self, other)
        ]
        known = self.resample == other.resample and self.resampled.raters == other.resampled.raters
        return known and all(np.array_equal(*pair) for pair in zip(*columns, strict=True))


def _parts(ratings: Ratings, scope: Scope, resample: Resampled) -> Iterator[_Part]:
    """All raters, every pair, or every topic."""
    if scope == "all":
        yield _Part("all", ["all"], ratings.pooled, ratings if resample == "topic" else ratings.pooled, resample)
    elif scope == "topic":
        yield _Part("topic", ratings.units, ratings, ratings)
    else:
        for first, second in ratings.pairs:
            two = ratings.between(first, second).pooled
            yield _Part("pair", [f"{ratings.raters[first]} & {ratings.raters[second]}"], two, two)


def _intervals(part: _Part, measures: Sequence[Measure], drawn: Mapping[str, Any]) -> list[AgreementInterval] | None:
    """The interval of each coefficient; None for two raters without a common item."""
    if not part.ratings.pairable.any():
        return None
    return agreement_intervals(measures, part.resampled, resample=part.resample, **drawn)


def _rows(measure: Measure, part: _Part, bounds: AgreementInterval | None, scales: Scales) -> Iterator[Agreed]:
    ratings, scope = part.ratings, part.scope
    if bounds is None:
        yield Agreed(str(measure), scope, part.names[0], 0, np.nan, np.nan, np.nan, "", f"undefined: {NOTHING_COMMON}")
        return
    values, n_items = measure.values(ratings), ratings.n_items()
    others = [(measure.values(ratings.on_scale(categories)), which) for categories, which in scales]
    for place, name in enumerate(part.names):
        value = float(values[place])
        unknown = f"undefined: {_cause(measure, ratings, n_items[place])}" if np.isnan(value) else ""
        yield Agreed(
            measure=str(measure),
            scope=scope,
            name=name,
            n_items=int(n_items[place]),
            value=value,
            low=float(bounds.low[place]),
            high=float(bounds.high[place]),
            band="" if measure.name in _UNBANDED else agreement_label(value),
            interval=unknown or bounds.method[place],
            note="; ".join(_elsewhere(value, others, place)),
        )


def _elsewhere(value: float, others: Sequence[tuple[Floats, str]], place: int) -> Iterator[str]:
    """The coefficient on other scales, if different."""
    for values, which in others:
        if abs(values[place] - value) > LONG_SUMS:
            yield f"{values[place]:.4f} {which}"


def _cause(measure: Measure, ratings: Ratings, n_items: int) -> str:
    """Why the coefficient is undefined."""
    if not n_items:
        return "no item has two ratings"
    if measure.name == "Kappa" and not ratings.raters:
        return "the raters are unknown"
    return measure.declaration.undefined.partition(",")[0]  # the first of its reasons


def _notes(ratings: Ratings) -> tuple[str, ...]:
    alone = round(float(ratings.weight[~ratings.pairable].sum()))
    if not alone:
        return ()
    return (f"fewer than two ratings, so there is nothing to compare: {counted(alone, 'item')}",)


def other_scales(ratings: Ratings) -> Iterator[tuple[tuple[Category, ...], str]]:
    """Other scales that fit the ratings, with or without unused categories."""
    unused, skipped = ratings.unused, ratings.skipped
    if unused:
        categories = tuple(category for category in ratings.categories if category not in unused)
        yield categories, f"without the unused {_listed(unused)} on the scale"
    if skipped:
        whole = {float(category) for category in ratings.categories} | {*skipped}
        yield tuple(sorted(whole)), f"with the unused {_listed(skipped)} on the scale (order)"


def _listed(categories: Sequence[Category]) -> str:
    shown = [f"{category:g}" if isinstance(category, float) else category for category in categories[:_SHOWN]]
    return ", ".join(shown + ["…"] * (len(categories) > _SHOWN))
