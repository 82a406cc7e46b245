"""The fit of a latent model, step by step, against dense matrices and numerical derivatives of plain definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from cranfield.errors import BadInput
from cranfield.statistics import latent as fisher_scoring
from cranfield.statistics.latent import (
    Information,
    Point,
    Table,
    _line_search,
    _marginal,
    _marginal_gradient,
    _residual_freedom,
    _second_order_variance,
    _with_errors,
    fit,
    fitted,
    gradient_at,
    loss_at,
    odds_information,
    start,
    updated_precision,
)

N, M = 5, 7  # systems and queries


def a_table(proportions: bool, seed: int = 0, n: int = N, m: int = M) -> Table:
    """Values of systems whose abilities are evenly apart, some of them unknown."""
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-np.linspace(-1.5, 1.5, n)[:, None] - rng.normal(size=m)))
    value = rng.beta(6 * chance, 6 * (1 - chance)) if proportions else (rng.random((n, m)) < chance) * 1.0
    known = np.ones((n, m), bool)
    known[rng.permutation(n)[:2], rng.permutation(m)[:2]] = False
    return Table(np.where(known, np.clip(value, 0.01, 0.99) if proportions else value, 0.5), known, proportions)


def a_point(proportions: bool, seed: int = 1, n: int = N, m: int = M) -> Point:
    rng = np.random.default_rng(seed)
    precision = 4.0 if proportions else np.inf
    return Point(rng.normal(size=n) + 0.4, rng.normal(1, 0.5, m), rng.normal(0.3, 1, m), precision)


def flat(point: Point) -> np.ndarray:
    return np.concatenate([point.ability, point.slope, point.level])


def folded(x: np.ndarray, precision: float, n: int = N) -> Point:
    ability, (slope, level) = x[:n], x[n:].reshape(2, -1)
    return Point(ability, slope, level, precision)


def plain_loss(x: np.ndarray, precision: float, table: Table) -> float:
    """Minus the log of priors and likelihood, cell by cell, but for what does not depend on the parameters."""
    ability, (slope, level) = x[: len(table.value)], x[len(table.value) :].reshape(2, -1)
    prior = stats.norm(0, 1).logpdf(ability).sum() - stats.norm(0, 1).logpdf(0) * len(ability)
    prior += stats.norm(1, 0.5).logpdf(slope).sum() - stats.norm(1, 0.5).logpdf(1) * len(slope)
    prior += stats.norm(0, 2).logpdf(level).sum() - stats.norm(0, 2).logpdf(0) * len(level)
    mean = 1 / (1 + np.exp(-(np.outer(ability, slope) + level)))
    if table.proportions:
        cells = stats.beta(mean * precision, (1 - mean) * precision).logpdf(table.value)
    else:
        cells = np.where(table.value == 1, np.log(mean), np.log(1 - mean))
    return -prior - cells[table.known].sum()


def gradient(function, x: np.ndarray) -> np.ndarray:
    steps = 1e-5 * np.eye(len(x))
    return np.array([(function(x + step) - function(x - step)) / 2e-5 for step in steps])


def dense(point: Point, table: Table) -> np.ndarray:
    """The expected information about abilities, slopes and levels: of each cell, and of the priors."""
    n, m = table.value.shape
    mean = 1 / (1 + np.exp(-(np.outer(point.ability, point.slope) + point.level)))
    whole = np.diag(np.concatenate([np.full(n, 1.0), np.full(m, 1 / 0.25), np.full(m, 1 / 4)]))
    for i, j in zip(*np.nonzero(table.known), strict=True):
        along = np.zeros(n + 2 * m)
        along[[i, n + j, n + m + j]] = point.slope[j], point.ability[i], 1
        whole += told(mean[i, j], point.precision) * np.outer(along, along)
    return whole


def told(mean: float, precision: float) -> float:
    """The variance of the slope of the log-likelihood along the log odds, by its definition."""
    if np.isinf(precision):
        return mean * (1 - mean) ** 2 + (1 - mean) * mean**2
    return (precision * mean * (1 - mean)) ** 2 * variance(lambda up, down: up - down, mean, precision)


def variance(function, mean: float, precision: float) -> float:
    """That of a function of log y and log (1 - y), where y has a beta distribution: integrated over its log odds."""
    a, b = mean * precision, (1 - mean) * precision
    odds = np.linspace(-40 / a, 40 / b, 4_001)
    up, down = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
    density = np.exp(a * up + b * down)
    density /= density.sum()
    values = function(up, down)
    return float(density @ (values - density @ values) ** 2)


MODELS = pytest.mark.parametrize("proportions", [False, True])


@MODELS
def test_the_loss_is_that_of_the_priors_and_of_each_known_cell(proportions):
    table, point = a_table(proportions), a_point(proportions)
    assert loss_at(point, table) == pytest.approx(plain_loss(flat(point), point.precision, table), rel=1e-12)


@MODELS
def test_the_pull_is_the_slope_of_the_loss_along_each_cells_log_odds(proportions):
    table, point = a_table(proportions), a_point(proportions)
    for i, j in np.ndindex(table.value.shape):
        alone = Table(table.value[[i]][:, [j]], table.known[[i]][:, [j]], proportions)

        def loss(level: np.ndarray, i: int = i, j: int = j, alone: Table = alone) -> float:
            odds = point.ability[i] * point.slope[j] + point.level[j] + level[0]
            here = Point(np.zeros(1), np.ones(1), np.array([odds]), point.precision)
            return loss_at(here, alone) - odds**2 / 8  # without the prior

        assert gradient_at(point, table)[i, j] == pytest.approx(gradient(loss, np.zeros(1))[0], abs=1e-7)


@MODELS
def test_what_a_value_tells_is_the_variance_of_its_pull(proportions):
    point = a_point(proportions)
    expected = [told(mean, point.precision) for mean in point.mean.ravel()]
    assert odds_information(point).ravel() == pytest.approx(expected, rel=1e-6)


@MODELS
def test_a_step_solves_the_equations_of_all_parameters_at_once(proportions):
    table, point = a_table(proportions), a_point(proportions)
    pull = gradient(lambda x: plain_loss(x, point.precision, table), flat(point))
    information = Information.at(point, table)
    step = information.step(point, gradient_at(point, table))
    assert step.precision == 0
    assert flat(step) == pytest.approx(-np.linalg.solve(dense(point, table), pull), abs=1e-6)
    covariance = np.linalg.inv(dense(point, table))
    assert np.linalg.inv(information.ability_information) == pytest.approx(covariance[:N, :N], rel=1e-6)
    leaning = np.linspace(-1, 1, N)
    pull[:N] += leaning
    leant = information.step(point, gradient_at(point, table), leaning)
    assert flat(leant) == pytest.approx(-np.linalg.solve(dense(point, table), pull), abs=1e-6)


@MODELS
def test_a_pull_on_slopes_and_levels_reaches_abilities_through_what_binds_them(proportions):
    table, point = a_table(proportions), a_point(proportions)
    whole = dense(point, table)
    pull = np.random.default_rng(3).normal(size=2 * M)
    expected = whole[:N, N:] @ np.linalg.solve(whole[N:, N:], pull)
    found = Information.at(point, table).effect_on_abilities(pull[:M], pull[M:])
    assert found == pytest.approx(expected, abs=1e-6)


@MODELS
def test_a_query_tells_of_abilities_in_the_mean_over_the_systems_it_has_values_of(proportions):
    table, point = a_table(proportions), a_point(proportions)
    for j, found in enumerate(Information.at(point, table).query_information):
        each = [
            told(point.mean[i, j], point.precision) * point.slope[j] ** 2 for i in np.flatnonzero(table.known[:, j])
        ]
        assert found == pytest.approx(np.mean(each), rel=1e-6)


@pytest.mark.parametrize("precision", [0.5, 4.0, 30.0])
def test_the_precision_takes_one_step_of_scoring_along_its_logarithm(precision):
    table, point = a_table(True), replace(a_point(True), precision=precision)
    slope = -gradient(lambda x: plain_loss(flat(point), np.exp(x[0]), table), np.log([precision]))[0]
    curve = sum(
        precision**2 * variance(lambda up, down, mean=mean: mean * up + (1 - mean) * down, mean, precision)
        for mean in point.mean[table.known]
    )
    wanted = precision * np.exp(np.clip(slope / curve, -1, None))
    assert updated_precision(point, table) == pytest.approx(wanted, rel=1e-5)


def test_the_precision_changes_by_a_factor_of_e_at_most_and_has_bounds():
    table = Table(np.full((3, 4), 0.5), np.ones((3, 4), bool), True)
    exact = Point(np.zeros(3), np.ones(4), np.zeros(4), 1e4)
    assert updated_precision(exact, table) == pytest.approx(1e4 * np.e, rel=1e-3)
    assert all(updated_precision(replace(exact, precision=each), table) < each * np.e for each in (0.2, 1.0, 10.0, 1e3))
    assert updated_precision(replace(exact, precision=9e5), table) == 1e6
    wrong = replace(exact, level=np.full(4, 6.0))
    assert updated_precision(replace(wrong, precision=50.0), table) == pytest.approx(50 / np.e)
    ends = Table(np.full((3, 4), 1e-12), np.ones((3, 4), bool), True)
    assert updated_precision(replace(wrong, precision=0.15), ends) == 0.1


@MODELS
def test_the_fit_begins_with_the_means_of_systems_and_queries_over_what_is_known(proportions):
    table = a_table(proportions)
    values = np.where(table.known, table.value, np.nan)
    found = start(table)
    assert found.ability == pytest.approx(stats.zscore(np.nanmean(values, axis=1)))
    assert found.slope.tolist() == [1] * M
    mean = np.clip(np.nanmean(values, axis=0), 0.02, 0.98)
    assert found.level == pytest.approx(np.log(mean / (1 - mean)))
    assert found.precision == (10 if proportions else np.inf)


def test_systems_with_the_same_mean_begin_equally_able():
    assert start(Table(np.eye(3), np.ones((3, 3), bool), False)).ability.tolist() == [0, 0, 0]


@pytest.mark.parametrize(("end", "level"), [(0.0, 0.02), (1.0, 0.98)])
def test_a_query_that_none_or_all_answer_begins_at_a_level_that_can_be_moved(end, level):
    assert start(Table(np.full((3, 2), end), np.ones((3, 2), bool), False)).level == pytest.approx(
        [np.log(level / (1 - level))] * 2
    )


def test_a_step_is_halved_until_it_leads_down_and_not_taken_where_it_never_does():
    table, point = a_table(False), a_point(False)
    here = loss_at(point, table)
    step = Information.at(point, table).step(point, gradient_at(point, table))
    far = Point(step.ability * 40, step.slope * 40, step.level * 40, 0.0)
    found, reached = _line_search(point, far, here, table)
    tried = [(share, loss_at(point.moved(far, share), table)) for share in 0.5 ** np.arange(20)]
    share, loss = next(each for each in tried if each[1] <= here)
    assert 0.01 < share < 1
    assert reached == loss == loss_at(found, table)
    assert flat(found) == pytest.approx(flat(point) + share * flat(far))
    back = Point(-step.ability, -step.slope, -step.level, 0.0)
    assert _line_search(point, back, here, table) == (point, here)
    nowhere = Point(0 * step.ability, 0 * step.slope, 0 * step.level, 0.0)
    assert _line_search(point, nowhere, here, table)[0] is not point  # no worse is good enough


@pytest.mark.parametrize("seed", [0, 4])
def test_shares_are_fitted_where_scipy_finds_the_least_loss(seed):
    table = a_table(True, seed, 6, 9)
    first = start(table)

    def loss(x: np.ndarray) -> float:
        return loss_at(folded(x[:-1], np.exp(x[-1]), 6), table)

    best = optimize.minimize(loss, [*flat(first), np.log(10)], method="BFGS", options={"gtol": 1e-7}).x
    found = fitted(table)
    assert found.converged
    ability, (slope, level) = best[:6], best[6:-1].reshape(2, -1)
    assert found.ability == pytest.approx(stats.zscore(ability), abs=2e-3)
    assert found.discrimination == pytest.approx(slope * ability.std(), abs=2e-3)
    assert found.difficulty == pytest.approx((-level / slope - ability.mean()) / ability.std(), abs=0.02)
    spent = (6 + 2 * 9) / table.known.sum()
    assert found.precision == pytest.approx(np.exp(best[-1]) * (1 - spent), rel=2e-3)


def test_the_precision_pays_for_every_parameter_but_keeps_a_tenth():
    known = np.ones((10, 20), bool)
    known[:, :4] = np.arange(10)[:, None] < 5
    assert _residual_freedom(Table(np.full((10, 20), 0.5), known, True)) == pytest.approx(1 - 50 / 180)
    assert _residual_freedom(Table(np.full((2, 3), 0.5), np.ones((2, 3), bool), True)) == 0.1


def test_abilities_lean_along_the_determinant_of_what_is_known_of_the_queries():
    table, point = a_table(False), a_point(False)
    whole = dense(point, table)
    following = -np.linalg.solve(whole[N:, N:], whole[N:, :N])  # how the best queries move with abilities

    def half_log_determinant(ability: np.ndarray) -> float:
        x = np.concatenate([ability, flat(point)[N:] + following @ (ability - point.ability)])
        return np.linalg.slogdet(dense(folded(x, np.inf), table)[N:, N:])[1] / 2

    expected = gradient(half_log_determinant, point.ability)
    assert _marginal_gradient(point, Information.at(point, table)) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_abilities_of_successes_rest_where_the_slope_of_the_loss_and_what_they_lean_by_cancel(seed, monkeypatch):
    table = a_table(False, seed)
    near = fitted(table)
    monkeypatch.setattr(fisher_scoring, "_STATIONARY", 1e-10)
    found = _marginal(start(table), table)
    pull = gradient(lambda x: plain_loss(x, np.inf, table), flat(found))
    pull[:N] += _marginal_gradient(found, Information.at(found, table))
    assert pull == pytest.approx(np.zeros(N + 2 * M), abs=1e-6)
    assert near.ability == pytest.approx(stats.zscore(found.ability), abs=0.02)


def test_a_step_that_overshoots_is_followed_by_shorter_ones(monkeypatch):
    """Where each step is longer than the last, the share of it that is taken is halved each time."""
    table, point = a_table(False), a_point(False)
    lengths = iter([1.0, 2.0, 3.0, 2.0, 0.0])

    def step(self: Information, *_: object) -> Point:
        length = next(lengths)
        return Point(np.full(N, length), np.zeros(M), np.zeros(M), 0.0)

    monkeypatch.setattr(Information, "step", step)
    assert _marginal(point, table).ability == pytest.approx(point.ability + 1.0 + 2 / 2 + 3 / 4 + 2 / 4)


def jacobian(function, x: np.ndarray) -> np.ndarray:
    steps = 1e-6 * np.eye(len(x))
    return np.array([(function(x + step) - function(x - step)) / 2e-6 for step in steps]).T


@MODELS
def test_errors_are_those_of_all_parameters_carried_to_the_standard_scale(proportions):
    """By the delta method on the whole covariance; abilities have the error of their scale's bend besides."""
    table, point = a_table(proportions), a_point(proportions)

    def standard(x: np.ndarray) -> np.ndarray:
        there = folded(x, 1.0)
        middle, spread = there.ability.mean(), there.ability.std()
        difficulty = (-there.level / there.slope - middle) / spread
        return np.concatenate([(there.ability - middle) / spread, difficulty, there.slope * spread])

    found = _with_errors(point, table, True)
    x = flat(point)
    assert np.concatenate([found.ability, found.difficulty, found.discrimination]) == pytest.approx(standard(x))
    along = jacobian(standard, x)
    covariance = along @ np.linalg.inv(dense(point, table)) @ along.T
    straight = np.diag(covariance)
    assert found.difficulty_error**2 == pytest.approx(straight[N : N + M], rel=1e-5)
    assert found.discrimination_error**2 == pytest.approx(straight[N + M :], rel=1e-5)
    bend = _second_order_variance(covariance[:N, :N])
    assert found.ability_error**2 == pytest.approx(straight[:N] + found.ability**2 * bend, rel=1e-5)
    assert found.information == pytest.approx(Information.at(point, table).query_information * point.ability.std() ** 2)
    assert (found.precision, found.converged) == (point.precision, True)


