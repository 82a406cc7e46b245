"""Selection: which few queries would have given the same order of the systems as all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, settled
from cranfield.inference.reproducibility import tau_b
from cranfield.inference.resampling import generator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_PAIRS = 5_000  # more pairs of systems than this are sampled


@dataclass(frozen=True, eq=False)
class Selection:
    """Queries in the order they were chosen, and what their order of the systems has in common with that of all.

    `tau[i]` is Kendall's tau with the first i + 1 of them, on the systems they were chosen with; `unseen[i]` on
    systems they were not chosen with, which is what to expect of new ones; `chance[i]` that of as many at random.
    """

    queries: tuple[str, ...]
    tau: Floats
    unseen: Floats
    chance: Floats
    notes: tuple[str, ...] = ()  # of the values: which queries were left out


def select_queries(samples: Samples, k: int, *, seed: int = 0) -> Selection:
    """The k queries, taken one by one, that keep the order of the systems best.

    Each is the one with which the chosen agree most with all (Kendall's tau), and among equals the one with which
    their means lie closest to those of all.
    """
    _require(samples, k)
    rng = generator(seed)
    chosen, tau = _chosen(samples.values, k, rng)
    return Selection(
        queries=tuple(samples.units[place] for place in chosen),
        tau=tau,
        unseen=_unseen(samples.values, k, rng),
        chance=_chance(samples.values, k, rng),
        notes=samples.notes,
    )


def _require(samples: Samples, k: int) -> None:
    if not isinstance(k, int | np.integer) or not 1 <= k <= len(samples):
        raise BadSetting(f"between 1 and {len(samples)} queries can be chosen, not {k!r}")
    if len(samples.systems) < 2:
        raise BadInput("one system only: there is no order that queries could keep")
    if not samples.pairs().mean.any():
        raise BadInput("all systems have the same mean: there is no order that queries could keep")


def _chosen(values: Floats, k: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    apart, whole, size = _differences(values, rng)
    target = values.mean(axis=1)
    centred = values - values.mean(axis=0)
    wanted = target - target.mean()
    summed, middle = np.zeros((1, len(whole))), np.zeros(len(values))
    left, taken, taus = list(range(values.shape[1])), [], []
    for step in range(1, k + 1):
        tau = tau_b(settled(summed + apart[left], step * size), whole)
        off = (((middle[:, None] + centred[:, left]) / step - wanted[:, None]) ** 2).sum(axis=0)
        best = int(np.lexsort((off, -tau))[0])
        place = left.pop(best)
        taken.append(place)
        taus.append(float(tau[best]))
        summed, middle = summed + apart[place], middle + centred[:, place]
    return np.array(taken), np.array(taus)


def _differences(values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats, float]:
    """The differences of pairs of systems on each query, over all queries, and the size of what they are taken from."""
    first, second = np.triu_indices(len(values), 1)
    if len(first) > _MOST_PAIRS:
        kept = rng.choice(len(first), _MOST_PAIRS, replace=False)
        first, second = first[kept], second[kept]
    apart, size = (values[first] - values[second]).T, float(np.abs(values).max())
    return np.ascontiguousarray(apart), settled(apart.mean(axis=0), size), size


def _unseen(values: Floats, k: int, rng: np.random.Generator, rounds: int = 10) -> Floats:
    """The tau of systems that had no say, in the mean over halves of the systems; NaN for fewer than four."""
    n_systems = len(values)
    if n_systems < 4:
        return np.full(k, np.nan)
    found = np.zeros(k)
    for _ in range(rounds):
        order = rng.permutation(n_systems)
        asked, others = values[order[: n_systems // 2]], values[order[n_systems // 2 :]]
        found += _taus(others, _chosen(asked, k, rng)[0], rng)
    return found / rounds


def _chance(values: Floats, k: int, rng: np.random.Generator, rounds: int = 50) -> Floats:
    each = [_taus(values, rng.permutation(values.shape[1])[:k], rng) for _ in range(rounds)]
    return np.mean(each, axis=0)


def _taus(values: Floats, chosen: Ints, rng: np.random.Generator) -> Floats:
    apart, whole, size = _differences(values, rng)
    steps = np.arange(1.0, len(chosen) + 1)[:, None]
    return tau_b(settled(np.cumsum(apart[chosen], axis=0), steps * size), whole)
