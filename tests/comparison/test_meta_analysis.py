"""Meta-analysis: statsmodels and the likelihood itself as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from statsmodels.stats.meta_analysis import combine_effects

import cranfield
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.statistics.meta_analysis import pooled

EFFECT = np.array([0.1, 0.3, 0.2, 0.5, -0.1])
ERROR = np.array([0.1, 0.12, 0.05, 0.2, 0.15])


def test_the_moments_of_dersimonian_and_laird_are_statsmodels():
    found = pooled(EFFECT, ERROR, "dersimonian-laird")
    expected = combine_effects(EFFECT, ERROR**2, method_re="chi2", use_t=False)
    assert found.between**2 == pytest.approx(expected.tau2)
    assert found.effect == pytest.approx(expected.mean_effect_re)
    assert found.error == pytest.approx(expected.sd_eff_w_re_hksj)
    assert (found.q, found.inconsistency) == pytest.approx((expected.q, expected.i2))


def test_the_variance_between_collections_maximises_the_restricted_likelihood():
    def deviance(tau2: float) -> float:
        variance = ERROR**2 + tau2
        mean = (EFFECT / variance).sum() / (1 / variance).sum()
        return np.log(variance).sum() + np.log((1 / variance).sum()) + ((EFFECT - mean) ** 2 / variance).sum()

    best = minimize_scalar(deviance, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).x
    assert pooled(EFFECT, ERROR).between ** 2 == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("method", ["reml", "dersimonian-laird"])
def test_like_effects_do_not_vary_and_the_interval_is_no_shorter_than_their_errors_allow(method):
    found = pooled(np.array([0.2, 0.2, 0.2]), np.array([0.1, 0.1, 0.1]), method)
    assert (found.between, found.inconsistency) == (0, 0)
    assert found.error == pytest.approx(0.1 / np.sqrt(3))


def test_two_collections_have_no_prediction_interval():
    assert np.isnan(pooled(EFFECT[:2], ERROR[:2]).new_low)


def test_the_difference_on_each_collection_is_that_of_compare():
    rng = np.random.default_rng(4)
    data = {name: {"a": rng.random(9), "b": rng.random(9)} for name in ("news", "web", "mail")}
    found = cranfield.meta_analysis(data, "b")
    for row in found.collections:
        alone = cranfield.compare(data[row.collection], "b").rows[0]
        assert (row.difference, row.low, row.high) == pytest.approx((alone.difference, alone.low, alone.high))
    assert sum(row.weight for row in found.collections) == pytest.approx(1)
    assert found.rows[0].collections == 3


def test_systems_may_come_in_any_order_but_must_be_the_same():
    one, other = {"a": [1, 2, 4.0], "b": [1, 1, 1.0]}, {"b": [1, 1, 1.0], "a": [1, 2, 4.0]}
    first, second = cranfield.meta_analysis({"x": one, "y": other}, "b").collections
    assert first.difference == second.difference
    with pytest.raises(BadInput, match="same measures and systems: a, b"):
        cranfield.meta_analysis({"x": one, "y": {"a": [1, 2.0], "c": [1, 1.0]}}, "b")
    with pytest.raises(BadInput, match="at least 2 collections"):
        cranfield.meta_analysis({"x": one}, "b")


@pytest.mark.simulation
@pytest.mark.parametrize(("between", "most"), [(0.0, 0.998), (0.1, 0.98)])  # wide where nothing varies
def test_intervals_of_the_mean_cover(between, most):
    rng = np.random.default_rng(6)
    error = np.array([0.05, 0.08, 0.1, 0.12, 0.06, 0.2])
    inside = []
    for _ in range(2_000):
        found = pooled(rng.normal(0.3, between, 6) + rng.normal(0, error), error)
        inside.append(found.low <= 0.3 <= found.high)
    assert 0.93 <= np.mean(inside) <= most


def test_every_figure_of_the_summary_follows_from_the_variance_between_collections():
    for confidence in (0.8, 0.95):
        found = pooled(EFFECT, ERROR, confidence=confidence)
        weight = 1 / (ERROR**2 + found.between**2)
        mean = np.average(EFFECT, weights=weight)
        spread = np.sqrt(max((weight * (EFFECT - mean) ** 2).sum() / 4, 1) / weight.sum())
        reach = stats.t.ppf((1 + confidence) / 2, 4) * spread
        assert found[:4] == pytest.approx((mean, spread, mean - reach, mean + reach))
        assert found.p == pytest.approx(2 * stats.t.sf(mean / spread, 4))
        assert found.weight == pytest.approx(weight / weight.sum())
        fixed = np.average(EFFECT, weights=ERROR**-2.0)
        q = (((EFFECT - fixed) / ERROR) ** 2).sum()
        assert (found.q, found.q_p, found.inconsistency) == pytest.approx((q, stats.chi2.sf(q, 4), 1 - 4 / q))
    assert pooled(EFFECT, ERROR)[:11] == found[:11]  # REML and 95 % by default


def test_a_prediction_has_the_distribution_of_its_definition():
    """Each draw solved by itself with SciPy, from other random numbers."""
    rng, effect = np.random.default_rng(11), np.append(EFFECT, 0.35)
    variance = np.append(ERROR, 0.07) ** 2

    def q_of(tau2: float) -> float:
        weight = 1 / (variance + tau2)
        return float(weight @ (effect - np.average(effect, weights=weight)) ** 2)

    drawn = []
    for q in rng.chisquare(5, 4_000):
        tau2 = brentq(lambda one, q=q: q_of(one) - q, 0, 1e4) if q_of(0) > q else 0.0
        weight = 1 / (variance + tau2)
        error = np.sqrt(max(q_of(tau2) / 5, 1) / weight.sum())
        mean = np.average(effect, weights=weight)
        drawn.append(mean + np.sqrt(tau2) * rng.normal() + error * rng.standard_t(5))
    for confidence in (0.8, 0.95):
        found = pooled(effect, np.sqrt(variance), confidence=confidence)
        within = np.mean((np.array(drawn) > found.new_low) & (np.array(drawn) < found.new_high))
        assert within == pytest.approx(confidence, abs=0.02)
        assert np.mean(np.array(drawn) < found.new_low) == pytest.approx((1 - confidence) / 2, abs=0.015)


@pytest.mark.parametrize("between", [0.02, 0.06])
def test_predictions_cover_the_effect_on_another_collection(between):
    """Student's t around the estimated variance, used before, covers 0.85 to 0.91 with 10 collections."""
    rng, n_sets = np.random.default_rng(3), 150
    inside = 0
    for _ in range(n_sets):
        error = 0.2 / np.sqrt(rng.integers(10, 150, 10))
        found = pooled(rng.normal(0.03, between, 10) + rng.normal(0, error), error)
        inside += found.new_low <= rng.normal(0.03, between) <= found.new_high
    assert inside / n_sets > 0.9


