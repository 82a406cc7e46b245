"""Planning: how many queries a difference takes to be seen, and how likely those there are were to show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, counted
from cranfield.inference.distributions import Alternative
from cranfield.inference.power import power, smallest_difference, units_needed
from cranfield.results.records import arrow_table, records


@dataclass(frozen=True)
class Planned:
    """What a test on n queries can see of systems whose differences deviate so; None where it was not asked.

    The names are those of the pair the deviation was told from, empty where it was given.
    """

    measure: str
    system: str
    baseline: str
    deviation: float
    n: int | None
    power: float | None  # how likely a paired t-test on n queries is to see the difference
    needed: int | None  # how many queries would see it with the power asked for
    smallest: float | None  # the smallest difference that n queries see with that power


@dataclass(frozen=True)
class Design:
    """What is asked of a test: to see this difference, with this power, at this level, on so many queries."""

    difference: float | None = None
    n_units: int | None = None
    power: float = 0.8
    level: float = 0.05
    alternative: Alternative = "two-sided"

    def planned(self, spread: float, n_units: int | None = None, names: tuple[str, str, str] = ("", "", "")) -> Planned:
        """The answers for differences that deviate so, on the queries there are unless another number is asked of."""
        n, seen = n_units if self.n_units is None else self.n_units, self.difference
        test: dict[str, Any] = {"level": self.level, "alternative": self.alternative}
        return Planned(
            *names,
            deviation=spread,
            n=n,
            power=None if n is None or seen is None else power(n, seen, spread, **test),
            needed=None if seen is None else units_needed(seen, spread, power=self.power, **test),
            smallest=None if n is None else smallest_difference(n, spread, power=self.power, **test),
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """The answers for every pair, for one difference."""

    rows: tuple[Planned, ...]
    design: Design
    notes: tuple[str, ...] = ()

    def table(self) -> pa.Table:
        """The answers as one Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict a pair; None for what was not asked."""
        return records(self.rows)


def from_pilot(samples: Mapping[str, Samples], design: Design, *, baseline: str | None = None) -> Plan:
    """What it takes to see a mean difference between systems that differ as these do."""
    rows, notes = [], [note for own in samples.values() for note in own.notes]
    for names, spread, n_units in _spreads(samples, baseline):
        if spread > 0:
            rows.append(design.planned(spread, n_units, names))
        else:
            notes.append(f"{names[0]}: {names[1]} and {names[2]} differ by the same everywhere, and are left out")
    if not rows:
        raise BadInput("no two systems differ from query to query: nothing tells how differences vary")
    return Plan(tuple(rows), design, tuple(dict.fromkeys(notes)))


def from_deviation(spread: float, design: Design) -> Plan:
    """What it takes to see a mean difference where differences are known to deviate so."""
    if design.difference is None and design.n_units is None:
        raise BadSetting("say which difference should be seen, or on how many queries: without either nothing is asked")
    return Plan((design.planned(spread),), design)


def _spreads(samples: Mapping[str, Samples], baseline: str | None) -> Iterator[tuple[tuple[str, str, str], float, int]]:
    """For each measure and pair: the names, the deviation of the differences, and on how many units it was told."""
    for measure, own in samples.items():
        if len(own) < 2:
            raise BadInput(f"{counted(len(own), own.kind)} only: how differences vary cannot be told from fewer than 2")
        pairs = own.pairs(baseline)
        for first, second, spread in zip(pairs.first, pairs.second, pairs.deviation, strict=True):
            yield (measure, own.systems[first], own.systems[second]), float(spread), len(own)
