"""Intervals, with SciPy and statsmodels as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.stats._resampling import BootstrapResult
from statsmodels.stats.proportion import proportion_confint

from cranfield.errors import BadSetting
from cranfield.statistics.distributions import normal_critical_value, t_quantile
from cranfield.statistics.intervals import bootstrap, jackknife, mean_interval, median_interval, t_interval, wilson
from cranfield.statistics.resampling import draws
from scipy_quantiles import needs_exact_quantiles

VALUES = np.random.default_rng(3).beta(0.8, 2, 60)


def test_the_interval_of_six_values():
    found = t_interval(np.array([[8], [8], [9], [10], [12], [16]], float))
    assert (found.low[0], found.high[0]) == pytest.approx((7.2654221231052425, 13.734577876894758), abs=1e-8)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_t_is_scipys(confidence):
    expected = stats.ttest_1samp(VALUES, 0).confidence_interval(confidence)
    found = t_interval(VALUES[:, None], confidence)
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("successes", "total"), [(0, 10), (3, 10), (10, 10), (1, 1), (820, 2030)])
def test_wilson_is_statsmodels(successes, total):
    found = wilson(successes, total)
    assert (found.low, found.high) == pytest.approx(proportion_confint(successes, total, method="wilson"), abs=1e-12)


def test_wilson_stays_within_0_and_1_and_has_none_of_nothing():
    found = wilson(np.array([0, 5, 0]), np.array([5, 5, 0]))
    assert found.low[0] == 0
    assert found.high[1] == 1
    assert np.isnan(found.low[2])


def test_bca_is_scipys_on_the_same_resamples():
    drawn = np.concatenate([w @ VALUES / 60 for w in draws(60, 10_000, 0)])
    given = BootstrapResult(confidence_interval=None, bootstrap_distribution=drawn, standard_error=None)
    expected = stats.bootstrap((VALUES,), np.mean, n_resamples=0, bootstrap_result=given).confidence_interval
    found = bootstrap(VALUES[:, None])
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high), abs=1e-9)


@needs_exact_quantiles
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 10, 49, 999, 1000, 1001, 6979, 100_000])
@pytest.mark.parametrize("share", [0.005, 0.025, 0.5, 0.6, 0.95, 0.975, 0.995])
def test_students_quantiles_are_scipys(share, freedom):
    assert t_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_reach_of_the_normal_distribution_is_scipys(confidence):
    assert normal_critical_value(confidence) == pytest.approx(stats.norm.ppf((1 + confidence) / 2), rel=1e-14)


def test_the_median_lies_between_the_values_at_the_places_that_a_coin_gives():
    values = np.arange(1.0, 61)
    place = int(stats.binom.ppf(0.025, 60, 0.5))  # so many tosses of 60 are less likely than 1 in 40
    exact = 1 - 2 * stats.binom.cdf(place - 1, 60, 0.5)
    found = median_interval(values, exact)
    assert (found.low[0], found.high[0]) == pytest.approx((place, 61 - place))
    wider, narrower = median_interval(values, exact + 0.01), median_interval(values, exact - 0.01)
    assert wider.low[0] < found.low[0] < narrower.low[0]


def test_the_median_of_few_values_has_no_interval_and_says_why():
    found = median_interval(np.arange(5.0))
    assert np.isnan(found.low[0])
    assert found.reason == "5 values are too few for an interval of the median"


def test_the_jackknife_of_a_mean_is_t():
    left_out = (VALUES.sum() - VALUES) / 59
    found, expected = jackknife(VALUES.mean(), left_out), t_interval(VALUES[:, None])
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low[0], expected.high[0]), abs=1e-12)


def test_clusters_of_one_query_are_queries():
    alone, clustered = bootstrap(VALUES[:, None]), bootstrap(VALUES[:, None], cluster=np.arange(60))
    assert (alone.low[0], alone.high[0]) == pytest.approx((clustered.low[0], clustered.high[0]))


def test_a_cluster_counts_by_its_queries():
    values, cluster = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([0, 1, 1, 1])
    found = bootstrap(values, cluster=cluster, corrected=False)
    assert (found.low[0], found.high[0]) == (0, 1)


def test_proportions_get_wilsons_interval_unasked_and_means_get_t():
    assert mean_interval(np.array([1.0, 0, 1, 1]), binary=True).method == "wilson"
    assert mean_interval(np.array([1.0, 1, 1, 1]), binary=True).low[0] == pytest.approx(0.51, abs=0.01)
    assert mean_interval(np.array([1.0, 0, 1, 1])).method == "t"
    assert mean_interval(np.array([1.0, 0.5, 1, 1])).method == "t"


@pytest.mark.parametrize("method", ["auto", "t", "bca", "percentile"])
def test_values_that_are_all_the_same_have_no_interval(method):
    found = mean_interval(np.full(7, 0.1 + 0.2), method=method)
    assert np.isnan(found.low[0])
    assert found.reason == "all values are the same: no variance"


def test_one_value_has_no_interval_and_says_why():
    found = mean_interval(np.array([0.4]))
    assert np.isnan(found.low[0])
    assert found.reason == "at least 2 units are needed to estimate variance"


def test_a_seed_gives_the_same_bounds_again():
    first, again, other = (mean_interval(VALUES, method="bca", seed=seed) for seed in (1, 1, 2))
    assert first.low == again.low
    assert first.low != other.low


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "wald"}, "method must be one of .*, not 'wald'"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"method": "wilson"}, "all 0 or 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, said):
    with pytest.raises(BadSetting, match=said):
        mean_interval(VALUES, **settings)
