"""Planning: how many queries a difference takes to be seen, and how likely those there are were to show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.inference.power import power, smallest_difference, units_needed
from cranfield.inference.significance import deviation
from cranfield.results.records import arrow_table


@dataclass(frozen=True)
class Planned:
    """What one pair of systems tells about a test of such a difference on one measure."""

    measure: str
    system: str
    baseline: str
    deviation: float  # of the differences between the two
    n: int
    power: float  # how likely a paired t-test on n queries is to see the difference
    needed: int  # how many queries would see it with the power asked for
    smallest: float  # the smallest difference that n queries see with that power


@dataclass(frozen=True, eq=False)
class Plan:
    """The answers for every pair, for one difference."""

    rows: tuple[Planned, ...]
    difference: float
    power: float
    level: float

    def table(self) -> pa.Table:
        """The answers as one Arrow table."""
        return arrow_table(self.rows)


def plan(
    samples: Mapping[str, Samples],
    difference: float,
    *,
    baseline: str | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> Plan:
    """What it takes to see a mean difference between systems that differ as these do."""
    rows = []
    for measure, own in samples.items():
        if len(own) < 2:
            raise BadInput(f"{len(own)} {own.kind} only: how differences vary cannot be told from fewer than 2")
        pairs = own.pairs(baseline)
        for first, second, spread in zip(pairs.first, pairs.second, deviation(pairs.difference), strict=True):
            if spread > 0:
                rows.append(
                    _planned(
                        (measure, own.systems[first], own.systems[second]),
                        float(spread),
                        len(own),
                        difference,
                        power,
                        level,
                    )
                )
    if not rows:
        raise BadInput("no two systems differ from query to query: nothing tells how differences vary")
    return Plan(tuple(rows), difference, power, level)


def _planned(
    names: tuple[str, str, str], spread: float, n: int, difference: float, wanted: float, level: float
) -> Planned:
    return Planned(
        *names,
        deviation=spread,
        n=n,
        power=power(n, difference, spread, level=level),
        needed=units_needed(difference, spread, power=wanted, level=level),
        smallest=smallest_difference(n, spread, power=wanted, level=level),
    )
