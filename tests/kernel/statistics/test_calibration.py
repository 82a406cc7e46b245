"""Calibration: under a null made up for it, p-values are uniform; and intervals cover what they should.

Two thousand collections stand side by side as the columns of one table, so that each claim is tried in one call.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cranfield.evidence.samples import Pairs
from cranfield.statistics.effects import effects
from cranfield.statistics.intervals import bootstrap, bounded_interval, jackknife, median_interval, t_interval, wilson
from cranfield.statistics.tests import find
from kernel.statistics.chance import N_COLLECTIONS, covered, require_uniform, side_by_side

N_QUERIES = 50


def collections(seed: int, n_queries: int = N_QUERIES, shift: float = 0.0) -> Pairs:
    """A pair of systems in each of many collections, skewed and bounded as effectiveness is, and equally good."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=(N_COLLECTIONS, 1, n_queries))
    values = 1 / (1 + np.exp(-hard - rng.normal(size=(N_COLLECTIONS, 2, n_queries))))
    values[:, 0] += shift
    return side_by_side(values)


@pytest.mark.parametrize(
    "alternative", ["two-sided", *(pytest.param(side, marks=pytest.mark.simulation) for side in ("greater", "less"))]
)
@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_p_values_of_pairs_are_uniform(test, alternative):
    require_uniform(find(test)(collections(1), alternative=alternative).p)


@pytest.mark.parametrize("n_queries", [12, N_QUERIES])
def test_p_values_of_randomisation_are_uniform(n_queries):
    found = find("randomisation")(collections(2, n_queries), resamples=2_000)
    require_uniform(found.p, steps=True)


def test_p_values_of_the_bootstrap_are_uniform():
    require_uniform(find("bootstrap")(collections(3), resamples=2_000).p, steps=True)


def test_p_values_of_the_sign_test_are_uniform():
    require_uniform(find("sign")(collections(4)).p, steps=True)


def test_p_values_of_mcnemar_are_uniform():
    wins = np.random.default_rng(5).random((N_COLLECTIONS, 1, 40)) < 0.5
    require_uniform(find("mcnemar")(side_by_side(np.concatenate([wins, ~wins], axis=1).astype(float))).p, steps=True)


def test_p_values_of_equivalence_are_uniform_at_the_margin():
    require_uniform(find("tost")(collections(6, shift=0.2), margin=0.2).p)


def test_p_values_of_the_corrected_t_test_are_uniform_where_folds_share_what_they_should():
    rng = np.random.default_rng(7)
    shared = 1 / 10  # of ten folds, each test fold is a tenth of all data
    common, own = rng.normal(size=(N_COLLECTIONS, 1)), rng.normal(size=(N_COLLECTIONS, 10))
    folds = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    pairs = side_by_side(np.stack([folds, np.zeros_like(folds)], axis=1))
    require_uniform(find("corrected t")(pairs, overlap=shared / (1 - shared)).p)
    assert (find("t")(pairs).p < 0.05).mean() > 0.12  # what the plain t-test makes of the same folds


@pytest.mark.parametrize("variant", ["F", "t"])
def test_five_by_two_rejects_no_more_than_its_level(variant):
    folds = np.random.default_rng(8).normal(size=(N_COLLECTIONS, 2, 10))
    found = find("5x2cv")(side_by_side(folds), variant=variant)
    assert 0.01 < (found.p < 0.05).mean() < 0.05  # its distribution is an approximation, on the safe side
    middle = found.centre if variant == "t" else side_by_side(folds).mean
    held = np.abs(middle) <= found.half_width
    assert np.array_equal(held, found.p >= 0.05)  # the interval holds what the test retains
    if variant == "F":  # where all ten differences are independent, the exact one is known
        require_uniform(stats.f.sf(2 * found.statistic - 1, 5, 5))


def effectiveness(seed: int, n_queries: int = N_QUERIES) -> np.ndarray:
    """Values by query and collection, with a mean of 0.4."""
    return np.random.default_rng(seed).beta(1.2, 1.8, (n_queries, N_COLLECTIONS))


def test_t_intervals_cover():
    found = t_interval(effectiveness(11))
    assert 0.93 <= covered(found.low, found.high, 0.4) <= 0.97


def many_zeros(rng: np.random.Generator, values: np.ndarray, zeros: float) -> np.ndarray:
    return np.where(rng.random(values.shape) < zeros, 0.0, values)


SHAPES = {  # per-query values as systems produce them; skewness in brackets
    "AP (0.6)": lambda rng, shape: rng.beta(1, 2, shape),
    "AP, hard topics (2.2)": lambda rng, shape: rng.beta(0.25, 2.25, shape),
    "AP, a few easy topics (2.8)": lambda rng, shape: np.where(
        rng.random(shape) < 0.12, rng.beta(1, 1.3, shape), rng.beta(0.5, 8, shape)
    ),
    "nDCG, 10 % zeros (-0.1)": lambda rng, shape: many_zeros(rng, rng.beta(2, 2, shape), 0.1),
    "nDCG, easy topics (-1.2)": lambda rng, shape: rng.beta(5, 1, shape),
    "RR (0.1)": lambda rng, shape: 1 / rng.geometric(0.4, shape),
    "P@10 (0.6)": lambda rng, shape: rng.binomial(10, rng.beta(0.8, 1.6, shape)) / 10,
    "P@10, hard topics (2.2)": lambda rng, shape: rng.binomial(10, rng.beta(0.3, 2.7, shape)) / 10,
}


