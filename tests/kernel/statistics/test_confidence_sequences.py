"""Confidence sequences: the bets one at a time as oracle, and bounds that hold at every look."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.sequences import N_CANDIDATES, _hull, confidence_sequence


def capital(values: list[float], mean: float, level: float) -> list[float]:
    """The capital after each bet against a mean, in plain Python from the paper."""
    up = down = 0.5
    seen, squares, after = [], 0.25, []
    for t, x in enumerate(values, 1):
        variance = squares / t
        stake = math.sqrt(2 * math.log(2 / level) / (variance * t * math.log(t + 1)))
        up *= 1 + min(stake, 0.5 / mean if mean else math.inf) * (x - mean)
        down *= 1 - min(stake, 0.5 / (1 - mean) if mean < 1 else math.inf) * (x - mean)
        after.append(up + down)
        seen.append(x)
        squares += (x - (0.5 + sum(seen)) / (t + 1)) ** 2
    return after


def test_e_values_are_the_capital_of_the_gamblers():
    values = np.random.default_rng(1).beta(2, 5, 40)
    found = confidence_sequence(values, (0, 1), 0.05, 0.4)
    assert found.e == pytest.approx(capital(values.tolist(), 0.4, 0.05))
    assert found.p[-1] == pytest.approx(min(1, 1 / max(capital(values.tolist(), 0.4, 0.05))))


def test_the_bounds_are_where_the_capital_never_reached_one_over_the_level():
    values = np.random.default_rng(2).beta(2, 5, 60)
    found = confidence_sequence(values, (0, 1), 0.05, 0.5)
    for bound, inwards in ((found.low[-1], 0.002), (found.high[-1], -0.002)):
        assert max(capital(values.tolist(), bound - inwards / 2, 0.05)) >= 20
        assert max(capital(values.tolist(), bound + inwards, 0.05)) < 20


def test_bounds_only_narrow_and_scale_with_the_values():
    values = np.random.default_rng(3).random(50)
    found, scaled = confidence_sequence(values, (0, 1), 0.1, 0.5), confidence_sequence(4 * values - 2, (-2, 2), 0.1, 0)
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) <= 0).all()
    assert scaled.low == pytest.approx(4 * found.low - 2)
    assert scaled.e == pytest.approx(found.e)


def test_a_clear_difference_is_decided_and_an_unclear_one_is_not():
    rng = np.random.default_rng(4)
    base = rng.uniform(0.2, 0.5, 60)
    found = cranfield.monitor(
        {"new": base + 0.3, "same": base + rng.normal(0, 0.02, 60), "old": base}, "old", bounds=(0, 1)
    )
    new, same = found.rows
    assert (new.verdict, same.verdict, same.decided_after) == ("better", "undecided", None)
    assert new.decided_after < 60
    assert not found.enough
    after = [look for look in found.looks if look.system == "new"]
    assert after[new.decided_after - 2].low <= 0 < after[new.decided_after - 1].low
    assert cranfield.monitor({"new": base + 0.3, "old": base}, "old", bounds=(0, 1)).enough


def test_lower_may_be_better():
    low, high = [0.1, 0.2] * 20, [0.8, 0.9] * 20
    row = cranfield.monitor({"a": low, "b": high}, "b", bounds=(0, 1), lower_is_better=True).rows[0]
    assert row.verdict == "better"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "has no bounds"),
        ({"bounds": (0, 0.5)}, "outside the bounds"),
        ({"bounds": (0, 1), "half_width": 0}, "half_width"),
        ({"bounds": ("x", 0)}, r"the lowest and the highest possible value, such as \(0, 1\), not \('x', 0\)"),
        ({"bounds": (1, 0)}, r"not \(1, 0\)"),
        ({"bounds": (0, 1, 2)}, r"not \(0, 1, 2\)"),
        ({"bounds": 1}, "not 1"),
    ],
)
def test_values_without_bounds_are_refused(settings, said):
    with pytest.raises((BadInput, BadSetting), match=said):
        cranfield.monitor({"a": [0.1, 0.9], "b": [0.2, 0.3]}, **settings)


def test_one_value_excludes_nothing_and_certain_values_exclude_all_but_a_step():
    assert confidence_sequence(np.array([0.5]), (0, 1), 0.05, 0.5)[:2] == ([0], [1])
    found = confidence_sequence(np.ones(400), (0, 1), 0.05, 0.5)
    assert found.high[-1] == 1
    low = found.low[-1]
    step = 1 / 2_000
    assert max(capital([1.0] * 400, low, 0.05)) >= 20 > max(capital([1.0] * 400, low + 2 * step, 0.05))
    assert low / step == pytest.approx(round(low / step))


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_bets_against_means_at_the_ends_risk_all_that_cannot_be_lost(mean):
    values = [0.3, 0.6, 0.2]
    found = confidence_sequence(np.array(values), (0, 1), 0.05, mean)
    assert found.e == pytest.approx(capital(values, mean, 0.05))


def test_the_candidates_that_are_left_are_widened_by_one_step_but_not_beyond_the_bounds():
    assert N_CANDIDATES == 2_001
    candidate = np.linspace(0, 1, 11)
    for first, last, low, high in ((0, 0, 0, 0.1), (10, 10, 0.9, 1), (3, 6, 0.2, 0.7), (1, 9, 0, 1)):
        allowed = np.zeros(11, bool)
        allowed[[first, last]] = True
        assert _hull(allowed, candidate) == pytest.approx((low, high))
    assert np.isnan(_hull(np.zeros(11, bool), candidate)).all()


def test_p_values_are_at_most_1_and_never_rise():
    found = confidence_sequence(np.array([0.5, 1.0, 1.0, 1.0, 0.5, 0.0]), (0, 1), 0.05, 0.5)
    assert found.p == pytest.approx(np.minimum.accumulate(np.minimum(1 / found.e, 1)))
    assert found.p[0] == 1


@pytest.mark.simulation
def test_bounds_hold_at_all_looks_at_once_and_repeated_t_tests_do_not():
    rng = np.random.default_rng(5)
    missed, rejected = [], []
    for _ in range(400):
        values = rng.choice([-1, -0.2, 0, 0.2, 1], 200, p=[0.1, 0.2, 0.4, 0.2, 0.1])
        found = confidence_sequence(values, (-1, 1), 0.05, 0.0)
        missed.append(((found.low > 0) | (found.high < 0)).any())
        n = np.arange(10, 201)
        mean = np.cumsum(values)[n - 1] / n
        deviation = np.sqrt((np.cumsum(values**2)[n - 1] - n * mean**2) / (n - 1))
        rejected.append((np.abs(mean) > 1.98 * deviation / np.sqrt(n)).any())
    assert np.mean(missed) <= 0.05
    assert np.mean(rejected) > 0.2


def test_e_values_of_many_certain_values_are_the_largest_number_and_not_infinite():
    sequence = confidence_sequence(np.ones(4_000), (-1, 1), 0.05, 0.0)
    assert sequence.e[-1] == pytest.approx(np.finfo(float).max)
    assert 0 < sequence.p[-1] < 1e-300
