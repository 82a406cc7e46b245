"""The figures behind each statistic: critical values and regions, at the values where the decision changes."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy import stats

from cranfield import compare
from cranfield.evidence.samples import samples
from cranfield.statistics.pairs import EXACT, largest_rank_sum, ranked_values, signed_ranks
from cranfield.statistics.tests import Outcome, find, known_tests

SIDES = ("two-sided", "greater", "less")


def against_zero(test: str, *columns: list[float], **settings: object) -> Outcome:
    rows = {f"s{place}": column for place, column in enumerate(columns)}
    return find(test)(samples({**rows, "zero": [0.0] * len(columns[0])}).pairs("zero"), **settings)


@pytest.mark.parametrize("n", [1, 2, 4, 5, 8])
@pytest.mark.parametrize("level", [0.025, 0.05, 0.1, 0.5])
def test_the_largest_significant_rank_sum_is_that_of_all_signs(n, level):
    sums = np.array(list(product((0, 1), repeat=n))) @ np.arange(1, n + 1)
    below = [w for w in range(n * (n + 1) // 2 + 1) if (sums <= w).mean() < level]
    assert largest_rank_sum(n, level) == (max(below) if below else None)


def test_a_tail_as_large_as_the_level_is_not_significant():
    assert largest_rank_sum(3, 1 / 8) is None
    assert largest_rank_sum(3, 1 / 8 + 1e-9) == 0
    assert largest_rank_sum(3, 2 / 8 + 1e-9) == 1


@pytest.mark.parametrize("side", SIDES)
def test_the_region_of_wilcoxon_rejects_exactly_what_is_significant(side):
    rng = np.random.default_rng(3)
    columns = [list(rng.choice([-1, 1], 7) * rng.permutation(np.arange(1.0, 8))) for _ in range(40)]
    found = against_zero("wilcoxon", *columns, alternative=side, level=0.1)
    for statistic, p, figures in zip(found.statistic, found.p, found.working, strict=True):
        critical = figures["critical"]
        word = "more" if side == "greater" else "less"
        assert figures["region"] == f"H0 is rejected if W is {critical:g} or {word}"
        rejected = statistic >= critical if side == "greater" else statistic <= critical
        assert rejected == (p < 0.1)
        assert (figures["nonzero"], figures["expected"]) == (7, 14)
        assert figures["positive_ranks"] + figures["negative_ranks"] == 28
        assert statistic == {
            "two-sided": min(figures["positive_ranks"], figures["negative_ranks"]),
        }.get(side, figures["positive_ranks"])


@pytest.mark.parametrize(("n", "known"), [(EXACT, True), (EXACT + 1, False)])
def test_critical_rank_sums_are_known_up_to_fifty_differences(n, known):
    assert EXACT == 50
    found = against_zero("wilcoxon", [float(i + 1) for i in range(n)])
    assert ("critical" in found.working[0]) is known


@pytest.mark.parametrize("column", [[1.0, 2, 3, 4, 5, 6, 6], [0.0, 1, 2, 3, 4, 5, 6]])
@pytest.mark.parametrize("variant", ["wilcox", "pratt"])
def test_ties_and_zeros_have_no_critical_rank_sum(column, variant):
    found = against_zero("wilcoxon", column, variant=variant)
    assert ("critical" in found.working[0]) is (variant == "wilcox" and 0 in column)


def test_too_few_differences_are_never_significant():
    found = against_zero("wilcoxon", [1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.working[0]["region"] == "no W of 5 nonzero differences is significant at this level"
    assert "critical" not in found.working[0]
    assert against_zero("wilcoxon", [1.0, 2, 3, 4, 5], alternative="greater").working[0]["critical"] == 15
    assert against_zero("wilcoxon", [-1.0, -2, -3, -4, -5], alternative="less").working[0]["critical"] == 0


def test_differences_are_ranked_by_size_and_keep_their_sign():
    assert signed_ranks(np.array([0.5, -2.0, 0.0, 0.5, -0.1])).tolist() == [3.5, -5, 0, 3.5, -2]
    apart, size = np.array([0.3 - 0.2, 0.0, 0.1 - 0.2, 0.4]), np.array([0.3, 1.0, 0.2, 0.4])
    ranked = ranked_values(apart, size, zeros=True)
    assert (ranked[0], ranked[1], ranked[3]) == (-ranked[2], 0, 0.4)
    assert ranked_values(apart, size).tolist() == ranked[[0, 2, 3]].tolist()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [1, 4, 5, 6, 9])
def test_the_region_of_the_sign_test_rejects_exactly_what_is_significant(side, n):
    rejected = [k for k in range(n + 1) if stats.binomtest(k, n, alternative=side).pvalue < 0.05]
    many, few = [k for k in rejected if k > n / 2], [k for k in rejected if k < n / 2]
    of_n = f"of {n} nonzero difference{'s' * (n > 1)}"
    words = [f"{k} or more" for k in many[:1]] + [f"{k} or fewer" for k in few[-1:]]
    region = f"H0 is rejected if {', or '.join(words)} {of_n} are positive"
    found = against_zero("sign", [1.0] * n + [0.0], alternative=side)
    assert found.working[0]["region"] == (region if words else f"no number {of_n} is significant at this level")
    assert (found.working[0]["nonzero"], found.working[0]["losses"], found.working[0]["expected"]) == (n, 0, n / 2)


def test_the_cells_of_mcnemar_add_up():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 2, (2, 40))
    for variant in ("exact", "mid-p", "chi-square"):
        found = find("mcnemar")(samples({"one": one, "other": other}).pairs("other"), variant=variant)
        figures = found.working[0]
        counted = [((one == a) & (other == b)).sum() for a, b in ((1, 0), (0, 1), (1, 1), (0, 0))]
        assert [figures[cell] for cell in ("only_first", "only_second", "both_right", "both_wrong")] == counted
        assert figures["nonzero"] == counted[0] + counted[1]
        assert ("region" in figures) is (variant != "mid-p")
    assert figures["critical"] == pytest.approx(stats.chi2.ppf(0.95, 1))
    assert (found.symbol, found.freedom) == ("chi-square", "1 degree of freedom")
    strict = find("mcnemar")(samples({"one": one, "other": other}).pairs("other"), variant="chi-square", level=0.01)
    assert strict.working[0]["critical"] == pytest.approx(stats.chi2.ppf(0.99, 1))


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_the_figures_of_equivalence_are_two_one_sided_tests(level):
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.1, 0.2, 12), rng.normal(0, 0.2, 12)
    found = find("tost")(samples({"a": a, "b": b}).pairs("b"), margin=0.3, level=level)
    figures = found.working[0]
    assert figures["above_lower"] == pytest.approx(stats.ttest_1samp(a - b, -0.3).statistic)
    assert figures["below_upper"] == pytest.approx(stats.ttest_1samp(a - b, 0.3).statistic)
    assert figures["critical"] == pytest.approx(stats.t.ppf(level, 11))
    assert figures["region"] == f"H0 is rejected if t is below {stats.t.ppf(level, 11):.4g}"
    assert (figures["deviation"], figures["error"]) == pytest.approx(((a - b).std(ddof=1), stats.sem(a - b)))


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_critical_differences_separate_what_is_significant(level):
    rng = np.random.default_rng(5)
    data = samples({name: rng.normal(shift, 1, 15) for name, shift in zip("abcd", (0, 0.3, 1.2, 2), strict=True)})
    for name, pairs in (("tukey", data.pairs()), ("dunnett", data.pairs("a")), ("nemenyi", data.pairs())):
        found = find(name)(pairs, level=level)
        symbol = "t" if name == "dunnett" else "q"
        for statistic, p, figures in zip(found.statistic, found.p, found.working, strict=True):
            assert (abs(statistic) > figures["critical"]) == (p < level)
            assert figures["critical_difference"] == pytest.approx(figures["critical"] * figures["error"])
            region = f"H0 is rejected if {symbol} is above {figures['critical']:.4g} or below its negative"
            assert figures["region"] == region
    one_sided = find("dunnett")(data.pairs("a"), alternative="greater")
    assert "region" not in one_sided.working[0]
    assert one_sided.freedom == "3 comparisons, 42 degrees of freedom"
    assert find("tukey")(data.pairs()).freedom == "4 systems, 42 degrees of freedom"


def test_the_figures_of_nemenyi_are_mean_ranks():
    values = {"a": [1.0, 2, 3, 6], "b": [2.0, 4, 3, 7], "c": [5.0, 1, 9, 8]}
    ranks = stats.rankdata([[-value for value in own] for own in values.values()], axis=0).mean(axis=1)
    found = find("nemenyi")(samples(values).pairs())
    pairs = [(0, 1), (0, 2), (1, 2)]
    for (i, j), statistic, figures in zip(pairs, found.statistic, found.working, strict=True):
        assert (figures["mean_rank"], figures["baseline_mean_rank"]) == pytest.approx((ranks[i], ranks[j]))
        assert statistic == pytest.approx((ranks[i] - ranks[j]) / np.sqrt(3 * 4 / (12 * 4)))
    critical = stats.studentized_range.ppf(0.95, 3, np.inf) * 0.5
    assert found.working[0]["critical_difference"] == pytest.approx(critical)
    assert found.remark == (
        f"mean ranks, 1 for the best: a 2.625, b 1.875, c 1.5; critical difference {critical:.4g} at level 0.05"
    )
    assert found.freedom == "3 systems"


def test_systems_without_residuals_have_no_analysis_of_variance():
    apart = samples({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.4, 0.5], "c": [0.1, 0.2, 0.3]})
    for name in ("tukey", "dunnett"):
        found = find(name)(apart.pairs("a") if name == "dunnett" else apart.pairs())
        assert found.omnibus is None
        assert np.isnan(found.half_width).all()
        assert found.statistic[[0, 1]].tolist() == pytest.approx([np.nan, 0], nan_ok=True)
    same = find("tukey")(samples({"a": [0.1, 0.2], "b": [0.1, 0.2]}).pairs()).omnibus
    assert (same.statistic, same.p) == (0, 1)


def test_friedmans_test_of_systems_that_always_tie_is_0():
    found = find("nemenyi")(samples({"a": [1.0, 2], "b": [1.0, 2], "c": [1.0, 2]}).pairs()).omnibus
    assert (found.statistic, found.p) == (0, 1)


@pytest.mark.parametrize("name", known_tests())
def test_each_test_is_declared_with_what_it_allows_for_and_needs(name):
    test = find(name)
    settings = {"tost": {"margin": 0.1}, "corrected t": {"overlap": 0.1}}.get(name, {})
    values = samples({"a": [0, 1] * 5, "b": [0, 0, 1, 1, 1, 0, 1, 0, 1, 1]})
    assert len(test(values.pairs("b"), **settings).p) == 1
    assert test.simultaneous == (name in {"tukey", "dunnett", "randomised tukey", "nemenyi"})
    assert test.equivalence == (name == "tost")
    assert test.varying == (name in {"t", "bootstrap", "tost", "corrected t"})


def test_a_printed_subtraction_is_right_as_it_stands() -> None:
    """0.6137 - 0.5840 is not 0.02963: the operands have as many decimals as the difference needs."""
    values = {"a": [0.9, 0.33, 0.611], "b": [0.87, 0.3, 0.5821]}
    steps = compare(values).steps()
    printed = re.search(r"mean difference: (\S+) - (\S+) = (\S+);", steps)
    assert printed
    left, right, difference = printed.groups()
    decimals = len(difference.partition(".")[2])
    assert f"{Decimal(left) - Decimal(right):.{decimals}f}" == difference
    assert len(left.partition(".")[2]) >= decimals