def test_the_mean_of_three_collections_with_equal_errors_has_the_interval_of_students_t():
    found = pooled(np.array([0.0, 1.0, 5.0]), np.array([0.1, 0.1, 0.1]))
    assert found.between == pytest.approx(np.sqrt(np.var([0, 1, 5], ddof=1) - 0.01))
    assert found.error == pytest.approx(np.std([0, 1, 5], ddof=1) / np.sqrt(3))  # equal weights: the t interval


@pytest.mark.parametrize("method", ["reml", "dersimonian-laird"])
def test_effects_closer_than_their_errors_do_not_vary(method):
    found = pooled(np.array([0.1, 0.2, 0.15]), np.array([0.2, 0.3, 0.25]), method)
    weight = np.array([0.2, 0.3, 0.25]) ** -2.0
    assert (found.between, found.inconsistency) == (0, 0)
    assert found.error == pytest.approx(1 / np.sqrt(weight.sum()))  # not the smaller one of Knapp and Hartung
    assert 0 < found.q < 2


def test_settings_of_an_evaluation_are_for_folders_only():
    data = {name: {"a": [0.1, 0.2, 0.4], "b": [0.2, 0.2, 0.3]} for name in ("news", "web")}
    for settings in ({"measures": "AP"}, {"missing": "skip"}, {"confidense": 0.9}):
        with pytest.raises(BadSetting, match=f"{next(iter(settings))}: for folders only"):
            cranfield.meta_analysis(data, "b", **settings)


def test_collections_that_are_the_same_or_evaluated_differently_are_named():
    values = {"new": [0.4, 0.6, 0.7, 0.5], "old": [0.3, 0.5, 0.7, 0.3]}
    with pytest.warns(CranfieldWarning, match="a and b have the same values: they count as two collections"):
        cranfield.meta_analysis({"a": values, "b": {system: list(row) for system, row in values.items()}})
    qrels = {f"q{n}": {f"d{n % 3}": 1} for n in range(6)}
    runs = {"x": {query: {"d0": 2, "d1": 1} for query in qrels}, "y": {query: {"d2": 2, "d0": 1} for query in qrels}}
    results = {f"depth {depth}": cranfield.evaluate(qrels, runs, "RR", depth=depth) for depth in (1, 2)}
    with pytest.warns(CranfieldWarning, match="depth 1 was evaluated with depth=1, but depth 2 with depth=2"):
        cranfield.meta_analysis(results)


def test_collections_of_a_report_are_judgments_and_runs():
    result = cranfield.evaluate({"q": {"d": 1}}, {"x": {"q": {"d": 1}}, "y": {"q": {"d": 1}}}, "RR")
    with pytest.raises(BadInput, match=r"one: a collection is a pair \(judgments, runs\), not Result"):
        cranfield.report_collections({"one": result, "two": result})
