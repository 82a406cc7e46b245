"""Tests of all systems at once, with statsmodels, SciPy and scikit-posthocs as oracles."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM

from cranfield.evidence.samples import samples
from cranfield.statistics.distributions import range_quantile, range_tail
from cranfield.statistics.tests import find

RNG = np.random.default_rng(11)
VALUES = RNG.normal(size=(1, 25)) + RNG.normal(size=(4, 25)) * 0.5 + np.array([[0.0], [0.1], [0.3], [0.6]])
SYSTEMS = samples(dict(zip("abcd", VALUES, strict=True)))


def test_tukey_with_two_systems_is_the_paired_t_test():
    two = samples({"a": VALUES[0], "b": VALUES[1]}).pairs("b")
    found, t = find("tukey")(two), find("t")(two)
    assert found.p == pytest.approx(t.p, abs=1e-9)
    assert found.statistic == pytest.approx(t.statistic * np.sqrt(2))


def test_the_analysis_of_variance_is_statsmodels():
    table = pd.DataFrame([(s, q, VALUES[s, q]) for s in range(4) for q in range(25)], columns=["system", "query", "v"])
    expected = AnovaRM(table, "v", "query", within=["system"]).fit().anova_table
    found = find("tukey")(SYSTEMS.pairs()).omnibus
    assert found.statistic == pytest.approx(expected["F Value"].iloc[0], abs=1e-9)
    assert found.p == pytest.approx(expected["Pr > F"].iloc[0], abs=1e-9)
    assert str(found).startswith("two-way ANOVA of systems and units: F(3, 72) = ")


def test_tukey_uses_what_systems_and_queries_leave_unexplained():
    left = VALUES - VALUES.mean(1, keepdims=True) - VALUES.mean(0) + VALUES.mean()
    error = np.sqrt((left**2).sum() / 72 / 25)
    pairs = SYSTEMS.pairs()
    q = np.abs(pairs.difference.mean(axis=0)) / error
    found = find("tukey")(pairs)
    assert found.p == pytest.approx(stats.studentized_range.sf(q, 4, 72), abs=1e-9)
    assert found.half_width == pytest.approx(np.full(6, stats.studentized_range.ppf(0.95, 4, 72) * error), abs=1e-9)


@pytest.mark.parametrize(
    ("groups", "freedom"), [(2, 1), (2, 2), (2, 49), (3, 4), (5, 40), (60, 2891), (10, np.inf), (200, 19701)]
)
def test_the_studentised_range_is_scipys(groups, freedom):
    q = np.array([0.0, 0.7, 2.1, 3.5, 5.0, 9.0])
    assert range_tail(q, groups, freedom) == pytest.approx(stats.studentized_range.sf(q, groups, freedom), abs=1e-10)


def test_quantile_and_tail_of_the_range_are_inverse():
    assert range_tail(np.array([range_quantile(0.95, 5, 20)]), 5, 20) == pytest.approx([0.05], abs=1e-10)


def test_nemenyi_is_scikit_posthocs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of seaborn and its kin, on import
        from scikit_posthocs import posthoc_nemenyi_friedman

        expected = posthoc_nemenyi_friedman(VALUES.T).to_numpy()
    pairs = SYSTEMS.pairs()
    assert find("nemenyi")(pairs).p == pytest.approx(expected[pairs.first, pairs.second], abs=1e-9)


@pytest.mark.parametrize("digits", [8, 0])
def test_friedman_is_scipys_with_and_without_ties(digits):
    rounded = VALUES.round(digits)
    expected = stats.friedmanchisquare(*rounded)
    found = find("nemenyi")(samples(dict(zip("abcd", rounded, strict=True))).pairs()).omnibus
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)
    assert " with 3 degrees of freedom, p = " in str(found)


def test_randomised_tukey_of_two_systems_is_the_randomisation_test():
    two = samples({"a": VALUES[0], "b": VALUES[1]}).pairs("b")
    assert find("randomised tukey")(two).p == pytest.approx(find("randomisation")(two).p, abs=0.015)


def test_randomised_tukey_comes_near_tukey_where_systems_are_alike():
    alike = RNG.normal(size=(1, 40)) + RNG.normal(size=(4, 40)) * 0.5
    pairs = samples(dict(zip("abcd", alike, strict=True))).pairs()
    assert find("randomised tukey")(pairs).p == pytest.approx(find("tukey")(pairs).p, abs=0.03)


def test_systems_that_are_all_the_same_cannot_be_told_apart():
    same = samples({"a": VALUES[0], "b": VALUES[0], "c": VALUES[0]}).pairs()
    for name in ("tukey", "randomised tukey", "nemenyi"):
        assert find(name)(same).p == pytest.approx([1, 1, 1])
