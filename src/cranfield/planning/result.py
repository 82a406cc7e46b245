"""Planning: the number of queries needed to detect a difference, and the power of those at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from cranfield.errors import BadInput, BadSetting, require_whole
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.samples import require_below_range
from cranfield.results.verb_result import VerbResult
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import MOST_UNITS, Alternative, require_level
from cranfield.statistics.power import deviation_interval, power, smallest_difference, units_needed


@frozen
class Planned:
    """The power of a test on n queries for a standard deviation of the differences; fields not requested are None.

    The names are those of the pair that the deviation was estimated from. They are empty, and the bounds None, where
    the deviation was passed as a number.
    """

    measure: str
    system: str
    baseline: str
    level: float  # of each comparison
    deviation: float
    deviation_low: float | None
    deviation_high: float | None
    n: int | None
    power: float | None  # of a paired t-test on n queries for the difference
    needed: int | None  # queries needed to detect it with the desired power
    needed_low: int | None  # at the lower bound of the deviation
    needed_high: int | None  # at its upper bound; None if too many to compute
    smallest: float | None  # smallest difference that n queries detect with that power


@frozen
class Design:
    """The design of a test: the difference to detect, power, level and number of queries."""

    difference: float | None = None
    n_units: int | None = None
    power: float = 0.8
    level: float = 0.05
    alternative: Alternative = "two-sided"
    comparisons: int = 1

    def __post_init__(self) -> None:
        require_level(self.level)
        require_whole("the number of comparisons", self.comparisons, 1)

    @property
    def level_of_each(self) -> float:
        """The level of each comparison after Bonferroni's correction."""
        return self.level / self.comparisons

    def planned(self, spread: float, pilot: int | None = None, names: tuple[str, str, str] = ("", "", "")) -> Planned:
        """The plan for this standard deviation, for the queries of the pilot unless the design has another number."""
        n, difference = pilot if self.n_units is None else self.n_units, self.difference
        test: dict[str, Any] = {"level": self.level_of_each, "alternative": self.alternative}
        low, high = (None, None) if pilot is None else deviation_interval(spread, pilot, CONFIDENCE)
        return Planned(
            *names,
            level=self.level_of_each,
            deviation=spread,
            deviation_low=low,
            deviation_high=high,
            n=n,
            power=None if n is None or difference is None else power(n, difference, spread, **test),
            needed=None if difference is None else units_needed(difference, spread, power=self.power, **test),
            needed_low=self._needed(low),
            needed_high=self._needed(high),
            smallest=None if n is None else smallest_difference(n, spread, power=self.power, **test),
        )

    def _needed(self, spread: float | None) -> int | None:
        """The queries needed at a bound of the deviation; None if there is no bound, or too many are needed."""
        if self.difference is None or spread is None:
            return None
        with suppress(BadSetting):
            test: dict[str, Any] = {"level": self.level_of_each, "alternative": self.alternative}
            return units_needed(self.difference, spread, power=self.power, **test)
        return None


@frozen(eq=False)
class Plan(VerbResult):
    """The plan for every pair of systems."""

    kind = "plan"
    record_fields = (("plan", "rows"),)

    rows: tuple[Planned, ...]
    design: Design
    notes: tuple[str, ...] = ()
    provenance: Provenance = NOTHING_READ

    @property
    def settings(self) -> dict[str, Any]:
        """The design, and how the bounds from a pilot are computed."""
        design = self.design
        return {
            "difference": design.difference,
            "power": design.power,
            "level": design.level,
            "test": "paired t-test",
            "alternative": design.alternative,
            "comparisons": design.comparisons,
            "level_of_each": design.level_of_each,
            "interval": f"{CONFIDENCE:.0%}, from the chi-square interval of the variance of the differences",
        }


def from_pilot(samples: Mapping[str, Samples], design: Design, *, baseline: str | None = None) -> Plan:
    """The plan for systems whose differences vary as in these samples."""
    rows, notes = [], [note for measured in samples.values() for note in measured.notes]
    for measure, measured in samples.items():
        require_below_range("the difference", design.difference, measure, measured)
    for names, spread, n_units in _spreads(samples, baseline):
        if spread > 0:
            rows.append(row := design.planned(spread, n_units, names))
            if row.needed is not None and row.needed_high is None:
                notes.append(f"{' '.join(names)}: at the upper bound of the deviation, over {MOST_UNITS:,} are needed")
        else:
            notes.append(f"{names[0]}: {names[1]} and {names[2]} differ by a constant and are left out")
    if not rows:
        raise BadInput("the differences are the same on every query, so their variance cannot be estimated")
    return Plan(tuple(rows), design, tuple(dict.fromkeys(notes)))


def from_deviation(spread: float, design: Design) -> Plan:
    """The plan for a known standard deviation of the differences."""
    if design.difference is None and design.n_units is None:
        raise BadSetting("pass the difference to detect, or the number of queries")
    return Plan((design.planned(spread),), design)


def _spreads(samples: Mapping[str, Samples], baseline: str | None) -> Iterator[tuple[tuple[str, str, str], float, int]]:
    """For each measure and pair: the names, the standard deviation of the differences, and the number of units."""
    for measure, measured in samples.items():
        measured.require_variance()
        pairs = measured.pairs(baseline)
        for names, spread in zip(pairs.names, pairs.deviation.tolist(), strict=True):
            yield (measure, *names), spread, len(measured)
