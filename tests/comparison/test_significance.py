"""Tests of pairs: the worked examples, SciPy and statsmodels as oracles, and what must hold for each of them."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.weightstats import ttost_paired

from cranfield import compare
from cranfield.errors import BadSetting
from cranfield.evidence.samples import samples
from cranfield.statistics.tests import Outcome, find, known_tests

RNG = np.random.default_rng(7)
A = RNG.beta(2, 3, 40).round(6)
B = np.clip(A + RNG.normal(0.03, 0.1, 40), 0, 1).round(6)
SIDES = ("two-sided", "greater", "less")


def outcome(test: str, a: object, b: object, **settings: object) -> Outcome:
    return find(test)(samples({"a": a, "b": b}).pairs("b"), **settings)


def test_the_t_of_six_values_against_nine_is_1_19():
    found = find("t")(samples({"r": [8, 8, 9, 10, 12, 16]}).with_constant(9).pairs("9"))
    assert found.statistic == pytest.approx([1.1920791213585396], abs=1e-9)
    assert found.p == pytest.approx([0.2867179646728136], abs=1e-9)
    one_sided = find("t")(samples({"r": [8, 8, 9, 10, 12, 16]}).with_constant(9).pairs("9"), alternative="greater")
    assert one_sided.p == pytest.approx([0.1433589823364068], abs=1e-9)
    assert found.freedom == "5 degrees of freedom"


def test_the_paired_t_over_five_folds():
    found = outcome("t", [0.2, 0.22, 0.18, 0.25, 0.21], [0.18, 0.21, 0.18, 0.22, 0.2])
    assert found.statistic == pytest.approx([2.745625891934576], abs=1e-9)
    assert found.p == pytest.approx([0.05160595781117475], abs=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_paired_t_is_scipys(side):
    expected = stats.ttest_rel(A, B, alternative=side)
    found = outcome("t", A, B, alternative=side)
    assert (found.statistic[0], found.p[0]) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_is_scipys_without_the_units_that_do_not_differ(side):
    b = B.copy()
    b[:5] = A[:5]
    expected = stats.wilcoxon((A - b)[5:], alternative=side)
    found = outcome("wilcoxon", A, b, alternative=side)
    assert (found.statistic[0], found.p[0]) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)


def test_wilcoxon_of_many_pairs_is_that_of_each_alone_with_ties_and_without():
    values = RNG.normal(size=(6, 30))
    values[:3] = values[:3].round(1)
    pairs = samples(dict(zip("abcdef", values, strict=True))).pairs()
    columns = pairs.difference.T.round(9)  # so that SciPy ties what is equal but for rounding
    alone = [stats.wilcoxon(column[column != 0]).pvalue for column in columns]
    assert find("wilcoxon")(pairs).p == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("wins", "losses"), [(0, 6), (6, 0), (3, 3), (12, 5), (1, 0)])
def test_sign_is_scipys_binomial(side, wins, losses):
    a = [1] * wins + [0] * losses + [0, 0]
    b = [0] * wins + [1] * losses + [0, 0]
    expected = stats.binomtest(wins, wins + losses, alternative=side).pvalue
    assert outcome("sign", a, b, alternative=side).p == pytest.approx([expected], abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_randomisation_of_few_units_goes_through_every_flip(side):
    a, b = A[:11], B[:11]
    expected = stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=side
    ).pvalue
    found = outcome("randomisation", a, b, alternative=side)
    assert found.p == pytest.approx([expected], abs=1e-12)
    assert found.remark == "all 2,048 permutations"


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_resampling_comes_near_the_t_test(test):
    assert outcome(test, A, B).p == pytest.approx(outcome("t", A, B).p, abs=0.01)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_a_seed_gives_the_same_p_again_and_another_seed_another(test):
    assert outcome(test, A, B, seed=3).p == outcome(test, A, B, seed=3).p
    assert outcome(test, A, B, seed=3).p != outcome(test, A, B, seed=4).p


@pytest.mark.parametrize("variant", ["exact", "chi-square"])
@pytest.mark.parametrize(("wins", "losses"), [(3, 9), (10, 10), (25, 11), (1, 0)])
def test_mcnemar_is_statsmodels(variant, wins, losses):
    a, b = [1] * wins + [0] * losses + [1, 0], [0] * wins + [1] * losses + [1, 0]
    table = [[1, wins], [losses, 1]]
    overdone = variant == "chi-square" and wins == losses  # the correction would exceed the difference it corrects
    expected = 1.0 if overdone else mcnemar(table, exact=variant == "exact").pvalue
    assert outcome("mcnemar", a, b, variant=variant).p == pytest.approx([expected], abs=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(3, 9), (10, 10), (0, 4)])
def test_mid_p_counts_half_of_what_was_observed(wins, losses):
    a, b = [1] * wins + [0] * losses + [1, 0], [0] * wins + [1] * losses + [1, 0]
    fewer = min(wins, losses)
    coin = stats.binom(wins + losses, 0.5)
    expected = 2 * coin.cdf(fewer) - coin.pmf(fewer)
    assert outcome("mcnemar", a, b, variant="mid-p").p == pytest.approx([expected], abs=1e-12)


def test_mcnemar_refuses_values_other_than_right_and_wrong():
    with pytest.raises(BadSetting, match="right"):
        outcome("mcnemar", A, B)


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
def test_equivalence_is_statsmodels(margin):
    expected = ttost_paired(A, B, -margin, margin)[0]
    assert outcome("tost", A, B, margin=margin).p == pytest.approx([expected], abs=1e-9)


def test_equivalence_needs_a_margin():
    with pytest.raises(BadSetting, match="needs a margin above 0"):
        outcome("tost", A, B)


def test_the_corrected_t_over_five_folds():
    found = outcome("corrected t", [0.2, 0.22, 0.18, 0.25, 0.21], [0.18, 0.21, 0.18, 0.22, 0.2], overlap=1 / 4)
    assert found.statistic == pytest.approx([1.8304172612897176], abs=1e-9)


def test_five_by_two_by_hand():
    halves = np.array([[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1], [-0.1, 0.1]])
    variance = np.array([0.005, 0.005, 0.005, 0.0, 0.02])
    zero = np.zeros(10)
    f = outcome("5x2cv", halves.ravel(), zero)
    assert f.statistic == pytest.approx([(halves**2).sum() / (2 * variance.sum())])
    assert f.p == pytest.approx([stats.f.sf(f.statistic[0], 10, 5)])
    t = outcome("5x2cv", halves.ravel(), zero, variant="t")
    assert t.statistic == pytest.approx([0.1 / np.sqrt(variance.mean())])
    assert t.p == pytest.approx([2 * stats.t.sf(t.statistic[0], 5)])


@pytest.mark.parametrize("variant", ["F", "t"])
@pytest.mark.parametrize("shift", [0.0, 0.02, 0.05, 0.2])
def test_the_interval_of_five_by_two_holds_0_where_the_test_retains_it(variant, shift):
    a, b = RNG.normal(0, 0.05, (2, 10))
    found = outcome("5x2cv", a + shift, b, variant=variant)
    middle = (a + shift - b)[0] if variant == "t" else (a + shift - b).mean()
    assert (abs(middle) <= found.half_width[0]) == (found.p[0] >= 0.05)


def test_five_by_two_has_no_interval_where_it_retains_no_difference():
    within, between = np.tile([0.01, -0.01], 5), np.repeat([-1.0, -0.5, 0.0, 0.5, 1.0], 2)
    (row,) = compare({"a": within + between, "b": np.zeros(10)}, test="5x2cv").rows
    assert np.isnan(row.low)
    assert row.note.startswith("no interval: ")
    assert row.note.endswith("rejects every mean difference")


@pytest.mark.parametrize("test", [name for name, test in known_tests().items() if "alternative" in test.settings])
def test_the_two_sides_mirror_each_other(test):
    overlap = {"overlap": 0.25} if test == "corrected t" else {}
    more = outcome(test, A, B, alternative="greater", **overlap)
    less = outcome(test, B, A, alternative="less", **overlap)
    assert more.p == pytest.approx(less.p, abs=0 if test != "bootstrap" else 1e-12)


@pytest.mark.parametrize(
    "test", [name for name in known_tests() if name not in ("mcnemar", "tost", "5x2cv", "corrected t")]
)
def test_the_order_of_the_units_does_not_matter(test):
    order = np.random.default_rng(1).permutation(18)
    shuffled = outcome(test, A[:18][order], B[:18][order]).p
    drawn = test in ("bootstrap", "randomised tukey")
    assert shuffled == pytest.approx(outcome(test, A[:18], B[:18]).p, abs=0.02 if drawn else 1e-9)


def test_a_test_misspelt_is_answered_with_those_there_are():
    with pytest.raises(BadSetting, match="did you mean wilcoxon"):
        find("wilcoxn")


def test_a_test_is_not_given_settings_it_does_not_have():
    with pytest.raises(BadSetting, match=r"'t' has no setting 'flips'; it has: alternative$"):
        outcome("t", A, B, flips=10)
    with pytest.raises(BadSetting, match=r"'sign' has no setting 'seed'; it has: alternative, level$"):
        outcome("sign", A, B, seed=1)
    with pytest.raises(BadSetting, match=r"it has: alternative, resamples, seed$"):
        outcome("bootstrap", A, B, flips=10)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("level", [0.05, 0.1])
def test_the_critical_rank_sum_is_that_of_all_signs(alternative, level):
    n = 7
    values = {"a": [rank / 16 for rank in range(1, n + 1)], "b": [0.0] * n}
    compared = compare(values, "b", test="wilcoxon", alternative=alternative, level=level)
    sums = sorted(sum(chosen) for size in range(n + 1) for chosen in itertools.combinations(range(1, n + 1), size))
    tail = Fraction(str(level)) / (2 if alternative == "two-sided" else 1)
    low = max(w for w in sums if Fraction(sum(s <= w for s in sums), len(sums)) < tail)
    expected = n * (n + 1) // 2 - low if alternative == "greater" else low
    assert compared.working(compared.rows[0])["critical"] == expected


@pytest.mark.parametrize("first", ["tests", "pairs", "simultaneous"])
def test_the_catalogue_has_one_order_whichever_module_is_imported_first(first: str) -> None:
    listed = "from cranfield.statistics.tests import known_tests; print(list(known_tests()))"
    done = subprocess.run(
        [sys.executable, "-c", f"import cranfield.statistics.{first}; {listed}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ast.literal_eval(done.stdout) == list(known_tests())
