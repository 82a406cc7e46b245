"""Items with weights: how sure figures are then, against slow reckoning, and whether bounds hold what they should."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from cranfield import classify
from cranfield.arrays import Floats, Mask
from cranfield.evidence.thresholds import thresholds
from cranfield.inference.delong import area_interval, compare_areas

SHARES = ("Recall", "Specificity", "Precision", "NPV", "FDR", "Accuracy", "ErrorRate", "Prevalence", "Jaccard")


def items(seed: int, n: int = 60) -> tuple[Mask, Floats, Floats]:
    """Classes, scores with ties, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    actual = np.append([True, False], rng.random(n - 2) < 0.4)
    return actual, np.round(rng.normal(size=n) + actual, 1), rng.integers(0, 5, n) / 2 + (np.arange(n) < 2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", SHARES)
def test_a_share_is_as_sure_as_the_equal_items_its_weights_are_worth(measure: str, seed: int) -> None:
    actual, score, weight = items(seed)
    said = score > 0.5
    whole = {
        "Recall": actual,
        "Specificity": ~actual,
        "Precision": said,
        "FDR": said,
        "NPV": ~said,
        "Jaccard": actual | said,
    }.get(measure, np.ones(len(actual), bool))
    size = weight[whole].sum() ** 2 / (weight[whole] ** 2).sum()
    found = classify(actual, said, weight=weight).interval(measure)
    assert found.method == "wilson, weighted"
    assert found[1:3] == pytest.approx(proportion_confint(found.value * size, size, method="wilson"), abs=1e-12)


def kernel(actual: Mask, score: Floats) -> Floats:
    """1 for each pair in order, a half where it ties: a row a positive."""
    return np.array([[(p > n) + (p == n) / 2 for n in score[~actual]] for p in score[actual]], float)


def spread(value: Floats, weight: Floats) -> float:
    """The variance of a weighted mean, one item after the other."""
    total = sum(weight)
    mean = sum(w * v for w, v in zip(weight, value, strict=True)) / total
    size = total**2 / sum(w * w for w in weight)
    return sum((w * (v - mean)) ** 2 for w, v in zip(weight, value, strict=True)) / total**2 * size / (size - 1)


def placed(actual: Mask, score: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """The weighted share of the others that each positive, and each negative, is in order with."""
    pairs = kernel(actual, score)
    yes, no = weight[actual], weight[~actual]
    return pairs @ no / no.sum(), yes @ pairs / yes.sum()


@pytest.mark.parametrize("seed", range(5))
def test_interval_of_a_weighted_area(seed: int) -> None:
    actual, score, weight = items(seed)
    yes, no = placed(actual, score, weight)
    area = np.average(yes, weights=weight[actual])
    deviation = np.sqrt(spread(yes, weight[actual]) + spread(no, weight[~actual]))
    logit = np.log(area / (1 - area)) + norm.ppf([0.025, 0.975]) * deviation / (area * (1 - area))
    found = classify(actual, score=score, weight=weight).interval("AUC")
    assert found.method == "delong, logit, weighted"
    assert (found.low, found.high) == pytest.approx(tuple(1 / (1 + np.exp(-logit))), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_two_scorers_of_weighted_items(seed: int) -> None:
    actual, first, weight = items(seed)
    second = items(seed + 100)[1]
    (yes, no), (other_yes, other_no) = (placed(actual, score, weight) for score in (first, second))
    difference = np.average(yes - other_yes, weights=weight[actual])
    deviation = np.sqrt(spread(yes - other_yes, weight[actual]) + spread(no - other_no, weight[~actual]))
    test = compare_areas(actual, first, second, weight=weight)
    assert (test.difference, test.z) == pytest.approx((difference, difference / deviation), abs=1e-9)


@pytest.mark.parametrize("size", [1.0, 3.0, 0.25])
def test_weights_of_one_size_change_nothing(size: float) -> None:
    actual, score, _ = items(1)
    weight = np.full(len(actual), size)
    plain, weighted = (classify(actual, score=score, weight=each, threshold=0.5) for each in (None, weight))
    for measure in (*SHARES, "AUC"):
        assert weighted.interval(measure)[:3] == pytest.approx(plain.interval(measure)[:3], abs=1e-12)
    for measure in ("AP", "AUPRG"):
        assert weighted.interval(measure)[:3] == pytest.approx(plain.interval(measure)[:3], nan_ok=True)
    second = items(7)[1]
    weighted_test, test = (compare_areas(actual, score, second, weight=given) for given in (weight, None))
    assert weighted_test[1:] == pytest.approx(test[1:])


def test_an_area_that_is_perfect_is_the_less_sure_the_less_even_the_weights() -> None:
    actual, score = np.repeat([True, False], 20), np.repeat([1.0, 0.0], 20)
    even, uneven = (area_interval(thresholds(actual, score, w)) for w in (np.ones(40), np.arange(1.0, 41.0)))
    assert uneven.method == "newcombe, weighted"
    assert uneven.low < even.low < 1


@pytest.mark.parametrize("measure", ["F2", "MCC", "Kappa", "Informedness", "AP"])
def test_other_measures_have_an_effective_sample_size(measure: str) -> None:
    actual, score, weight = items(4, 200)
    found = classify(actual, score=score, weight=weight, threshold=0.5)
    bounds = found.interval(measure, resamples=200)
    assert bounds.method in ("jeffreys, weighted", "delta, weighted")
    assert bounds.low < bounds.value < bounds.high
    even = classify(actual, score=score, threshold=0.5).interval(measure, resamples=200)
    assert bounds.high - bounds.low > even.high - even.low
    assert bounds == found.interval(measure, resamples=200)


def test_weighted_classes_have_intervals_too() -> None:
    rng = np.random.default_rng(0)
    actual, predicted, weight = rng.integers(0, 3, 90), rng.integers(0, 3, 90), rng.random(90)
    found = classify(actual, predicted, weight=weight)
    for measure in ("Accuracy", "Kappa", "F1"):
        bounds = found.interval(measure, resamples=100)
        assert bounds.low < bounds.value < bounds.high
    assert found.interval("Recall", label=1).method == "wilson, weighted"
    assert found.interval("F1", label=1).method == "wilson, weighted"
    assert found.interval("F2", label=1, resamples=100).method == "jeffreys, weighted"
    size = weight.sum() ** 2 / (weight**2).sum()
    accuracy = found.interval("Accuracy")
    assert accuracy[1:3] == pytest.approx(proportion_confint(accuracy.value * size, size, method="wilson"), abs=1e-12)


@pytest.mark.simulation
def test_weighted_shares_are_covered_as_often_as_promised() -> None:
    rng = np.random.default_rng(3)
    covered, times = 0, 1500
    for _ in range(times):
        actual = rng.random(150) < 0.3
        found = classify(actual, actual, weight=rng.exponential(size=150), measures="Prevalence").interval("Prevalence")
        covered += found.low <= 0.3 <= found.high
    assert 0.93 <= covered / times <= 0.97


@pytest.mark.simulation
def test_weighted_areas_are_covered_as_often_as_promised() -> None:
    rng = np.random.default_rng(4)
    true, covered, times = norm.cdf(1 / np.sqrt(2)), 0, 1500
    for _ in range(times):
        actual = np.arange(200) < 80
        found = area_interval(thresholds(actual, rng.normal(size=200) + actual, rng.exponential(size=200)))
        covered += found.low <= true <= found.high
    assert 0.93 <= covered / times <= 0.97


@pytest.mark.simulation
def test_a_weighted_f_measure_is_covered_as_often_as_promised() -> None:
    rng = np.random.default_rng(6)
    true, covered, times = 2 * 0.3 * 0.8 / (0.3 + 0.3 * 0.8 + 0.7 * 0.2), 0, 400  # recall 0.8, fall-out 0.2
    for _ in range(times):
        actual = rng.random(400) < 0.3
        said = rng.random(400) < np.where(actual, 0.8, 0.2)
        found = classify(actual, said, weight=rng.uniform(0.5, 2, 400)).interval("F1", resamples=200)
        covered += found.low <= true <= found.high
    assert 0.93 <= covered / times <= 0.97


def test_an_item_that_counts_nothing_is_none() -> None:
    actual, score = np.array([True, False, True, False, True]), np.array([0.9, 0.8, 0.7, 0.6, 0.95])
    weight = np.array([1.0, 2.0, 1.0, 1.0, 0.0])
    with_it, without = (
        classify(actual, score=score, weight=weight, threshold=0.75),
        classify(actual[:4], score=score[:4], weight=weight[:4], threshold=0.75),
    )
    for measure in ("AUC", "AP", "AUPRG", "Recall"):
        assert with_it[measure] == without[measure]
    assert with_it.choose("Accuracy").thresholds == without.choose("Accuracy").thresholds


def test_the_interval_of_a_ratio_is_wide_if_two_items_have_all_the_weight() -> None:
    weight = [1, 1e5, 1, 1e5]
    found = classify([1, 1, 0, 0], [0, 1, 1, 0], weight=weight).interval("LR+")
    assert found.value == pytest.approx(1e5, rel=1e-4)
    assert found.low < 1 < found.value <= found.high
