"""Posterior probabilities: closed forms by integration, the signed-rank model draw by draw, and decisions."""

from __future__ import annotations

import itertools
import json
import math
from functools import cache

import numpy as np
import pytest
from scipy import integrate

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import samples
from cranfield.statistics import bayesian
from cranfield.statistics.bayesian import posterior
from cranfield.statistics.splits import k_fold

NEW = [0.42, 0.61, 0.7, 0.5, 0.66, 0.31, 0.05, 0.9]
OLD = [0.3, 0.5, 0.7, 0.3, 0.45, 0.33, 0.0, 0.88]


def of(**values: list[float]):
    return samples(values).pairs("old")


def density(mean: float, differences: list[float], overlap: float) -> float:
    """The marginal likelihood of a mean: the normal likelihood, integrated over log-uniform deviations.

    For folds, the differences have the covariance that gives their mean the variance s² (1/n + overlap).
    """
    n = len(differences)
    rho = overlap / (1 + overlap)
    covariance = (1 - rho) * np.eye(n) + rho
    away = np.array(differences) - mean
    exponent, determinant = away @ np.linalg.solve(covariance, away), np.linalg.det(covariance)

    def at(deviation: float) -> float:
        return math.exp(-exponent / (2 * deviation**2)) / (deviation ** (n + 1) * math.sqrt(determinant))

    return integrate.quad(at, 1e-3, 3, limit=200)[0]


@cache
def heights(overlap: float) -> tuple[np.ndarray, np.ndarray]:
    """Means, and how likely each is."""
    differences = [new - old for new, old in zip(NEW, OLD, strict=True)]
    grid = np.linspace(-1, 1.2, 2_201)
    return grid, np.array([density(mean, differences, overlap) for mean in grid])


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.1])
@pytest.mark.parametrize(("model", "overlap"), [("t", 0.0), ("correlated t", 0.25)])
def test_the_t_model_is_the_integral_over_means_and_deviations(model, overlap, rope):
    found = posterior(of(new=NEW, old=OLD), rope, model, overlap=overlap or None)
    grid, height = heights(overlap)
    whole = integrate.simpson(height, x=grid)
    above, below = grid >= rope - 1e-12, grid <= -rope + 1e-12
    assert found.higher[0] == pytest.approx(integrate.simpson(height[above], x=grid[above]) / whole, abs=2e-5)
    assert found.lower[0] == pytest.approx(integrate.simpson(height[below], x=grid[below]) / whole, abs=2e-5)
    assert found.higher[0] + found.equivalent[0] + found.lower[0] == pytest.approx(1)


@pytest.mark.parametrize(("model", "overlap"), [("t", 0.0), ("correlated t", 0.25)])
def test_the_credible_interval_leaves_as_much_above_as_below(model, overlap):
    found = posterior(of(new=NEW, old=OLD), 0.0, model, overlap=overlap or None, credibility=0.9)
    grid, height = heights(overlap)
    below = integrate.cumulative_simpson(height, x=grid, initial=0)
    low, high = np.interp([0.05, 0.95], below / below[-1], grid)
    assert (found.low[0], found.high[0]) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_without_a_region_the_t_model_is_the_one_sided_test():
    found = cranfield.compare_bayesian({"new": NEW, "old": OLD}, "old", rope=0).rows[0]
    tested = cranfield.compare({"new": NEW, "old": OLD}, "old", alternative="greater").rows[0]
    assert 1 - found.better == pytest.approx(tested.p)
    assert found.equivalent == 0


def test_the_signed_rank_model_counts_the_most_probable_event_of_each_draw():
    found = posterior(of(new=NEW, old=OLD), 0.05, "signed-rank", resamples=300, seed=5)
    differences = [0.0, *(new - old for new, old in zip(NEW, OLD, strict=True))]
    count = [0.0, 0.0, 0.0]
    for weight in np.random.default_rng(5).dirichlet(np.ones(9), 300).tolist():
        event = [0.0, 0.0, 0.0]
        for (v, x), (w, y) in itertools.product(zip(weight, differences, strict=True), repeat=2):
            mean = (x + y) / 2
            event[0 if mean > 0.05 + 1e-12 else 2 if mean < -0.05 - 1e-12 else 1] += v * w
        count[event.index(max(event))] += 1
    assert [found.higher[0], found.equivalent[0], found.lower[0]] == pytest.approx([one / 300 for one in count])


