"""Tiers: adjacent systems in an order without significant differences between any two; every system is in one.

Decided here: which systems share a tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Mask
from cranfield.results.comparison import Comparison
from cranfield.results.writing import decoded


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
