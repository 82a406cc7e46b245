"""Effect sizes: how far apart two systems are, apart from whether that could be chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs
from cranfield.inference.intervals import bootstrap, t_interval
from cranfield.inference.significance import studentised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bounds = Literal["t", "bca"]


@dataclass(frozen=True, eq=False)
class Effects:
    """For each pair: the mean difference with its interval, d_z, and the units won, tied and lost."""

    difference: Floats
    low: Floats
    high: Floats
    d_z: Floats  # mean over deviation of the differences, after Cohen
    wins: Ints
    ties: Ints
    losses: Ints


def effects(pairs: Pairs, *, level: float = 0.05, interval: Bounds = "t", seed: int = 0) -> Effects:
    """How far apart the systems of each pair are."""
    difference = pairs.difference
    better = -difference if pairs.samples.lower_is_better else difference
    wins, losses = (better > 0).sum(axis=0), (better < 0).sum(axis=0)
    if interval not in ("t", "bca"):
        raise BadSetting(f"the interval of a difference is t or bca, not {interval!r}")
    bounds = t_interval(difference, 1 - level) if interval == "t" else bootstrap(difference, 1 - level, seed=seed)
    return Effects(
        difference=pairs.mean,
        low=bounds.low,
        high=bounds.high,
        d_z=studentised(pairs.mean, pairs.deviation),
        wins=wins,
        ties=pairs.n_units - wins - losses,
        losses=losses,
    )
