"""Tails and quantiles of distributions; scipy.special is imported when first needed.

Decided here: which levels, confidence levels and half-widths are valid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from math import lgamma
from statistics import NormalDist
from typing import Annotated, Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.samples import is_number
from cranfield.settings import Means

# Bisection: the smallest number that satisfies a monotone condition, and roots


MOST_UNITS = 10_000_000  # that a plan may need
_HALVINGS = 100  # of an interval with a root: down to the last digit
_LARGEST = 1e300  # number that is tried


def least(enough: Callable[[float], bool]) -> float:
    """The smallest positive number that satisfies a monotone condition, by bisection; infinity if there is none."""
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
        if high > _LARGEST:
            return math.inf
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def least_whole(enough: Callable[[int], bool], start: int, refused: Callable[[int], str]) -> int:
    """The smallest number of units from `start` on that satisfies a monotone condition; too many are refused."""
    few, many = start - 1, start
    while not enough(many):
        few, many = many, 2 * many
        if many > MOST_UNITS:
            raise BadSetting(refused(few))
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def roots(function: Callable[[Floats], Floats], negative: Floats, positive: Floats) -> Floats:
    """Where functions cross 0 between numbers at which they are negative and others at which they are positive."""
    for _ in range(_HALVINGS):
        middle = (negative + positive) / 2
        if (np.abs(positive - negative) <= 1e-13 * np.maximum(np.abs(middle), 1)).all():
            break
        below = function(middle) < 0
        negative, positive = np.where(below, middle, negative), np.where(below, positive, middle)
    return (negative + positive) / 2


def root(function: Callable[[float], float], negative: float, positive: float) -> float:
    """Where a function crosses 0 between a number at which it is negative and one at which it is positive."""
    for _ in range(_HALVINGS):
        middle = (negative + positive) / 2
        negative, positive = (middle, positive) if function(middle) < 0 else (negative, middle)
    return (negative + positive) / 2


Alternative = Literal["two-sided", "greater", "less"]
Hypothesis = Annotated[
    Alternative,
    Means("Alternative hypothesis: `two-sided`, or `greater` or `less`: a higher or lower value than the baseline's."),
]

_NEGLIGIBLE = 1e-18
_MANY = 1000  # degrees of freedom above which an expansion is as exact as the sum

LEAST = 1e-9  # smaller levels, divided by many comparisons, would vanish in rounding


def t_tail(t: Floats, freedom: float, alternative: Alternative = "two-sided") -> Floats:
    """P-value of a t statistic."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return np.minimum(2 * np.asarray(stdtr(freedom, -np.abs(t)), np.float64), 1.0)
    return np.asarray(stdtr(freedom, -t if alternative == "greater" else t), np.float64)


@cache
def t_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t distribution with integer degrees of freedom.

    The distribution function is then a finite sum of powers of a cosine; Newton's method starts at the normal quantile.
    SciPy agrees to the last digits, but its import takes half as long as an evaluation.
    """
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    if freedom > _MANY:
        return _nearly_normal(NormalDist().inv_cdf(probability), freedom)
    density = np.exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / np.sqrt(freedom * np.pi)
    t, step = NormalDist().inv_cdf(probability), 1.0
    while step > 1e-15 * t:  # concave above 0, so every step is upwards
        step = (probability - 0.5 - _t_within(t, freedom) / 2) / density * (1 + t * t / freedom) ** ((freedom + 1) / 2)
        t += step
    return t


def _t_within(t: float, freedom: int) -> float:
    """Probability of Student's t between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle, odd = np.arctan(t / np.sqrt(freedom)), freedom % 2
    if freedom == 1:
        return float(2 * angle / np.pi)
    power = np.arange(2 + odd, freedom - 1, 2)
    terms = np.cumprod(np.concatenate([[np.cos(angle) ** odd], (power - 1) / power * np.cos(angle) ** 2]))
    inside = np.sin(angle) * terms.sum()
    return float(2 / np.pi * (angle + inside) if odd else inside)


def _nearly_normal(z: float, freedom: int) -> float:
    """The t quantile from the normal quantile z, by expansion (Abramowitz and Stegun, 26.7.5)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def normal_critical_value(confidence: float) -> float:
    """The two-sided normal quantile for a confidence level."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def normal_tail(z: Floats, alternative: Alternative = "two-sided") -> Floats:
    """P-value of a z statistic."""
    from scipy.special import ndtr

    if alternative == "two-sided":
        return np.minimum(2 * ndtr(-np.abs(z)), 1.0)
    return ndtr(-z if alternative == "greater" else z)


def normal_cdf(z: Floats) -> Floats:
    """The normal distribution function."""
    from scipy.special import ndtr

    return ndtr(z)


def normal_quantile(probability: Floats | float) -> Floats:
    """Quantile of the normal distribution."""
    from scipy.special import ndtri

    return np.asarray(ndtri(probability))


def coin_tail(heads: Floats, tosses: Floats, alternative: Alternative = "two-sided") -> Floats:
    """P-value of a binomial count with probability one half."""
    from scipy.special import betainc

    at_least = np.where(heads > 0, betainc(np.maximum(heads, 1), tosses - heads + 1, 0.5), 1.0)
    at_most = np.where(heads < tosses, betainc(np.maximum(tosses - heads, 1), heads + 1, 0.5), 1.0)
    if alternative == "two-sided":
        return np.minimum(2 * np.minimum(at_least, at_most), 1.0)
    return at_least if alternative == "greater" else at_most


def chi_square_tail(value: Floats | float, freedom: float) -> Floats:
    """P-value of a chi-square statistic."""
    from scipy.special import chdtrc

    return np.asarray(chdtrc(freedom, value))