def test_events_that_are_equally_probable_share_a_draw():
    tied = posterior(of(new=[0.5], old=[0.25]), 0.125, "signed-rank", resamples=50)
    assert tied.equivalent[0] + tied.higher[0] == pytest.approx(1)  # 0.125 is the rope: equivalent
    same = posterior(of(new=[0.5, 0.5], old=[0.5, 0.5]), 0.0, "signed-rank", resamples=7)
    assert (same.higher[0], same.equivalent[0], same.lower[0]) == (0, 1, 0)
    opposite = of(new=[0.1, -0.1], old=[0.0, 0.0])
    found = posterior(opposite, 0.0, "signed-rank", resamples=400, seed=2)
    weight = np.random.default_rng(2).dirichlet(np.ones(3), 400)
    more = weight[:, 1] * (weight[:, 1] + 2 * weight[:, 0])
    less = weight[:, 2] * (weight[:, 2] + 2 * weight[:, 0])
    events = np.stack([more, 1 - more - less, less])
    assert [found.higher[0], found.lower[0]] == pytest.approx([(events.argmax(axis=0) == e).mean() for e in (0, 2)])


def test_draws_in_portions_are_the_same_draws(monkeypatch):
    pairs = of(new=NEW, other=NEW[::-1], old=OLD)
    whole = posterior(pairs, 0.01, "signed-rank", resamples=100)
    monkeypatch.setattr(bayesian, "_CELLS", 9 * 30)
    parts = posterior(pairs, 0.01, "signed-rank", resamples=100)
    assert parts.higher == pytest.approx(whole.higher)
    assert parts.higher + parts.equivalent + parts.lower == pytest.approx([1, 1])
    assert parts.higher[0] != parts.higher[1]
    assert np.isnan([parts.low, parts.high]).all()


def test_a_posterior_says_what_was_assumed_and_what_is_missing():
    jeffreys = "prior: uniform for the mean and for the logarithm of the standard deviation (Jeffreys)"
    plain = posterior(of(new=NEW, old=OLD), 0.01)
    assert (plain.prior, plain.reason) == (jeffreys, "")
    assert posterior(of(new=NEW, old=OLD), 0.01, "correlated t", overlap=0.25).prior == f"{jeffreys}; overlap 0.25"
    assert posterior(of(new=NEW, old=OLD), 0.01, "t", overlap=0.25).prior == jeffreys
    ranked = posterior(of(new=NEW, old=OLD), 0.01, "signed-rank", seed=4)
    assert ranked.prior == "prior: Dirichlet process with one observation of 0; 10,000 draws, seed 4"
    shifted = [value + 0.125 for value in OLD]
    partly = posterior(of(new=NEW, shifted=shifted, old=OLD), 0.0)
    assert np.isnan([partly.higher[1], partly.equivalent[1], partly.lower[1], partly.low[1], partly.high[1]]).all()
    assert partly.higher[0] == plain_higher()
    assert partly.reason == "differences are the same on every unit: no variance"


def plain_higher() -> float:
    return posterior(of(new=NEW, old=OLD), 0.0).higher[0]


@pytest.mark.parametrize("rope", [-1e-300, math.inf, math.nan])
def test_a_region_has_a_finite_size(rope):
    with pytest.raises(BadSetting, match="rope, the largest negligible difference, must be a number of 0 or more"):
        posterior(of(new=NEW, old=OLD), rope)


@pytest.mark.parametrize("overlap", [0.0, -0.1])
def test_the_correlated_model_needs_an_overlap_above_0(overlap):
    with pytest.raises(BadSetting, match="needs the overlap"):
        posterior(of(new=NEW, old=OLD), 0.01, "correlated t", overlap=overlap)


@pytest.mark.parametrize("model", ["t", "signed-rank"])
def test_swapped_systems_swap_the_probabilities(model):
    one = cranfield.compare_bayesian({"new": NEW, "old": OLD}, "old", model=model).rows[0]
    other = cranfield.compare_bayesian({"new": NEW, "old": OLD}, "new", model=model).rows[0]
    assert (one.better, one.equivalent) == (pytest.approx(other.worse, abs=1e-12), pytest.approx(other.equivalent))


