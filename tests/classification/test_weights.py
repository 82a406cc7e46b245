"""Items with weights: how sure figures are then, against slow reckoning, and whether bounds hold what they should."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import classify, regress
from cranfield.arrays import Floats, Mask
from cranfield.evidence.thresholds import thresholds
from cranfield.statistics.areas import area_interval, compare_areas

SHARES = ("Recall", "Specificity", "Precision", "NPV", "FDR", "Accuracy", "ErrorRate", "Prevalence", "Jaccard")


def items(seed: int, n: int = 60) -> tuple[Mask, Floats, Floats]:
    """Classes, scores with ties, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    actual = np.append([True, False], rng.random(n - 2) < 0.4)
    return actual, np.round(rng.normal(size=n) + actual, 1), rng.integers(0, 5, n) / 2 + (np.arange(n) < 2)


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


@pytest.mark.parametrize("measure", [*SHARES, "F2", "MCC", "AUC", "AP", "Brier"])
def test_items_with_different_weights_have_no_interval(measure: str) -> None:
    actual, score, weight = items(4, 300)
    found = classify(actual, probability=1 / (1 + np.exp(-score)), weight=weight, threshold=0.5).interval(measure)
    assert found.method.startswith("none: items have different weights")
    assert np.isnan(found.low)


def test_weights_that_differ_between_classes_only_leave_the_area_its_interval() -> None:
    actual, score, _ = items(1)
    weighted, plain = (area_interval(thresholds(actual, score, w)) for w in (np.where(actual, 9.0, 1.0), None))
    assert weighted[:3] == pytest.approx(plain[:3])


def test_numeric_predictions_with_different_weights_have_no_interval() -> None:
    predicted = np.arange(1000.0)
    actual = predicted + np.random.default_rng(0).normal(size=1000)
    for weight, some in ((predicted + 1, False), (np.full(1000, 0.2), True), (None, True)):
        found = regress(actual, predicted, weight=weight).interval("MAE")
        assert np.isfinite(found.low) == some
