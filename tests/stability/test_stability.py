"""Reproducibility: discriminative power, swaps, stability, and few queries for many."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples
from cranfield.statistics.stability import discriminative_power, select_queries, stability, swap_rate
from cranfield.statistics.tests import find


def systems(n_systems: int, n_queries: int, noise: float, seed: int = 0) -> Samples:
    rng = np.random.default_rng(seed)
    values = np.arange(n_systems)[:, None] * 0.1 + rng.normal(0, noise, (n_systems, n_queries))
    return Samples(tuple(f"s{s}" for s in range(n_systems)), tuple(f"q{q}" for q in range(n_queries)), values)


def test_discriminative_power_is_the_share_of_significant_pairs():
    data = systems(6, 25, 0.2)
    p = find("t")(data.pairs()).p
    assert 0 < (p < 0.05).sum() < len(p) == 15
    assert discriminative_power(data, test="t") == pytest.approx((p < 0.05).mean())


def test_a_measure_with_less_noise_discriminates_more():
    assert discriminative_power(systems(6, 25, 0.1)) > discriminative_power(systems(6, 25, 0.6))


def test_systems_that_are_one_are_never_told_apart():
    same = Samples(("a", "b"), ("q1", "q2", "q3"), np.tile([0.1, 0.5, 0.9], (2, 1)))
    assert discriminative_power(same) == 0


def test_the_seed_reaches_the_test():
    data = systems(6, 20, 0.35, seed=3)
    p = [find("randomised tukey")(data.pairs(), resamples=10_000, seed=seed).p for seed in range(2)]
    found = [discriminative_power(data, level=p[seed][0] + 1e-9, seed=seed) for seed in range(2)]
    assert found == pytest.approx([(each <= each[0]).mean() for each in p])
    assert (p[0] != p[1]).any()


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "t", "randomisation", "bootstrap"])
def test_a_pair_without_a_difference_is_not_told_apart(test):
    values = np.array([[0.1, 0.7, 0.3, 0.2], [0.1, 0.7, 0.3, 0.2], [0.0, 0.1, 0.2, 0.3]])
    data = Samples(tuple("abc"), tuple("1234"), values)
    assert discriminative_power(data, test=test, level=1.0) == pytest.approx(2 / 3)


def test_swaps_grow_rarer_with_the_difference():
    found = swap_rate(systems(8, 40, 0.4), resamples=400)
    seen = found.rate[found.n_pairs > 200]
    assert seen[0] > 0.2 > seen[-1]
    assert found.n_topics == 20
    assert 0 < found.needed(0.1) < found.edge[-1]
    assert found.n_pairs.sum() == 28 * 400


def test_a_rate_is_undefined_only_where_no_difference_fell():
    swaps = swap_rate(systems(3, 10, 0.4), resamples=7, n_bins=30)
    assert 1 in swaps.n_pairs
    assert 0 in swaps.n_pairs
    assert np.array_equal(np.isnan(swaps.rate), swaps.n_pairs == 0)
    assert np.nansum(swaps.rate * swaps.n_pairs) == pytest.approx(swaps.overall * swaps.n_pairs.sum())


def test_without_noise_nothing_swaps_and_every_subset_gives_the_order():
    data = systems(5, 11, 0.0)
    assert swap_rate(data, resamples=50).overall == 0
    assert stability(data, resamples=50).tau == pytest.approx(np.ones(10))


def test_the_two_sets_of_a_split_are_disjoint_and_alike_in_size():
    data = Samples(("a", "b"), tuple("12345"), np.array([[1.0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0]]))
    assert swap_rate(data, resamples=200).overall == 0  # a wins with the first topic or ties; it never loses


def test_more_topics_give_more_of_the_order():
    found = stability(systems(8, 40, 0.8), resamples=300)
    assert (np.diff(found.tau) > -0.01).all()
    assert found.tau[-1] == 1
    assert (found.low <= found.tau).all()
    assert found.topics_needed(0.5) < found.topics_needed(0.9) <= 40
    assert found.topics_needed(1.1) is None


def test_a_seed_gives_the_same_again():
    data = systems(6, 20, 0.5)
    assert stability(data, resamples=50, seed=3).tau.tolist() == stability(data, resamples=50, seed=3).tau.tolist()
    assert select_queries(data, 3, seed=3).queries == select_queries(data, 3, seed=3).queries


def test_the_chosen_queries_are_those_that_tell_systems_apart():
    rng = np.random.default_rng(1)
    values = rng.random((20, 30))
    values[:, 7] = np.arange(20)  # one query with the order in it, and the weight to set it
    found = select_queries(Samples(tuple(map(str, range(20))), tuple(map(str, range(30))), values), 3)
    assert found.queries[0] == "7"
    assert found.tau[0] > 0.9


def test_chosen_queries_do_better_than_as_many_at_random_also_on_systems_not_seen():
    found = select_queries(systems(20, 60, 1.0), 8)
    assert len(found.queries) == len(set(found.queries)) == 8
    assert found.tau[-1] > found.unseen[-1]
    assert found.tau[-1] > found.chance[-1]
    assert np.isnan(select_queries(systems(3, 10, 1.0), 2).unseen).all()


def test_all_queries_give_the_order_of_all():
    assert select_queries(systems(6, 9, 1.0), 9).tau[-1] == pytest.approx(1)


def test_what_cannot_be_asked_is_said():
    one = Samples(("a",), ("q1", "q2"), np.array([[0.1, 0.2]]))
    with pytest.raises(BadInput, match="at least 2 systems are needed"):
        stability(one)
    with pytest.raises(BadInput, match="subsets need at least 2 queries; got 1"):
        swap_rate(Samples(("a", "b"), ("q1",), np.array([[0.1], [0.2]])))
    with pytest.raises(BadSetting, match="between 1 and the number of queries, 10"):
        select_queries(systems(3, 10, 1.0), 11)
    with pytest.raises(BadSetting, match=r"not 1\.5"):
        select_queries(systems(3, 10, 1.0), 1.5)
    with pytest.raises(BadInput, match="at least 2 systems are needed"):
        select_queries(one, 1)
    with pytest.raises(BadInput, match="all systems have the same mean"):
        select_queries(Samples(("a", "b"), ("q1", "q2"), np.ones((2, 2))), 1)
    with pytest.raises(BadSetting, match="seed must be a non-negative integer"):
        swap_rate(systems(3, 10, 1.0), seed=-1)
    with pytest.raises(BadSetting, match="between 1 and 10"):
        stability(systems(3, 10, 1.0), sizes=[12])


@pytest.mark.parametrize(("n_systems", "few"), [(2, True), (3, True), (4, False), (5, False)])
def test_four_systems_are_enough_to_test_the_queries_on_others(n_systems, few):
    found = select_queries(systems(n_systems, 6, 1.0), 2)
    assert any("at least 4 systems are needed" in note for note in found.notes) is few
    assert np.isnan(found.unseen).all() == np.isnan(found.unseen).any() == few
