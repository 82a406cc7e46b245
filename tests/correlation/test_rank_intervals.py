"""Intervals of rank correlations, effect sizes and swap rates: by hand, by SciPy, and by how often they cover."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

import cranfield
from cranfield.evidence.samples import Pairs, Samples
from cranfield.statistics.effects import d_z_interval
from cranfield.statistics.rank_correlation import TopicValues, interval_over_items, rank_coefficient
from cranfield.statistics.stability import swap_interval, swap_rate
from kernel.statistics.chance import covered

N_SYSTEMS, N_TOPICS = 12, 40


def pair_of(differences: np.ndarray) -> Pairs:
    """The differences `[topic, pair]` as pairs of systems, the second of which always has 0."""
    n_topics, n_pairs = differences.shape
    values = np.concatenate([differences.T, np.zeros((1, n_topics))])
    names = tuple(f"s{place}" for place in range(n_pairs + 1))
    samples = Samples(names, tuple(map(str, range(n_topics))), values)
    return Pairs(samples, np.arange(n_pairs), np.full(n_pairs, n_pairs))


def two_measures(seed: int, n_topics: int = N_TOPICS) -> dict[str, Samples]:
    """The values of systems by two measures that see the same topics, and partly the same noise."""
    rng = np.random.default_rng(seed)
    quality = np.random.default_rng(7).normal(0, 0.3, (2, N_SYSTEMS)).cumsum(axis=0) * [[1], [0.7]]
    noise = rng.normal(0, 1, (N_SYSTEMS, n_topics)) * 0.7
    names, topics = tuple(map("s{}".format, range(N_SYSTEMS))), tuple(map(str, range(n_topics)))
    return {
        name: Samples(names, topics, quality[m][:, None] + noise + rng.normal(0, 0.7, (N_SYSTEMS, n_topics)))
        for m, name in enumerate(("one", "two"))
    }


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_the_interval_of_d_z_inverts_the_noncentral_t_distribution(level):
    differences = np.random.default_rng(1).normal([[0.0, 0.3, -0.3, 2.0]], 1, (17, 4))
    low, high = d_z_interval(pair_of(differences), level)
    for p, column in enumerate(differences.T):
        t = stats.ttest_1samp(column, 0).statistic
        for bound, tail in ((low[p], 1 - level / 2), (high[p], level / 2)):
            shift = optimize.brentq(lambda nc, t=t, tail=tail: stats.nct.cdf(t, 16, nc) - tail, t - 9, t + 9)
            assert bound == pytest.approx(shift / np.sqrt(17), abs=1e-5)


def test_the_interval_of_d_z_excludes_zero_exactly_where_the_t_test_rejects():
    values = np.random.default_rng(2).normal(0.3, 1, (30, 40))
    low, high = d_z_interval(pair_of(values))
    assert np.array_equal((low > 0) | (high < 0), stats.ttest_1samp(values, 0).pvalue < 0.05)


def test_d_z_has_no_interval_where_differences_do_not_vary_or_folds_share_data():
    row = cranfield.compare({"a": [0.5, 0.6, 0.7], "b": [0.4, 0.5, 0.6]}).rows[0]
    assert np.isnan([row.d_z_low, row.d_z_high]).all()
    folds = Samples(("a", "b"), ("1", "2", "3"), np.array([[0.5, 0.7, 0.6], [0.4, 0.5, 0.6]]), "fold")
    assert np.isnan(d_z_interval(folds.pairs())).all()


def test_compare_reports_the_interval_of_d_z_at_its_level():
    compared = cranfield.compare({"a": [0.4, 0.6, 0.7, 0.5], "b": [0.3, 0.5, 0.7, 0.3]}, level=0.1)
    row = compared.rows[0]
    assert row.d_z_low < row.d_z < row.d_z_high
    assert f"90 % confidence interval {row.d_z_low:.2f} to {row.d_z_high:.2f}" in compared.steps()
    assert compared.records()["comparisons"][0]["d_z_low"] == row.d_z_low


def test_two_topics_are_enough_for_an_interval_over_topics_and_one_is_not():
    two = cranfield.correlate(two_measures(1, n_topics=2), coefficients="tau-b", seed=3).rows[0]
    assert two.low < two.high
    one = cranfield.correlate(two_measures(1, n_topics=1), coefficients="tau-b", seed=3).rows[0]
    assert "at least 2 topics" in one.interval


def test_the_interval_over_items_is_the_jackknife():
    rng = np.random.default_rng(3)
    first, second = ({f"é{n}": round(score, 1) for n, score in enumerate(rng.normal(size=14))} for _ in range(2))
    second = {name: round(second[name] + first[name], 1) for name in reversed(list(first))}
    tau = stats.kendalltau([first[n] for n in first], [second[n] for n in first]).statistic
    without = []
    for lost in first:
        kept = [name for name in first if name != lost]
        without.append(stats.kendalltau([first[n] for n in kept], [second[n] for n in kept]).statistic)
    error = np.sqrt(13 / 14 * np.sum((np.array(without) - np.mean(without)) ** 2))
    row = cranfield.correlate(first, second, "tau-b").rows[0]
    squares = (np.array(without) - np.mean(without)) ** 2
    freedom = round(squares.sum() ** 2 / np.sum(squares**2))  # of the effective number of items
    half = stats.t.ppf(0.975, freedom) * error / (1 - tau**2)
    assert (row.low, row.high) == pytest.approx(tuple(np.tanh(np.arctanh(tau) + np.array([-half, half]))))
    assert row.interval == "jackknife over items"


def test_few_items_equal_rankings_and_rbo_have_no_interval_and_a_reason():
    few = cranfield.correlate(["a", "b", "c"], ["a", "c", "b"]).rows[0]
    assert few.low is None
    assert few.interval == "an interval over items needs 10 to 2,000 items"
    letters = list("abcdefghijklm")
    assert "same value" in cranfield.correlate(letters, letters).rows[0].interval
    assert "pass values by topic" in cranfield.correlate(letters, letters[::-1], "RBO").rows[0].interval


def test_values_by_topic_give_an_interval_over_topics():
    correlated = cranfield.correlate(two_measures(1), coefficients=["tau-b", "tau-AP", "RBO"], seed=3)
    for row in correlated.rows:
        assert row.interval == "bootstrap over topics"
        assert row.low < row.value < row.high <= 1
    assert "infinitely many topics" in str(correlated)
    again = cranfield.correlate(two_measures(1), coefficients="tau-b", seed=3, confidence=0.5).rows[0]
    assert again.high - again.low < correlated.rows[0].high - correlated.rows[0].low


def test_the_bootstrap_over_topics_spreads_as_resampled_topics_do():
    data = two_measures(2)
    row = cranfield.correlate(data, coefficients="tau-b").rows[0]
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(400):
        topics = rng.integers(0, N_TOPICS, N_TOPICS)
        one, two = (samples.values[:, topics].mean(axis=1) for samples in data.values())
        drawn.append(stats.kendalltau(one, two).statistic)
    half = stats.t.ppf(0.975, N_TOPICS - 1) * np.std(drawn)
    assert row.value - row.low == pytest.approx(half, rel=0.15)


def test_a_result_and_its_values_have_the_same_interval():
    qrels = {f"q{n}": {"a": 1, "b": n % 2, "c": n % 3 == 0} for n in range(9)}
    rng = np.random.default_rng(6)
    runs = {f"s{s}": {q: dict(zip("abcd", rng.random(4), strict=True)) for q in qrels} for s in range(4)}
    result = cranfield.evaluate(qrels, runs, ["AP", "RR"])
    samples = {name: result.samples(name) for name in ("AP", "RR")}
    assert cranfield.correlate(result).rows == cranfield.correlate(samples).rows
    assert np.isfinite(cranfield.correlate(result).rows[0].low)


def test_runs_have_intervals_over_queries():
    rng = np.random.default_rng(8)
    runs = {name: {f"q{n}": dict(zip("abcdef", rng.random(6), strict=True)) for n in range(12)} for name in "xy"}
    correlated = cranfield.correlate_runs(runs, "tau-a")
    values = [row["value"] for row in correlated.by_query]
    row = correlated.rows[0]
    assert row.interval == "bounded t"
    assert row.low < np.mean(values) < row.high


def test_a_swap_rate_has_an_interval_unless_nothing_swaps():
    samples = two_measures(3)["one"]
    rate = swap_rate(samples, resamples=200).overall
    low, high, method = swap_interval(samples, rate).of_one
    assert 0 < low < rate < high < 1
    assert method == "bootstrap over topics"
    row = cranfield.reproduce(samples, resamples=200, test="t").rows[0]
    assert (row.swap_low, row.swap_high) == (low, high)
    assert cranfield.reproduce({"a": [0.4, 0.6, 0.7], "b": [0.3, 0.5, 0.6]}, test="t").rows[0].swap_low is None


SHAPES = {
    "normal": lambda rng, size: rng.normal(size=size),
    "skewed": lambda rng, size: rng.gamma(2, 1 / np.sqrt(2), size) - np.sqrt(2),
    "long tails": lambda rng, size: rng.standard_t(5, size) / np.sqrt(5 / 3),
    "half zeros": lambda rng, size: np.where(rng.random(size) < 0.5, 0, rng.normal(size=size)) * np.sqrt(2),
}


@pytest.mark.simulation
@pytest.mark.parametrize("n_topics", [20, 100])
@pytest.mark.parametrize("d_z", [0.1, 0.3])
@pytest.mark.parametrize("shape", SHAPES)
def test_intervals_of_d_z_cover(shape, d_z, n_topics):
    low, high = d_z_interval(pair_of(SHAPES[shape](np.random.default_rng(9), (n_topics, 4_000)) + d_z))
    assert 0.93 <= covered(low, high, d_z) <= (0.97 if shape == "normal" else 0.99)


@pytest.mark.simulation
@pytest.mark.parametrize("coefficient", ["tau-b", "tau-AP", "RBO"])
def test_intervals_over_topics_cover_the_mean_over_sets_of_topics(coefficient):
    settings = {"symmetric": True} if coefficient == "tau-AP" else {}
    found, bounds = [], []
    for seed in range(400):
        samples = two_measures(seed)
        orders = [dict(zip(one.systems, one.values.mean(axis=1), strict=True)) for one in samples.values()]
        values = TopicValues({m: s.systems for m, s in samples.items()}, {m: s.values for m, s in samples.items()})
        found.append(rank_coefficient(*orders, coefficient, **settings))
        bounds.append(values.interval(("one", "two"), coefficient, found[-1], **settings).of_one[:2])
    low, high = np.array(bounds).T
    assert 0.92 <= covered(low, high, np.mean(found)) <= 0.99


@pytest.mark.simulation
@pytest.mark.parametrize("rho", [0, 0.8])
@pytest.mark.parametrize("n_items", [10, 20])
@pytest.mark.parametrize("coefficient", ["tau-b", "tau-AP", "spearman"])
def test_intervals_over_items_cover_the_value_for_other_items(coefficient, n_items, rho):
    rng, found, bounds = np.random.default_rng(10), [], []
    for _ in range(500):
        one = rng.normal(size=n_items)
        other = rho * one + np.sqrt(1 - rho**2) * rng.normal(size=n_items)
        orders = [dict(zip(map(str, range(n_items)), scores, strict=True)) for scores in (one, other)]
        found.append(rank_coefficient(*orders, coefficient))
        bounds.append(interval_over_items(*orders, coefficient, found[-1]).of_one[:2])
    low, high = np.array(bounds).T
    assert covered(low, high, np.mean(found)) >= 0.95


@pytest.mark.simulation
def test_intervals_of_swap_rates_cover_the_mean_over_sets_of_topics():
    found, bounds = [], []
    for seed in range(300):
        samples = two_measures(seed)["one"]
        found.append(swap_rate(samples, resamples=200).overall)
        bounds.append(swap_interval(samples, found[-1], seed=seed).of_one[:2])
    low, high = np.array(bounds).T
    assert 0.9 <= covered(low, high, np.mean(found)) <= 0.99
