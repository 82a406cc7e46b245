"""Power of the paired t-test, and the sample size or difference needed for it.

Decided here: how many queries a plan needs.

Decided here: how many items a plan needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.samples import is_number
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import (
    Alternative,
    chi_square_quantile,
    least,
    least_whole,
    noncentral_t_tail,
    normal_quantile,
    require_confidence,
    require_level,
    t_quantile,
)


def power(
    n_units: int, difference: float, deviation: float, *, level: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    """Power of a paired t-test: the probability that it detects this mean difference.

    Parameters
    ----------
    n_units
        Number of paired units, such as queries.
    difference
        Mean difference to detect.
    deviation
        Standard deviation of the differences.
    level
        Significance level.
    alternative
        Alternative hypothesis: `"two-sided"`, `"greater"` or `"less"`.

    Returns
    -------
    float
        The power, between 0 and 1.

    Examples
    --------
    >>> round(power(6, 1.5, 9.5**0.5), 4)
    0.1643
    """
    _require(n_units, deviation, level)
    _require_difference(difference)
    require_one_of("alternative", alternative, Alternative)
    freedom = n_units - 1
    shift = difference / deviation * math.sqrt(n_units)
    if alternative == "two-sided":
        critical = t_quantile(1 - level / 2, freedom)
        return 1 - _below(freedom, abs(shift), critical) + _below(freedom, abs(shift), -critical)
    critical = t_quantile(1 - level, freedom)
    return 1 - _below(freedom, shift if alternative == "greater" else -shift, critical)


power_of = power  # where a parameter has its name


def _below(freedom: int, shift: float, value: float) -> float:
    """The distribution function of the noncentral t."""
    from scipy.special import nctdtr

    known = float(nctdtr(freedom, shift, value))
    if math.isnan(known) and value > 0 and math.sqrt(freedom) <= min(shift, value) < math.inf:
        return 1 - float(noncentral_t_tail(np.array([value]), freedom, np.array([shift]))[0])
    return float(shift < 0) if math.isnan(known) else known  # SciPy gives NaN in extreme tails


def units_needed(
    difference: float,
    deviation: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> int:
    """The smallest number of units with which a paired t-test detects this mean difference with this power.

    Parameters
    ----------
    difference
        Mean difference to detect.
    deviation
        Standard deviation of the differences.
    power
        Desired power: the probability of detecting a true difference.
    level
        Significance level.
    alternative
        Alternative hypothesis: `"two-sided"`, `"greater"` or `"less"`.

    Returns
    -------
    int
        The number of units.

    Examples
    --------
    >>> units_needed(0.05, 0.1)
    34
    """
    _require_power(power, level)
    _require_difference(difference)
    if difference == 0:
        raise BadSetting("difference must not be 0: no number of units can detect that")
    require_one_of("alternative", alternative, Alternative)
    if alternative == "two-sided":
        difference = abs(difference)
    elif (difference > 0) != (alternative == "greater"):
        raise BadSetting(
            f"a difference of {difference:g} cannot be detected with alternative={alternative!r}; change its sign"
        )
    return least_whole(
        lambda n: power_of(n, difference, deviation, level=level, alternative=alternative) >= power,
        2,
        lambda n: f"a difference of {difference:g} with a standard deviation of {deviation:g} needs over {n} units",
    )


def smallest_difference(
    n_units: int,
    deviation: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """The smallest mean difference that a paired t-test on so many units detects with this power.

    Parameters
    ----------
    n_units
        Number of paired units, such as queries.
    deviation
        Standard deviation of the differences.
    power
        Desired power: the probability of detecting a true difference.
    level
        Significance level.
    alternative
        Alternative hypothesis: `"two-sided"`, `"greater"` or `"less"`.

    Returns
    -------
    float
        The difference; negative if the alternative is `"less"`.

    Examples
    --------
    >>> round(smallest_difference(50, 0.1), 4)
    0.0404
    """
    _require(n_units, deviation, level)
    _require_power(power, level)
    require_one_of("alternative", alternative, Alternative)
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"
    standardised = least(lambda shift: power_of(n_units, shift, 1.0, level=level, alternative=side) >= power)
    return standardised * deviation * (-1 if alternative == "less" else 1)


def deviation_interval(deviation: float, n_units: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The confidence interval of the standard deviation of differences, estimated from this many units.

    It is based on the chi-square distribution of the variance of normal differences. Few units give little information:
    with eight, the true standard deviation may be two thirds or twice the estimate.
    """
    _require(n_units, deviation, 1 - require_confidence(confidence))
    freedom = n_units - 1
    low, high = (math.sqrt(freedom / chi_square_quantile((1 + s * confidence) / 2, freedom)) for s in (1, -1))
    return deviation * low, deviation * high


