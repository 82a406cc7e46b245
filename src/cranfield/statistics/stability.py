"""Stability of the ranking of systems over topics: discriminative power, swap rates, and tau of subsets of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, Samples
from cranfield.frozen import frozen
from cranfield.rounding import ROUNDING, zero_within_rounding
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import require_confidence, t_quantile
from cranfield.statistics.intervals import Interval, absent
from cranfield.statistics.resampling import COSTLY_RESAMPLES, NESTED_RESAMPLES, draws, generator, subsets
from cranfield.statistics.tests import find
from cranfield.text import plural


def discriminative_power(
    samples: Samples, *, level: float = 0.05, test: str = "randomised tukey", seed: int = 0
) -> float:
    """Proportion of the pairs of systems that differ significantly at this level (Sakai 2006)."""
    _require(samples, least_units=1)
    pairs, chosen = samples.pairs(), find(test)
    return float((chosen(pairs, **({"seed": seed} if "seed" in chosen.settings else {})).p < level).mean())


@frozen(eq=False)
class Swaps:
    """How often two disjoint sets of topics order a pair of systems differently, by size of the difference.

    `rate[b]` is for differences from `edge[b]` to `edge[b + 1]` on the first set, NaN if there are none.
    """

    overall: float
    n_topics: int  # in each set
    edge: Floats
    rate: Floats
    n_pairs: Ints

    def needed(self, rate: float = 0.05) -> float:
        """The smallest difference above which the swap rate is at most this; NaN if there is none."""
        fine = np.isnan(self.rate) | (self.rate <= rate)
        always = np.logical_and.accumulate(fine[::-1])[::-1] & ~np.isnan(self.rate)
        return float(self.edge[:-1][always][0]) if always.any() else float("nan")


def swap_rate(samples: Samples, *, resamples: int = COSTLY_RESAMPLES, n_bins: int = 20, seed: int = 0) -> Swaps:
    """How often two halves of the topics disagree on the better of two systems (Voorhees and Buckley 2002)."""
    _require(samples, least_units=2)
    half = len(samples) // 2
    pairs = samples.pairs()
    splits = []
    for inside in subsets(len(samples), half, resamples, seed):
        other = _second_half(inside, half)
        splits.append([_differences(pairs, mask) for mask in (inside, other)])
    here = np.concatenate([halves[0].ravel() for halves in splits])
    there = np.concatenate([halves[1].ravel() for halves in splits])
    swapped = here * there < 0
    edge = np.linspace(0, np.abs(here).max() or 1.0, n_bins + 1)
    size = np.abs(here) + ROUNDING * samples.size  # a difference that equals an edge up to rounding reaches it
    place = np.clip(np.searchsorted(edge, size, side="right") - 1, 0, n_bins - 1)
    count = np.bincount(place, minlength=n_bins)
    swaps = np.bincount(place, weights=swapped, minlength=n_bins)
    rate = np.where(count > 0, swaps / np.maximum(count, 1), np.nan)
    return Swaps(float(swapped.mean()), half, edge, rate, count)


def swap_interval(
    samples: Samples, rate: float, confidence: float = CONFIDENCE, *, resamples: int = NESTED_RESAMPLES, seed: int = 0
) -> Interval:
    """The interval of the swap rate for other sets of as many topics, given the observed rate.

    Topics are resampled, and each resample split into halves so that copies of a topic stay together: in both halves,
    they would make the halves alike. The bootstrap standard error is used on the scale of log odds, with Student's t.
    """
    require_confidence(confidence)
    n_units, pairs = len(samples), samples.pairs()
    (inside,) = subsets(n_units, n_units // 2, NESTED_RESAMPLES, seed)
    halves = [mask.astype(np.float64) for mask in (inside, _second_half(inside, n_units // 2))]
    drawn = []
    for weights in draws(n_units, resamples, seed + 1):
        for weight in weights:
            here, there = (zero_within_rounding(half * weight @ pairs.difference, pairs.size) for half in halves)
            drawn.append(float((here * there < 0).mean()))
    deviation = float(np.std(drawn, ddof=1))
    if not 0 < rate < 1 or deviation == 0:
        return absent(confidence, "the halves never, or always, disagree")
    reach = t_quantile((1 + confidence) / 2, n_units - 1) * deviation / (rate * (1 - rate))
    low, high = (1 / (1 + (1 - rate) / rate * math.exp(side * reach)) for side in (1, -1))
    return Interval(np.array([low]), np.array([high]), confidence, "bootstrap over topics")


def _second_half(inside: Mask, half: int) -> Mask:
    """As many of the other topics; the first one is left out if their number is odd."""
    other = ~inside
    if inside.shape[1] - half > half:
        other[np.arange(len(other)), other.argmax(axis=1)] = False
    return other


@frozen(eq=False)
class Stability:
    """Kendall's tau-b between the orders by subsets of topics and by all: the mean and the 5 % quantile."""

    size: Ints
    tau: Floats
    low: Floats

    def topics_needed(self, tau: float = 0.9) -> int | None:
        """The smallest number of topics with this mean tau; None if there is none."""
        enough = np.flatnonzero(self.tau >= tau)
        return int(self.size[enough[0]]) if len(enough) else None


