"""Intervals and quantiles by their definitions: leaving out, counting and interpolating one value at a time."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import cranfield
from counted_ratings import from_table
from cranfield.errors import BadSetting
from cranfield.evidence.ratings import ratings
from cranfield.evidence.samples import samples
from cranfield.measures.interpretation import agreement_label
from cranfield.measures.naming import parse
from cranfield.statistics.agreement import agreement_intervals
from cranfield.statistics.intervals import (
    Interval,
    _quantiles,
    bootstrap,
    bounded_interval,
    constant,
    jackknife,
    mean_interval,
    median_interval,
    t_interval,
    wilson,
)
from cranfield.statistics.resampling import draws
from cranfield.tables.raters import as_ratings
from scipy_quantiles import needs_exact_quantiles

CONFIDENCE = [0.05, 0.3, 0.5, 0.9, 0.95, 0.999]
VALUES = np.random.default_rng(4).beta(0.8, 2, 30).round(2)  # of which some are equal
TOPIC = np.random.default_rng(5).integers(0, 9, 30)


def bounds(found: Interval) -> tuple[float, float]:
    return float(found.low[0]), float(found.high[0])


@pytest.mark.parametrize("confidence", CONFIDENCE)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 21, 60])
def test_the_median_lies_between_values_interpolated_as_hettmansperger_and_sheather_do(n, confidence):
    values = np.random.default_rng(n).normal(size=n)
    ordered = [-np.inf, *sorted(values.tolist())]  # the d-th of them, counted from 1
    coin = stats.binom(n, 0.5)

    def held(depth: int) -> float:
        return 1 - 2 * coin.cdf(depth - 1)

    found = median_interval(values, confidence)
    if held(1) < confidence or n == 1:
        assert np.isnan(bounds(found)).all()
        assert found.low.shape == found.high.shape == (1,)
        assert found.reason == f"{n} value{'s' * (n > 1)} are too few for an interval of the median"
        return
    d = max(depth for depth in range(1, n // 2 + 1) if held(depth) >= confidence)
    share = (held(d) - confidence) / (held(d) - held(d + 1))
    moved = (n - d) * share / (d + (n - 2 * d) * share)
    low = (1 - moved) * ordered[d] + moved * ordered[d + 1]
    high = (1 - moved) * ordered[n - d + 1] + moved * ordered[n - d]
    assert bounds(found) == pytest.approx((low, high), abs=1e-9)
    assert low <= np.median(values) <= high
    assert found.method == "order statistics"


@pytest.mark.parametrize("n", [2, 4, 6, 20])
def test_the_bounds_of_the_median_of_an_even_number_close_in_on_it_and_never_cross(n):
    values = np.arange(n) * 1.0
    width = [np.diff(bounds(median_interval(values, confidence)))[0] for confidence in np.linspace(0.001, 0.5, 40)]
    assert min(width) >= 0
    assert np.diff(width).min() >= 0
    assert width[0] == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("confidence", CONFIDENCE)
def test_t_over_clusters_is_the_jackknife_that_leaves_out_each_cluster(confidence):
    names = np.unique(TOPIC)
    left_out = np.array([VALUES[name != TOPIC].mean() for name in names])
    n = len(names)
    error = np.sqrt((n - 1) / n * ((left_out - VALUES.mean()) ** 2).sum())
    half = stats.t.ppf((1 + confidence) / 2, n - 1) * error
    found = t_interval(VALUES[:, None], confidence, cluster=TOPIC * 7 - 3)
    assert bounds(found) == pytest.approx((VALUES.mean() - half, VALUES.mean() + half), abs=1e-12)
    assert found.method == "t over clusters"
    assert bounds(mean_interval(VALUES, confidence, cluster=TOPIC)) == bounds(found)


@needs_exact_quantiles
@pytest.mark.parametrize("confidence", CONFIDENCE)
def test_the_jackknife_is_the_spread_of_what_is_left(confidence):
    left_out = np.array([0.2, 0.35, 0.3, 0.25])
    error = np.sqrt(3 / 4 * ((left_out - 0.275) ** 2).sum())
    half = stats.t.ppf((1 + confidence) / 2, 3) * error
    assert bounds(jackknife(0.3, left_out, confidence)) == pytest.approx((0.3 - half, 0.3 + half), abs=1e-12)


@pytest.mark.parametrize("confidence", CONFIDENCE)
def test_wilsons_bounds_are_the_shares_that_would_just_not_be_rejected(confidence):
    z = stats.norm.ppf((1 + confidence) / 2)
    for n, k in [(10, 3), (10, 1), (7, 6), (2.5, 1.25)]:
        found = wilson(k, n, confidence)
        for share in (float(found.low), float(found.high)):
            assert abs(k / n - share) / np.sqrt(share * (1 - share) / n) == pytest.approx(z, rel=1e-9)
        assert found.low < k / n < found.high
    many = wilson(np.array([0.0, 3, 4, 0]), np.array([4.0, 4, 4, 0]), confidence)
    assert (many.low[0], many.high[2]) == (0, 1)
    assert 0 < many.high[0] < 1
    assert 0 < many.low[2] < 1
    assert np.isnan([many.low[3], many.high[3]]).all()


@pytest.mark.parametrize(
    ("values", "same"),
    [
        ([0.3, 0.1 + 0.2], True),
        ([-0.3, -0.1 - 0.2], True),
        ([1e9, 1e9 + 0.001], True),
        ([-1e9, -1e9 - 0.001], True),
        ([0.0, 0.0], True),
        ([np.inf, np.inf], True),
        ([1.0, np.inf], False),
        ([-np.inf, 1.0], False),
        ([0.3, 0.3 + 1e-9], False),
        ([-1.0, 1.0], False),
        ([0.0, 1e-300], False),
    ],
)
def test_values_are_all_the_same_where_only_rounding_tells_them_apart(values, same):
    assert constant(np.array(values)) is same


@pytest.mark.parametrize("confidence", [0.3, 0.9])
def test_a_bootstrap_without_correction_is_the_quantiles_of_the_means(confidence):
    both = np.stack([VALUES, VALUES**2], axis=1)
    drawn = np.concatenate([w @ both / 30 for w in draws(30, 500, 7)])
    found = bootstrap(both, confidence, resamples=500, seed=7, corrected=False)
    ends = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    assert np.stack([found.low, found.high]) == pytest.approx(ends)
    assert found.method == "percentile bootstrap"
    asked = {"resamples": 500, "seed": 7}
    assert bounds(mean_interval(VALUES, confidence, "percentile", **asked)) == pytest.approx(tuple(ends[:, 0]))
    corrected = bootstrap(VALUES[:, None], confidence, **asked)
    assert bounds(mean_interval(VALUES, confidence, "bca", **asked)) == bounds(corrected) != tuple(ends[:, 0])
    clusters = bootstrap(VALUES[:, None], confidence, cluster=TOPIC, **asked)
    assert bounds(mean_interval(VALUES, confidence, "bca", cluster=TOPIC, **asked)) == bounds(clusters)


@pytest.mark.parametrize("turn", [1, -1])
def test_where_every_resample_lies_to_one_side_the_correction_still_has_bounds(turn):
    drawn = turn * (np.arange(100.0)[:, None] + 1)
    left_out = np.random.default_rng(0).normal(size=(8, 1))
    low, high = bounds(_quantiles(drawn, np.zeros(1), left_out, 0.9, "BCa bootstrap"))
    bias = stats.norm.ppf(0.005 if turn == 1 else 0.995)
    apart = (left_out.mean() - left_out).ravel()
    skew = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    for bound, end in ((low, 0.05), (high, 0.95)):
        shifted = bias + stats.norm.ppf(end)
        assert bound == pytest.approx(np.quantile(drawn, stats.norm.cdf(bias + shifted / (1 - skew * shifted))))


def test_a_column_that_does_not_vary_has_its_value_for_both_bounds_and_changes_no_other():
    both = bootstrap(np.stack([VALUES, np.full(30, 0.5)], axis=1), 0.9)
    alone = bootstrap(VALUES[:, None], 0.9)
    assert (both.low[0], both.high[0]) == pytest.approx(bounds(alone))
    assert (both.low[1], both.high[1]) == pytest.approx((0.5, 0.5))


def test_which_interval_is_for_what():
    half = np.array([0.0, 1, 1, 0, 1])
    assert bounds(mean_interval(half, 0.9, "wilson")) == bounds(mean_interval(half, 0.9, binary=True))
    assert bounds(mean_interval(half, 0.9, binary=True)) == pytest.approx(bounds_of(wilson(3, 5, 0.9)))
    assert mean_interval(half, 0.9, "t", binary=True).method == "t"
    assert mean_interval(half, 0.9, binary=True, cluster=np.arange(5)).method == "t over clusters"
    assert bounds(mean_interval(np.ones(5), 0.9, "wilson")) == pytest.approx(bounds_of(wilson(5, 5, 0.9)))
    for values, cluster in ((half, np.arange(5)), (half / 2, None)):
        with pytest.raises(BadSetting, match="Wilson's interval needs independent values that are all 0 or 1"):
            mean_interval(values, 0.9, "wilson", cluster=cluster)
    assert mean_interval(half, 0.9, cluster=np.ones(5, int)).reason.startswith("at least 2 units")
    assert bounds(mean_interval(half[:2], 0.5)) == pytest.approx((0, 1))
    inside = mean_interval(half[:2], 0.95).within((0, 1))
    assert (bounds(inside), inside.method, inside.confidence) == ((0, 1), "t", 0.95)


def bounds_of(found: Interval) -> tuple[float, float]:
    return float(found.low), float(found.high)


def test_one_topic_alone_cannot_be_drawn_again():
    (found,) = agreement_intervals([parse("Kappa", "ratings")], from_table([[6, 2], [1, 5]]), resample="topic")
    assert found.method == ("none: at least 2 topics are needed; got 1",)
    assert np.isnan([found.low[0], found.high[0]]).all()


@pytest.mark.parametrize(
    ("value", "name"),
    [(0.81, "almost perfect"), (0.8, "substantial"), (0.8 + 1e-14, "substantial"), (0.6, "moderate"), (0.2, "slight")],
)
def test_an_agreement_is_called_after_the_band_that_it_exceeds(value, name):
    assert agreement_label(value) == name
    assert agreement_label(float("nan")) == ""
    assert agreement_label(-1.0) == "poor"


def test_topics_are_drawn_again_if_there_are_two_or_more():
    rows = [(f"t{topic}", f"d{n}", who, (n + (who == "b" and n < topic)) % 2)
            for topic in (1, 2, 3) for n in range(6) for who in "ab"]  # fmt: skip
    table, measure = ratings(as_ratings(rows)), parse("Agreement", "ratings")
    found = agreement_intervals([measure], table, resamples=200, resample="topic")
    assert not found[0].method[0].startswith("none")
    assert 0 < found[0].low[0] < found[0].high[0] < 1
    again = agreement_intervals([measure], table, resamples=200, resample="topic", seed=0)
    assert (found[0].low[0], found[0].high[0]) == (again[0].low[0], again[0].high[0])


def test_a_topic_with_one_item_is_resampled_like_any_other():
    rows = [(f"t{topic}", f"d{n}", who, (n + (who == "b" and n < topic)) % 2)
            for topic in (1, 2, 3) for n in range(1 if topic == 1 else 6) for who in "ab"]  # fmt: skip
    (found,) = agreement_intervals(
        [parse("Agreement", "ratings")], ratings(as_ratings(rows)), resamples=200, resample="topic"
    )
    assert not found.method[0].startswith("none")
    assert found.low[0] < found.high[0]


@pytest.mark.parametrize("measure", ["Kappa", "Fleiss", "Alpha", "AC1", "S", "Agreement"])
def test_agreement_of_two_raters_is_drawn_from_a_posterior_with_a_weak_prior(
    measure,
):
    counts = np.array([[12.0, 3], [5, 9]])
    drawn = np.random.default_rng(1).dirichlet(counts.ravel() + 0.25, 4_000).reshape(-1, 2, 2) * counts.sum()
    values = [parse(measure, "ratings").values(from_table(table))[0] for table in drawn]
    (found,) = agreement_intervals([parse(measure, "ratings")], from_table(counts), resamples=4_000)
    n = counts.sum()
    longer = stats.norm.cdf(stats.t.ppf(0.975, n - 1) * np.sqrt((n + 1) / (n - 1)))  # as Student's t is
    upper = 0.975 if measure in ("Agreement", "S", "AC1") else longer
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(np.quantile(values, [1 - upper, upper])), abs=0.02)


def test_intervals_of_known_measures_stay_within_their_bounds():
    nearly_all = {"a": [1.0, 1.0, 0.95, 1.0, 1.0], "b": [0.9, 0.8, 1.0, 0.7, 0.95]}
    wrong = {system: [1 - value for value in values] for system, values in nearly_all.items()}
    by_measure = {"Accuracy": nearly_all, "ErrorRate": wrong, "my score": nearly_all}
    compared = cranfield.compare({name: samples(values) for name, values in by_measure.items()})
    t = stats.t.interval(0.95, 4, 0.99, np.std(nearly_all["a"], ddof=1) / np.sqrt(5))
    assert t[1] > 1
    low, high = compared.intervals["a", "Accuracy"]
    assert low < 0.99 < high < 1
    assert compared.intervals["a", "ErrorRate"] == pytest.approx((1 - high, 1 - low))
    assert compared.intervals["a", "my score"] == pytest.approx(t)  # whose bounds nobody knows


def test_percentages_are_not_cut_off_at_one():
    compared = cranfield.compare({"Accuracy": samples({"a": [97.0, 99.0, 98.0], "b": [90.0, 95.0, 93.0]})})
    low, high = compared.intervals["a", "Accuracy"]
    assert low < 98 < high


def by_bisection(values: list[float], confidence: float) -> tuple[float, float]:
    """The bounded t interval by its definition: the means that are t standard errors away from that of the sample.

    The standard error is that of the sample, changed by half the skewness of the Beta distribution per deviation; no
    bound is beyond Wilson's, the proportions from which this one is z standard deviations away.
    """
    n, mean, deviation = len(values), fmean(values), stdev(values)
    total = mean * (1 - mean) / deviation**2 - 1
    skewness = float(stats.beta.stats(mean * total, (1 - mean) * total, moments="s"))
    z, t = stats.norm.ppf((1 + confidence) / 2), stats.t.ppf((1 + confidence) / 2, n - 1)
    widest = sorted(np.roots([1 + z * z / n, -(2 * mean + z * z / n), mean * mean]).real)

    def apart(true: float) -> float:
        error = (deviation + skewness / 2 * (true - mean)) / math.sqrt(n)
        return abs(true - mean) - t * error

    return tuple(brentq(apart, mean, bound) if apart(bound) > 0 else float(bound) for bound in (widest[0], widest[1]))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("seed", range(40))
def test_the_bounded_interval_is_where_the_mean_would_be_t_errors_away(seed, confidence):
    source = random.Random(seed)
    values = [source.betavariate(*source.choice([(0.2, 2), (1, 2), (5, 1)])) for _ in range(source.randint(2, 40))]
    if seed % 3 == 0:
        values = [round(value, 1) for value in values] + [0.0, 1.0, 1.0]
    found = bounded_interval(np.array(values)[:, None], (0, 1), confidence)
    assert found.of_one == (*map(pytest.approx, by_bisection(values, confidence)), "bounded t")


def test_the_bounded_interval_moves_with_the_scale_and_is_mirrored():
    values = np.array([0.0, 0.1, 0.15, 0.7, 0.2])[:, None]
    low, high, _ = bounded_interval(values, (0, 1)).of_one
    assert bounded_interval(1 - values, (0, 1)).of_one[:2] == pytest.approx((1 - high, 1 - low))
    assert bounded_interval(4 * values - 2, (-2, 2)).of_one[:2] == pytest.approx((4 * low - 2, 4 * high - 2))


def test_the_bounded_interval_of_zeros_and_ones_is_at_most_wilsons():
    for ones in range(1, 12):
        values = np.array([1.0] * ones + [0.0] * (12 - ones))[:, None]
        low, high, _ = bounded_interval(values, (0, 1)).of_one
        widest = wilson(float(ones), 12.0)
        assert float(widest.low) <= low < ones / 12 < high <= float(widest.high)


def test_a_bounded_interval_needs_bounds():
    with pytest.raises(BadSetting, match="a measure with finite bounds"):
        mean_interval(np.array([0.1, 0.5]), method="bounded")


def test_errors_of_predicted_values_have_no_interval_of_a_proportion() -> None:
    """Their values may happen to be 0 and 1: the method follows the measure, not the data."""
    compared = cranfield.regress([1, 2, 3, 4], {"a": [1, 2, 3, 5], "b": [2, 2, 3, 4]}).compare()
    assert "wilson" not in str(compared)
