"""Many systems: Dunnett's test, step-down max-T, simultaneous intervals, Pratt's zeros.

Oracles are SciPy's Dunnett test of independent groups, printed tables, closed testing and enumeration.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

import cranfield
from cranfield.errors import BadSetting
from cranfield.evidence.samples import samples
from cranfield.statistics.distributions import many_to_one_quantile, many_to_one_tail
from cranfield.statistics.pairs import randomised, simultaneous_critical_value
from cranfield.statistics.tests import find

RNG = np.random.default_rng(21)
VALUES = RNG.normal(size=(1, 25)) + RNG.normal(size=(4, 25)) * 0.5 + np.array([[0.0], [0.1], [0.3], [0.6]])
SYSTEMS = samples(dict(zip("abcd", VALUES, strict=True)))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_dunnett_with_two_systems_is_the_paired_t_test(alternative):
    two = samples({"a": VALUES[0], "b": VALUES[1]}).pairs("a")
    found, t = (find(name)(two, alternative=alternative) for name in ("dunnett", "t"))
    assert found.p == pytest.approx(t.p, abs=1e-9)
    assert found.statistic == pytest.approx(t.statistic)


@pytest.mark.parametrize(
    ("others", "freedom", "printed"),
    [(2, 10, 2.57), (5, 10, 2.99), (2, 20, 2.38), (3, 20, 2.54), (5, 20, 2.73), (3, np.inf, 2.35)],
)
def test_critical_values_are_those_of_printed_tables(others, freedom, printed):
    assert many_to_one_quantile(0.95, others, freedom) == pytest.approx(printed, abs=0.0051)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_tail_is_that_of_scipys_test_of_independent_groups(alternative):
    groups = RNG.normal(size=(4, 8)) + np.array([[0], [0.2], [0.9], [-0.5]])
    expected = stats.dunnett(*groups[1:], control=groups[0], alternative=alternative, rng=np.random.default_rng(1))
    found = many_to_one_tail(expected.statistic, 3, 28, alternative)
    assert found == pytest.approx(expected.pvalue, abs=2e-4)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("freedom", [1, 2, 9, 10, 60, np.inf])
def test_the_largest_of_one_t_is_that_t(alternative, freedom):
    t = np.array([-2.5, -0.3, 0.0, 1.0, 4.0])
    tails = {"two-sided": 2 * stats.t.sf(np.abs(t), freedom), "greater": stats.t.sf(t, freedom)}
    assert many_to_one_tail(t, 1, freedom, alternative) == pytest.approx(
        tails.get(alternative, stats.t.cdf(t, freedom)), abs=1e-9
    )


@pytest.mark.parametrize("others", [2, 3])
def test_values_that_share_a_mean_correlate_by_a_half(others):
    joint = stats.multivariate_normal(cov=0.5 * np.eye(others) + 0.5)
    for t in (-0.5, 0.0, 1.0, 2.2):
        above = 1 - joint.cdf(np.full(others, t))
        assert many_to_one_tail(np.array([t]), others, np.inf, "greater") == pytest.approx([above], abs=1e-4)
        assert many_to_one_tail(np.array([-t]), others, np.inf, "less") == pytest.approx([above], abs=1e-4)


@pytest.mark.parametrize(("others", "freedom"), [(1, 8), (3, 12), (4, np.inf)])
@pytest.mark.parametrize("probability", [0.5, 0.99])
def test_the_quantile_of_the_largest_t_leaves_the_rest_beyond_it(others, freedom, probability):
    t = many_to_one_quantile(probability, others, freedom)
    assert many_to_one_tail(np.array([t, -t]), others, freedom) == pytest.approx([1 - probability] * 2, abs=1e-10)


def test_dunnett_uses_what_systems_and_queries_leave_unexplained():
    left = VALUES - VALUES.mean(1, keepdims=True) - VALUES.mean(0) + VALUES.mean()
    error = np.sqrt(2 * (left**2).sum() / 72 / 25)
    found = cranfield.compare(dict(zip("abcd", VALUES, strict=True)), "a", test="dunnett")
    row = found.row("d")
    assert row.statistic == pytest.approx((VALUES[3].mean() - VALUES[0].mean()) / error)
    assert row.high - row.difference == pytest.approx(many_to_one_quantile(0.95, 3, 72) * error)
    assert found.allowance == "the test itself, over all comparisons with the baseline"
    assert found.bounds == "95 % Dunnett, simultaneous"


def test_dunnett_needs_a_baseline():
    with pytest.raises(BadSetting, match="name it as the baseline"):
        find("dunnett")(SYSTEMS.pairs())


def max_t_by_hand(difference: np.ndarray, alternative: str) -> np.ndarray:
    """The p-value of the greatest |t| or t of all columns, over all flips, for the hypothesis that all are null."""
    n = len(difference)
    turned = {"two-sided": np.abs, "greater": np.asarray, "less": np.negative}[alternative]

    def t(values: np.ndarray) -> np.ndarray:
        return turned(values.mean(axis=0) / (values.std(axis=0, ddof=1) / np.sqrt(n)))

    flips = [np.array(signs)[:, None] for signs in product((1, -1), repeat=n)]
    greatest = np.array([t(signs * difference).max() for signs in flips])
    return np.mean(greatest >= t(difference).max() - 1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_stepping_down_is_closed_testing(alternative):
    difference = np.random.default_rng(3).normal([0.2, 0.9, 0.0, 0.6], 1, (8, 4))
    subsets = [list(chosen) for size in range(1, 5) for chosen in combinations(range(4), size)]
    p = {tuple(chosen): max_t_by_hand(difference[:, chosen], alternative) for chosen in subsets}
    closed = [max(value for chosen, value in p.items() if column in chosen) for column in range(4)]
    found = randomised(difference, 1, 0, alternative)
    assert found.stepped == pytest.approx(closed, abs=1e-12)
    assert (found.p <= found.stepped).all()
    assert (found.stepped <= found.greatest).all()


def test_the_reach_of_simultaneous_intervals_is_a_quantile_of_the_greatest_t():
    difference = np.random.default_rng(4).normal(0.3, 1, (9, 3))
    centred = difference - difference.mean(axis=0)
    greatest = []
    for signs in product((1, -1), repeat=9):
        flipped = np.array(signs)[:, None] * centred
        greatest.append(np.abs(flipped.mean(axis=0) / (flipped.std(axis=0, ddof=1) / 3)).max())
    expected = np.sort(greatest)[int(np.ceil(0.95 * 512))]
    assert simultaneous_critical_value(difference, 1, 0, 0.05) == pytest.approx(expected)


def test_the_reach_of_one_difference_leaves_out_those_that_do_not_vary():
    difference = np.random.default_rng(4).normal(0.3, 1, (7, 3))
    difference[:, 1] = 0.25
    assert simultaneous_critical_value(difference, 1, 0, 0.1) == simultaneous_critical_value(
        difference[:, [0, 2]], 1, 0, 0.1
    )


@pytest.mark.parametrize(("level", "reached"), [(0.125, True), (0.12, False)])
def test_too_few_units_have_no_reach(level, reached):
    """Three units have eight arrangements: at a level below 1/8, none is beyond the reach."""
    found = simultaneous_critical_value(np.array([[1.0], [2.0], [4.0]]), 1, 0, level)
    assert np.isfinite(found) == reached


def test_flips_of_many_columns_are_those_of_few(monkeypatch):
    difference = np.random.default_rng(8).normal(size=(12, 4))
    wide, reach = randomised(difference, 1, 0), simultaneous_critical_value(difference, 1, 0, 0.1)
    monkeypatch.setattr("cranfield.statistics.pairs.FEW", 1)
    monkeypatch.setattr("cranfield.statistics.resampling.FEW", 1)
    assert randomised(difference, 1, 0).stepped == pytest.approx(wide.stepped)
    assert simultaneous_critical_value(difference, 1, 0, 0.1) == pytest.approx(reach)


def test_joint_p_values_are_only_computed_if_requested():
    difference = np.random.default_rng(8).normal(size=(6, 2))
    alone, both = (randomised(difference, 1, 0, joint=joint) for joint in (False, True))
    assert np.isnan([alone.greatest, alone.stepped]).all()
    assert alone.p.tolist() == both.p.tolist() == (both.n_extreme / 64).tolist()
    assert (both.n_flips, both.exact, both.remark(3)) == (64, True, "all 64 permutations")


def test_random_flips_count_the_data_as_one_of_them():
    difference = np.random.default_rng(8).normal(0.3, 1, size=(21, 2))
    found = randomised(difference, 99, 5)
    assert (found.n_flips, found.exact, found.remark(5)) == (99, False, "99 permutations, seed 5")
    assert found.p == pytest.approx((found.n_extreme + 1) / 100)
    assert (np.round(found.greatest * 100, 9) % 1 == 0).all()
    assert found.stepped.max() == pytest.approx(found.p.max())  # the last hypothesis is tested alone
    assert found.stepped.min() == found.greatest.min()


def test_simultaneous_intervals_are_wider_than_single_ones_and_say_so():
    values = dict(zip("abcd", VALUES, strict=True))
    settings = {"test": "randomisation", "correction": "step-down max-T", "resamples": 2_000}
    single, joint = (cranfield.compare(values, simultaneous=each, **settings) for each in (False, True))
    for narrow, wide in zip(single.rows, joint.rows, strict=True):
        assert wide.low < narrow.low < narrow.high < wide.high
    assert "max-T, simultaneous" in joint.bounds
    holm, bonferroni = (cranfield.compare(values, correction=c, simultaneous=True) for c in ("holm", "bonferroni"))
    assert [(r.low, r.high) for r in holm.rows] == [(r.low, r.high) for r in bonferroni.rows]
    assert holm.bounds == "95 % t, simultaneous; decisions follow the adjusted p-value (paired t-test) and may differ"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"correction": "none"}, "or max-T, not none"),
        ({"test": "nemenyi"}, "has no simultaneous intervals"),
        ({"test": "randomisation", "correction": "max-T", "interval": "bca"}, "not BCa"),
    ],
)
def test_simultaneous_intervals_that_are_not_known_are_refused(settings, said):
    with pytest.raises(BadSetting, match=said):
        cranfield.compare(dict(zip("abcd", VALUES, strict=True)), simultaneous=True, **settings)


def test_units_too_few_for_simultaneous_intervals_have_none():
    compared = cranfield.compare(
        {"a": [1, 2, 3.5], "b": [2, 4, 3.0]}, test="randomisation", correction="max-T", simultaneous=True
    )
    assert compared.rows[0].interval == ""


def pratt_by_hand(difference: list[float]) -> tuple[float, float]:
    """The smaller rank sum with zeros ranked and then dropped, and its two-sided p-value over all signs."""
    size = sorted(map(abs, difference))
    ranks = [np.mean([place for place, other in enumerate(size, 1) if other == abs(d)]) for d in difference if d]
    total = sum(ranks)
    positive = sum(rank for rank, d in zip(ranks, filter(None, difference), strict=True) if d > 0)
    sums = [sum(r for r, up in zip(ranks, signs, strict=True) if up) for signs in product((0, 1), repeat=len(ranks))]
    far = np.mean([abs(each - total / 2) >= abs(positive - total / 2) - 1e-9 for each in sums])
    return min(positive, total - positive), float(far)


def test_pratt_ranks_zeros_and_then_leaves_them_out():
    difference = [0.0, 0.0, 0.0, -1.0, -1.5, 3.0, -2.0, 5.0, 5.0, 6.0]
    pairs = samples({"a": difference, "b": [0.0] * 10}).pairs("b")
    statistic, p = pratt_by_hand(difference)
    found = find("wilcoxon")(pairs, variant="pratt")
    assert found.statistic == pytest.approx([statistic])
    assert found.p == pytest.approx([p])
    assert found.p != pytest.approx(find("wilcoxon")(pairs).p)
    assert "zeros ranked, then excluded (Pratt)" in found.remark


def test_the_signed_ranks_of_pratt_are_shown():
    values = {"a": [0.0, 0.0, 1.0, -2.0], "b": [0.0] * 4}
    compared = cranfield.compare(values, "b", test="wilcoxon", variant="pratt")
    assert [each["signed_rank"] for each in compared.records(steps=True)["ranks"]] == [None, None, 3.0, -4.0]
    assert compared.settings["variant"] == "pratt"
    assert compared.working(compared.rows[0])["positive_ranks"] == 3
