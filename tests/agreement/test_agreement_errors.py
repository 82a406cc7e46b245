"""Standard errors of kappa and the association of two raters, with statsmodels and SciPy as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

import cranfield
from cranfield.statistics.agreement import association, kappa_errors

COUNTS = np.array([[20.0, 5, 1], [3, 15, 6], [2, 4, 9]])
DISTANCE = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))


@pytest.mark.parametrize(
    ("weights", "credit"), [(None, np.eye(3)), ("linear", 1 - DISTANCE / 2), ("quadratic", 1 - DISTANCE**2 / 4)]
)
def test_the_errors_of_kappa_are_statsmodels(weights, credit):
    expected = cohens_kappa(COUNTS, wt=weights)
    found = kappa_errors(COUNTS, credit)
    assert found.error == pytest.approx(expected.std_kappa)
    assert found.error_by_chance == pytest.approx(expected.std_kappa0)
    assert (found.z, found.p) == pytest.approx((expected.z_value, expected.pvalue_two_sided))


def test_the_association_is_scipys_and_skips_unused_categories():
    expected = stats.chi2_contingency(COUNTS, correction=False)
    padded = np.pad(COUNTS, ((0, 1), (0, 1)))
    for counts in (COUNTS, padded):
        found = association(counts)
        assert found[:3] == pytest.approx((expected.statistic, expected.dof, expected.pvalue))
        assert found.cramer_v == pytest.approx(stats.contingency.association(COUNTS.astype(int), method="cramer"))


def test_one_category_has_neither():
    one = np.array([[7.0, 0], [0, 0]])
    assert np.isnan(association(one).cramer_v)
    assert np.isnan(kappa_errors(one, np.eye(2)).error)


def test_the_working_of_kappa_shows_them():
    ratings = {"ann": list("aabbcabcab"), "bob": list("aabccabbab")}
    named = {rater: {str(n): grade for n, grade in enumerate(grades)} for rater, grades in ratings.items()}
    result = cranfield.agree(named, measures="Kappa", resamples=10)
    shown = {row["quantity"]: row["value"] for row in result.steps()}
    counts = np.zeros((3, 3))
    for one, other in zip(*ratings.values(), strict=True):
        counts["abc".index(one), "abc".index(other)] += 1
    assert shown["standard error"] == pytest.approx(cohens_kappa(counts).std_kappa)
    assert shown["chi-square"] == pytest.approx(stats.chi2_contingency(counts, correction=False).statistic)


def test_certain_agreement_by_chance_leaves_no_error():
    sure = kappa_errors(np.array([[5.0, 3], [0, 0]]), np.ones((2, 2)))  # every pair of categories has full credit
    assert np.isnan(sure).all()


def test_raters_who_never_vary_by_chance_have_no_z():
    """Both raters choose one category always, but never the same: chance agreement is 0, and so is its error."""
    found = kappa_errors(np.array([[0.0, 9], [0, 0]]), np.eye(2))
    assert (found.error, found.error_by_chance) == (0, 0)
    assert np.isnan([found.z, found.p]).all()


def test_an_association_of_unequal_sides():
    wide = np.array([[10.0, 20, 30, 0], [30, 5, 10, 0]])
    expected = stats.chi2_contingency(wide[:, :3], correction=False)
    found = association(wide)
    assert (found.chi_square, found.freedom, found.p) == pytest.approx((expected.statistic, 2, expected.pvalue))
    assert found.cramer_v == pytest.approx(np.sqrt(expected.statistic / 105))
    for one in (wide[:1], wide[:, :1], wide * [[1], [0]]):
        assert association(one)[1] == 0
        assert np.isnan([association(one).chi_square, association(one).p, association(one).cramer_v]).all()
