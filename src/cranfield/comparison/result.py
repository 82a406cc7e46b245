"""Comparisons: differences between systems, and their significance.

Decided here: which systems share a tier.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.catalogue import provided
from cranfield.comparison import steps as significance_steps
from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.evidence.samples import Samples
from cranfield.frozen import cached_property, frozen
from cranfield.measures.declaration import Kind
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results.intervals import Intervals
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.samples import compared_means, intervals_of_samples, means_of_samples
from cranfield.results.values import Result
from cranfield.results.verb_result import Key, Records, VerbResult, by_name, records
from cranfield.results.writing import decoded
from cranfield.statistics.distributions import Alternative
from cranfield.statistics.tests import Test, Working

Family = Literal["measure", "all"]  # comparisons whose p-values are adjusted together

OF_LOGARITHMS = ", between logarithms"  # intervals for measures that are averaged geometrically
_NAMED = 6  # comparisons listed if none or several match


@frozen
class Compared:
    """One pair of systems on one measure."""

    measure: str
    system: str
    baseline: str
    n: int
    mean: float
    baseline_mean: float
    difference: float  # between the logarithms of geometric means
    low: float
    high: float
    d_z: float
    d_z_low: float  # the exact interval for normal differences, from the noncentral t distribution
    d_z_high: float
    wins: int
    ties: int
    losses: int
    left_out: int  # units left out because they are not scored for every system
    detectable: float  # the mean difference that a single t-test detects with power 0.8; NaN for other tests
    statistic: float
    p: float
    adjusted_p: float
    significant: bool
    correction: str = ""  # description of the adjustment of `p`
    interval: str = ""  # description of `low` and `high`
    note: str = ""
    lower_is_better: bool = False  # if so, a win is a value below the baseline's
    d_anova: float = math.nan  # difference over the residual deviation of all systems and units; none from a number

    @property
    def tested(self) -> bool:
        """Whether there is a p-value: a test of differences that do not vary has none."""
        return not math.isnan(self.p)


@frozen(eq=False)
class Comparison(VerbResult):
    """Every pair of systems on every measure, the p-values adjusted within each measure (`family`) or over all."""

    kind = "comparison"
    shows_findings = True

    rows: tuple[Compared, ...]
    test: Test
    correction: str
    family: Family
    baseline: str | None
    level: float
    alternative: Alternative
    interval: str
    seed: int
    unit: str  # the unit of comparison: query, fold, item
    freedom: Mapping[str, str]  # by measure, as are the two below
    omnibus: Mapping[str, str]
    remarks: Mapping[str, str]
    samples: Mapping[str, Samples]
    notes: tuple[str, ...] = ()
    provenance: Provenance = NOTHING_READ
    result: Result | None = None  # the compared result, if not plain values
    worked: Mapping[str, tuple[Working, ...]] = field(default_factory=dict)  # by measure, for each pair in order
    variant: str = ""  # of the test, if it has several
    simultaneous: bool = False  # whether intervals hold for all differences at once

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: Key) -> Any:
        """The mean of a system on a measure over the units compared, or a dict as for `Result`."""
        measures, systems = list(self.samples), self.intervals.systems
        return by_name(key, self.means, systems, measures, lambda name: measures.index(self.measure(name)))

    def row(self, system: str, baseline: str | None = None, measure: str | None = None) -> Compared:
        """The comparison of a system, with a baseline and on a measure where there are several."""
        name = self._measure(measure)
        matching = [
            row
            for row in self.rows
            if row.system == system and baseline in (None, row.baseline) and name in (None, row.measure)
        ]
        if len(matching) == 1:
            return matching[0]
        pairs = [f"{row.system} with {row.baseline} on {row.measure}" for row in matching or self.rows]
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        problem = (
            "several comparisons match; choose one of" if matching else f"{system!r} has no such comparison; available:"
        )
        raise BadSetting(f"{problem} {', '.join(pairs[:_NAMED])}{more}")

    def _measure(self, name: str | None) -> str | None:
        """The name of the measure in the rows, also for its other names."""
        known = {row.measure for row in self.rows}
        if name is None or name in known:
            return name
        for kind in get_args(Kind):
            with suppress(UnknownMeasure, BadSetting):
                if (printed := str(parse(name, kind))) in known:
                    return printed
        return name

    def measure(self, name: Measure | str | None = None) -> str:
        """The name of a measure that was compared, also from its other names; by default, the first."""
        if name is None:
            return next(iter(self.samples))
        chosen = self._measure(str(name))
        if chosen not in self.samples:
            raise BadSetting(f"{name} was not compared; available: {', '.join(self.samples)}")
        return str(chosen)

    @cached_property
    def _means(self) -> tuple[Floats, Intervals]:
        """The mean of each system on each measure over the units compared, with its interval."""
        method: Any = "auto" if self.interval == "t" else self.interval
        settings: dict[str, Any] = {"confidence": 1 - self.level, "method": method, "seed": self.seed}
        if self.result is not None:
            return compared_means(self.result, **settings)
        return means_of_samples(self.samples), intervals_of_samples(self.samples, **settings)

    @property
    def means(self) -> Floats:
        """The mean of each system over the units compared: `means[system, measure]`."""
        return self._means[0]

    @property
    def intervals(self) -> Intervals:
        """The interval of each mean."""
        return self._means[1]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the comparison."""
        return {
            "test": self.test.name,
            "baseline": self.baseline,
            "correction": self.correction,
            "family": self.family,
            "corrected_for": self.allowance or "nothing",
            "level": self.level,
            "alternative": self.alternative,
            "interval": self.bounds,
            "seed": self.seed,
            "units": self.unit,
            "remarks": dict(self.remarks),
        } | ({"variant": self.variant} if self.variant else {})

    def steps(self, row: Compared | None = None) -> str:
        """The steps of the test of one row, or of every test: hypotheses, level, statistic, p-value, decision."""
        return significance_steps.steps(self, *(self.rows if row is None else [row]))

    def working(self, row: Compared) -> dict[str, float | int | str | None]:
        """The figures behind the statistic of a pair by name; those of t-tests are None for other tests."""
        return significance_steps.figures(self, row)

    @property
    def allowance(self) -> str:
        """A description of how the p-values are adjusted; empty if they are not."""
        return "" if self.correction == "none" else self.rows[0].correction

    @property
    def each_alone(self) -> str:
        """That each of several measures is corrected on its own, and what would correct over all of them."""
        n_measures = len(self.samples)
        if n_measures < 2 or self.family == "all" or (self.correction == "none" and not self.test.simultaneous):
            return ""
        return (
            f"each of the {n_measures} measures is corrected on its own; --family all, or family='all' in Python, "
            "corrects over all of them together and finds fewer differences"
        )

    @property
    def n_together(self) -> int:
        """The number of comparisons that are adjusted together: those on one measure, or all."""
        return len(self) // (1 if self.family == "all" else len({row.measure for row in self.rows}))

    @property
    def bounds(self) -> str:
        """A description of the intervals of the differences, and whether they may disagree with the decisions."""
        interval = next((row.interval for row in self.rows if row.interval), "none").removesuffix(OF_LOGARITHMS)
        if self.test.name == "nemenyi":
            return "none: the test compares mean ranks; the remark gives their critical difference"
        same = self.test.name in ("t", "tukey", "dunnett", "tost", "corrected t", "5x2cv") and self.interval == "t"
        same = same and not (self.simultaneous and self.correction == "holm")  # rejects more often than the intervals
        if interval == "none" or (same and (self.correction == "none" or not interval.endswith("not adjusted"))):
            return interval
        p = "p" if self.correction == "none" else "the adjusted p-value"
        return f"{interval}; decisions follow {p} ({self.test.title}) and may differ"

    def records(self, *, steps: bool = False, **_: Any) -> Records:
        """The comparisons, with the working of each if `steps`, and the interval of the mean of each system."""
        rows = records(self.rows)
        if not steps:
            return {"comparisons": rows, "intervals": self.intervals.to_dicts()}
        worked = [self.working(row) for row in self.rows]
        names = dict.fromkeys(name for figures in worked for name in figures)  # an untested pair lacks some
        rows = [record | names | figures for record, figures in zip(rows, worked, strict=True)]
        ranks = significance_steps.ranked_differences(self)
        return {"comparisons": rows, "intervals": self.intervals.to_dicts()} | ({"ranks": ranks} if ranks else {})

    def about(self, **_: Any) -> dict[str, Any]:
        """The settings, the omnibus tests and the notes."""
        info = {} if self.result is None or not self.result.info else {"system_info": self.result.info}
        return {"settings": self.settings, "omnibus": dict(self.omnibus), "notes": list(self.notes)} | info

    def findings(self, **settings: Any) -> Any:
        """What the figures hide, in the comparison and in what was compared."""
        return provided("findings")(*([] if self.result is None else [self.result]), self, **settings)


