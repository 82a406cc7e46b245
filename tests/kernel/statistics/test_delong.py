"""Areas under ROC curves: DeLong's and Newcombe's intervals and DeLong's test, pair by pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.thresholds import thresholds
from cranfield.measures.interpretation import area_label
from cranfield.statistics.areas import MISPLACED, area_interval, compare_areas
from cranfield.statistics.item_resampling import resampled
from cranfield.statistics.thresholds import choose


def items(n_positive: int, n_negative: int, seed: int = 0, apart: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Whether items are positive, and scores in tenths, of which some are equal."""
    actual = np.arange(n_positive + n_negative) < n_positive
    return actual, (np.random.default_rng(seed).normal(size=len(actual)) + apart * actual).round(1)


def placed(actual: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of the negatives below each positive, and of the positives above each negative, ties counting half."""
    kernel = np.array([[(p > n) + (p == n) / 2 for n in score[~actual]] for p in score[actual]], float)
    return kernel.mean(axis=1), kernel.mean(axis=0)


def deviation(yes: np.ndarray, no: np.ndarray) -> float:
    return float(np.sqrt(yes.var(ddof=1) / len(yes) + no.var(ddof=1) / len(no)))


@pytest.mark.parametrize("confidence", [0.3, 0.95])
@pytest.mark.parametrize(("n_positive", "n_negative"), [(10, 10), (10, 30), (25, 11)])
def test_areas_of_ten_items_and_more_of_each_class_have_delongs_interval(n_positive, n_negative, confidence):
    actual, score = items(n_positive, n_negative, apart=0.3)
    yes, no = placed(actual, score)
    area, z = yes.mean(), stats.norm.ppf((1 + confidence) / 2)
    assert min(n_positive, n_negative) * (1 - area) > MISPLACED
    scores = thresholds(actual, score)
    half = z * deviation(yes, no) / (area * (1 - area))
    logit = np.log(area / (1 - area)) + np.array([-half, half])
    for method in ("auto", "logit"):
        found = area_interval(scores, confidence=confidence, method=method)
        assert (found.value, found.low, found.high) == pytest.approx((area, *(1 / (1 + np.exp(-logit)))))
        assert (found.confidence, found.method) == (confidence, "delong, logit")
    plain = area_interval(scores, confidence=confidence, method="delong")
    assert (plain.low, plain.high) == pytest.approx(tuple(np.clip(area + np.array([-z, z]) * deviation(yes, no), 0, 1)))
    assert plain.method == "delong"


def test_delongs_own_interval_is_cut_off_at_0_and_1():
    actual, score = items(5, 6, apart=1.0)
    for sign, end in ((1, 1.0), (-1, 0.0)):
        found = area_interval(thresholds(actual, sign * score), confidence=0.999, method="delong")
        assert end in (found.low, found.high)
        assert 0 <= found.low < found.value < found.high <= 1


@pytest.mark.parametrize(("n_positive", "n_negative"), [(9, 30), (30, 9), (2, 3), (1, 1), (1, 12)])
@pytest.mark.parametrize("apart", [0.5, 50.0, -50.0])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_fewer_items_have_newcombes_interval_where_his_variance_would_just_reject(
    n_positive, n_negative, apart, confidence
):
    actual, score = items(n_positive, n_negative, 1, apart)
    found = area_interval(thresholds(actual, score), confidence=confidence)
    area, z = placed(actual, score)[0].mean(), stats.norm.ppf((1 + confidence) / 2)
    assert found.method == "newcombe"
    assert found.value == pytest.approx(area)
    half = (n_positive + n_negative) / 2
    for bound, end in ((found.low, 0.0), (found.high, 1.0)):
        if area == end:
            assert bound == end
            continue
        inner = 1 + (half - 1) * ((1 - bound) / (2 - bound) + bound / (1 + bound))  # as Hanley and McNeil write it
        assert abs(area - bound) == pytest.approx(
            z * np.sqrt(bound * (1 - bound) * inner / (n_positive * n_negative)), abs=1e-9
        )
    assert found.low <= area <= found.high


def test_where_every_pair_is_in_order_or_one_class_has_one_item_newcombes_interval_is_given_whatever_was_asked():
    for actual, score in (items(20, 20, apart=50), items(20, 20, apart=-50), items(1, 20), items(20, 1)):
        for method in ("delong", "logit", "auto"):
            assert area_interval(thresholds(actual, score), method=method).method == "newcombe"
    few = area_interval(thresholds(*items(4, 20)), method="logit")
    assert few.method == "delong, logit"
    assert area_interval(thresholds(*items(5, 0))).method == "none: only one class is present"
    with pytest.raises(BadSetting, match="'auto', 'logit', 'delong', not 'wald'"):
        area_interval(thresholds(*items(5, 5)), method="wald")


def test_items_with_different_weights_have_no_interval():
    actual, score = items(12, 15)
    found = area_interval(thresholds(actual, score, np.arange(1.0, 28.0)), method="delong")
    assert found.method.startswith("none: items have different weights")
    assert np.isnan(found.low)
    same = area_interval(thresholds(actual, score, np.full(27, 3.0)), method="delong")
    assert (same.low, same.high) == pytest.approx(area_interval(thresholds(actual, score), method="delong")[1:3])


@pytest.mark.parametrize("confidence", [0.3, 0.95])
@pytest.mark.parametrize(("n_positive", "n_negative"), [(2, 5), (6, 9), (15, 4)])
def test_delongs_test_is_the_difference_over_the_deviation_of_where_items_are_placed(
    n_positive, n_negative, confidence
):
    actual, first = items(n_positive, n_negative, 4)
    second = items(n_positive, n_negative, 6, 0.2)[1]
    (yes, no), (yes_too, no_too) = placed(actual, first), placed(actual, second)
    apart, error = yes.mean() - yes_too.mean(), deviation(yes - yes_too, no - no_too)
    found = compare_areas(actual, first, second, confidence=confidence)
    assert found.areas == pytest.approx((yes.mean(), yes_too.mean()))
    half = stats.norm.ppf((1 + confidence) / 2) * error
    assert (found.difference, found.z) == pytest.approx((apart, apart / error))
    assert (found.low, found.high) == pytest.approx((max(apart - half, -1), min(apart + half, 1)))
    assert (found.p, found.confidence, found.reason) == (
        pytest.approx(2 * stats.norm.sf(abs(apart / error))),
        confidence,
        "",
    )


def test_what_has_no_test_says_why():
    actual, score = items(5, 6)
    alike = compare_areas(actual, score, 3 * score + 1)  # one order of the items
    assert (alike.difference, alike.z, alike.p) == (0, 0, 1)
    assert np.isnan([alike.low, alike.high]).all()
    assert alike.reason.startswith("no interval: both scorers")
    lone, other = items(1, 8)
    found = compare_areas(lone, other, -other + np.arange(9) / 100)
    assert np.isnan(found[2:6]).all()
    assert "at least 2 items per class" in found.reason
    best = np.where(actual, 1.0, 0.0)
    always = compare_areas(actual, best, -best)
    assert always.difference == 1
    assert "has no variance" in always.reason
    for classes in (np.ones(3, bool), np.zeros(3, bool)):
        with pytest.raises(BadInput, match="only one class is present"):
            compare_areas(classes, np.arange(3.0), np.arange(3.0))
    with pytest.raises(BadInput, match="only one class is present"):
        compare_areas(np.array([True, False]), np.arange(2.0), np.arange(2.0), weight=np.array([1.0, 0.0]))
    with pytest.raises(BadInput, match="got 11 items, but 11 and 10 scores"):
        compare_areas(actual, score, score[1:])
    with pytest.raises(BadInput, match="got 11 items, but 10 and 11 scores"):
        compare_areas(actual, score[1:], score)


@pytest.mark.parametrize(
    ("area", "word"),
    [(1, "excellent"), (0.9, "excellent"), (0.89, "good"), (0.8, "good"), (0.7, "fair"), (0.6, "poor"), (0.59, "fail")],
)
def test_an_area_is_called_after_the_band_that_it_reaches(area, word):
    assert area_label(area) == word


@pytest.mark.parametrize("confidence", [0.3, 0.95])
def test_a_threshold_is_as_sure_as_those_chosen_again_on_resampled_items_are_alike(confidence):
    scores = thresholds(*items(15, 25, 2))
    goal = "Recall where Precision >= 0.8"
    found = choose(scores, goal).intervals(confidence=confidence, resamples=60, seed=5)
    chosen = [choose(drawn, goal) for drawn in resampled(scores, 60, 5)]
    allowed = [choice for choice in chosen if choice.thresholds]
    assert (found.confidence, found.resamples, found.without) == (confidence, 60, 60 - len(allowed))
    values = sorted(choice.threshold for choice in allowed)
    ends = [round((len(values) - 1) * (1 + sign * confidence) / 2) for sign in (-1, 1)]
    assert found.threshold == tuple(values[place] for place in ends)
    assert found.threshold[0] < found.threshold[1]


@pytest.mark.parametrize("seed", range(40))
def test_thresholds_of_equal_errors_are_all_those_that_tie_the_highest_first(seed):
    rng = np.random.default_rng(seed)
    actual = np.append([True, False], rng.random(rng.integers(4, 30)) < 0.5)
    score = (rng.random(len(actual)) * rng.choice([3, 8, 100])).round()
    gap = {
        at: abs(
            Fraction(int((score[~actual] >= at).sum()), int((~actual).sum()))
            - Fraction(int((score[actual] < at).sum()), int(actual.sum()))
        )
        for at in (np.inf, *score)
    }
    best = sorted((at for at, each in gap.items() if each == min(gap.values())), reverse=True)
    found = choose(thresholds(actual, score), "RateGap")
    assert list(found.thresholds) == best
    assert found.value == pytest.approx(float(min(gap.values())))


@pytest.mark.parametrize(
    ("positive", "negative", "tied"),
    [([86, 11, 18, 89, 86], [76, 55, 47, 55, 46], (76, 55)), ([10, 15, 42, 66, 16], [38, 84, 23, 38, 41], (41, 38))],
)
def test_two_thresholds_on_either_side_of_equal_errors_tie_the_higher_first(positive, negative, tied):
    actual = np.repeat([True, False], 5)
    assert choose(thresholds(actual, np.array([*positive, *negative], float)), "RateGap").thresholds == tied


def test_the_interval_of_a_difference_is_cut_off_at_1() -> None:
    actual = np.array([1, 1, 0, 0, 0], np.bool_)
    right, wrong = np.array([6.0, 7, 0, 0, 4]), np.array([4.0, 1, 3, 7, 4])
    found = compare_areas(actual, right, wrong)
    assert found.difference == 0.75
    assert found.high == 1
    assert compare_areas(actual, wrong, right).low == -1


def test_one_pair_exchanged_among_thousands_is_a_difference_with_a_variance():
    n = 3_000
    actual = np.arange(2 * n) % 2 == 0
    score = np.arange(2 * n, dtype=float)
    other = score.copy()
    other[[n, n + 1]] = score[[n + 1, n]]  # a positive and a negative next to each other
    compared = compare_areas(actual, other, score)
    moved = np.append(np.zeros(n - 1), 1 / n)  # of one positive and one negative, by one item of the other class
    assert compared.difference == pytest.approx(1 / n**2)
    assert compared.z == pytest.approx((1 / n**2) / deviation(moved, moved))
    assert not compared.reason
