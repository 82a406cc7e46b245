"""Power, with the worked example and statsmodels as oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.power import TTestPower

import cranfield
from cranfield.errors import BadSetting
from cranfield.statistics.power import deviation_interval, power, smallest_difference, units_needed

SIDES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


def test_six_values_would_hardly_show_a_difference_of_one_and_a_half():
    assert power(6, 1.5, 3.082207001484488) == pytest.approx(0.16426712859728776, abs=1e-9)


@pytest.mark.parametrize(("ours", "theirs"), SIDES.items())
@pytest.mark.parametrize(("n", "d"), [(5, 0.5), (50, 0.2), (200, 0.1)])
def test_power_is_statsmodels(ours, theirs, n, d):
    d = -d if ours == "less" else d
    expected = TTestPower().power(d, n, 0.05, alternative=theirs)
    assert power(n, d * 0.3, 0.3, alternative=ours) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("side", ["two-sided", "greater"])
@pytest.mark.parametrize("difference", [0.02, 0.05, 0.3])
def test_the_units_needed_are_the_fewest_that_do(side, difference):
    n = units_needed(difference, 0.2, alternative=side)
    assert power(n, difference, 0.2, alternative=side) >= 0.8
    assert n == 2 or power(n - 1, difference, 0.2, alternative=side) < 0.8


@pytest.mark.parametrize("level", [0.2, 0.05, 0.001])
@pytest.mark.parametrize("power_asked", [0.5, 0.95])
def test_the_fewest_units_are_found_from_two_on_by_trying_one_after_the_other(level, power_asked):
    for difference in (100.0, 3.0, 1.0, 0.5):
        for side, sign in (("two-sided", -1), ("greater", 1), ("less", -1)):
            asked = {"level": level, "alternative": side}
            n = 2
            while power(n, sign * difference, 1.0, **asked) < power_asked:
                n += 1
            assert units_needed(sign * difference, 1.0, power=power_asked, **asked) == n
    assert units_needed(1e4, 1.0, power=0.5) == 2


def test_tails_beyond_what_can_be_counted_are_0_or_1():
    assert power(1000, 1e5, 1.0) == 1
    assert power(1000, -1e5, 1.0, alternative="greater") == 0
    assert power(1000, 1e5, 1.0, alternative="less") == 0


@pytest.mark.parametrize("confidence", [0.3, 0.8])
def test_the_interval_of_a_deviation_is_as_wide_as_the_confidence_asks(confidence):
    low, high = deviation_interval(0.3, 8, confidence)
    shares = stats.chi2.cdf([7 * 0.09 / high**2, 7 * 0.09 / low**2], 7)
    assert shares == pytest.approx([(1 - confidence) / 2, (1 + confidence) / 2])


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_the_smallest_difference_has_the_power_asked_for(side):
    found = smallest_difference(50, 0.2, power=0.9, alternative=side)
    assert power(50, found, 0.2, alternative=side) == pytest.approx(0.9, abs=1e-9)
    assert (found < 0) == (side == "less")


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.3])
def test_units_and_differences_are_those_statsmodels_solves_for(difference):
    n = TTestPower().solve_power(effect_size=difference / 0.2, alpha=0.05, power=0.8)
    assert units_needed(difference, 0.2) == max(2, int(np.ceil(n)))
    d = TTestPower().solve_power(nobs=50, alpha=0.05, power=0.8)
    assert smallest_difference(50, 0.2) == pytest.approx(d * 0.2, abs=1e-9)


def solved(n: int, wanted: float, level: float, two_sided: bool) -> float:
    """The standardised difference with this power: a root of the noncentral t distribution."""
    critical = stats.t.ppf(1 - level / (2 if two_sided else 1), n - 1)

    def lacking(d: float) -> float:
        low, high = np.nan_to_num(stats.nct.cdf([-critical, critical], n - 1, d * np.sqrt(n)))  # NaN far in the tail
        return 1 - high + low * two_sided - wanted

    return brentq(lacking, 1e-9, 200, xtol=1e-13)


@pytest.mark.parametrize("n", [3, 7, 25, 50, 249])
@pytest.mark.parametrize(("wanted", "level"), [(0.8, 0.05), (0.95, 0.01), (0.5, 0.1)])
def test_the_smallest_difference_is_a_root_of_the_noncentral_t_distribution(n, wanted, level):
    for side, sign in (("two-sided", 1), ("greater", 1), ("less", -1)):
        found = smallest_difference(n, 0.07, power=wanted, level=level, alternative=side)
        assert found == pytest.approx(sign * 0.07 * solved(n, wanted, level, side == "two-sided"), rel=1e-8)


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "wanted"), [(8, 0.8), (25, 0.9), (50, 0.8)])
def test_the_smallest_difference_is_detected_as_often_as_asked(n, wanted):
    found = smallest_difference(n, 0.2, power=wanted)
    drawn = np.random.default_rng(n).normal(found, 0.2, (40_000, n))
    detected = stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05
    assert detected.mean() == pytest.approx(wanted, abs=4 * np.sqrt(wanted * (1 - wanted) / 40_000))


def test_a_plan_says_the_smallest_difference_that_its_queries_detect():
    made = cranfield.plan(0.1, queries=30, power=0.9).rows[0]
    assert made.smallest == pytest.approx(0.1 * solved(30, 0.9, 0.05, True), rel=1e-8)


@pytest.mark.parametrize("difference", [0.0, 0.3, 0.5])
def test_power_is_how_often_the_test_sees_it(difference):
    drawn = np.random.default_rng(1).normal(difference, 1, (2_000, 30))
    seen = stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05
    assert seen.mean() == pytest.approx(power(30, difference, 1.0), abs=0.025)


@pytest.mark.parametrize("n", [2, 8, 50])
def test_the_interval_of_a_deviation_is_that_of_the_variance(n):
    low, high = deviation_interval(0.3, n)
    assert ((n - 1) * 0.3**2 / low**2, (n - 1) * 0.3**2 / high**2) == pytest.approx(
        (stats.chi2.ppf(0.975, n - 1), stats.chi2.ppf(0.025, n - 1)), rel=1e-9
    )


def test_the_interval_of_a_deviation_holds_it_in_most_pilots():
    drawn = np.random.default_rng(3).normal(0, 0.2, (2_000, 8)).std(axis=1, ddof=1)
    held = [low <= 0.2 <= high for low, high in (deviation_interval(float(each), 8) for each in drawn)]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)


def test_the_bounds_of_the_units_needed_are_those_of_the_deviation():
    pilot = {"new": [0.4, 0.6, 0.7, 0.5, 0.2], "old": [0.3, 0.5, 0.7, 0.3, 0.3]}
    (row,) = cranfield.plan(pilot, 0.05, comparisons=4).rows
    assert row.level == 0.0125
    for deviation, needed in ((row.deviation_low, row.needed_low), (row.deviation_high, row.needed_high)):
        assert needed == units_needed(0.05, deviation, level=0.0125)
    assert row.needed_low < row.needed < row.needed_high


def test_a_pilot_too_small_to_bound_what_is_needed_says_so():
    found = cranfield.plan({"a": [0.1, 0.5], "b": [0.2, 0.3]}, 0.001)
    assert found.rows[0].needed_high is None
    assert found.notes == ("value a b: at the upper bound of the deviation, over 10,000,000 are needed",)


@pytest.mark.parametrize("n", [0, 2.5, "many"])
def test_a_number_of_comparisons_is_whole_and_positive(n):
    with pytest.raises(BadSetting, match="comparisons must be a positive integer"):
        cranfield.plan(0.1, 0.02, comparisons=n)


def test_what_cannot_be_answered_is_said():
    with pytest.raises(BadSetting, match="difference must not be 0"):
        units_needed(0, 0.2)
    with pytest.raises(BadSetting, match="at least 2 units are needed to estimate a variance; got 1"):
        power(1, 0.1, 0.2)
    with pytest.raises(BadSetting, match=r"must be an integer, not 2\.5"):
        power(2.5, 0.1, 0.2)
    for deviation in (0, float("inf"), float("nan")):
        with pytest.raises(BadSetting, match="must be a number above 0"):
            power(10, 0.1, deviation)
    with pytest.raises(BadSetting, match="must be a number, not nan"):
        units_needed(float("nan"), 0.2)
    with pytest.raises(BadSetting, match="cannot be detected with alternative='less'; change its sign"):
        units_needed(0.1, 0.2, alternative="less")
    with pytest.raises(BadSetting, match="alternative must be one of 'two-sided', 'greater', 'less', not 'more'"):
        smallest_difference(10, 0.2, alternative="more")
    with pytest.raises(BadSetting, match="needs over 8388608 units"):
        units_needed(1e-9, 0.2)
    with pytest.raises(BadSetting, match="power must lie between"):
        units_needed(0.1, 0.2, power=1.0)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_power_is_a_probability_however_large_the_difference(alternative: str) -> None:
    for n_units in (2, 3, 6, 20, 51, 1001):
        for shift in np.concatenate([np.linspace(0.1, 60, 300), [1e3, 1e6]]):
            difference = shift / n_units**0.5 * (-1 if alternative == "less" else 1)
            value = power(n_units, difference, 1.0, alternative=alternative)
            assert 0 <= value <= 1 + 1e-12
            assert value > 0.99 or n_units <= 3 or shift < 8


@pytest.mark.parametrize(
    "asked",
    [
        lambda: units_needed("a", 1),
        lambda: units_needed(0.1, "a"),
        lambda: units_needed(0.1, 1, level="0.05"),
        lambda: units_needed(0.1, 1, power="0.8"),
        lambda: smallest_difference("ten", 1),
    ],
)
def test_texts_are_no_numbers(asked):
    with pytest.raises(BadSetting, match="not '"):
        asked()


@pytest.mark.parametrize("deviation", [0, -0.1, math.inf, math.nan, "0.1", True])
def test_a_deviation_is_a_number_above_0(deviation):
    with pytest.raises(BadSetting, match="the standard deviation of the differences must be a number above 0"):
        power(12, 0.1, deviation)
    with pytest.raises(BadSetting, match="the standard deviation of the differences must be a number above 0"):
        deviation_interval(deviation, 12)
