"""Power of tests of areas under ROC curves and of kappa, and the number of items needed.

Decided here: how many items a plan needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from cranfield.inference.bisection import least_whole
from cranfield.inference.distributions import Alternative, chi_square_quantile, normal_quantile

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