@pytest.mark.parametrize("n_queries", [20, pytest.param(N_QUERIES, marks=pytest.mark.simulation)])
@pytest.mark.parametrize("shape", SHAPES)
def test_default_intervals_cover_whatever_the_shape_of_the_values(shape, n_queries):
    rng = np.random.default_rng(26)
    mean = SHAPES[shape](rng, 2_000_000).mean()
    values = SHAPES[shape](rng, (n_queries, N_COLLECTIONS))
    found = bounded_interval(values, (0, 1))
    assert 0.925 <= covered(found.low, found.high, mean) <= 0.98


@pytest.mark.parametrize("n_queries", [20, N_QUERIES])
def test_default_intervals_of_mostly_zero_values_are_on_the_safe_side(n_queries):
    rng = np.random.default_rng(27)
    values = many_zeros(rng, 1 / rng.geometric(0.35, (n_queries, N_COLLECTIONS)), 0.7)  # reciprocal ranks
    mean = 0.3 * float((0.35 * 0.65 ** np.arange(500) / np.arange(1, 501)).sum())
    found = bounded_interval(values, (0, 1))
    assert covered(found.low, found.high, mean) >= 0.94
    alone = t_interval(values)
    assert covered(alone.low, alone.high, mean) < covered(found.low, found.high, mean)


@pytest.mark.parametrize("n_queries", [30, N_QUERIES])
@pytest.mark.parametrize("corrected", [True, False])
def test_bootstrap_intervals_cover(corrected, n_queries):
    found = bootstrap(effectiveness(12, n_queries), resamples=2_000, corrected=corrected)
    assert 0.93 <= covered(found.low, found.high, 0.4) <= 0.97


def test_wilson_intervals_cover():
    rng = np.random.default_rng(13)
    share = rng.uniform(0.05, 0.95, N_COLLECTIONS)
    found = wilson(rng.binomial(N_QUERIES, share), N_QUERIES)
    assert 0.93 <= covered(found.low, found.high, share) <= 0.97


@pytest.mark.parametrize("corrected", [True, False])
def test_intervals_over_topics_cover_where_queries_of_a_topic_are_alike(corrected):
    rng = np.random.default_rng(14)
    topic = np.repeat(np.arange(60), 4)
    values = rng.normal(0, 1, (60, N_COLLECTIONS))[topic] + rng.normal(0, 1, (240, N_COLLECTIONS))
    found = bootstrap(values, cluster=topic, resamples=2_000, corrected=corrected)
    assert 0.93 <= covered(found.low, found.high, 0) <= 0.97
    alone = t_interval(values)
    assert covered(alone.low, alone.high, 0) < 0.85  # as though the queries had nothing in common


@pytest.mark.parametrize("n_topics", [5, 10, 20])
def test_intervals_over_few_topics_cover_by_t(n_topics):
    rng = np.random.default_rng(19)
    topic = np.repeat(np.arange(n_topics), rng.integers(2, 7, n_topics))
    values = rng.normal(0, 1, (n_topics, N_COLLECTIONS))[topic] + rng.normal(0, 1, (len(topic), N_COLLECTIONS))
    found = t_interval(values, cluster=topic)
    assert 0.93 <= covered(found.low, found.high, 0) <= 0.97
    drawn = bootstrap(values, cluster=topic, resamples=1_000)
    if n_topics < 20:
        assert covered(drawn.low, drawn.high, 0) < 0.91  # which is why it must be asked for


@pytest.mark.parametrize("n_queries", [6, 7, 41, 50])
def test_intervals_of_the_median_cover(n_queries):
    rng = np.random.default_rng(15)
    found = [median_interval(rng.beta(1.2, 1.8, n_queries)) for _ in range(N_COLLECTIONS)]
    low, high = (np.array([getattr(each, end)[0] for each in found]) for end in ("low", "high"))
    assert 0.93 <= covered(low, high, stats.beta.median(1.2, 1.8)) <= 0.97


def test_intervals_of_pooled_shares_cover():
    rng = np.random.default_rng(25)
    whole = rng.integers(1, 20, (N_COLLECTIONS, N_QUERIES))
    part = rng.binomial(whole, rng.beta(2, 3, whole.shape))
    left_out = (part.sum(axis=1, keepdims=True) - part) / (whole.sum(axis=1, keepdims=True) - whole)
    found = [jackknife(p.sum() / w.sum(), others) for p, w, others in zip(part, whole, left_out, strict=True)]
    low, high = (np.array([getattr(each, end)[0] for each in found]) for end in ("low", "high"))
    assert 0.93 <= covered(low, high, 0.4) <= 0.97


def test_intervals_of_differences_cover():
    found = effects(collections(16))
    assert 0.93 <= covered(found.low, found.high, 0) <= 0.97


def test_intervals_of_the_corrected_t_test_cover():
    rng = np.random.default_rng(17)
    folds = np.sqrt(0.1) * rng.normal(size=(N_COLLECTIONS, 1)) + np.sqrt(0.9) * rng.normal(size=(N_COLLECTIONS, 10))
    half = find("corrected t")(side_by_side(np.stack([folds, 0 * folds], axis=1)), overlap=1 / 9).half_width
    assert 0.93 <= covered(folds.mean(axis=1) - half, folds.mean(axis=1) + half, 0) <= 0.97
