"""Measures of predicted values: the worked example, scikit-learn, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn import metrics

from cranfield.evidence.residuals import Residuals
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations

CLOSE = 1e-12


def value(measure: str, residuals: Residuals) -> float:
    return float(parse(measure, "values").values(residuals))


def test_mean_squared_error_of_three_values() -> None:
    residuals = Residuals(np.array([1.0, 2, 3]), np.array([1.0, 2, 5]))
    assert value("MSE", residuals) == pytest.approx(4 / 3, abs=CLOSE)
    assert value("RMSE", residuals) == pytest.approx(np.sqrt(4 / 3), abs=CLOSE)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 3, 10, 1001])
@pytest.mark.parametrize(
    ("measure", "theirs"),
    [
        ("MSE", metrics.mean_squared_error),
        ("RMSE", metrics.root_mean_squared_error),
        ("MAE", metrics.mean_absolute_error),
        ("R2", metrics.r2_score),
        ("ExplainedVariance", metrics.explained_variance_score),
        ("MAPE", metrics.mean_absolute_percentage_error),
    ],
)
def test_agreement_with_scikit_learn(measure: str, theirs: object, n: int, weighted: bool) -> None:
    rng = np.random.default_rng(n)
    actual = rng.normal(10, 3, n)
    predicted = actual + rng.normal(0.2, 1, n)
    weight = rng.random(n) if weighted else None
    expected = theirs(actual, predicted, sample_weight=weight)  # type: ignore[operator]
    assert value(measure, Residuals(actual, predicted, weight)) == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_greatest_and_median_error_and_correlation(n: int) -> None:
    rng = np.random.default_rng(n)
    actual, predicted = rng.normal(size=(2, n))
    residuals = Residuals(actual, predicted)
    assert value("MaxError", residuals) == metrics.max_error(actual, predicted)
    assert value("MedianAE", residuals) == pytest.approx(metrics.median_absolute_error(actual, predicted), abs=CLOSE)
    if n > 2:
        assert value("Correlation", residuals) == pytest.approx(pearsonr(actual, predicted).statistic, abs=CLOSE)


def test_a_median_with_whole_weights_is_that_of_items_so_many_times() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        n = int(rng.integers(1, 8))
        actual, predicted = rng.integers(0, 5, (2, n)).astype(float)
        weight = rng.integers(1, 4, n)
        repeated = Residuals(np.repeat(actual, weight), np.repeat(predicted, weight))
        assert value("MedianAE", Residuals(actual, predicted, weight.astype(float))) == value("MedianAE", repeated)


@pytest.mark.parametrize("measure", declarations("values"))
def test_no_items_are_undefined(measure: str) -> None:
    assert np.isnan(value(measure, Residuals(np.empty(0), np.empty(0))))


def test_what_is_divided_by_nothing_is_undefined() -> None:
    same = Residuals(np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    assert np.isnan([value(name, same) for name in ("R2", "ExplainedVariance", "Correlation")]).all()
    assert np.isnan(value("MAPE", Residuals(np.array([0.0, 1.0]), np.array([1.0, 1.0]))))


@pytest.mark.parametrize("measure", declarations("values"))
def test_evidence_adds(measure: str) -> None:
    rng = np.random.default_rng(1)
    actual, predicted = rng.normal(5, 1, (2, 20))
    parts = Residuals(actual[:7], predicted[:7]) + Residuals(actual[7:], predicted[7:])
    assert value(measure, parts) == value(measure, Residuals(actual, predicted))


def test_residuals_are_summed_up() -> None:
    summary = Residuals(np.zeros(5), np.array([1.0, 2, 3, 4, 10])).summary
    assert summary == (5, 4.0, pytest.approx(3.5355339059327378), 1.0, 2.0, 3.0, 4.0, 10.0)


@pytest.mark.parametrize("weight", [None, np.array([0.1, 0.3, 0.7])])
def test_values_that_are_all_the_same_do_not_vary_though_their_mean_rounds(weight: object) -> None:
    same, others = np.full(3, 0.1), np.array([0.1, 0.2, 0.3])
    for measure in ("R2", "ExplainedVariance", "Correlation"):
        assert np.isnan(value(measure, Residuals(same, others, weight)))  # type: ignore[arg-type]
    assert np.isnan(value("Correlation", Residuals(others, same, weight)))  # type: ignore[arg-type]
    assert value("ExplainedVariance", Residuals(others, others + 0.1, weight)) == pytest.approx(1)  # type: ignore[arg-type]
