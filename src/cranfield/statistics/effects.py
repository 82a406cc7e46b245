"""Effect sizes: how much two systems differ, regardless of significance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.samples import Pairs
from cranfield.frozen import frozen
from cranfield.statistics.distributions import chi_square_quantile, noncentral_t_tail, roots
from cranfield.statistics.intervals import bootstrap, t_interval
from cranfield.statistics.mixed_models import variance_table
from cranfield.statistics.pairs import studentised

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


# Corrections for many comparisons at once


Correction = Literal["holm", "bonferroni", "benjamini-hochberg", "max-T", "step-down max-T", "none"]
DEFAULT_CORRECTION: Correction = "holm"
FAMILYWISE = ("holm", "bonferroni")  # bound the probability of any false discovery by the number of comparisons
BY_RANDOMISATION = ("max-T", "step-down max-T")  # from the joint distribution of all statistics under random swaps


def bonferroni(p: Floats) -> Floats:
    """Each p-value times their number."""
    return np.minimum(p * len(p), 1.0)


def holm(p: Floats) -> Floats:
    """Each p-value times the number of p-values not smaller, and at least the adjusted ones before it."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p: Floats) -> Floats:
    """Each p-value times their number over its rank, and at most the adjusted ones after it."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.maximum(_back(stepped, order), p)  # rounding may have made it smaller


def _back(values: Floats, order: NDArray[np.intp]) -> Floats:
    back = np.empty_like(values)
    back[order] = values
    return back


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": lambda p: p,
}


def title(correction: str) -> str:
    """The name of a correction for use in a sentence."""
    return correction if correction in (*BY_RANDOMISATION, "none") else correction.title()


def require_correction(correction: str) -> None:
    """Refuse an unknown correction, and one that needs more than p-values."""
    if correction in BY_RANDOMISATION:
        raise BadSetting(
            f"{correction} needs the values of every unit and a randomisation test; available here: "
            + ", ".join(CORRECTIONS)
        )
    if correction not in CORRECTIONS:
        known = ", ".join((*CORRECTIONS, *BY_RANDOMISATION))
        raise BadSetting(f"there is no correction {correction!r}; available: {known}")


def adjusted(p: Floats, correction: str) -> Floats:
    """The p-values adjusted by the correction, in the same order; untested ones stay NaN and count as 1."""
    require_correction(correction)
    untested = np.isnan(p)
    return np.where(untested, np.nan, CORRECTIONS[correction](np.where(untested, 1.0, p)))
