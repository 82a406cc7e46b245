"""What is drawn at random, gone through by hand: the same draws, one at a time, or all there can be."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats
from scipy.stats._resampling import BootstrapResult

from cranfield.evidence.samples import Samples, samples
from cranfield.statistics.intervals import bootstrap
from cranfield.statistics.resampling import draws, subsets
from cranfield.statistics.stability import select_queries, stability, swap_rate
from cranfield.statistics.tests import find

RNG = np.random.default_rng(23)
A, B = RNG.beta(2, 3, (2, 25))


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_the_bootstrap_test_is_the_t_of_every_resample(side):
    found = find("bootstrap")(samples({"a": A, "b": B}).pairs("b"), alternative=side, resamples=500)
    observed = stats.ttest_rel(A, B).statistic
    centred = A - B - (A - B).mean()
    drawn = [np.repeat(centred, row.astype(int)) for block in draws(25, 500, 0) for row in block]
    t = np.array([stats.ttest_1samp(each, 0).statistic for each in drawn])
    extreme = {
        "two-sided": np.abs(t) >= abs(observed),
        "greater": t >= observed,
        "less": t <= observed,
    }[side]
    assert found.statistic == pytest.approx([observed], abs=1e-9)
    assert found.p == pytest.approx([(extreme.sum() + 1) / 501], abs=1e-12)


def test_the_randomised_tukey_test_comes_near_all_shuffles_there_are():
    values = RNG.normal(size=(3, 4)) + np.array([[0.0], [0.4], [1.5]])
    spread = []
    for orders in product(permutations(range(3)), repeat=4):
        means = np.mean([values[list(order), unit] for unit, order in enumerate(orders)], axis=0)
        spread.append(np.ptp(means))
    pairs = samples(dict(zip("abc", values, strict=True))).pairs()
    observed = np.abs(pairs.difference.mean(axis=0))
    exact = (np.array(spread)[:, None] >= observed - 1e-12).mean(axis=0)
    found = find("randomised tukey")(pairs, resamples=40_000)
    assert found.p == pytest.approx(exact, abs=0.01)


def test_the_corrected_t_is_that_of_nadeau_and_bengio():
    difference = A[:10] - B[:10]
    t = difference.mean() / np.sqrt((1 / 10 + 1 / 9) * difference.var(ddof=1))
    found = find("corrected t")(samples({"a": A[:10], "b": B[:10]}).pairs("b"), overlap=1 / 9)
    assert (found.statistic[0], found.p[0]) == pytest.approx((t, 2 * stats.t.sf(abs(t), 9)), abs=1e-9)


def test_bca_over_topics_is_scipys_on_the_same_draws_of_topics():
    topic = RNG.integers(0, 12, 60)
    values = RNG.beta(1, 2, 60) + 0.02 * topic
    total, size = np.bincount(topic, weights=values), np.bincount(topic)

    def mean(places: np.ndarray, axis: int = -1) -> np.ndarray:
        places = places.astype(int)
        return total[places].sum(axis=axis) / size[places].sum(axis=axis)

    drawn = np.concatenate([(w @ total) / (w @ size) for w in draws(12, 5_000, 0)])
    given = BootstrapResult(confidence_interval=None, bootstrap_distribution=drawn, standard_error=None)
    expected = stats.bootstrap((np.arange(12),), mean, n_resamples=0, bootstrap_result=given).confidence_interval
    found = bootstrap(values[:, None], cluster=topic, resamples=5_000)
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high), abs=1e-9)


SYSTEMS = Samples(tuple("abcdef"), tuple(map(str, range(13))), RNG.normal(size=(6, 13)) + np.arange(6)[:, None] * 0.3)


def test_the_swap_rate_is_that_of_each_split_pair_by_pair():
    swapped = 0
    for inside in np.concatenate(list(subsets(13, 6, 50, 0))):
        rest = np.flatnonzero(~inside)[1:]  # of an odd number the first is left out
        here, there = SYSTEMS.values[:, inside].mean(axis=1), SYSTEMS.values[:, rest].mean(axis=1)
        swapped += sum((here[i] - here[j]) * (there[i] - there[j]) < 0 for i in range(6) for j in range(i))
    assert swap_rate(SYSTEMS, resamples=50).overall == pytest.approx(swapped / (50 * 15), abs=1e-12)


def test_stability_is_the_mean_of_scipys_tau_over_the_subsets():
    whole = SYSTEMS.values.mean(axis=1)
    taus = [
        stats.kendalltau(SYSTEMS.values[:, inside].mean(axis=1), whole).statistic
        for inside in np.concatenate(list(subsets(13, 5, 80, 0)))
    ]
    found = stability(SYSTEMS, sizes=[5], resamples=80)
    assert (found.tau[0], found.low[0]) == pytest.approx((np.mean(taus), np.quantile(taus, 0.05)), abs=1e-9)


def test_each_query_chosen_is_the_one_with_which_scipys_tau_is_greatest():
    whole = SYSTEMS.values.mean(axis=1)
    found = select_queries(SYSTEMS, 4)
    taken: list[int] = []
    for query, tau in zip(found.queries, found.tau, strict=True):
        each = {
            place: stats.kendalltau(SYSTEMS.values[:, [*taken, place]].mean(axis=1), whole).statistic
            for place in range(13)
            if place not in taken
        }
        assert tau == pytest.approx(max(each.values()), abs=1e-9) == each[int(query)]
        taken.append(int(query))
