"""Latent models: what was put in comes out, with intervals that cover it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.latent import (
    Information,
    Point,
    Table,
    _line_search,
    _marginal_gradient,
    fit,
    fitted,
    gradient_at,
    loss_at,
    start,
)

WHAT = ("ability", "difficulty", "discrimination")


def drawn(n_systems: int, n_queries: int, seed: int, model: str = "success"):
    """A table of values, and the abilities, difficulties and discriminations behind it, on the standard scale."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n_systems)
    slope, difficulty = np.maximum(rng.normal(1, 0.5, n_queries), 0.3), rng.normal(size=n_queries)
    chance = 1 / (1 + np.exp(-slope * (ability[:, None] - difficulty)))
    values = (rng.random(chance.shape) < chance) * 1.0 if model == "success" else rng.beta(chance * 8, (1 - chance) * 8)
    middle, spread = ability.mean(), ability.std()
    return values, ((ability - middle) / spread, (difficulty - middle) / spread, slope * spread)


@pytest.mark.parametrize("model", ["success", "beta"])
def test_what_was_put_in_comes_out(model):
    values, truth = drawn(60, 300, 1, model)
    found = fit(values, model=model)
    assert found.converged
    for what, real, least in zip(WHAT, truth, (0.97, 0.85, 0.6), strict=True):
        assert stats.spearmanr(getattr(found, what), real).statistic > least


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
def test_intervals_are_as_wide_as_the_confidence_asks(confidence):
    found = fit(drawn(6, 10, 3)[0])
    for what in ("difficulty", "discrimination"):
        half = stats.norm.ppf((1 + confidence) / 2) * getattr(found, f"{what}_error")
        wanted = np.stack([getattr(found, what) - half, getattr(found, what) + half], axis=1)
        np.testing.assert_allclose(found.interval(what, confidence), wanted)
    half = stats.t.ppf((1 + confidence) / 2, 4) * found.ability_error
    wanted = np.clip(np.stack([found.ability - half, found.ability + half], axis=1), -np.sqrt(5), np.sqrt(5))
    np.testing.assert_allclose(found.interval("ability", confidence), wanted)
    np.testing.assert_array_equal(found.interval("ability"), found.interval("ability", 0.95))


@pytest.mark.parametrize("model", ["success", "beta"])
def test_the_best_fit_is_where_scipy_finds_it(model):
    values, _ = drawn(12, 15, 2, model)
    table = Table(
        np.clip(values, 0.005, 0.995) if model == "beta" else values, np.ones(values.shape, bool), model == "beta"
    )
    precision = 8.0 if model == "beta" else np.inf

    def loss(x: np.ndarray) -> float:
        return loss_at(Point(x[:12], x[12:27], x[27:], precision), table)

    start = np.concatenate([np.linspace(-1, 1, 12), np.ones(15), np.zeros(15)])
    best = optimize.minimize(loss, start, method="L-BFGS-B", options={"maxfun": 10**6, "ftol": 1e-13, "gtol": 1e-8})
    assert best.fun == pytest.approx(_fitted_loss(table, precision), abs=1e-3)


def test_abilities_lean_as_the_determinant_of_the_queries_information_falls():
    values, _ = drawn(12, 15, 2)
    known = np.random.default_rng(0).random(values.shape) < 0.8
    table = Table(np.where(known, values, 0.5), known, False)
    point = start(table)

    def half_log_determinant(ability: np.ndarray) -> float:
        """Of the information about slope and level, which follow the ability as their best fit does to first order."""
        moved = ability - point.ability
        bond = Information.at(point, table)
        slope = -(bond.slope * (moved * point.ability @ bond.coupling) + bond.mixed * (moved @ bond.coupling))
        level = -(bond.mixed * (moved * point.ability @ bond.coupling) + bond.level * (moved @ bond.coupling))
        there = Information.at(Point(ability, point.slope + slope, point.level + level, np.inf), table)
        return float(-np.log(there.slope * there.level - there.mixed**2).sum() / 2)

    step = 1e-5 * np.eye(12)
    expected = [
        (half_log_determinant(point.ability + each) - half_log_determinant(point.ability - each)) / 2e-5
        for each in step
    ]
    assert _marginal_gradient(point, Information.at(point, table)) == pytest.approx(expected, abs=1e-7)


