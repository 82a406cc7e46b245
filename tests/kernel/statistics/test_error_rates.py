"""Error rates: tests of all systems at once, corrections and one-sided tests keep their level where nothing differs.

Two thousand collections are made up for each claim, in which all systems are equally good.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from cranfield.evidence.samples import Samples
from cranfield.statistics.effects import adjusted, effects
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.pairs import randomised, simultaneous_critical_value
from cranfield.statistics.tests import find
from kernel.statistics.chance import N_COLLECTIONS, covered, require_uniform, side_by_side

N_QUERIES = 30
pytestmark = pytest.mark.simulation


def tables(seed: int, n_systems: int, n: int = N_COLLECTIONS, n_queries: int = N_QUERIES) -> Iterator[Samples]:
    """Collections of systems that differ by chance alone."""
    rng = np.random.default_rng(seed)
    queries = tuple(map(str, range(n_queries)))
    for _ in range(n):
        values = rng.normal(size=(1, n_queries)) + rng.normal(size=(n_systems, n_queries))
        yield Samples(tuple(map(str, range(n_systems))), queries, values)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize(
    ("test", "settings"), [("sign", {}), ("randomisation", {"resamples": 1_000}), ("bootstrap", {"resamples": 1_000})]
)
def test_one_sided_p_values_are_uniform(test, settings, alternative):
    values = np.random.default_rng(31).normal(size=(N_COLLECTIONS, 2, N_QUERIES))
    require_uniform(find(test)(side_by_side(values), alternative=alternative, **settings).p, steps=True)


def test_the_one_sample_t_test_is_uniform():
    values = np.random.default_rng(32).normal(9, 3, (N_QUERIES, N_COLLECTIONS))
    names = tuple(f"s{c}" for c in range(N_COLLECTIONS))
    samples = Samples(names, tuple(map(str, range(N_QUERIES))), values.T).with_constant(9)
    require_uniform(find("t")(samples.pairs("9")).p)


@pytest.mark.parametrize(("variant", "most"), [("exact", 0.05), ("mid-p", 0.06), ("chi-square", 0.05)])
def test_mcnemar_in_each_form_keeps_its_level(variant, most):
    wins = np.random.default_rng(33).random((N_COLLECTIONS, 1, 60)) < 0.5
    pairs = side_by_side(np.concatenate([wins, ~wins], axis=1).astype(float))
    assert 0.02 < (find("mcnemar")(pairs, variant=variant).p < 0.05).mean() < most


@pytest.mark.parametrize("test", ["tukey", "nemenyi"])
def test_the_test_of_all_systems_together_is_uniform(test):
    require_uniform(np.array([find(test)(table.pairs()).omnibus.p for table in tables(34, 4)]))


@pytest.mark.parametrize(
    ("test", "settings", "n", "n_queries"),
    [
        ("tukey", {}, N_COLLECTIONS, N_QUERIES),
        ("randomised tukey", {"resamples": 500}, 400, N_QUERIES),
        ("nemenyi", {}, N_COLLECTIONS, 100),  # its distribution is that of many queries
    ],
)
def test_the_smallest_p_of_all_pairs_is_uniform(test, settings, n, n_queries):
    smallest = [find(test)(table.pairs(), **settings).p.min() for table in tables(9, 4, n, n_queries)]
    require_uniform(np.array(smallest), steps=True)


def test_nemenyi_keeps_its_level_with_few_queries_too():
    smallest = [find("nemenyi")(table.pairs()).p.min() for table in tables(40, 4)]
    assert 0.03 < np.mean(np.array(smallest) < 0.05) < 0.06


def test_the_smallest_p_by_max_t_is_uniform():
    smallest = [randomised(table.pairs().difference, 500, 0).greatest.min() for table in tables(10, 5)]
    require_uniform(np.array(smallest), steps=True)


@pytest.mark.parametrize("name", ["holm", "bonferroni", "benjamini-hochberg"])
def test_corrected_p_values_seldom_find_anything_among_all_pairs(name):
    p = np.array([find("t")(table.pairs()).p for table in tables(35, 4)])
    assert (p.min(axis=1) < 0.05).mean() > 0.15  # six tests, uncorrected
    assert 0.02 < np.mean([adjusted(each, name).min() < 0.05 for each in p]) < 0.06


def test_bca_intervals_of_differences_cover():
    rng = np.random.default_rng(36)
    hard = rng.normal(size=(N_COLLECTIONS, 1, 50))
    pairs = side_by_side(1 / (1 + np.exp(-hard - rng.normal(size=(N_COLLECTIONS, 2, 50)))))
    found = effects(pairs, interval="bca")
    assert 0.93 <= covered(found.low, found.high, 0) <= 0.97


def test_the_interval_of_equivalence_covers_as_two_tests_ask():
    values = np.random.default_rng(37).normal(size=(N_COLLECTIONS, 2, N_QUERIES))
    pairs = side_by_side(values)
    half = find("tost")(pairs, margin=1.0).half_width
    assert 0.88 <= (np.abs(pairs.difference.mean(axis=0)) <= half).mean() <= 0.92


def test_intervals_of_geometric_means_cover():
    logs = np.random.default_rng(38).normal(-1, 0.7, (N_QUERIES, N_COLLECTIONS))
    found = t_interval(logs)
    assert 0.93 <= covered(np.exp(found.low), np.exp(found.high), np.exp(-1)) <= 0.97


def test_intervals_after_tukey_cover_all_differences_at_once():
    inside = [
        (np.abs(table.pairs().difference.mean(axis=0)) <= find("tukey")(table.pairs()).half_width).all()
        for table in tables(39, 3)
    ]
    assert 0.93 <= np.mean(inside) <= 0.97


def test_the_smallest_p_of_all_comparisons_with_a_baseline_is_uniform():
    smallest = [find("dunnett")(table.pairs("0")).p.min() for table in tables(41, 5)]
    require_uniform(np.array(smallest))


def test_stepping_down_keeps_the_level_where_some_systems_differ():
    wrong = []
    for table in tables(42, 4, 1_000):
        moved = table.values + np.array([[0.0], [0.0], [0.0], [1.5]])
        found = randomised(Samples(table.systems, table.units, moved).pairs().difference, 500, 0)
        wrong.append(found.stepped[[0, 1, 3]].min() < 0.05)  # the pairs of systems 0, 1 and 2
    assert 0.03 < np.mean(wrong) < 0.065


@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_max_t_intervals_cover_all_differences_at_once(shape):
    inside = []
    for table in tables(43, 4, 1_000):
        values = np.exp(table.values / 2) if shape == "skewed" else table.values
        pairs = Samples(table.systems, table.units, values).pairs()
        reach = simultaneous_critical_value(pairs.difference, 500, 0, 0.05)
        inside.append((np.abs(pairs.mean) <= reach * pairs.deviation / np.sqrt(N_QUERIES)).all())
    assert 0.93 <= np.mean(inside) <= 0.975