# Tiers: adjacent systems in an order without significant differences between any two; every system is in one


class Tier(NamedTuple):
    """Consecutive systems in the order without significant differences between any two."""

    first: int
    last: int

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and self.first <= place <= self.last


def tiers_in_order(compared: Comparison | None, measure: str, systems: Sequence[str]) -> list[Tier]:
    """The tiers of systems in this order by a comparison of all pairs; without one, no pair is significant."""
    place = {system: number for number, system in enumerate(systems)}
    significant = np.zeros((len(systems),) * 2, np.bool_)
    for row in compared.rows if compared else ():
        one, other = (place.get(decoded(name)) for name in (row.system, row.baseline))
        if row.measure == measure and one is not None and other is not None:
            significant[one, other] = significant[other, one] = row.significant
    return tiers_of(significant)


def tier_range(tiers: Sequence[Tier], place: int) -> str:
    """The numbers of the tiers of one system, which are consecutive: `2`, `1–3`."""
    numbers = [number for number, tier in enumerate(tiers, 1) if place in tier]
    return f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])


def tier_numbers(tiers: Sequence[Tier], place: int) -> str:
    """The numbers of the tiers of the system at this place, such as "1 2"."""
    return " ".join(str(number) for number, tier in enumerate(tiers, 1) if place in tier)


def tiers_of(significant: Mask) -> list[Tier]:
    """The longest stretches of adjacent systems without significant differences between any two."""
    tiers: list[Tier] = []
    for first in range(len(significant)):
        last = first
        while last + 1 < len(significant) and not significant[first : last + 1, last + 1].any():
            last += 1
        if not tiers or last > tiers[-1].last:
            tiers.append(Tier(first, last))
    return tiers
