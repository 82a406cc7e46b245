"""Reproduction: what other topics would have made of the order of the systems, measure by measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples
from cranfield.inference.distributions import require_level
from cranfield.inference.reproducibility import Stability, Swaps, discriminative_power, stability, swap_rate
from cranfield.results.records import arrow_table, records

Progress = Callable[[str, int, int | None], None]  # what is worked on, and how many of how many steps are done


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
    note: str = ""


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

    def orders(self) -> list[dict[str, Any]]:
        """A dict for each measure and number of topics: tau with the order by all, its mean and what 95 % exceed."""
        return [
            {"measure": measure, "topics": int(size), "tau": float(tau), "low": float(low)}
            for measure, own in self.stability.items()
            for size, tau, low in zip(own.size, own.tau, own.low, strict=True)
        ]

    def exchanges(self) -> list[dict[str, Any]]:
        """A dict for each measure and range of differences that occurs: how often a pair so far apart swaps."""
        return [
            {"measure": measure, "from": float(low), "to": float(high), "pairs": int(count), "rate": float(rate)}
            for measure, own in self.swaps.items()
            for low, high, count, rate in zip(own.edge, own.edge[1:], own.n_pairs, own.rate, strict=False)
            if count
        ]


def reproduction(
    samples: Mapping[str, Samples],
    *,
    level: float = 0.05,
    test: str = "randomised tukey",
    rate: float = 0.05,
    draws: int = 1_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Reproduction:
    """How far the order of the systems depends on the topics, for each measure of `{measure: samples}`."""
    _require(level, rate)
    told = progress or (lambda _measure, _done, _steps: None)
    rows, swaps, orders = [], {}, {}
    for measure, own in samples.items():
        told(measure, 0, 3)
        swaps[measure] = swap_rate(own, splits=draws, seed=seed)
        told(measure, 1, 3)
        orders[measure] = stability(own, draws=draws, seed=seed)
        half = stability(own, sizes=[max(1, len(own) // 2)], draws=draws, seed=seed)
        told(measure, 2, 3)
        power = discriminative_power(own, level=level, test=test, seed=seed)
        told(measure, 3, 3)
        figures = (power.share, swaps[measure].overall, swaps[measure].needed(rate), float(half.tau[0]))
        rows.append(Reproduced(measure, len(own.systems), len(own), *figures, note=_note(own)))
    settings = {"level": level, "test": test, "rate": rate, "draws": draws, "seed": seed}
    return Reproduction(tuple(rows), swaps, orders, settings)


def _note(samples: Samples) -> str:
    same = "all systems have the same mean: there is no order that could be reproduced"
    return "; ".join([*samples.notes, *([] if samples.pairs().mean.any() else [same])])


def _require(level: float, rate: float) -> None:
    require_level(level)
    if not 0 <= rate <= 1:
        raise BadSetting(f"the rate of swaps must lie between 0 and 1, such as 0.05, not {rate!r}")
