"""Effect sizes: how much two systems differ, regardless of significance."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import require_one_of
from cranfield.evidence.samples import Pairs
from cranfield.frozen import frozen
from cranfield.inference.bisection import roots
from cranfield.inference.distributions import chi_square_quantile, noncentral_t_tail
from cranfield.inference.intervals import bootstrap, t_interval
from cranfield.inference.significance import studentised
from cranfield.inference.variance_analysis import variance_table

DifferenceInterval = Literal["t", "bca"]


@frozen(eq=False)
class Effects:
    """For each pair: the mean difference with its interval, d_z, and the units won, tied and lost.

    Differences without variance have no interval and no d_z: NaN.
    """

    difference: Floats
    low: Floats
    high: Floats
    d_z: Floats  # Cohen's d_z: mean divided by standard deviation of the differences
    d_anova: Floats  # mean divided by the residual standard deviation of the analysis of variance of all systems
    wins: Ints
    ties: Ints
    losses: Ints


def effects(pairs: Pairs, *, level: float = 0.05, interval: DifferenceInterval = "t", seed: int = 0) -> Effects:
    """The effect sizes of each pair."""
    difference = pairs.difference
    better = -difference if pairs.samples.lower_is_better else difference
    wins, losses = (better > 0).sum(axis=0), (better < 0).sum(axis=0)
    require_one_of("the interval of a difference", interval, DifferenceInterval)
    bounds = t_interval(difference, 1 - level) if interval == "t" else bootstrap(difference, 1 - level, seed=seed)
    low, high = (np.where(pairs.deviation > 0, bound, np.nan) for bound in (bounds.low, bounds.high))
    values = pairs.samples.values
    residual = max(variance_table(values, ("system", pairs.samples.unit))[-1].mean_square, 0.0)
    return Effects(
        difference=pairs.mean,
        low=low,
        high=high,
        d_z=studentised(pairs.mean, pairs.deviation),
        d_anova=studentised(pairs.mean, np.full_like(pairs.mean, math.sqrt(residual))),
        wins=wins,
        ties=pairs.n_units - wins - losses,
        losses=losses,
    )


def d_z_interval(pairs: Pairs, level: float = 0.05) -> tuple[Floats, Floats]:
    """The exact interval of d_z for normal differences: t = d_z sqrt(n) has a noncentral t distribution.

    The bounds are the effect sizes under which a t as large, or as small, has a probability of half the level. NaN
    where d_z is unknown, and for folds, which share training data.
    """
    d_z, root = studentised(pairs.mean, pairs.deviation), math.sqrt(pairs.n_units)
    if pairs.samples.overlap or pairs.samples.unit == "fold":
        return np.full_like(d_z, np.nan), np.full_like(d_z, np.nan)
    size = np.abs(d_z)  # the interval of a negative one is the mirror image
    near, far = (_shift(size * root, pairs.n_units - 1, tail) / root for tail in (level / 2, 1 - level / 2))
    return np.where(d_z < 0, -far, near), np.where(d_z < 0, -near, far)


def _shift(t: Floats, freedom: int, tail: float) -> Floats:
    """The noncentrality at which a t of at least this has this probability; infinite for an infinite t."""
    from scipy.special import nctdtrinc

    large = np.sqrt(freedom) <= t
    with np.errstate(invalid="ignore"):
        shift = np.asarray(nctdtrinc(freedom, 1 - tail, np.where(large, 1.0, t)), np.float64)
    far = np.isfinite(t) & large
    distant = t[far]
    middle = distant * math.sqrt(chi_square_quantile(tail, freedom) / freedom)  # a standard normal is added to it
    shift[far] = roots(lambda at: noncentral_t_tail(distant, freedom, at) - tail, middle - 9, middle + 9)
    return np.where(np.isinf(t), t, shift)