def _fitted_loss(table: Table, precision: float) -> float:
    """The loss of our fit, at the precision given."""
    point = replace(start(table), precision=precision)
    loss = loss_at(point, table)
    for _ in range(100):
        step = Information.at(point, table).step(point, gradient_at(point, table))
        point, loss = _line_search(point, step, loss, table)
    return loss


@pytest.mark.simulation
@pytest.mark.parametrize("model", ["success", "beta"])
def test_intervals_cover(model):
    inside: dict[str, list[np.ndarray]] = {what: [] for what in WHAT}
    for seed in range(100):  # of twenty systems each: two thousand abilities
        values, truth = drawn(20, 100, seed, model)
        found = fit(values, model=model, squeeze=1e-9)
        for what, real in zip(WHAT, truth, strict=True):
            low, high = found.interval(what).T
            inside[what].append((low <= real) & (real <= high))
    assert all(0.93 <= np.mean(each) <= 0.97 for each in inside.values()), {w: np.mean(i) for w, i in inside.items()}


@pytest.mark.simulation
@pytest.mark.parametrize("model", ["success", "beta"])
@pytest.mark.parametrize("n_systems", [3, 5, 8, 12])
def test_abilities_of_few_systems_are_covered_too(n_systems, model):
    inside = []
    for seed in range(1_000 // n_systems):
        values, truth = drawn(n_systems, 100, seed, model)
        low, high = fit(values, model=model, squeeze=1e-9).interval("ability").T
        inside.append((low <= truth[0]) & (truth[0] <= high))
    assert np.mean(inside) >= 0.93


def test_the_one_system_that_differs_has_an_interval():
    ability = np.array([-2.0, *np.zeros(9)])
    truth, inside = (ability - ability.mean()) / ability.std(), []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        chance = 1 / (1 + np.exp(-(ability[:, None] - rng.normal(size=100))))
        low, high = fit((rng.random(chance.shape) < chance) * 1.0).interval("ability")[0]
        assert low < high
        inside.append(low <= truth[0] + 1e-9)
    assert np.mean(inside) >= 0.93


def test_bounds_of_abilities_are_such_as_so_many_systems_can_have():
    bounds = fit(drawn(3, 20, 1)[0]).interval("ability")
    assert np.abs(bounds).max() <= np.sqrt(2)


def test_two_systems_have_no_interval_and_say_why():
    found = fit(drawn(2, 30, 1)[0])
    assert found.interval("ability").shape == (2, 2)
    assert np.isnan(found.interval("ability")).all()
    assert "abilities of two systems are always 1 and -1" in found.notes[0]
    assert not np.isnan(found.interval("difficulty")).any()


def test_what_a_model_does_not_have_is_refused():
    with pytest.raises(BadSetting, match="'ability', 'difficulty', 'discrimination', not 'skill'"):
        fit(drawn(3, 20, 1)[0]).interval("skill")


def test_the_precision_of_the_beta_model_comes_out():
    values, _ = drawn(40, 100, 3, "beta")
    assert fit(values, model="beta", squeeze=1e-9).precision == pytest.approx(8, rel=0.08)


def test_abilities_are_on_the_standard_scale():
    found = fit(drawn(30, 50, 4)[0])
    assert found.ability.mean() == pytest.approx(0, abs=1e-9)
    assert found.ability.std() == pytest.approx(1, abs=1e-9)


def test_a_query_that_favours_the_worse_has_a_negative_discrimination_and_one_that_all_answer_tells_nothing():
    values, _ = drawn(80, 60, 5)
    better = np.argsort(np.argsort(values.mean(axis=1)))
    values[:, 0] = better < 40  # only the worse half
    values[:, 1] = 1  # everyone
    values[:, 2] = better >= 40  # only the better half
    found = fit(values)
    assert found.discrimination[0] < 0 < found.discrimination[2]
    assert found.information[1] < np.median(found.information)
    assert "query 3" in found.most_informative()[:10]
    assert found.most_informative().index("query 2") > 30


def test_values_that_are_missing_are_left_out():
    values, truth = drawn(40, 200, 6)
    holes = np.where(np.random.default_rng(0).random(values.shape) < 0.3, np.nan, values)
    found = fit(holes)
    assert np.corrcoef(found.ability, truth[0])[0, 1] > 0.97
    assert (found.ability_error > fit(values).ability_error).mean() > 0.9


def test_the_expected_values_are_those_of_the_curves():
    values, _ = drawn(40, 60, 7)
    assert fit(values).expected().mean(axis=1) == pytest.approx(values.mean(axis=1), abs=0.06)


@pytest.mark.parametrize(
    ("values", "model", "said"),
    [
        (np.array([[0.2, 0.4], [0.1, 0.9]]), "success", "use model='beta'"),
        (np.array([[2.0, 0.4], [0.1, 0.9]]), "beta", "values from 0 to 1"),
        (np.array([[1.0, 0.0]]), "success", "two systems and two queries"),
        (np.array([[1.0, 0.0], [1.0, 0.0]]), "success", "cannot be distinguished"),
        (np.array([[1.0, 0.0], [0.0, 1.0]]), "success", "the same estimated ability"),
        (np.array([[1.0, 0.0], [np.nan, np.nan]]), "success", "system 2 has no value"),
        (np.array([[1.0, np.nan], [0.0, np.nan]]), "success", "query 2 has no value"),
    ],
)
def test_what_cannot_be_fitted_is_said(values, model, said):
    with pytest.raises(BadInput, match=said):
        fit(values, model=model)


def test_an_unknown_model_is_refused():
    with pytest.raises(BadSetting, match="model must be one of 'success', 'beta'"):
        fit(np.eye(3), model="rasch")


def test_fitting_twice_gives_the_same():
    table = Table(drawn(20, 30, 8)[0], np.ones((20, 30), bool), False)
    assert fitted(table).ability.tolist() == fitted(table).ability.tolist()


def test_values_at_the_ends_are_taken_to_be_as_far_in_as_is_asked():
    values = np.random.default_rng(4).random((5, 8)).round(1)
    values[0, 0], values[1, 1], values[2, 3] = 0, 1, np.nan
    ends = fit(values, model="beta", squeeze=0.1)
    inside = fit(np.clip(values, 0.1, 0.9), model="beta", squeeze=1e-6)
    assert ends.ability.tolist() == inside.ability.tolist()
    assert fit(values, model="beta").ability.tolist() == fit(values, model="beta", squeeze=0.005).ability.tolist()
    for squeeze in (0.0, 0.5, -0.1, 1.5):
        with pytest.raises(BadSetting, match=r"between 0 and 0\.5"):
            fit(values, model="beta", squeeze=squeeze)


def test_what_has_no_name_is_numbered_and_the_most_telling_query_comes_first():
    values = drawn(3, 4, 2)[0]
    found = fit(values)
    assert found.systems == ("system 1", "system 2", "system 3")
    assert found.queries == ("query 1", "query 2", "query 3", "query 4")
    told = dict(zip(found.queries, found.information, strict=True))
    assert list(found.most_informative()) == sorted(found.queries, key=lambda name: -told[name])
    named = fit(values, ("a", "b", "c"), ("w", "x", "y", "z"))
    assert (named.systems, named.queries) == (("a", "b", "c"), ("w", "x", "y", "z"))
    for i, j in np.ndindex(3, 4):
        odds = named.discrimination[j] * (named.ability[i] - named.difficulty[j])
        assert named.expected()[i, j] == pytest.approx(1 / (1 + np.exp(-odds)))


@pytest.mark.parametrize("values", [np.array([1.0, 0.0]), np.ones((2, 1)), np.ones((1, 2)), np.ones((2, 2, 2))])
def test_a_table_has_two_systems_and_two_queries(values):
    with pytest.raises(BadInput, match="at least two systems and two queries"):
        fit(values)


def test_the_first_row_or_column_without_a_value_is_named():
    values = np.array([[1.0, np.nan, 0.0], [0.0, np.nan, 1.0], [np.nan] * 3])
    with pytest.raises(BadInput, match="system 3 has no value at all"):
        fit(values)
    with pytest.raises(BadInput, match="query 2 has no value at all"):
        fit(values[:2])
    with pytest.raises(BadInput, match=r"from -0\.5 to 1\.0"):
        fit(np.array([[-0.5, 0.2], [0.3, 1.0]]), model="beta")
