"""Randomisation: how often chance alone, flipping the signs of the differences, does as well as the systems did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.inference.distributions import Alternative
from cranfield.inference.resampling import ENUMERATED, FEW, flipped_sums, flips, n_flips

Floats = NDArray[np.float64]

TIED = 1e-9  # sums this close, as a share of the greatest there can be, are the same but for rounding


@dataclass(frozen=True, eq=False)
class Randomised:
    """The share of flips at least as extreme for each column; and those whose greatest column is (max-T)."""

    p: Floats
    greatest: Floats  # NaN if it was not asked for
    n_flips: int
    exact: bool

    def remark(self, seed: int) -> str:
        """How the p-values came about."""
        return f"all {self.n_flips:,} flips of signs" if self.exact else f"{self.n_flips:,} flips, seed {seed}"


def randomised(
    difference: Floats, n_wanted: int, seed: int, alternative: Alternative = "two-sided", *, joint: bool = True
) -> Randomised:
    """The p-values of the columns of `difference[u, p]`, from flips that all columns share; and joint ones of them all.

    A matrix product gives the sums of all columns under many flips. Each column is scaled by the root of its sum of
    squares, which flips do not change: its sum is then as good a statistic as t, and columns can be compared.
    """
    scaled = _scaled(difference)
    observed = _extreme(scaled.sum(axis=0), alternative)
    beaten = observed - TIED * np.abs(scaled).sum(axis=0)
    alone, together = np.zeros(len(observed)), np.zeros(len(observed))
    width = len(observed) if len(observed) <= FEW else max(scaled.shape)
    for flipped in flips(len(difference), n_wanted, seed, width):
        sums = _extreme(flipped_sums(scaled, flipped), alternative)
        alone += np.count_nonzero(sums >= beaten, axis=0)
        if joint:
            together += len(sums) - np.searchsorted(np.sort(sums.max(axis=1)), beaten)
    exact = len(difference) <= ENUMERATED
    total = n_flips(len(difference), n_wanted)
    added = 0 if exact else 1  # the data as they are count as one of the flips drawn
    greatest = (together + added) / (total + added) if joint else np.full(len(observed), np.nan)
    return Randomised((alone + added) / (total + added), greatest, total, exact)


def _scaled(difference: Floats) -> Floats:
    size = np.sqrt((difference**2).sum(axis=0))
    return difference / np.where(size == 0, 1, size)


def _extreme(sums: Floats, alternative: Alternative) -> Floats:
    """The sums so that greater is more extreme."""
    if alternative == "two-sided":
        return np.abs(sums, out=sums)
    return sums if alternative == "greater" else -sums
