"""Fit of latent models: infit, outfit, person fit and information, against plain loops and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import cranfield
from cranfield.statistics.latent import fit, latent_fit


def answers(seed: int, n_systems: int = 12, n_queries: int = 60) -> np.ndarray:
    """Successes that follow the model."""
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(size=(n_systems, 1)), rng.normal(size=n_queries)
    return (rng.random((n_systems, n_queries)) < 1 / (1 + np.exp(difficulty - ability))).astype(float)


def test_infit_outfit_and_l_z_of_successes_are_as_defined_loop_by_loop():
    values = answers(1, 4, 9)
    values[2, 3] = np.nan
    ability, difficulty, slope = np.array([-1.0, 0, 0.4, 2]), np.linspace(-2, 2, 9), np.linspace(0.5, 1.5, 9)
    found = latent_fit(values, ability, difficulty, slope, math.inf)
    for i in range(4):
        squares, variances, likelihood, expected, spread = [], [], 0.0, 0.0, 0.0
        for j in range(9):
            if math.isnan(values[i, j]):
                assert math.isnan(found.residual[i, j])
                continue
            p = 1 / (1 + math.exp(-slope[j] * (ability[i] - difficulty[j])))
            squares.append((values[i, j] - p) ** 2)
            variances.append(p * (1 - p))
            likelihood += math.log(p if values[i, j] else 1 - p)
            expected += p * math.log(p) + (1 - p) * math.log(1 - p)
            spread += p * (1 - p) * math.log(p / (1 - p)) ** 2
            assert found.residual[i, j] ** 2 == pytest.approx(squares[-1] / variances[-1])
        assert found.system_infit[i] == pytest.approx(sum(squares) / sum(variances))
        assert found.system_outfit[i] == pytest.approx(np.mean(np.array(squares) / variances))
        assert found.l_z[i] == pytest.approx((likelihood - expected) / math.sqrt(spread))


def test_l_z_and_residuals_of_proportions_use_the_beta_distribution():
    value, ability, difficulty, slope, precision = 0.3, 0.5, -0.2, 1.2, 6.0
    mean = 1 / (1 + math.exp(-slope * (ability - difficulty)))
    beta = stats.beta(mean * precision, (1 - mean) * precision)
    found = latent_fit(np.array([[value]]), *(np.array([x]) for x in (ability, difficulty, slope)), precision)
    assert found.residual[0, 0] == pytest.approx((value - mean) / beta.std())
    expected = integrate.quad(lambda x: beta.pdf(x) * beta.logpdf(x), 0, 1)[0]
    spread = integrate.quad(lambda x: beta.pdf(x) * (beta.logpdf(x) - expected) ** 2, 0, 1)[0]
    assert found.l_z[0] == pytest.approx((beta.logpdf(value) - expected) / math.sqrt(spread), rel=1e-5)


def test_information_is_the_sum_over_queries_at_every_ability():
    model = fit(answers(2))
    found = model.diagnostics()
    for ability, information in zip(found.ability[::20], found.information[::20], strict=True):
        p = 1 / (1 + np.exp(-model.discrimination * (ability - model.difficulty)))
        assert information == pytest.approx((model.discrimination**2 * p * (1 - p)).sum())


def test_a_model_that_holds_fits():
    found = fit(answers(3)).diagnostics()
    assert 0.6 < found.system_infit.mean() < 1.1  # below 1, since the parameters are fitted to the same values
    assert found.system_infit.max() < 1.4
    assert np.abs(found.l_z).max() < 3


def test_a_system_that_fails_easy_queries_and_solves_hard_ones_does_not_fit():
    values = answers(4)
    easy = values.mean(axis=0)
    values[5] = easy < np.median(easy)
    found = fit(values).diagnostics()
    assert found.l_z.argmin() == 5
    assert found.system_outfit.argmax() == 5
    assert found.l_z[5] < -2


def test_a_query_on_which_only_weak_systems_succeed_has_the_highest_outfit_of_common_slopes():
    values = answers(5)
    strong = np.argsort(-values.mean(axis=1))
    values[:, 7] = 1.0
    values[strong[:6], 7] = 0.0
    model = fit(values)
    found = latent_fit(values, model.ability, model.difficulty, np.ones(values.shape[1]), math.inf)
    assert found.query_outfit[7] > 1.2


def test_latent_reports_its_fit_in_the_table_the_records_and_a_plot():
    names = [f"é{n}" for n in range(12)]
    model = cranfield.latent(dict(zip(names, answers(6), strict=True)))
    records = model.records()
    assert [row["name"] for row in records["fit"][:12]] == names
    assert len(records["fit"]) == 12 + 60
    assert records["information"][0].keys() == {"ability", "information", "error"}
    assert "Fit of the model" in str(model)
    assert model.plot.fit().data.num_rows == 72