def stability(
    samples: Samples, *, sizes: Sequence[int] | None = None, resamples: int = COSTLY_RESAMPLES, seed: int = 0
) -> Stability:
    """Rank correlation of the system order by subsets of topics with that by all, by size of the subset."""
    _require(samples, least_units=2)
    n_units = len(samples)
    ordered = sorted(sizes) if sizes else sorted({max(1, round(n_units * tenth / 10)) for tenth in range(1, 11)})
    pairs = samples.pairs()
    taus = []
    for size in ordered:
        parts = [tau_b(_differences(pairs, inside), pairs.mean) for inside in subsets(n_units, size, resamples, seed)]
        taus.append(np.concatenate(parts))
    low = np.array([np.quantile(tau, 0.05) for tau in taus])
    return Stability(np.array(ordered), np.array([tau.mean() for tau in taus]), low)


def tau_b(apart: Floats, whole: Floats) -> Floats:
    """Kendall's tau-b between orders and that of all, from the differences of pairs: `apart[…, p]`, `whole[p]`.

    Tied pairs count 0; tau is 0 if all pairs are tied.
    """
    untied = np.count_nonzero(apart, axis=-1) * np.count_nonzero(whole)
    return np.asarray(np.sign(apart) @ np.sign(whole) / np.sqrt(np.maximum(untied, 1)), np.float64)


def _differences(pairs: Pairs, inside: Mask) -> Floats:
    """The mean differences of the pairs over the units inside, one row per draw."""
    return zero_within_rounding(inside @ pairs.difference / inside.sum(axis=1, keepdims=True), pairs.size)


def _require(samples: Samples, least_units: int) -> None:
    if len(samples.systems) < 2:
        raise BadInput("at least 2 systems are needed to rank; got 1")
    if len(samples) < least_units:
        raise BadInput(f"subsets need at least {least_units} {plural(samples.unit)}; got {len(samples)}")


# Selection of a few queries that rank the systems as all queries do


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
    _selection_require(samples, k)
    rng = generator(seed)
    chosen, tau = _chosen(samples.relative, k, rng)
    return Selection(
        queries=tuple(samples.units[place] for place in chosen),
        tau=tau,
        unseen=_unseen(samples.relative, k, rng),
        chance=_chance(samples.relative, k, rng),
        notes=(*samples.notes, *([_FEW] if len(samples.systems) < 4 else [])),
    )


def _selection_require(samples: Samples, k: int) -> None:
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= len(samples):
        raise BadSetting(f"k must be between 1 and the number of queries, {len(samples)}, not {k!r}")
    if len(samples.systems) < 2:
        raise BadInput("at least 2 systems are needed to rank; got 1")
    if not samples.pairs().mean.any():
        raise BadInput("all systems have the same mean, so there is no ranking to preserve")


def _chosen(values: Floats, k: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    apart, whole, size = _selection_differences(values, rng)
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


def _selection_differences(values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats, float]:
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
    apart, whole, size = _selection_differences(values, rng)
    steps = np.arange(1.0, len(chosen) + 1)[:, None]
    return tau_b(zero_within_rounding(np.cumsum(apart[chosen], axis=0), steps * size), whole)
