"""Tails and quantiles of distributions, against SciPy and their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from cranfield.errors import BadSetting
from cranfield.statistics.distributions import (
    _nearly_normal,
    chi_square_quantile,
    coin_tail,
    f_quantile,
    f_tail,
    least,
    normal_tail,
    range_quantile,
    range_tail,
    require_confidence,
    require_level,
    t_quantile,
    t_tail,
)
from scipy_quantiles import needs_exact_quantiles


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_tails_are_scipys(side):
    far = np.array([-3.0, -0.4, 0.0, 0.7, 40.0])
    sides = {"two-sided": lambda d: 2 * d.sf(np.abs(far)), "greater": lambda d: d.sf(far), "less": lambda d: d.cdf(far)}
    for freedom in (1, 4, 30):
        assert t_tail(far, freedom, side) == pytest.approx(sides[side](stats.t(freedom)), rel=1e-10)
    assert normal_tail(far, side) == pytest.approx(sides[side](stats.norm), rel=1e-10)
    for tosses in (1, 2, 9):
        heads = np.arange(tosses + 1.0)
        wanted = [stats.binomtest(int(k), tosses, alternative=side).pvalue for k in heads]
        assert coin_tail(heads, np.full(tosses + 1, float(tosses)), side) == pytest.approx(wanted, rel=1e-10)
    assert coin_tail(np.zeros(1), np.zeros(1), side).tolist() == [1]


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.999])
def test_quantiles_of_chi_square_and_f_are_scipys(share):
    for freedom in (1, 7):
        assert chi_square_quantile(share, freedom) == pytest.approx(stats.chi2.ppf(share, freedom), rel=1e-9)
        assert f_quantile(share, 10, freedom) == pytest.approx(stats.f.ppf(share, 10, freedom), rel=1e-9)
        assert f_tail(1.7, 10, freedom) == pytest.approx(stats.f.sf(1.7, 10, freedom), rel=1e-9)


@needs_exact_quantiles
@pytest.mark.parametrize("z", [0.5, 1.0, 2.0, 3.0, 4.0])
def test_the_expansion_of_students_quantile_is_off_by_its_next_term(z):
    """Which is of the fifth order in 1 / freedom: at a hundred degrees of freedom it is seen beside the others."""
    fifth = 27 * z**11 + 339 * z**9 + 930 * z**7 - 1782 * z**5 - 765 * z**3 + 17955 * z
    for freedom in (50, 100, 200):
        left = stats.t.isf(stats.norm.sf(z), freedom) - _nearly_normal(z, freedom)
        assert left == pytest.approx(fifth / 368640 / freedom**5, rel=0.2, abs=2e-13)


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 1000, 1001, 50_000])
@pytest.mark.parametrize("share", [1e-6, 0.4999, 0.5001, 1 - 1e-6])
def test_students_quantiles_far_out_and_near_the_middle_are_scipys(share, freedom):
    assert t_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9)


def plain_range_tail(q: float, groups: int, freedom: float) -> float:
    """The probability that the range of the groups' normal values, over a deviation of its own, is at least this."""

    z = np.linspace(-9, 9, 1_001)

    def within(width: float) -> float:
        inside = groups * stats.norm.pdf(z) * (stats.norm.cdf(z) - stats.norm.cdf(z - width)) ** (groups - 1)
        return float(integrate.simpson(inside, x=z))

    if np.isinf(freedom):
        return 1 - within(q)
    deviation = stats.chi(freedom, scale=1 / np.sqrt(freedom))
    s = np.linspace(deviation.ppf(1e-9), deviation.ppf(1 - 1e-9), 41)
    return float(1 - integrate.simpson([deviation.pdf(x) * within(q * x) for x in s], x=s))


@pytest.mark.parametrize(("groups", "freedom"), [(2, np.inf), (6, np.inf), (3, 12)])
def test_the_tail_of_the_range_is_its_integral(groups, freedom):
    q = np.array([0.5, -2.0, 3.5])
    wanted = [plain_range_tail(abs(each), groups, freedom) for each in q]
    assert range_tail(q, groups, freedom) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("groups", "freedom"), [(2, 3), (2, np.inf), (5, 20)])
@pytest.mark.parametrize("share", [0.3, 0.99])
def test_quantiles_of_the_range_are_scipys(groups, freedom, share):
    wanted = stats.studentized_range.ppf(share, groups, freedom)
    assert range_quantile(share, groups, freedom) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("bound", [1e-6, 0.3, 1.0, 1.5, 2.0, 1234.5])
def test_the_least_that_is_enough_is_found_to_the_last_digits(bound):
    assert least(lambda x: x >= bound) == pytest.approx(bound, rel=2e-14)
    assert least(lambda x: x >= bound) >= bound


def test_levels_and_confidences_so_near_the_ends_that_rounding_hides_them_are_refused():
    assert require_level(1e-9) == 1e-9
    assert require_confidence(1 - 1.1e-9) == 1 - 1.1e-9
    with pytest.raises(BadSetting, match="at least 1e-09"):
        require_level(0.99e-9)
    with pytest.raises(BadSetting, match="at most 1 - 1e-09"):
        require_confidence(1 - 0.9e-9)