def _require(n_units: int, deviation: float, level: float) -> None:
    require_level(level)
    if not is_number(n_units) or n_units != int(n_units):
        raise BadSetting(f"the number of units must be an integer, not {n_units!r}")
    if n_units < 2:
        raise BadSetting(f"at least 2 units are needed to estimate a variance; got {int(n_units)}")
    if not is_number(deviation) or not 0 < deviation < math.inf:
        raise BadSetting(f"the standard deviation of the differences must be a number above 0, not {deviation!r}")


def _require_difference(difference: float) -> None:
    if not is_number(difference) or not math.isfinite(difference):
        raise BadSetting(f"the difference to detect must be a number, not {difference!r}")


def _require_power(power: float, level: float) -> None:
    require_level(level)
    if not is_number(power) or not level < power < 1:
        raise BadSetting(f"the power must lie between the level, {level:g}, and 1, such as 0.8, not {power!r}")


# Power of tests of areas under ROC curves and of kappa, and the number of items needed


_normal = NormalDist().cdf


def area_variance(area: float, n_positive: float, n_negative: float) -> float:
    """The variance of an area under the ROC curve for exponential scores (Hanley and McNeil 1982)."""
    both_above, both_below = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area)
    spread += (n_positive - 1) * (both_above - area**2) + (n_negative - 1) * (both_below - area**2)
    return spread / (n_positive * n_negative)


def area_power(
    n_items: float,
    area: float,
    null: float = 0.5,
    *,
    prevalence: float = 0.5,
    correlation: float | None = None,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Power of the z-test of an area against a number, or of DeLong's test against another scorer's area.

    The z-test uses the variance under the null hypothesis; for 0.5 it is the Mann-Whitney test. With a correlation of
    the two estimated areas, `null` is the area of another scorer, on the same items or, with correlation 0, on as many
    different ones; DeLong's test estimates the variance of the difference from the scores, whatever the hypothesis.
    """
    n_positive = n_items * prevalence
    first, second = (area_variance(value, n_positive, n_items - n_positive) for value in (area, null))
    if correlation is None:
        under_null, under_other = second, first
    else:
        under_null = under_other = first + second - 2 * correlation * math.sqrt(first * second)
    return _normal_power(area - null, math.sqrt(under_null), math.sqrt(under_other), level, alternative)


def _normal_power(apart: float, under_null: float, under_other: float, level: float, alternative: Alternative) -> float:
    """Power of a z-test with different standard errors under the two hypotheses."""
    if alternative == "two-sided":
        reach = float(normal_quantile(1 - level / 2)) * under_null
        return _normal((apart - reach) / under_other) + _normal((-apart - reach) / under_other)
    reach = float(normal_quantile(1 - level)) * under_null
    return _normal(((apart if alternative == "greater" else -apart) - reach) / under_other)


def kappa_power(
    n_items: float, kappa: float, null: float = 0.0, *, prevalence: float = 0.5, level: float = 0.05
) -> float:
    """Power of the chi-square test of kappa of two raters and two categories (Donner and Eliasziw 1992).

    Both raters choose the first category with the same probability, the prevalence.
    """
    from scipy.special import chndtr

    expected, true = (_agreement_cells(value, prevalence) for value in (null, kappa))
    shift = n_items * sum((p - e) ** 2 / e for p, e in zip(true, expected, strict=True))
    return 1 - float(chndtr(chi_square_quantile(1 - level, 1), 1, shift))


def _agreement_cells(kappa: float, prevalence: float) -> tuple[float, float, float]:
    """The probabilities that both raters say yes, that they disagree, and that both say no."""
    spread = prevalence * (1 - prevalence)
    return prevalence**2 + spread * kappa, 2 * spread * (1 - kappa), (1 - prevalence) ** 2 + spread * kappa


def items_needed(power_of: Callable[[int], float], power: float, least: int) -> int:
    """The smallest number of items with this power, which must grow with their number."""
    few = "over {:,} items are needed; choose values that are further apart"
    return least_whole(lambda n: power_of(n) >= power, least, few.format)
