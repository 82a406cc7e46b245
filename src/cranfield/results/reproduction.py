"""Reproduction: what other topics would have made of the order of the systems, measure by measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cranfield.evidence.samples import Samples
from cranfield.inference.reproducibility import Stability, Swaps, discriminative_power, stability, swap_rate
from cranfield.results.records import arrow_table, records


@dataclass(frozen=True)
class Reproduced:
    """How far one measure's order of the systems can be trusted.

    `discriminative_power` is the share of the pairs of systems it tells apart, `swap_rate` how often halves of the
    topics put a pair in opposite order, `difference` the least one that hardly ever swaps (NaN if none), and `tau`
    that between the order by half of the topics and by all.
    """

    measure: str
    n_systems: int
    n_topics: int
    discriminative_power: float
    swap_rate: float
    difference: float
    tau: float


@dataclass(frozen=True, eq=False)
class Reproduction:
    """The figures for each measure, and the curves behind them."""

    rows: tuple[Reproduced, ...]
    swaps: Mapping[str, Swaps]
    stability: Mapping[str, Stability]
    settings: Mapping[str, Any]

    def table(self) -> pa.Table:
        """The figures as one Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict a measure."""
        return records(self.rows)


def reproduction(
    samples: Mapping[str, Samples],
    *,
    level: float = 0.05,
    test: str = "randomised tukey",
    rate: float = 0.05,
    draws: int = 1_000,
    seed: int = 0,
) -> Reproduction:
    """How far the order of the systems depends on the topics, for each measure of `{measure: samples}`."""
    rows, swaps, orders = [], {}, {}
    for measure, own in samples.items():
        power = discriminative_power(own, level=level, test=test)
        swaps[measure] = swap_rate(own, splits=draws, seed=seed)
        orders[measure] = stability(own, draws=draws, seed=seed)
        half = stability(own, sizes=[max(1, len(own) // 2)], draws=draws, seed=seed)
        rows.append(
            Reproduced(
                measure=measure,
                n_systems=len(own.systems),
                n_topics=len(own),
                discriminative_power=power.share,
                swap_rate=swaps[measure].overall,
                difference=swaps[measure].needed(rate),
                tau=float(half.tau[0]),
            )
        )
    settings = {"level": level, "test": test, "rate": rate, "draws": draws, "seed": seed}
    return Reproduction(tuple(rows), swaps, orders, settings)
