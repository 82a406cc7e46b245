"""Areas under ROC curves: DeLong's interval and test against slow reckoning from the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import norm

from classification.examples import scored, twenty
from classification.generated import scores_of_items
from cranfield import classify, examine, plot
from cranfield.arrays import Floats
from cranfield.errors import BadInput
from cranfield.evidence.thresholds import Thresholds
from cranfield.statistics.areas import area_interval, compare_areas, supported_interval


def components(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """The structural components of DeLong, DeLong and Clarke-Pearson (1988), pair by pair."""
    kernel = np.array([[(p > n) + (p == n) / 2 for n in negative] for p in positive], float)
    return kernel.mean(axis=1), kernel.mean(axis=0)


def covariance(parts: list[Floats]) -> Floats:
    table = np.array(parts)
    centred = table - table.mean(axis=1, keepdims=True)
    n = table.shape[1]
    return centred @ centred.T / (n - 1) / n if n > 1 else np.zeros((len(parts), len(parts)))


@given(scores=scores_of_items())
def test_interval_of_an_area(scores: Thresholds) -> None:
    yes, no = components(scores.positive, scores.negative)
    area = yes.mean()
    variance = covariance([yes])[0, 0] + covariance([no])[0, 0]
    ours = area_interval(scores)
    assert ours.value == pytest.approx(area, abs=1e-12)
    assert 0 <= ours.low <= area <= ours.high <= 1
    if 0 < area < 1 and variance > 0 and min(len(yes), len(no)) >= 10:
        logit = np.log(area / (1 - area)) + norm.ppf([0.025, 0.975]) * np.sqrt(variance) / (area * (1 - area))
        assert ours.method == "delong, logit"
        assert (ours.low, ours.high) == pytest.approx(tuple(1 / (1 + np.exp(-logit))), abs=1e-12)
    else:
        assert ours.method == "newcombe"
    plain = area_interval(scores, method="delong")
    if 0 < area < 1 and variance > 1e-30 and min(len(yes), len(no)) > 1:
        low, high = area + norm.ppf([0.025, 0.975]) * np.sqrt(variance)
        assert plain.method == "delong"
        assert (plain.low, plain.high) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-12)
    else:
        assert plain.method == "newcombe"


@pytest.mark.parametrize("seed", range(6))
def test_two_scorers_of_the_same_items(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actual = np.append([True, False, True, False], rng.random(40) < 0.4)
    first = np.round(rng.normal(size=44) + actual, 1)
    second = np.round(rng.normal(size=44) + 0.5 * actual, 1)
    each = [components(score[actual], score[~actual]) for score in (first, second)]
    spread = covariance([yes for yes, _ in each]) + covariance([no for _, no in each])
    difference = each[0][0].mean() - each[1][0].mean()
    z = difference / np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1])
    ours = compare_areas(actual, first, second)
    assert ours.difference == pytest.approx(difference, abs=1e-12)
    assert ours.z == pytest.approx(z, abs=1e-9)
    assert ours.p == pytest.approx(2 * norm.sf(abs(z)), abs=1e-9)
    assert ours.low <= ours.difference <= ours.high


def test_a_scorer_does_not_differ_from_itself() -> None:
    actual, score = np.array([True, False, True, False]), np.array([0.9, 0.8, 0.3, 0.1])
    test = compare_areas(actual, score, score)
    assert (test.difference, test.z, test.p) == (0, 0, 1)
    assert np.isnan([test.low, test.high]).all()
    assert test.reason.startswith("no interval: both scorers rank each item")


def test_two_perfect_scorers_have_no_interval_of_their_difference_without_width() -> None:
    found = classify([1, 1, 0, 0], score={"a": [4, 3, 2, 1], "b": [9, 8, 1, 2]}, measures="AUC")
    assert "a       b          0.0000    –     –  0.0000  1.0000" in str(found)
    assert ",AUC difference,,,,0.0,,,no interval: both scorers rank each item" in found.to_csv()


def test_a_perfect_area_still_has_an_interval_of_some_width() -> None:
    few, many = (
        area_interval(scored("PPNN", (4, 3, 2, 1))),
        area_interval(scored("P" * 50 + "N" * 50, tuple(range(100, 0, -1)))),
    )
    assert (few.value, few.high, few.method) == (1, 1, "newcombe")
    assert 0.2 < few.low < many.low < 1


def test_the_interval_covers_what_it_should() -> None:
    true = norm.cdf(1 / np.sqrt(2))
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        found = area_interval(Thresholds(np.sort(rng.normal(1, 1, 40)), np.sort(rng.normal(0, 1, 60))))
        covered += found.low <= true <= found.high
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.parametrize("sizes", [(1, 100), (2, 100), (5, 60), (100, 1), (3, 3)])
def test_the_interval_covers_with_few_items_of_a_class(sizes: tuple[int, int]) -> None:
    true = norm.cdf(1 / np.sqrt(2))
    rng = np.random.default_rng(sum(sizes))
    covered = 0
    for _ in range(400):
        found = area_interval(Thresholds(*(np.sort(rng.normal(mean, 1, n)) for mean, n in zip((1, 0), sizes))))
        covered += found.low <= true <= found.high
    assert covered / 400 >= 0.92


def test_one_item_of_a_class_does_not_say_how_areas_vary() -> None:
    actual = np.arange(50) < 1
    first, second = np.random.default_rng(0).normal(size=(2, 50))
    test = compare_areas(actual, first, second)
    assert np.isnan([test.z, test.p, test.low, test.high]).all()
    assert (
        test.reason == "undefined: at least 2 items per class (effective sample size) are needed to estimate variance"
    )
    uneven = compare_areas(np.arange(50) < 2, first, second, weight=np.append(1e-9, np.ones(49)))
    assert np.isnan(uneven.p)


@pytest.mark.parametrize("weight", [None, np.array([0.1, 0.1, 0.3, 0.3])])
def test_a_difference_that_does_not_vary_is_not_infinitely_sure(weight: Floats | None) -> None:
    actual = np.array([True, True, False, False])
    test = compare_areas(actual, np.array([4.0, 3, 2, 1]), np.array([1.0, 2, 3, 4]), weight=weight)
    assert test.difference == 1
    assert np.isnan([test.z, test.p, test.low, test.high]).all()
    assert test.reason.startswith("undefined: the difference has no variance")


def test_an_area_with_hardly_a_misplaced_item_has_newcombes_interval() -> None:
    actual = np.repeat([1, 0], [50, 950])
    score = np.append(np.linspace(2, 3, 49), 0.5), np.linspace(0, 1, 950)
    found = classify(actual, score=np.concatenate(score)).interval("AUC")
    assert 50 * (1 - found.value) < 2
    assert found.method == "newcombe"
    assert found.low < found.value < found.high < 1


def test_tables_plots_and_cautions_agree_that_few_items_have_no_interval() -> None:
    why = "fewer than 10 negative items"
    for n_negative, expected in ((9, True), (10, False)):
        positive, negative = np.arange(30.0), np.arange(n_negative) + 14.5
        actual = np.arange(30 + n_negative) < 30
        found = classify(actual, score=-np.concatenate([positive, negative]), measures="AUC", positive=True)
        scores = found.evaluated[0].thresholds
        shown = supported_interval(scores, confidence=0.95, method="auto")
        assert np.isnan(shown.low) == (why in shown.method) == expected
        assert (why in found.interval("AUC").method) == expected
        notes = " ".join(plot.roc(found).notes)
        assert ("no confidence interval of the AUC" in notes and why in notes) == expected
        assert ("95 % confidence interval of the AUC" in notes) != expected
    inverted = classify([1] * 9 + [0] * 30, score=[*range(9), *range(20, 50)])
    assert "worse-than-chance" not in [caution.kind for caution in inverted.warnings]
    assert "below-diagonal" not in [finding.rule for finding in examine(inverted)]


def test_what_cannot_be_compared() -> None:
    with pytest.raises(BadInput, match="only one class"):
        compare_areas(np.array([True, True]), np.zeros(2), np.zeros(2))
    with pytest.raises(BadInput, match="only one class"):
        compare_areas(np.array([True, False]), np.zeros(2), np.zeros(2), weight=np.array([1.0, 0.0]))
    with pytest.raises(BadInput, match="2 items, but 2 and 3 scores"):
        compare_areas(np.array([True, False]), np.zeros(2), np.zeros(3))
    assert np.isnan(area_interval(scored("PP", (1, 2))).value)


def test_interval_of_twenty_instances_holds_a_half() -> None:
    found = area_interval(twenty())
    assert found.low < 0.5 < found.value == 0.68


def test_tests_of_several_pairs_say_that_they_are_not_corrected() -> None:
    score = {"a": [4, 2, 3, 1, 5, 0], "b": [3, 4, 2, 5, 6, 0], "c": [5, 2, 4, 3, 6, 1]}
    three = classify([1, 1, 0, 0, 1, 0], score=score, measures="AUC")
    assert "95 % intervals and p: for single pairs, not adjusted for 3 pairs" in str(three)
    assert three.to_csv().count(',"delong, for single pairs, not adjusted",') == 3
    assert three.to_json().count('"correction": "none"') == 3
    del score["c"]
    assert "not adjusted" not in str(classify([1, 1, 0, 0, 1, 0], score=score, measures="AUC"))