def test_lower_is_better_where_it_is_said():
    values = {"new": [0.1, 0.2, 0.15, 0.1], "old": [0.3, 0.35, 0.4, 0.3]}
    assert cranfield.compare_bayesian(values, "old").rows[0].decision == "worse"
    assert cranfield.compare_bayesian(values, "old", lower_is_better=True).rows[0].decision == "better"


def test_nearly_the_same_systems_are_equivalent_and_a_wide_spread_decides_nothing():
    close = {"new": [0.5, 0.6, 0.7, 0.8], "old": [0.501, 0.599, 0.702, 0.799]}
    assert cranfield.compare_bayesian(close, "old", rope=0.01).rows[0].decision == "equivalent"
    assert cranfield.compare_bayesian({"new": NEW, "old": NEW[::-1]}, "old").rows[0].decision == "undecided"


@pytest.mark.parametrize("model", ["t", "correlated t"])
def test_differences_without_variance_have_no_posterior_and_say_why(model):
    overlap = 0.1 if model == "correlated t" else None
    values = {"new": [0.5, 0.6, 0.7], "old": [0.4, 0.5, 0.6]}
    found = cranfield.compare_bayesian(values, "old", model=model, overlap=overlap)
    assert found.rows[0].better is None
    assert found.rows[0].decision == "undecided"
    assert any("no variance" in note for note in found.notes)


def test_folds_know_their_overlap():
    learners = {
        "mean": (lambda _, y: y.mean(), lambda model, x: np.full(len(x), model)),
        "zero": (lambda _x, _y: 0.0, lambda model, x: np.full(len(x), model)),
    }
    x, y = np.arange(20.0), np.arange(20.0) % 5
    validated = cranfield.cross_validate(learners, x, y, k_fold(20, 5), "MAE")
    plain, correlated = (
        cranfield.compare_bayesian(validated, "zero", model=model).rows[0] for model in ("t", "correlated t")
    )
    wider = math.sqrt((1 / 5 + 1 / 4) / (1 / 5))
    assert correlated.high - correlated.low == pytest.approx(wider * (plain.high - plain.low))
    with pytest.raises(BadSetting, match="overlap"):
        cranfield.compare_bayesian({"new": NEW, "old": OLD}, model="correlated t")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rope": -0.1}, "rope"),
        ({"rope": float("nan")}, "rope"),
        ({"credibility": 1.5}, "credibility"),
        ({"model": "normal"}, "model must be"),
        ({"model": "signed-rank", "resamples": 0}, "resamples"),
        ({"overlap": 0.1}, "overlap has an effect only with model='correlated t'"),
        ({"model": "signed-rank", "overlap": 0.1}, "overlap has an effect only with model='correlated t'"),
        ({"resamples": 99}, "resamples has an effect only with model='signed-rank'"),
        ({"model": "correlated t", "overlap": 0.1, "seed": 1}, "seed has an effect only with model='signed-rank'"),
        ({"model": "correlated t", "overlap": "x"}, "overlap must be a number above 0, not 'x'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        cranfield.compare_bayesian({"new": NEW, "old": OLD}, **settings)


def test_one_unit_is_too_few():
    with pytest.raises(BadInput, match="at least 2"):
        cranfield.compare_bayesian({"new": [0.5], "old": [0.4]})


def test_the_command_prints_the_probabilities(tmp_path, capsys):
    table = tmp_path / "values.csv"
    rows = (f"{n},{NEW[n]},{OLD[n]}\n" for n in range(len(NEW)))
    table.write_text("fold,new,old\n" + "".join(rows))
    assert main(["bayes", "--values", str(table), "-b", "old", "--rope", "0.02", "-f", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    expected = cranfield.compare_bayesian({"new": NEW, "old": OLD}, "old", rope=0.02).rows[0]
    assert shown["pairs"][0]["better"] == expected.better
    assert "Jeffreys" in " ".join(shown["notes"])


def test_text_instead_of_a_number_is_refused():
    values = {"a": [1, 2, 3], "b": [2, 2, 2]}
    with pytest.raises(BadSetting, match="rope must be a non-negative number, not 'x'"):
        cranfield.compare_bayesian(values, rope="x")
    with pytest.raises(BadSetting, match=r"credibility must be a number from 0\.5 to 1, not 'x'"):
        cranfield.compare_bayesian(values, rope=0.1, credibility="x")
