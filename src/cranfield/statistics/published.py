"""Tests of two independent samples from their summaries: proportions, or means with standard deviations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cranfield.errors import BadSetting, require_whole
from cranfield.evidence.samples import is_number
from cranfield.statistics.distributions import Alternative, normal_quantile, normal_tail, t_tail
from cranfield.statistics.intervals import wilson


class Proportion(NamedTuple):
    """A number of successes out of n items."""

    successes: int
    n: int

    @property
    def value(self) -> float:
        """The proportion."""
        return self.successes / self.n


class Mean(NamedTuple):
    """A mean with the standard deviation and the number of the values."""

    value: float
    deviation: float
    n: int


class Difference(NamedTuple):
    """The difference of two summaries, its interval and its test."""

    difference: float
    low: float
    high: float
    statistic: float
    freedom: float | None
    p: float
    error: float  # the standard error of the difference
    critical: float  # of the statistic, at the level and the alternative
    pooled: float | None = None  # the proportion of both samples together
    exact_p: float | None = None


def require_summary(name: str, summary: Proportion | Mean) -> None:
    """Refuse anything but a proportion, or a mean of at least two values."""
    require_whole(f"{name}: n", summary.n, 1 if isinstance(summary, Proportion) else 2)
    if isinstance(summary, Proportion):
        if not isinstance(summary.successes, int) or not 0 <= summary.successes <= summary.n:
            raise BadSetting(f"{name}: {summary.successes!r} of {summary.n} is not a proportion; pass integers")
    elif not all(is_number(x) and math.isfinite(x) for x in summary[:2]) or summary.deviation < 0:
        raise BadSetting(
            f"{name}: a mean needs a finite value and a standard deviation of at least 0, not {summary[:2]}"
        )


def welch(one: Mean, other: Mean, level: float, alternative: Alternative) -> Difference:
    """Welch's t-test, in which the variances may differ."""
    variances = [summary.deviation**2 / summary.n for summary in (one, other)]
    if not any(variances):
        raise BadSetting("both standard deviations are 0, so there is no variance to test a difference against")
    return independent_t(one.value - other.value, variances, [one.n, other.n], level, alternative)


def independent_t(
    difference: float, variances: Sequence[float], sizes: Sequence[int], level: float, alternative: Alternative
) -> Difference:
    """The t-test of the difference of two independent estimates with these variances, from samples of these sizes.

    The degrees of freedom are Satterthwaite's.
    """
    from scipy.special import stdtrit

    total = sum(variances)
    freedom = total**2 / sum(variance**2 / (n - 1) for variance, n in zip(variances, sizes, strict=True))
    error = math.sqrt(total)
    t, half = difference / error, float(stdtrit(freedom, 1 - level / 2)) * error
    p = float(t_tail(np.array(t), freedom, alternative))
    critical = float(stdtrit(freedom, 1 - level / _sides(alternative)))
    return Difference(difference, difference - half, difference + half, t, freedom, p, error, critical)


def _sides(alternative: Alternative) -> int:
    return 2 if alternative == "two-sided" else 1


def two_proportions(one: Proportion, other: Proportion, level: float, alternative: Alternative) -> Difference:
    """The z-test with the pooled proportion, Fisher's exact p, and Newcombe's interval from Wilson's two."""
    from scipy.stats import fisher_exact

    apart, pooled = one.value - other.value, (one.successes + other.successes) / (one.n + other.n)
    error = math.sqrt(pooled * (1 - pooled) * (1 / one.n + 1 / other.n))
    z = apart / error if error else 0.0  # all successes, or none: no difference
    low, high = _newcombe(one, other, 1 - level)
    table = [[one.successes, one.n - one.successes], [other.successes, other.n - other.successes]]
    exact = float(fisher_exact(np.array(table), alternative=alternative)[1])
    p, critical = float(normal_tail(np.array(z), alternative)), float(normal_quantile(1 - level / _sides(alternative)))
    return Difference(apart, low, high, z, None, p, error, critical, pooled, exact)


def _newcombe(one: Proportion, other: Proportion, confidence: float) -> tuple[float, float]:
    """Newcombe's interval of a difference (method 10)."""
    (low, high), (low_2, high_2) = (
        (float(interval.low), float(interval.high))
        for interval in (wilson(rate.successes, rate.n, confidence) for rate in (one, other))
    )
    apart = one.value - other.value
    below, above = math.hypot(one.value - low, high_2 - other.value), math.hypot(high - one.value, other.value - low_2)
    return apart - below, apart + above


def parse_summary(text: str) -> tuple[str, Proportion | Mean]:
    """A named proportion, written NAME=170/200, or a named mean, written NAME=MEAN,DEVIATION,N."""
    name, _, value = text.rpartition("=")
    try:
        if "/" in value:
            successes, n = value.split("/")
            return name, Proportion(int(successes), int(n))
        mean, deviation, n = value.split(",")
        return name, Mean(float(mean), float(deviation), int(n))
    except ValueError:
        raise BadSetting(
            f"{text!r} is not a published figure; write a proportion as new=170/200, a mean as new=0.34,0.21,50 "
            "(mean, standard deviation and number of values)"
        ) from None
