"""Randomisation tests: the distribution of mean differences under random sign flips."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import ROUNDING
from cranfield.frozen import frozen
from cranfield.inference.distributions import Alternative
from cranfield.inference.resampling import ENUMERATED, FEW, flipped_sums, flips, n_flips
from cranfield.text import counted


@frozen(eq=False)
class Randomised:
    """The proportion of flips at least as extreme per column, and of flips whose maximum over columns is (max-T).

    Stepping down, the maximum is over the columns that are not more extreme than this one.
    """

    p: Floats
    greatest: Floats  # NaN if not requested
    stepped: Floats  # NaN if not requested
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
    alone, together, stepping = np.zeros((3, len(observed)))
    order = np.argsort(observed, kind="stable")
    width = len(observed) if len(observed) <= FEW else max(scaled.shape)
    for flipped in flips(len(difference), resamples, seed, width):
        sums = _extreme(flipped_sums(scaled, flipped), alternative)
        alone += np.count_nonzero(sums >= beaten, axis=0)
        if joint:
            together += len(sums) - np.searchsorted(np.sort(sums.max(axis=1)), beaten)
            of_less_extreme = np.maximum.accumulate(sums[:, order], axis=1)
            stepping[order] += np.count_nonzero(of_less_extreme >= beaten[order], axis=0)
    exact = len(difference) <= ENUMERATED
    total = n_flips(len(difference), resamples)
    added = 0 if exact else 1  # the observed data count as one of the flips
    greatest, stepped = np.full((2, len(observed)), np.nan)
    if joint:
        greatest = (together + added) / (total + added)
        descending = order[::-1]
        stepped[descending] = np.maximum.accumulate((stepping[descending] + added) / (total + added))
    return Randomised((alone + added) / (total + added), greatest, stepped, alone, total, exact)


def simultaneous_critical_value(difference: Floats, resamples: int, seed: int, level: float) -> float:
    """How many standard errors each mean difference lies from the true one at most, all at once: a quantile of max |t|.

    The distribution is that of sign flips of the differences from their mean. Columns without variance are left out;
    infinite if the units are too few.
    """
    centred = difference - difference.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    scaled = centred[:, size > 0] / size[size > 0]
    width = scaled.shape[1] if scaled.shape[1] <= FEW else max(scaled.shape)
    drawn = [
        np.abs(flipped_sums(scaled, signs)).max(axis=1) for signs in flips(len(difference), resamples, seed, width)
    ]
    greatest, n_units = np.sort(np.concatenate(drawn)), len(difference)
    place = int(np.ceil((1 - level) * len(greatest)))
    if place >= len(greatest):
        return np.inf
    quantile = greatest[place]
    room = n_units - quantile**2
    return float(quantile * np.sqrt((n_units - 1) / room)) if room > ROUNDING * n_units else np.inf


def _extreme(sums: Floats, alternative: Alternative) -> Floats:
    """The sums, with signs such that greater is more extreme."""
    if alternative == "two-sided":
        return np.abs(sums, out=sums)
    return sums if alternative == "greater" else -sums