def chi_square_quantile(probability: float, freedom: float) -> float:
    """Quantile of the chi-square distribution."""
    from scipy.special import chdtri

    return float(chdtri(freedom, 1 - probability))


def f_tail(value: Floats | float, above: float, below: float) -> Floats:
    """P-value of an F statistic with these degrees of freedom of numerator and denominator."""
    from scipy.special import fdtrc

    return np.asarray(fdtrc(above, below, value))


def f_quantile(probability: float, above: float, below: float) -> float:
    """Quantile of the F distribution."""
    from scipy.special import fdtri

    return float(fdtri(above, below, probability))


def noncentral_t_tail(t: Floats, freedom: int, shift: Floats) -> Floats:
    """Probability of a noncentral t of at least t > 0, by Gauss-Legendre quadrature over its normal numerator.

    It is exact where t is at least the root of the degrees of freedom. Beyond t = 1,000, SciPy's series become
    inaccurate, give NaN or do not return.
    """
    from scipy.special import chdtr

    z, weight = _legendre(64, np.clip(-shift, -9, 9)[:, None], 9.0)
    with np.errstate(over="ignore"):
        inside = chdtr(freedom, freedom * ((shift[:, None] + z) / t[:, None]) ** 2)
    return np.minimum((weight * np.exp(-z * z / 2) * inside).sum(axis=1) / np.sqrt(2 * np.pi), 1)


def range_tail(q: Floats, groups: int, freedom: float) -> Floats:
    """P-values of studentised ranges of the means of this many groups.

    By Gauss-Legendre quadrature over the largest mean and the standard deviation, for all values at once: SciPy takes
    about 9 ms per value, too long for the 1,770 pairs of 60 systems.
    """
    from scipy.special import ndtr, ndtri

    z, weight = _legendre(128, float(ndtri(_NEGLIGIBLE ** (1 / (groups - 1)))), 9.0)
    density = groups * weight * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    def within(width: Floats) -> Floats:
        """Probability that the standard normal values of all groups lie within this width."""
        return ((ndtr(z) - ndtr(z - width[..., None])) ** (groups - 1)) @ density

    return _studentised_tail(np.abs(q), within, freedom)


def many_to_one_tail(t: Floats, others: int, freedom: float, alternative: Alternative = "two-sided") -> Floats:
    """P-values of Dunnett's t: the largest of this many t statistics that share one mean and one standard deviation.

    All groups have the same size, so any two statistics have a correlation of 1/2. By quadrature over the shared mean
    and the standard deviation.
    """
    from scipy.special import ndtr

    z, weight = _legendre(128, -9.0, 9.0)
    density = weight * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    def within(width: Floats) -> Floats:
        """Probability that all other standard normal values are at most this far from the shared one."""
        far = np.sqrt(2) * width[..., None]
        low = ndtr(z - far) if alternative == "two-sided" else 0.0
        return ((ndtr(z + far) - low) ** others) @ density

    towards = {"two-sided": np.abs(t), "greater": t, "less": -t}[alternative]
    return _studentised_tail(towards, within, freedom)


@cache
def many_to_one_quantile(probability: float, others: int, freedom: float) -> float:
    """Two-sided quantile of Dunnett's t."""
    return least(lambda t: many_to_one_tail(np.array([t]), others, freedom)[0] <= 1 - probability)


def _studentised_tail(values: Floats, within: Callable[[Floats], Floats], freedom: float) -> Floats:
    """Upper tails of statistics divided by an estimated standard deviation, from those of a known deviation."""
    from scipy.special import gammainccinv, gammaincinv, gammaln

    if np.isinf(freedom):
        return np.clip(1 - within(values), 0, 1)
    half = freedom / 2
    lowest = max(np.sqrt(gammaincinv(half, _NEGLIGIBLE) / half), 1e-12)
    highest = np.sqrt(gammainccinv(half, _NEGLIGIBLE) / half)
    log_s, weight = _legendre(128 if freedom < 10 else 64, np.log(lowest), np.log(highest))
    s = np.exp(log_s)
    spread = weight * np.exp(np.log(2) + half * np.log(half) - gammaln(half) + freedom * log_s - half * s * s)
    return np.clip(1 - np.array([within(value * s) @ spread for value in values]), 0, 1)


@cache
def _nodes(n_nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(n_nodes)


def _legendre(n_nodes: int, low: float | Floats, high: float) -> tuple[Floats, Floats]:
    """Nodes and weights for integration over an interval."""
    node, weight = _nodes(n_nodes)
    return low + (high - low) * (node + 1) / 2, weight * (high - low) / 2


@cache
def range_quantile(probability: float, groups: int, freedom: float) -> float:
    """Quantile of the studentised range distribution."""
    return least(lambda q: range_tail(np.array([q]), groups, freedom)[0] <= 1 - probability)


def require_level(level: float) -> float:
    """The significance level, if valid."""
    if not is_number(level) or not 0 < level < 1:
        raise BadSetting(f"the significance level must lie between 0 and 1, such as 0.05, not {level!r}")
    if level < LEAST:
        raise BadSetting(f"the significance level must be at least {LEAST}, not {level!r}")
    return float(level)


def require_confidence(confidence: float) -> float:
    """The confidence level, if valid."""
    if not is_number(confidence) or not 0 < confidence < 1:
        raise BadSetting(f"the confidence must lie between 0 and 1, such as 0.95, not {confidence!r}")
    if 1 - confidence < LEAST:
        raise BadSetting(f"the confidence must be at most 1 - {LEAST}, not {confidence!r}")
    return float(confidence)


def require_half_width(half_width: float | None) -> None:
    """Refuse a half-width of intervals that is not a positive number; None requests none."""
    if half_width is not None and not (is_number(half_width) and 0 < half_width < np.inf):
        raise BadSetting(f"half_width must be a positive number, not {half_width!r}")
