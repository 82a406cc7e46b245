"""Selection of a few queries that rank the systems as all queries do."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.rounding import zero_within_rounding
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.inference.resampling import generator
from cranfield.inference.stability import tau_b

_FEW = "unseen: at least 4 systems are needed, half to choose the queries and half to test them"
_MOST_PAIRS = 5_000  # if there are more pairs of systems, a sample of them is used
_HALVES, _RANDOM = 10, 50  # random halves of the systems, and random subsets of queries, to average over


@frozen(eq=False)
class Selection:
    """Queries in the order of selection, and the correlation of their ranking of the systems with that of all queries.

    `tau[i]` is Kendall's tau of the first i + 1 queries on the systems used for the selection; `unseen[i]` on systems
    not used for it, which is what to expect for new ones; `chance[i]` that of as many random queries.
    """

    queries: tuple[str, ...]
    tau: Floats
    unseen: Floats
    chance: Floats
    notes: tuple[str, ...] = ()  # such as which queries were left out


def select_queries(samples: Samples, k: int, *, seed: int = 0) -> Selection:
    """The k queries, selected greedily, that best preserve the ranking of the systems.

    Each maximises Kendall's tau between the selected queries and all queries; ties are broken by the distance between
    the means on the selected queries and on all.
    """
    _require(samples, k)
    rng = generator(seed)
    chosen, tau = _chosen(samples.relative, k, rng)
    return Selection(
        queries=tuple(samples.units[place] for place in chosen),
        tau=tau,
        unseen=_unseen(samples.relative, k, rng),
        chance=_chance(samples.relative, k, rng),
        notes=(*samples.notes, *([_FEW] if len(samples.systems) < 4 else [])),
    )


def _require(samples: Samples, k: int) -> None:
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= len(samples):
        raise BadSetting(f"k must be between 1 and the number of queries, {len(samples)}, not {k!r}")
    if len(samples.systems) < 2:
        raise BadInput("at least 2 systems are needed to rank; got 1")
    if not samples.pairs().mean.any():
        raise BadInput("all systems have the same mean, so there is no ranking to preserve")


def _chosen(values: Floats, k: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    apart, whole, size = _differences(values, rng)
    target = values.mean(axis=1)
    centred = values - values.mean(axis=0)
    centred_target = target - target.mean()
    summed, middle = np.zeros((1, len(whole))), np.zeros(len(values))
    left, taken, taus = list(range(values.shape[1])), [], []
    for step in range(1, k + 1):
        tau = tau_b(zero_within_rounding(summed + apart[left], step * size), whole)
        off = (((middle[:, None] + centred[:, left]) / step - centred_target[:, None]) ** 2).sum(axis=0)
        best = int(np.lexsort((off, -tau))[0])
        place = left.pop(best)
        taken.append(place)
        taus.append(float(tau[best]))
        summed, middle = summed + apart[place], middle + centred[:, place]
    return np.array(taken), np.array(taus)


def _differences(values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats, float]:
    """The differences of pairs of systems on each query and over all queries, and the magnitude of the values."""
    first, second = np.triu_indices(len(values), 1)
    if len(first) > _MOST_PAIRS:
        sampled = rng.choice(len(first), _MOST_PAIRS, replace=False)
        first, second = first[sampled], second[sampled]
    apart, size = (values[first] - values[second]).T, float(np.abs(values).max())
    return np.ascontiguousarray(apart), zero_within_rounding(apart.mean(axis=0), size), size


def _unseen(values: Floats, k: int, rng: np.random.Generator) -> Floats:
    """The mean tau on the half of the systems not used for selection; NaN for fewer than four systems."""
    n_systems = len(values)
    if n_systems < 4:
        return np.full(k, np.nan)
    total = np.zeros(k)
    for _ in range(_HALVES):
        order = rng.permutation(n_systems)
        used, unseen = values[order[: n_systems // 2]], values[order[n_systems // 2 :]]
        total += _taus(unseen, _chosen(used, k, rng)[0], rng)
    return total / _HALVES


def _chance(values: Floats, k: int, rng: np.random.Generator) -> Floats:
    return np.mean([_taus(values, rng.permutation(values.shape[1])[:k], rng) for _ in range(_RANDOM)], axis=0)


def _taus(values: Floats, chosen: Ints, rng: np.random.Generator) -> Floats:
    apart, whole, size = _differences(values, rng)
    steps = np.arange(1.0, len(chosen) + 1)[:, None]
    return tau_b(zero_within_rounding(np.cumsum(apart[chosen], axis=0), steps * size), whole)
