"""Slope and intercept of recalibration against statsmodels, and debiased errors against simulation."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from cranfield import classify
from cranfield.arrays import Floats
from cranfield.evidence.probabilities import binned
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.measures.naming import parse
from cranfield.statistics.calibration import intercept_interval, slope_interval

SLOPE, INTERCEPT = parse("CalibrationSlope", "binary"), parse("CalibrationIntercept", "binary")


def regression(actual: Floats, probability: Floats, weight: Floats | None = None, *, slope: bool = True) -> float:
    """The slope or, with slope 1, the intercept of the logistic regression on the log-odds."""
    odds = logit(probability)
    columns = sm.add_constant(odds) if slope else np.ones((len(odds), 1))
    offset = None if slope else odds
    model = sm.GLM(actual, columns, family=sm.families.Binomial(), offset=offset, freq_weights=weight)
    return float(model.fit(tol=1e-14, maxiter=200).params[-1])


@pytest.mark.parametrize("digits", [None, 1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_slope_and_intercept_are_those_of_a_logistic_regression(seed: int, weighted: bool, digits: int | None) -> None:
    rng = np.random.default_rng(seed)
    probability = rng.uniform(0.06, 0.94, 80)
    if digits is not None:
        probability = probability.round(digits)
    actual = (rng.random(80) < expit(0.4 + 0.6 * logit(probability))).astype(float)
    weight = rng.integers(1, 6, 80) / 2 if weighted else None
    scores = thresholds(actual == 1, probability, weight)
    assert float(SLOPE.values(scores)) == pytest.approx(regression(actual, probability, weight), rel=1e-9)
    assert float(INTERCEPT.values(scores)) == pytest.approx(
        regression(actual, probability, weight, slope=False), rel=1e-9
    )


@given(power=st.sampled_from((0.01, 0.3, 1.0, 4.0, 300.0)), shift=st.sampled_from((-30.0, -1.0, 0.0, 2.0)))
def test_recalibrated_probabilities_have_another_slope_and_intercept(power: float, shift: float) -> None:
    """Log-odds times c have the slope over c; log-odds plus c have the intercept less c."""
    odds, actual = np.array([-1.5, -1.0, -0.2, 0.1, 0.4, 0.9, 1.1]), np.array([0, 1, 0, 0, 1, 0, 1]) == 1
    plain, moved, steeper = (thresholds(actual, expit(own)) for own in (odds, odds + shift, odds / power))
    assert float(INTERCEPT.values(moved)) == pytest.approx(float(INTERCEPT.values(plain)) - shift, abs=1e-6)
    if power > 0.05:  # else rounding makes probabilities 1
        assert float(SLOPE.values(steeper)) == pytest.approx(power * float(SLOPE.values(plain)), rel=1e-6)


def test_hardly_overlapping_classes_have_a_steep_slope() -> None:
    actual, probability = np.array([0, 0, 1, 0, 1, 1]) == 1, np.array([0.1, 0.3, 0.5, 0.5 + 1e-9, 0.7, 0.9])
    slope = float(SLOPE.values(thresholds(actual, probability)))
    assert slope == pytest.approx(regression(actual.astype(float), probability), rel=1e-6)
    assert 1 < slope < 100


@pytest.mark.parametrize(
    ("actual", "probability", "reason"),
    [
        ("0011", [0.1, 0.2, 0.8, 0.9], "a threshold separates the classes, so the slope"),
        ("1100", [0.1, 0.2, 0.2, 0.9], "a threshold separates the classes, so the slope"),
        ("0101", [0.3, 0.3, 0.3, 0.3], "all probabilities are equal"),
        ("0101", [0.0, 0.3, 0.2, 0.9], "a probability is 0 or 1"),
        ("0101", [0.4, 0.3, 1.0, 0.9], "a probability is 0 or 1"),
    ],
)
def test_a_slope_that_is_not_defined_says_why(actual: str, probability: list[float], reason: str) -> None:
    scores = thresholds(np.array([*actual]) == "1", np.array(probability))
    assert np.isnan(SLOPE.values(scores))
    assert SLOPE.why_undefined(scores).startswith(reason)


@given(
    seed=st.integers(0, 10_000),
    spread=st.sampled_from((1e-6, 0.1, 1.0, 8.0, 30.0)),
    shift=st.sampled_from((0.0, -5.0, 30.0)),
    signal=st.sampled_from((-3.0, 0.0, 1.0, 30.0)),
)
def test_intervals_contain_the_value_or_say_why_there_is_none(
    seed: int, spread: float, shift: float, signal: float
) -> None:
    rng = np.random.default_rng(seed)
    odds = np.clip(rng.normal(shift, spread, 60), -36, 36)
    actual = rng.random(60) < expit(signal * (odds - shift) / spread)
    scores = thresholds(actual, expit(odds))
    for measure, interval in ((SLOPE, slope_interval), (INTERCEPT, intercept_interval)):
        value = float(measure.values(scores))
        if not np.isnan(value):
            found = interval(scores)
            assert found.reason or found.low[0] < value < found.high[0]


def test_one_class_has_no_slope_and_no_intercept() -> None:
    scores = Thresholds(np.array([0.2, 0.4]), np.zeros(0))
    for measure in (SLOPE, INTERCEPT):
        assert np.isnan(measure.values(scores))
        assert measure.why_undefined(scores) == "only one class is present"


def test_separable_probabilities_have_an_intercept() -> None:
    result = classify([0, 0, 1, 1], probability=[0.1, 0.2, 0.8, 0.9], measures=["CalibrationIntercept"])
    assert result["CalibrationIntercept"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_debiased_ece_is_the_limit_of_the_simulation_that_defines_it(seed: int) -> None:
    """Kumar, Liang and Ma (2019): the frequency of each bin is drawn from a normal distribution."""
    rng = np.random.default_rng(seed)
    probability = rng.beta(1, 2, 150)
    actual = rng.random(150) < probability**1.3
    scores = thresholds(actual, probability)
    bins = binned(scores, 10)
    _, _, n, positive, sums = (column[bins.n > 0] for column in bins)
    frequency, predicted = positive / n, sums / n
    noise = rng.normal(size=(200_000, len(n))) * np.sqrt(frequency * (1 - frequency) / n)
    ece = (n * np.abs(frequency - predicted)).sum() / n.sum()
    simulated = 2 * ece - (np.abs(frequency + noise - predicted) @ n).mean() / n.sum()
    assert float(parse("DebiasedECE", "binary").values(scores)) == pytest.approx(simulated, abs=5e-4)


def test_debiased_reliability_is_unbiased_whether_calibrated_or_not() -> None:
    rng, measure = np.random.default_rng(0), parse("DebiasedReliability", "binary")
    probability = np.repeat([0.15, 0.35, 0.55, 0.85], 15)
    for true in (probability, probability**2):
        drawn = [float(measure.values(thresholds(rng.random(60) < true, probability))) for _ in range(2_000)]
        expected = ((probability - true) ** 2).mean()
        assert np.mean(drawn) == pytest.approx(expected, abs=4 * np.std(drawn) / np.sqrt(len(drawn)))


def test_the_debiased_ece_of_calibrated_probabilities_is_nearer_to_0_than_the_ece() -> None:
    rng = np.random.default_rng(0)
    probability = rng.beta(2, 2, 200)
    plain, debiased = (
        np.mean([float(parse(name, "binary").values(scores)) for scores in calibrated(probability)])
        for name in ("ECE", "DebiasedECE")
    )
    assert 0 < debiased < 0.7 * plain


def calibrated(probability: Floats) -> list[Thresholds]:
    """Two hundred samples of outcomes of these probabilities."""
    rng = np.random.default_rng(1)
    return [thresholds(rng.random(len(probability)) < probability, probability) for _ in range(200)]
