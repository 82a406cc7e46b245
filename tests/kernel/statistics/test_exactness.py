"""Where p-values are counted and where they are approximated, and that each test says which."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from cranfield.errors import BadSetting
from cranfield.evidence.samples import samples
from cranfield.statistics.effects import effects
from cranfield.statistics.pairs import _counted
from cranfield.statistics.tests import Outcome, find

SIDES = ("two-sided", "greater", "less")


def wilcoxon(*columns: np.ndarray, **settings: object) -> Outcome:
    """The test of each column of differences against a system that has 0 throughout."""
    longest = max(map(len, columns))
    rows = {f"s{place}": np.append(each, np.zeros(longest - len(each))) for place, each in enumerate(columns)}
    return find("wilcoxon")(samples({**rows, "none": np.zeros(longest)}).pairs("none"), **settings)


def untied(n: int) -> np.ndarray:
    sign = np.random.default_rng(n).choice([-1, 1, 1], n)
    return sign * np.arange(1.0, n + 1)


def tied(n: int) -> np.ndarray:
    column = untied(n)
    column[:2] = 1.0
    return column


def counted(column: np.ndarray, side: str) -> float:
    """The share of the ways to choose signs whose sum of positive ranks is as far out."""
    ranks = stats.rankdata(np.abs(column))
    observed = ranks[column > 0].sum()
    sums = np.array(list(product((0, 1), repeat=len(column)))) @ ranks
    greater, less = (sums >= observed).mean(), (sums <= observed).mean()
    return {"greater": greater, "less": less, "two-sided": min(1, 2 * min(greater, less))}[side]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("column", [untied(12), tied(7), untied(3), tied(2)], ids=len)
def test_few_differences_are_counted_over_all_signs(column, side):
    found = wilcoxon(column, alternative=side)
    assert found.p == pytest.approx([counted(column, side)], abs=1e-12)
    assert found.remark == f"{len(column)} differences, zeros excluded; exact p-values"


def test_thirteen_differences_are_counted_where_sizes_tie_too():
    assert wilcoxon(tied(13)).p == pytest.approx([counted(tied(13), "two-sided")], abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_many_differences_are_counted_up_to_fifty_and_tied_ones_up_to_thirteen(side):
    for column, method in ((untied(50), "exact"), (untied(51), "approx"), (tied(14), "approx")):
        found = wilcoxon(column, alternative=side)
        assert found.p == pytest.approx([stats.wilcoxon(column, alternative=side, method=method).pvalue], abs=1e-12)
        said = "exact p-values" if method == "exact" else "p-values from the normal approximation"
        assert found.remark == f"{len(column)} differences, zeros excluded; {said}"


def test_pairs_of_which_only_some_are_counted_say_so():
    ways = "exact p-values for up to 50 differences, or 13 with ties, otherwise from the normal approximation"
    assert wilcoxon(untied(50), untied(51)).remark == f"50 to 51 differences, zeros excluded; {ways}"
    assert wilcoxon(tied(14), untied(14)).remark == f"14 differences, zeros excluded; {ways}"
    assert wilcoxon(untied(9), untied(20), untied(7)).remark == "7 to 20 differences, zeros excluded; exact p-values"
    for exact, other in (((50, False), (51, False)), ((13, True), (14, True)), ((14, False), (14, True))):
        assert _counted([exact, other]) == ways
        assert _counted([exact]) == "exact p-values"
        assert _counted([other]) == "p-values from the normal approximation"


def test_one_difference_is_one():
    assert wilcoxon(np.array([0.3, 0.0])).remark == "1 difference, zeros excluded; exact p-values"


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_intervals_of_differences_are_those_of_each_pair_alone(level):
    rng = np.random.default_rng(6)
    values = {"a": rng.random(9).round(1), "b": rng.random(9).round(1), "c": rng.random(9).round(1)}
    data = samples({**values, "d": values["a"] + 0.25})
    pairs = data.pairs()
    found = effects(pairs, level=level)
    for place, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        apart = (data.values[first] - data.values[second]).round(12)
        assert found.difference[place] == pytest.approx(apart.mean())
        assert (found.wins[place], found.losses[place]) == ((apart > 0).sum(), (apart < 0).sum())
        assert found.wins[place] + found.ties[place] + found.losses[place] == 9
        if np.ptp(apart) < 1e-12:
            assert np.isnan([found.low[place], found.high[place], found.d_z[place]]).all()
            continue
        wanted = stats.ttest_1samp(apart, 0).confidence_interval(1 - level)
        assert (found.low[place], found.high[place]) == pytest.approx(tuple(wanted))
        assert found.d_z[place] == pytest.approx(apart.mean() / apart.std(ddof=1))


def test_the_interval_of_a_difference_is_t_or_bca():
    pairs = samples({"a": [0.1, 0.5, 0.3], "b": [0.2, 0.2, 0.2]}).pairs()
    with pytest.raises(BadSetting, match="must be one of 't', 'bca', not 'wald'"):
        effects(pairs, interval="wald")
    assert effects(pairs, interval="bca").low != effects(pairs).low


@pytest.mark.parametrize("margin", [None, 0.0, -0.1, float("inf"), float("nan")])
def test_a_margin_lies_above_0(margin):
    with pytest.raises(BadSetting, match="needs a margin above 0"):
        find("tost")(samples({"a": [0.1, 0.5], "b": [0.2, 0.2]}).pairs(), margin=margin)


def test_equivalence_has_an_interval_at_twice_the_level_which_must_be_below_a_half():
    a, b = np.random.default_rng(2).random((2, 12))
    pairs = samples({"a": a, "b": b}).pairs()
    for level in (0.05, 0.49):
        found = find("tost")(pairs, margin=0.2, level=level)
        wanted = stats.ttest_rel(a, b).confidence_interval(1 - 2 * level)
        assert found.half_width == pytest.approx([(wanted.high - wanted.low) / 2])
    assert found.remark == "margin 0.2"
    with pytest.raises(BadSetting, match=r"needs a level below 0\.5, not 0\.5"):
        find("tost")(pairs, margin=0.2, level=0.5)


@pytest.mark.parametrize("level", [0.05, 0.3])
def test_intervals_of_folds_are_where_their_tests_would_just_reject(level):
    a, b = np.random.default_rng(12).normal(0.5, 0.1, (2, 10))
    apart = a - b
    pairs = samples({"a": a, "b": b}).pairs()
    corrected = find("corrected t")(pairs, overlap=0.2, level=level)
    error = np.sqrt((1 / 10 + 0.2) * apart.var(ddof=1))
    assert corrected.half_width == pytest.approx([stats.t.ppf(1 - level / 2, 9) * error])
    assert (corrected.error, corrected.remark) == (pytest.approx([error]), "overlap 0.2")
    t = find("5x2cv")(pairs, variant="t", level=level)
    halves = apart.reshape(5, 2)
    deviation = np.sqrt(halves.var(axis=1, ddof=1).mean())
    assert t.half_width == pytest.approx([stats.t.ppf(1 - level / 2, 5) * deviation])
    assert t.centre == pytest.approx([apart[0]])
    moved = apart - apart.mean()
    edge = find("5x2cv")(pairs, level=level).half_width[0]
    if not np.isnan(edge):
        again = find("5x2cv")(samples({"a": moved + edge, "b": np.zeros(10)}).pairs())
        assert again.p == pytest.approx([level])
    with pytest.raises(BadSetting, match="needs the overlap"):
        find("corrected t")(pairs)


def test_a_pair_that_does_not_differ_is_not_shown_to_be_equivalent_and_has_a_p_of_1_by_other_tests():
    a, b = np.random.default_rng(2).random((2, 12))
    pairs = samples({"a": a, "same": a, "b": b}).pairs("a")
    for name, settings, p in (("tost", {"margin": 0.2}, np.nan), ("t", {}, 1.0), ("bootstrap", {}, 1.0)):
        found = find(name)(pairs, **settings)
        assert found.p[0] == pytest.approx(p, nan_ok=True)
        alone = find(name)(samples({"b": b, "a": a}).pairs("a"), **settings)
        assert found.p[1] == alone.p[0]


@pytest.mark.parametrize(
    ("test", "setting", "usual", "said"),
    [
        ("randomisation", "resamples", 100_000, "100,000 permutations, seed 0"),
        ("bootstrap", "resamples", 10_000, "10,000 resamples, seed 0"),
        ("randomised tukey", "resamples", 10_000, "10,000 permutations, seed 0"),
    ],
)
def test_what_is_drawn_is_drawn_as_often_as_is_said(test, setting, usual, said):
    a, b = np.random.default_rng(2).random((2, 25))
    pairs = samples({"a": a, "b": b}).pairs()
    assert (find(test).settings[setting], find(test).settings["seed"]) == (usual, 0)
    found = find(test)(pairs)
    assert found.remark == said
    assert (found.p[0] * (usual + 1)) % 1 == pytest.approx(0, abs=1e-6)
