"""Reproducibility: would other topics have given the same order of the systems?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.samples import Pairs, Samples, counted, settled
from cranfield.inference.catalogue import find
from cranfield.inference.resampling import subsets

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Discrimination:
    """Which share of the pairs of systems a measure tells apart, and the least difference from which it does."""

    share: float
    n_significant: int
    n_pairs: int
    difference: float  # NaN if no pair is told apart
    level: float
    test: str


def discriminative_power(
    samples: Samples, *, level: float = 0.05, test: str = "randomised tukey", seed: int = 0
) -> Discrimination:
    """The share of the pairs of systems whose difference is significant at the level (Sakai 2006)."""
    _require(samples)
    pairs, chosen = samples.pairs(), find(test)
    significant = chosen(pairs, **({"seed": seed} if "seed" in chosen.settings else {})).p < level
    size = np.abs(pairs.mean)
    least = float(size[significant].min()) if significant.any() else float("nan")
    return Discrimination(float(significant.mean()), int(significant.sum()), len(pairs), least, level, test)


@dataclass(frozen=True, eq=False)
class Swaps:
    """How often two disjoint sets of topics put a pair of systems in opposite order, by how far it is apart.

    `rate[b]` is for differences from `edge[b]` to `edge[b + 1]` on the one set, NaN where there are none.
    """

    overall: float
    n_topics: int  # in each set
    edge: Floats
    rate: Floats
    n_pairs: NDArray[np.int64]

    def needed(self, rate: float = 0.05) -> float:
        """The least difference from which on swaps are at most so frequent; NaN if none is."""
        fine = np.isnan(self.rate) | (self.rate <= rate)
        always = np.logical_and.accumulate(fine[::-1])[::-1] & ~np.isnan(self.rate)
        return float(self.edge[:-1][always][0]) if always.any() else float("nan")


def swap_rate(samples: Samples, *, splits: int = 1_000, n_bins: int = 20, seed: int = 0) -> Swaps:
    """How often halves of the topics disagree on which of two systems is better (Voorhees and Buckley 2002)."""
    _require(samples, least_units=2)
    half = len(samples) // 2
    pairs = samples.pairs()
    kept = []
    for inside in subsets(len(samples), half, splits, seed):
        other = _second_half(inside, half)
        kept.append([_differences(pairs, mask) for mask in (inside, other)])
    here = np.concatenate([each[0].ravel() for each in kept])
    there = np.concatenate([each[1].ravel() for each in kept])
    swapped = here * there < 0
    edge = np.linspace(0, np.abs(here).max() or 1.0, n_bins + 1)
    place = np.clip(np.searchsorted(edge, np.abs(here), side="right") - 1, 0, n_bins - 1)
    count = np.bincount(place, minlength=n_bins)
    swaps = np.bincount(place, weights=swapped, minlength=n_bins)
    rate = np.where(count > 0, swaps / np.maximum(count, 1), np.nan)
    return Swaps(float(swapped.mean()), half, edge, rate, count)


def _second_half(inside: NDArray[np.bool_], half: int) -> NDArray[np.bool_]:
    """As many of the other topics: with an odd number one is left out, the first of them."""
    other = ~inside
    if inside.shape[1] - half > half:
        other[np.arange(len(other)), other.argmax(axis=1)] = False
    return other


@dataclass(frozen=True, eq=False)
class Stability:
    """Kendall's tau-b between the order by so many topics and that by all: the mean, and what 95 % exceed."""

    size: NDArray[np.int64]
    tau: Floats
    low: Floats

    def topics_needed(self, tau: float = 0.9) -> int | None:
        """The fewest topics whose order has this tau with that of all, in the mean; None if none has."""
        enough = np.flatnonzero(self.tau >= tau)
        return int(self.size[enough[0]]) if len(enough) else None


def stability(samples: Samples, *, sizes: Sequence[int] | None = None, draws: int = 1_000, seed: int = 0) -> Stability:
    """How much of the order of the systems subsets of the topics give, by their size."""
    _require(samples, least_units=2)
    n_units = len(samples)
    wanted = sorted(sizes) if sizes else sorted({max(1, round(n_units * tenth / 10)) for tenth in range(1, 11)})
    pairs = samples.pairs()
    taus = []
    for size in wanted:
        found = [tau_b(_differences(pairs, inside), pairs.mean) for inside in subsets(n_units, size, draws, seed)]
        taus.append(np.concatenate(found))
    low = np.array([np.quantile(tau, 0.05) for tau in taus])
    return Stability(np.array(wanted), np.array([tau.mean() for tau in taus]), low)


def tau_b(apart: Floats, whole: Floats) -> Floats:
    """Kendall's tau-b of orders with that of all, told from the differences of their pairs: `apart[…, p]`, `whole[p]`.

    Pairs that tie in one order count for nothing; it is 0 where all pairs do.
    """
    untied = np.count_nonzero(apart, axis=-1) * np.count_nonzero(whole)
    return np.asarray(np.sign(apart) @ np.sign(whole) / np.sqrt(np.maximum(untied, 1)), np.float64)


def _differences(pairs: Pairs, inside: NDArray[np.bool_]) -> Floats:
    """The mean differences of the pairs over the units inside, a row a draw."""
    return settled(inside @ pairs.difference / inside.sum(axis=1, keepdims=True), pairs.size)


def _require(samples: Samples, least_units: int = 1) -> None:
    if len(samples.systems) < 2:
        raise BadInput("one system only: an order needs two at least")
    if len(samples) < least_units:
        raise BadInput(f"{counted(len(samples), samples.kind)} only: subsets need {least_units} at least")
