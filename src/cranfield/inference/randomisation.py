"""Randomisation tests: the distribution of mean differences under random sign flips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import ROUNDING
from cranfield.evidence.samples import counted
from cranfield.inference.distributions import Alternative
from cranfield.inference.resampling import ENUMERATED, FEW, flipped_sums, flips, n_flips


@dataclass(frozen=True, eq=False)
class Randomised:
    """The proportion of flips at least as extreme per column, and of flips whose maximum over columns is (max-T)."""

    p: Floats
    greatest: Floats  # NaN if not requested
    n_extreme: Floats  # flips at least as extreme, per column
    n_flips: int
    exact: bool

    def remark(self, seed: int) -> str:
        """How the p-values were computed."""
        number = counted(self.n_flips, "permutation")
        return f"all {number}" if self.exact else f"{number}, seed {seed}"


def randomised(
    difference: Floats,
    resamples: int,
    seed: int,
    alternative: Alternative = "two-sided",
    *,
    magnitude: Floats | None = None,
    joint: bool = True,
) -> Randomised:
    """The p-values of the columns of `difference[u, p]`, from sign flips shared by all columns, and joint p-values.

    `magnitude[u, p]` is the magnitude of the values that were subtracted (default: that of the difference); it decides
    which sums are equal up to rounding.
    A matrix product gives the sums of all columns under many flips. Each column is scaled by the root of its sum of
    squares, which flips do not change: its sum is then equivalent to t, and columns are comparable.
    """
    size = np.sqrt((difference**2).sum(axis=0))
    size[size == 0] = 1
    scaled = difference / size
    observed = _extreme(scaled.sum(axis=0), alternative)
    beaten = observed - ROUNDING * (np.abs(difference) if magnitude is None else magnitude).sum(axis=0) / size
    alone, together = np.zeros(len(observed)), np.zeros(len(observed))
    width = len(observed) if len(observed) <= FEW else max(scaled.shape)
    for flipped in flips(len(difference), resamples, seed, width):
        sums = _extreme(flipped_sums(scaled, flipped), alternative)
        alone += np.count_nonzero(sums >= beaten, axis=0)
        if joint:
            together += len(sums) - np.searchsorted(np.sort(sums.max(axis=1)), beaten)
    exact = len(difference) <= ENUMERATED
    total = n_flips(len(difference), resamples)
    added = 0 if exact else 1  # the observed data count as one of the flips
    greatest = (together + added) / (total + added) if joint else np.full(len(observed), np.nan)
    return Randomised((alone + added) / (total + added), greatest, alone, total, exact)


def _extreme(sums: Floats, alternative: Alternative) -> Floats:
    """The sums, with signs such that greater is more extreme."""
    if alternative == "two-sided":
        return np.abs(sums, out=sums)
    return sums if alternative == "greater" else -sums
