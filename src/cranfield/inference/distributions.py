"""Distributions: tails and quantiles; scipy.special, which gives most of them, is imported when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import lgamma
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.samples import is_number

Floats = NDArray[np.float64]
Alternative = Literal["two-sided", "greater", "less"]

_NEGLIGIBLE = 1e-18
_MANY = 1000  # degrees of freedom; from here on an expansion is as exact as a sum of so many terms


def t_tail(t: Floats, freedom: float, alternative: Alternative = "two-sided") -> Floats:
    """The probability of a t at least as far out, under Student's distribution."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return np.minimum(2 * np.asarray(stdtr(freedom, -np.abs(t)), np.float64), 1.0)
    return np.asarray(stdtr(freedom, -t if alternative == "greater" else t), np.float64)


@cache
def t_quantile(share: float, freedom: int) -> float:
    """The t below which this share of Student's distribution lies, for whole degrees of freedom.

    The distribution is then a finite sum of powers of a cosine, and Newton's method rises to the quantile from the
    normal one. SciPy agrees to the last digits, but takes half as long to import as a whole evaluation takes.
    """
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    if freedom > _MANY:
        return _nearly_normal(NormalDist().inv_cdf(share), freedom)
    density = np.exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / np.sqrt(freedom * np.pi)
    t, step = NormalDist().inv_cdf(share), 1.0
    while step > 1e-15 * t:  # the distribution is concave above 0: every step is up, but for rounding
        step = (share - 0.5 - _t_within(t, freedom) / 2) / density * (1 + t * t / freedom) ** ((freedom + 1) / 2)
        t += step
    return t


def _t_within(t: float, freedom: int) -> float:
    """The share of Student's distribution between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle, odd = np.arctan(t / np.sqrt(freedom)), freedom % 2
    if freedom == 1:
        return float(2 * angle / np.pi)
    power = np.arange(2 + odd, freedom - 1, 2)
    terms = np.cumprod(np.concatenate([[np.cos(angle) ** odd], (power - 1) / power * np.cos(angle) ** 2]))
    inside = np.sin(angle) * terms.sum()
    return float(2 / np.pi * (angle + inside) if odd else inside)


def _nearly_normal(z: float, freedom: int) -> float:
    """The t that has the place of z, by its expansion for many degrees of freedom (Abramowitz and Stegun, 26.7.5)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def normal_reach(confidence: float) -> float:
    """How many deviations to each side of the mean of a normal distribution hold this share of it."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def normal_tail(z: Floats, alternative: Alternative = "two-sided") -> Floats:
    """The probability of a z at least as far out, under the normal distribution."""
    from scipy.special import ndtr

    if alternative == "two-sided":
        return np.minimum(2 * ndtr(-np.abs(z)), 1.0)
    return ndtr(-z if alternative == "greater" else z)


def normal_share(z: Floats) -> Floats:
    """The share of the normal distribution below z."""
    from scipy.special import ndtr

    return ndtr(z)


def normal_quantile(share: Floats | float) -> Floats:
    """The z below which this share of the normal distribution lies."""
    from scipy.special import ndtri

    return np.asarray(ndtri(share))


def coin_tail(heads: Floats, tosses: Floats, alternative: Alternative = "two-sided") -> Floats:
    """The probability of a number of heads at least as far from the half, for a fair coin."""
    from scipy.special import betainc

    at_least = np.where(heads > 0, betainc(np.maximum(heads, 1), tosses - heads + 1, 0.5), 1.0)
    at_most = np.where(heads < tosses, betainc(np.maximum(tosses - heads, 1), heads + 1, 0.5), 1.0)
    if alternative == "two-sided":
        return np.minimum(2 * np.minimum(at_least, at_most), 1.0)
    return at_least if alternative == "greater" else at_most


def chi_square_tail(value: Floats | float, freedom: float) -> Floats:
    """The probability of a chi-square at least as great."""
    from scipy.special import chdtrc

    return np.asarray(chdtrc(freedom, value))


def f_tail(value: Floats | float, above: float, below: float) -> Floats:
    """The probability of an F at least as great, with these degrees of freedom above and below the line."""
    from scipy.special import fdtrc

    return np.asarray(fdtrc(above, below, value))


def f_quantile(share: float, above: float, below: float) -> float:
    """The F below which this share of the distribution lies."""
    from scipy.special import fdtri

    return float(fdtri(above, below, share))


def range_tail(q: Floats, groups: int, freedom: float) -> Floats:
    """The probability of a studentised range at least as great, for the means of so many groups.

    By Gauss-Legendre quadrature over the largest mean and over the deviation, for all values at once: SciPy's own
    takes some 9 ms a value, which is a long wait for the 1,770 pairs of 60 systems.
    """
    from scipy.special import gammainccinv, gammaincinv, gammaln, ndtr, ndtri

    z, weight = _legendre(128, float(ndtri(_NEGLIGIBLE ** (1 / (groups - 1)))), 9.0)
    density = groups * weight * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    def within(width: Floats) -> Floats:
        """The probability that all of the groups' standard normal values lie within this width."""
        return ((ndtr(z) - ndtr(z - width[..., None])) ** (groups - 1)) @ density

    if np.isinf(freedom):
        return np.clip(1 - within(np.abs(q)), 0, 1)
    half = freedom / 2
    lowest = max(np.sqrt(gammaincinv(half, _NEGLIGIBLE) / half), 1e-12)
    highest = np.sqrt(gammainccinv(half, _NEGLIGIBLE) / half)
    log_s, weight = _legendre(128 if freedom < 10 else 64, np.log(lowest), np.log(highest))
    s = np.exp(log_s)
    spread = weight * np.exp(np.log(2) + half * np.log(half) - gammaln(half) + freedom * log_s - half * s * s)
    return np.clip(1 - np.array([within(abs(value) * s) @ spread for value in q]), 0, 1)


@cache
def _nodes(n_nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(n_nodes)


def _legendre(n_nodes: int, low: float, high: float) -> tuple[Floats, Floats]:
    """The places and weights that integrate over an interval."""
    node, weight = _nodes(n_nodes)
    return low + (high - low) * (node + 1) / 2, weight * (high - low) / 2


@cache
def range_quantile(share: float, groups: int, freedom: float) -> float:
    """The studentised range below which this share of the distribution lies."""
    return least(lambda q: range_tail(np.array([q]), groups, freedom)[0] <= 1 - share)


def least(enough: Callable[[float], bool]) -> float:
    """The least number above 0 that is enough, if greater ones are too: found by halving, to the last digits."""
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def require_alternative(alternative: str) -> None:
    """Refuse what is no alternative to the null hypothesis."""
    if alternative not in ("two-sided", "greater", "less"):
        raise BadSetting(f"the alternative is two-sided, greater or less, not {alternative!r}")


def require_level(level: float) -> float:
    """The level of significance, if it is one."""
    if not is_number(level) or not 0 < level < 1:
        raise BadSetting(f"the level of significance must lie between 0 and 1, such as 0.05, not {level!r}")
    return float(level)


def require_confidence(confidence: float) -> float:
    """The confidence of an interval, if it is one."""
    if not is_number(confidence) or not 0 < confidence < 1:
        raise BadSetting(f"the confidence must lie between 0 and 1, such as 0.95, not {confidence!r}")
    return float(confidence)
