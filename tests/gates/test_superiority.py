"""One-sided tests of superiority and non-inferiority, beside SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples
from cranfield.statistics.pairs import superiority, units_to_show
from cranfield.statistics.power import units_needed
from cranfield.statistics.simultaneous import corrected_t

SCORES = st.integers(0, 20).map(lambda n: n / 20)


def pair(new, old, **settings):
    units = tuple(map(str, range(len(new))))
    return Samples(("new", "old"), units, np.array([new, old], float), **settings).pairs("old")


@given(st.lists(st.tuples(SCORES, SCORES), min_size=5, max_size=30), st.sampled_from([0.0, 0.01, 0.2]))
def test_it_is_scipys_one_sample_test_of_the_shifted_differences(values, margin):
    new, old = map(np.array, zip(*values, strict=True))
    difference = new - old
    shown = superiority(pair(new, old), margin, 0.05)
    if np.ptp(difference) < 1e-12:
        return
    expected = stats.ttest_1samp(difference, -margin, alternative="greater")
    assert shown.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert shown.bound == pytest.approx(expected.confidence_interval(0.95).low, abs=1e-9)
    assert (shown.bound > -margin) == (shown.p < 0.05)


def test_lower_values_may_be_better():
    new, old = [0.1, 0.3, 0.2, 0.2, 0.1], [0.4, 0.5, 0.3, 0.6, 0.5]
    worse, better = (superiority(pair(new, old, lower_is_better=lower), 0, 0.05) for lower in (False, True))
    assert worse.p > 0.9 > 0.05 > better.p
    assert worse.improvement == -better.improvement


@pytest.mark.parametrize(("n_units", "passes"), [(1, False), (2, False), (4, False), (5, True), (50, True)])
def test_an_unchanged_system_passes_only_on_enough_queries(n_units, passes):
    values = [1.0] * n_units
    shown = superiority(pair(values, values), 0.01, 0.05)
    assert shown.p == stats.binomtest(n_units, n_units, alternative="greater").pvalue
    assert (shown.p < 0.05) is passes
    assert superiority(pair(values, values), 0, 0.05).p == 1  # and is not better


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize(("n_units", "passes"), [(2, False), (3, False), (4, False), (5, True)])
def test_few_queries_that_hardly_differ_pass_no_sooner_than_unchanged_ones(n_units, passes, margin):
    old = np.full(n_units, 0.5)
    shown = superiority(pair(old + np.linspace(0.001, 0.0011, n_units), old), margin, 0.05)
    assert (shown.p < 0.05) is (shown.bound > -margin) is passes
    assert passes or shown.p == 0.5**n_units
    assert units_to_show(pair([0.501, 0.502], [0.5, 0.5]), margin, 0.05) == 5


def test_the_same_loss_everywhere_fails_beyond_the_margin():
    old = np.linspace(0.2, 0.9, 20)
    assert superiority(pair(old - 0.02, old), 0.01, 0.05) == (pytest.approx(-0.02), pytest.approx(-0.02), 1.0)
    assert superiority(pair(old - 0.005, old), 0.01, 0.05).p < 0.05


def test_at_the_margin_one_set_in_twenty_passes():
    chance = np.random.default_rng(3)
    old = chance.random((1000, 12))
    new = old - 0.1 + chance.normal(0, 0.3, old.shape)
    passed = [superiority(pair(*both), 0.1, 0.05).p < 0.05 for both in zip(new, old, strict=True)]
    assert stats.binomtest(sum(passed), len(passed), 0.05).pvalue > 0.001


def test_as_many_units_as_are_said_to_be_needed_show_it_four_times_in_five():
    chance = np.random.default_rng(5)
    pilot = pair(chance.normal(0, 0.2, 40), np.zeros(40))
    needed = units_to_show(pilot, 0.05, 0.05)
    spread = float(pilot.deviation[0])
    draws = [pair(chance.normal(0, spread, needed), np.zeros(needed)) for _ in range(500)]
    passed = sum(superiority(drawn, 0.05, 0.05).p < 0.05 for drawn in draws)
    assert stats.binomtest(passed, 500, 0.8).pvalue > 0.001


def test_no_number_of_queries_shows_an_improvement_that_is_not_there():
    same, less = [0.5, 0.5, 0.5], [0.5, 0.25, 0.5]
    assert units_to_show(pair(same, same), 0, 0.05) is None
    assert units_to_show(pair(less, same), 0, 0.05) is None


@pytest.mark.parametrize("level", [0.25, 0.05, 0.01])
def test_without_variance_so_many_queries_are_needed_as_coins_that_all_fall_on_heads(level):
    needed = units_to_show(pair([0.5, 0.5], [0.25, 0.25]), 0, level)
    assert superiority(pair([0.5] * needed, [0.25] * needed), 0, level).p < level
    assert superiority(pair([0.5] * (needed - 1), [0.25] * (needed - 1)), 0, level).p >= level


@pytest.mark.parametrize(
    ("margin", "level", "message"),
    [(-0.1, 0.05, "margin"), (math.nan, 0.05, "margin"), (0.1, 0.5, "below 0.5"), (0.1, 0, "level")],
)
def test_settings_out_of_range_are_refused(margin, level, message):
    with pytest.raises(BadSetting, match=message):
        superiority(pair([1, 2], [2, 3]), margin, level)


def test_no_improvement_with_a_margin_needs_as_many_units_as_an_improvement_of_the_margin():
    values = np.random.default_rng(1).normal(0, 0.2, 30)
    pairs = pair(values, np.zeros(30))
    expected = units_needed(0.1, float(values.std(ddof=1)), power=0.8, level=0.05, alternative="greater")
    assert units_to_show(pairs, 0.1, 0.05) == expected
    better = pair(values - values.mean() + 0.1, np.zeros(30))
    assert units_to_show(better, 0, 0.05) == expected
    assert units_to_show(pair(-values + values.mean() - 0.1, np.zeros(30), lower_is_better=True), 0, 0.05) == expected


def test_one_unit_or_an_effect_too_small_to_compute_has_no_number():
    assert units_to_show(pair([0.5], [0.25]), 0, 0.05) is None
    assert units_to_show(pair([1.0, -1.0, 1e-5], [0.0, 0.0, 0.0]), 0, 0.05) is None


@pytest.mark.parametrize(("loss", "p"), [(0.25, 1.0), (0.125, 0.5**6)])
def test_a_loss_as_large_as_the_margin_is_not_within_it(loss, p):
    shown = superiority(pair([0.5 - loss] * 6, [0.5] * 6), 0.25, 0.05)
    assert shown.p == p
    assert shown.bound == -loss


def test_a_p_value_as_large_as_the_level_has_no_bound():
    assert superiority(pair([0.5] * 2, [0.25] * 2), 0, 0.25) == (0.25, -math.inf, 0.25)
    assert superiority(pair([0.5] * 2, [0.25] * 2), 0, 0.26) == (0.25, 0.25, 0.25)
    one = superiority(pair([0.5], [0.25]), 0, 0.05)
    assert one == (0.25, -math.inf, 0.5)


@pytest.mark.parametrize("margin", ["0.1", None, True, math.inf])
def test_a_margin_is_a_finite_number(margin):
    with pytest.raises(BadSetting, match="the margin must be a number of 0 or more"):
        superiority(pair([1, 2], [2, 3]), margin, 0.05)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=5, max_size=30), st.sampled_from([0.1, 1 / 9, 1.0]))
def test_folds_that_share_training_data_have_the_corrected_t_test(values, overlap):
    folds = pair(*zip(*values, strict=True), unit="fold", overlap=overlap)
    shown = superiority(folds, 0, 0.05)
    if folds.deviation[0] > 0:
        assert shown.p == pytest.approx(corrected_t(folds, alternative="greater").p[0], abs=1e-12)
    assert shown.p >= superiority(pair(*zip(*values, strict=True)), 0, 0.05).p or shown.improvement < 0
    assert units_to_show(folds, 0, 0.05) is None
