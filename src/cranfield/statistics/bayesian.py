"""Posterior probabilities that one system is better than another, equivalent to it, or worse."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs, is_number
from cranfield.frozen import frozen
from cranfield.rounding import ROUNDING
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import t_quantile, t_tail
from cranfield.statistics.resampling import RESAMPLES, generator, require_draws
from cranfield.text import counted

Model = Literal["t", "correlated t", "signed-rank"]

_JEFFREYS = "prior: uniform for the mean and for the logarithm of the standard deviation (Jeffreys)"
_CELLS = 1 << 24  # numbers in memory at once


@frozen(eq=False)
class Posterior:
    """The posterior for each pair: three probabilities, and the credible interval of the mean difference.

    All are NaN for a pair that the model cannot describe, and the bounds also if it has no mean. `prior` describes the
    prior, and `reason` why some pairs have no posterior.
    """

    higher: Floats  # the first is higher by more than the region
    equivalent: Floats
    lower: Floats
    low: Floats
    high: Floats
    prior: str
    reason: str = ""


def posterior(
    pairs: Pairs,
    rope: float,
    model: Model = "t",
    *,
    credibility: float = CONFIDENCE,
    overlap: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Posterior:
    """The posterior of the difference of each pair, with a region of practical equivalence from -rope to rope."""
    if not is_number(rope) or not 0 <= rope < np.inf:
        raise BadSetting(f"rope, the largest negligible difference, must be a number of 0 or more, not {rope!r}")
    if model == "signed-rank":
        require_draws(resamples, "resamples")
        return _signed_rank(pairs, rope, resamples, seed)
    shared = pairs.samples.overlap if overlap is None else overlap
    if model == "correlated t" and not (is_number(shared) and 0 < shared < np.inf):
        raise BadSetting(
            "the correlated t model needs the overlap: the size of a test fold divided by that of its training set"
            + (f", a positive number, not {overlap!r}" if overlap is not None else "")
        )
    return _student(pairs, rope, shared if model == "correlated t" else 0.0, credibility)


def _student(pairs: Pairs, rope: float, overlap: float, credibility: float) -> Posterior:
    """The mean difference has a t distribution around that of the sample, scaled by its standard error.

    For folds, whose training sets overlap, the standard error is that of the corrected t-test.
    """
    freedom = pairs.n_units - 1
    error = np.where(pairs.deviation > 0, pairs.deviation * np.sqrt(1 / pairs.n_units + overlap), np.nan)
    higher = t_tail((pairs.mean - rope) / error, freedom, "less")
    lower = t_tail((-rope - pairs.mean) / error, freedom, "less")
    half = t_quantile((1 + credibility) / 2, freedom) * error
    return Posterior(
        higher,
        t_tail((rope - pairs.mean) / error, freedom, "less") - lower,
        lower,
        pairs.mean - half,
        pairs.mean + half,
        _JEFFREYS + (f"; overlap {overlap:.4g}" if overlap else ""),
        "differences are the same on every unit: no variance" if np.isnan(error).any() else "",
    )


def _signed_rank(pairs: Pairs, rope: float, resamples: int, seed: int) -> Posterior:
    """Bayesian signed-rank test: a Dirichlet process over the differences, with one prior observation of 0.

    For each draw of the observation weights, the most probable event for the mean of two random differences is counted:
    above the region, within it, or below it.
    """
    n_observed = pairs.n_units + 1
    draw = generator(seed)
    shares = np.zeros((3, len(pairs)))
    chunk = max(1, _CELLS // n_observed)
    above, below = _pair_means(pairs, rope)
    for start in range(0, resamples, chunk):
        weight = draw.dirichlet(np.ones(n_observed), min(chunk, resamples - start))
        for place in range(len(pairs)):
            high = ((weight @ above[place]) * weight).sum(axis=1)
            low = ((weight @ below[place]) * weight).sum(axis=1)
            events = np.stack([high, 1 - high - low, low])
            most = events >= events.max(axis=0) - ROUNDING
            shares[:, place] += (most / most.sum(axis=0)).sum(axis=1)
    unknown = np.full(len(pairs), np.nan)
    prior = f"prior: Dirichlet process with one observation of 0; {counted(resamples, 'draw')}, seed {seed}"
    higher, equivalent, lower = shares / resamples
    return Posterior(higher, equivalent, lower, unknown, unknown, prior)


def _pair_means(pairs: Pairs, rope: float) -> tuple[list[Floats], list[Floats]]:
    """For each pair, which two differences (including a 0) have a mean above or below the region."""
    above, below = [], []
    for column, size in zip(pairs.difference.T, pairs.size, strict=True):
        difference = np.concatenate([[0.0], column])
        mean = (difference[:, None] + difference) / 2
        beyond = rope + ROUNDING * max(float(size), rope)
        above.append((mean > beyond).astype(np.float64))
        below.append((mean < -beyond).astype(np.float64))
    return above, below
