"""Published figures: what is refused, and critical values on both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.published import Mean, Proportion, parse_summary, require_summary, two_proportions, welch

SIDES = {"two-sided": 2, "greater": 1, "less": 1}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_a_difference_of_means_has_an_error_a_two_sided_interval_and_the_critical_value_of_its_side(side, level):
    found = welch(Mean(0.34, 0.21, 50), Mean(0.31, 0.1, 8), level, side)
    error = math.sqrt(0.21**2 / 50 + 0.1**2 / 8)
    freedom = error**4 / ((0.21**2 / 50) ** 2 / 49 + (0.1**2 / 8) ** 2 / 7)
    reach = stats.t.ppf(1 - level / 2, freedom) * error
    assert found[:3] == pytest.approx((0.03, 0.03 - reach, 0.03 + reach))
    assert (found.error, found.freedom, found.statistic) == pytest.approx((error, freedom, 0.03 / error))
    assert found.critical == pytest.approx(stats.t.ppf(1 - level / SIDES[side], freedom))
    expected = stats.ttest_ind_from_stats(0.34, 0.21, 50, 0.31, 0.1, 8, equal_var=False, alternative=side)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.pooled, found.exact_p) == (None, None)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_a_difference_of_proportions_has_the_pooled_error_and_newcombes_interval(side, level):
    found = two_proportions(Proportion(17, 20), Proportion(60, 100), level, side)
    pooled = 77 / 120
    error = math.sqrt(pooled * (1 - pooled) * (1 / 20 + 1 / 100))
    assert (found.pooled, found.error, found.statistic) == pytest.approx((pooled, error, 0.25 / error))
    assert found.critical == pytest.approx(stats.norm.ppf(1 - level / SIDES[side]))
    tails = {"two-sided": 2 * stats.norm.sf(0.25 / error), "greater": stats.norm.sf(0.25 / error)}
    assert found.p == pytest.approx(tails.get(side, stats.norm.cdf(0.25 / error)))
    one, other = (stats.binomtest(k, n).proportion_ci(1 - level, "wilson") for k, n in ((17, 20), (60, 100)))
    low = 0.25 - math.hypot(0.85 - one.low, other.high - 0.6)
    high = 0.25 + math.hypot(one.high - 0.85, 0.6 - other.low)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.exact_p == pytest.approx(stats.fisher_exact([[17, 3], [60, 40]], alternative=side)[1])


@pytest.mark.parametrize("summary", [Proportion(0, 1), Proportion(1, 1), Mean(-3.0, 0.0, 2), Mean(1, 2, 3)])
def test_the_smallest_summaries_are_accepted(summary):
    require_summary("a", summary)


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (Proportion(0, 0), "a: n must be a positive integer, not 0"),
        (Proportion(1, 2.0), "a: n must be a positive integer, not 2.0"),
        (Mean(0.5, 0.1, 1), "a: n must be an integer of at least 2, not 1"),
        (Proportion(-1, 2), "a: -1 of 2 is not a proportion"),
        (Proportion(3, 2), "a: 3 of 2 is not a proportion"),
        (Proportion(1.0, 2), "a: 1.0 of 2 is not a proportion"),
        (Mean(0.5, -1e-9, 2), "a: a mean needs"),
        (Mean(math.nan, 0.1, 2), "a: a mean needs"),
        (Mean(0.5, math.inf, 2), "a: a mean needs"),
    ],
)
def test_other_summaries_are_refused(summary, said):
    with pytest.raises(BadSetting, match=said):
        require_summary("a", summary)


def test_means_need_some_variance():
    assert welch(Mean(1, 0.0, 2), Mean(0, 0.5, 4), 0.05, "two-sided").freedom == pytest.approx(3)
    with pytest.raises(BadSetting, match="both standard deviations are 0"):
        welch(Mean(1, 0.0, 2), Mean(0, 0.0, 4), 0.05, "two-sided")


def test_proportions_that_are_all_or_none_do_not_differ():
    for one, other in ((Proportion(3, 3), Proportion(5, 5)), (Proportion(0, 3), Proportion(0, 5))):
        found = two_proportions(one, other, 0.05, "two-sided")
        assert (found.statistic, found.error, found.p, found.exact_p) == (0, 0, 1, 1)
        assert found.low < 0 < found.high


def test_figures_are_read_from_text():
    assert parse_summary("new=170/200") == ("new", Proportion(170, 200))
    assert parse_summary("a=b=0.34,0.21,50") == ("a=b", Mean(0.34, 0.21, 50))
    assert parse_summary("170/200") == ("", Proportion(170, 200))
    assert np.isclose(parse_summary("x=-1e-3,2,3")[1].value, -0.001)
    for text in ("new=170", "new=1/2/3", "new=1.5/2", "new=0.3,0.2", "new=0.3,0.2,5.0", "new=a,b,c"):
        with pytest.raises(BadSetting, match="is not a published figure; write a proportion as new=170/200"):
            parse_summary(text)


def test_corrections_by_randomisation_need_the_values_of_units():
    figures = {"new": (0.5, 0.1, 20), "old": (0.4, 0.1, 30)}
    with pytest.raises(BadSetting, match=r"max-T needs the values of every unit .* available here: holm"):
        cranfield.compare_published(figures, correction="max-T")


@pytest.mark.parametrize("compared", [cranfield.compare_published, cranfield.compare_independent_areas])
def test_systems_are_given_by_name(compared):
    with pytest.raises(BadInput, match="by name, as a dict, not as list"):
        compared([0.5, 0.4])