def test_the_bend_is_the_mean_square_of_half_the_mean_squared_error():
    root = np.random.default_rng(2).normal(size=(4, 4))
    errors = np.random.default_rng(3).normal(size=(400_000, 4)) @ root.T
    assert _second_order_variance(root @ root.T) == pytest.approx(
        (((errors**2).mean(axis=1) / 2) ** 2).mean(), rel=0.02
    )


def test_a_query_without_a_slope_has_a_difficulty_far_out_and_none_that_is_no_number():
    point = replace(a_point(False), slope=np.array([0.0, 1e-12, -0.5, *np.ones(M - 3)]))
    found = _with_errors(point, a_table(False), True)
    assert np.isfinite(np.concatenate([found.difficulty, found.difficulty_error, found.discrimination_error])).all()
    assert found.discrimination[:2].tolist() == [1e-9, 1e-9]
    assert found.discrimination[2] == pytest.approx(-0.5 * point.ability.std())
    assert np.abs(found.difficulty[:2]).min() > 1e6


def test_systems_that_come_out_the_same_are_refused():
    point = replace(a_point(False), ability=np.array([0.3, 0.3, 0.3, 0.3, 0.3 + 1e-7]))
    with pytest.raises(BadInput, match="the same estimated ability"):
        _with_errors(point, a_table(False), True)
    apart = replace(point, ability=np.array([0.3, 0.3, 0.3, 0.3, 0.3 + 1e-5]))
    assert _with_errors(apart, a_table(False), True).ability[-1] == pytest.approx(2)


@pytest.mark.parametrize("model", ["success", "beta"])
def test_a_fit_that_is_cut_short_says_so(model, monkeypatch):
    table = a_table(model == "beta")
    values = np.where(table.known, table.value, np.nan)
    assert fit(values, model=model).notes == ()
    monkeypatch.setattr(fisher_scoring, "_STEPS", 1)
    assert fit(values, model=model).notes == ("the fit did not converge; the estimates are unreliable",)


def test_a_fit_does_not_depend_on_values_that_are_not_known():
    for proportions in (False, True):
        table = a_table(proportions)
        other = Table(np.where(table.known, table.value, 0.1 if proportions else 1.0), table.known, proportions)
        assert flat_curves(fitted(table)) == pytest.approx(flat_curves(fitted(other)), abs=1e-12)


def flat_curves(found: fisher_scoring.Curves) -> np.ndarray:
    parts = (found.ability, found.ability_error, found.difficulty, found.difficulty_error, found.discrimination)
    return np.concatenate([*parts, found.discrimination_error, found.information])
