"""The stability of the ranking of the systems over topics, for each measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.frozen import frozen
from cranfield.inference.stability import Stability, Swaps
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.records import records
from cranfield.results.verb_result import Records, VerbResult


@frozen
class Reproduced:
    """The stability of the ranking of the systems by one measure.

    `discriminative_power` is the proportion of system pairs that differ significantly, `swap_rate` the proportion that
    two halves of the topics rank in opposite order, `swap_low` and `swap_high` its interval for other sets of as many
    topics, `difference` the smallest difference with an acceptable swap rate (NaN if none), and `tau` Kendall's tau
    between the rankings by half of the topics and by all.
    """

    measure: str
    n_systems: int
    n_topics: int
    discriminative_power: float
    swap_rate: float
    swap_low: float
    swap_high: float
    difference: float
    tau: float
    note: str = ""


@frozen(eq=False)
class Reproduction(VerbResult):
    """The figures for each measure, and the curves behind them."""

    kind = "stability"

    rows: tuple[Reproduced, ...]
    swaps: Mapping[str, Swaps]
    stability: Mapping[str, Stability]
    settings: Mapping[str, Any]
    provenance: Provenance = NOTHING_READ

    def records(self) -> Records:
        """One row per measure, and the points of the curves behind the figures."""
        return {"measures": records(self.rows), "orders": self.orders(), "swaps": self.exchanges()}

    def orders(self) -> list[dict[str, Any]]:
        """One dict per measure and number of topics: the mean tau with the ranking by all, and its 5th percentile."""
        return [
            {"measure": measure, "topics": int(size), "tau": float(tau), "low": float(low)}
            for measure, curve in self.stability.items()
            for size, tau, low in zip(curve.size, curve.tau, curve.low, strict=True)
        ]

    def exchanges(self) -> list[dict[str, Any]]:
        """One dict per measure and range of differences that occurs: the swap rate of such pairs."""
        return [
            {"measure": measure, "from": float(low), "to": float(high), "pairs": int(count), "rate": float(rate)}
            for measure, swaps in self.swaps.items()
            for low, high, count, rate in zip(swaps.edge, swaps.edge[1:], swaps.n_pairs, swaps.rate, strict=False)
            if count
        ]
