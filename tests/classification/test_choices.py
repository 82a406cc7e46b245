"""Choosing a threshold: the worked examples, and every choice against going through all thresholds in fractions."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given

from classification.examples import scored, twenty
from classification.generated import SAMPLES, evidence, scores_of_items
from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.evidence import thresholds as threshold_blocks
from cranfield.evidence.cells import cells
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.rounding import NEAR
from cranfield.statistics.thresholds import STANDARD, choose, exact_values, parse_goal

GOALS = (
    *STANDARD,
    "F(beta=2)",
    "MCC",
    "Kappa",
    "Precision",
    "NPV",
    "F(beta=0)",
    "Specificity where Recall >= 0.8",
    "Recall where Specificity >= 0.9",
    "Specificity where Recall > 0.5 and Precision >= 0.25",
    "WeightedRates(recall=0.7)",
    "Cost(fp=1, fn=5, prevalence=0.3)",
    "CostAccuracy(c=0.2)",
    "F where Informedness >= 0.1",
    "Accuracy where Recall <= 0.6",  # not monotone: the best may have fewer true and more false positives
    "Informedness where Specificity < 0.5",
)


@pytest.mark.parametrize(
    ("goal", "thresholds", "value"),
    [
        ("Accuracy", (0.54,), 0.7),
        ("CornerDistance", (0.51, 0.4), 0.5),  # an exact tie, which rounding would hide
        ("Youden", (0.54,), 0.4),
        ("WeightedRates(recall=0.5)", (0.54,), 0.7),
        ("WeightedRates(recall=0.7)", (0.3,), 0.73),
        ("WeightedRates(recall=0.3)", (0.54,), 0.78),
        ("eer", (0.5,), 0.0),
        ("Recall where Specificity > 0.9", (0.8,), 0.2),
        ("Recall where Specificity >= 0.9", (0.54,), 0.5),
        ("sensitivity with specificity ≥ 0.9", (0.54,), 0.5),
    ],
)
def test_choices_of_twenty_instances(goal: str, thresholds: tuple[float, ...], value: float) -> None:
    choice = choose(twenty(), goal)
    assert choice.thresholds == thresholds
    assert choice.value == pytest.approx(value, abs=1e-12)


def test_the_matrix_at_the_chosen_threshold() -> None:
    choice = choose(twenty(), "Accuracy")
    assert [cell[0] for cell in choice.cells.counts] == [5, 1, 5, 9]
    assert choice.threshold == 0.54


@pytest.mark.parametrize("goal", GOALS)
@given(scores=scores_of_items())
def test_no_threshold_is_better_and_all_that_tie_are_found(goal: str, scores: Thresholds) -> None:
    wanted = parse_goal(goal)
    choice = choose(scores, wanted)
    levels = [np.inf, *sorted({*scores.positive.tolist(), *scores.negative.tolist()}, reverse=True)]
    worth: dict[float, Fraction | float] = {}
    for level in levels:
        at = scores.at(level)
        if np.isfinite(wanted.worth(at)[0]):
            worth[level] = exact_values(wanted.measure, at)[0] * wanted.sign
    if not worth:
        assert choice.thresholds == ()
        return
    assert list(choice.thresholds) == [level for level in worth if worth[level] == max(worth.values())]
    assert choice.value == pytest.approx(float(max(worth.values())) * wanted.sign, abs=1e-9)


def test_thresholds_that_another_beats_on_one_count_tie_all_the_same() -> None:
    scores = thresholds(np.array([1, 0, 0, 1, 1, 1, 0, 1], np.bool_), np.array([2.0, 3, 3, 1, 6, 7, 6, 7]))
    assert choose(scores, "Specificity where Recall >= 0.8").thresholds == (2, 1)  # both accept all negatives
    clean = scored("PPPN", (4, 3, 2, 1))
    assert choose(clean, "Precision").thresholds == (4, 3, 2)
    assert choose(clean, "NPV").thresholds == (2,)
    assert choose(clean, "Recall").thresholds == (2, 1)
    assert choose(clean, "F(beta=0)").thresholds == (4, 3, 2)
    assert choose(clean, "WeightedRates(recall=0)").thresholds == (np.inf, 4, 3, 2)


def test_a_goal_that_no_threshold_reaches() -> None:
    choice = choose(twenty(), "Recall where Precision > 1")
    assert choice.thresholds == ()
    with pytest.raises(BadSetting, match="no threshold satisfies Recall where Precision > 1"):
        _ = choice.threshold


def test_how_flat_the_best_is() -> None:
    scores = twenty()
    flat = choose(scores, "Accuracy").flatness(0.05)
    assert (flat.low, flat.high) == (0.53, 0.55)  # 65 %, 70 %, 65 %
    assert flat.proportion == pytest.approx(2 / 20)
    assert choose(scores, "Accuracy").flat[:2] == (0.54, 0.54)
    assert choose(scores, "Accuracy").flatness(0.5)[:2] == (0.1, np.inf)  # accepting nothing is right for a half


@pytest.mark.parametrize("sample", SAMPLES)
def test_flatness_is_that_of_all_thresholds_one_by_one(sample: str) -> None:
    scores = evidence(SAMPLES[sample])
    for goal in ("Accuracy", "F", "Informedness"):
        choice = choose(scores, goal)
        steps = scores.every.from_nothing
        near = choice.goal.worth(scores.cells(steps)) >= choice.value - 0.1 - NEAR
        place = first = last = steps.score.tolist().index(choice.threshold)
        while first > 0 and near[first - 1]:
            first -= 1
        while last + 1 < len(near) and near[last + 1]:
            last += 1
        assert near[place]
        n_changed = (steps.tp + steps.fp)[last] - (steps.tp + steps.fp)[first]
        for few in (0, 1 << 20):
            with mock.patch.multiple(threshold_blocks, _BLOCK=100, _FEW=few):
                flat = choice.flatness(0.1)
            assert (flat.low, flat.high) == (steps.score[last], steps.score[first])
            assert flat.proportion == n_changed / (scores.n_positive + scores.n_negative)


def test_how_flat_a_cost_is_depends_on_its_scale() -> None:
    scores = twenty()
    small, large = (choose(scores, f"Cost(fp={fp}, fn={5 * fp})") for fp in (0.001, 100))
    assert large.flat.within == pytest.approx(large.value / 100)
    assert small.flat[:2] == large.flat[:2]
    assert choose(scores, "Accuracy").flat.within == 0.01


def test_accepting_nothing_may_be_flat_too() -> None:
    few = scored("NNNNP", (5, 4, 3, 2, 1))
    choice = choose(few, "Accuracy")
    assert choice.threshold == np.inf
    assert choice.flatness(0.2)[:2] == (5, np.inf)


def test_resamples_in_which_no_threshold_will_do_are_counted() -> None:
    sure = choose(scored("PNNNNNNN", (8, 7, 6, 5, 4, 3, 2, 1)), "Recall where Recall >= 0.5").intervals(resamples=60)
    assert sure.resamples == 60
    assert 10 < sure.without < 35  # in (7/8)⁸, a third, there is no positive


def test_resampling_is_reproducible_and_says_how_sure_the_threshold_is() -> None:
    choice = choose(evidence(SAMPLES["300 items, 30% positive, any levels"]), "Youden")
    first, again = choice.intervals(resamples=50), choice.intervals(resamples=50)
    assert first == again
    assert first.threshold[0] <= choice.threshold <= first.threshold[1]
    assert choice.intervals(resamples=50, seed=2).threshold != first.threshold


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("AUC", BadSetting, "AUC depends on all thresholds"),
        ("Acuracy", UnknownMeasure, "did you mean Accuracy"),
        ("Recall where Specificity", BadSetting, "'Specificity' is not a constraint"),
        ("", BadSetting, "a goal is required"),
        ("F(beta=-1)", BadSetting, "beta must be a non-negative number"),
    ],
)
def test_goals_that_make_no_sense(text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        parse_goal(text)


@pytest.mark.parametrize("goal", GOALS)
def test_the_text_of_a_goal_parses_back(goal: str) -> None:
    assert parse_goal(str(parse_goal(goal))) == parse_goal(goal)


def test_limits_are_compared_without_rounding() -> None:
    limit = parse_goal("Recall where BalancedAccuracy >= 0.7").constraints[0]
    assert limit.met(cells(tp=5, fp=1, fn=5, tn=9)).tolist() == [True]  # (0.5 + 0.9) / 2
    strict = parse_goal("Recall where BalancedAccuracy > 0.7").constraints[0]
    assert strict.met(cells(tp=5, fp=1, fn=5, tn=9)).tolist() == [False]


def test_a_calibrated_scorer_is_best_for_cost_weighted_accuracy_at_the_threshold_c() -> None:
    rng = np.random.default_rng(7)
    probability = rng.random(200_000).round(2)
    actual = rng.random(200_000) < probability
    scores = Thresholds(np.sort(probability[actual]), np.sort(probability[~actual]))
    for c in (0.2, 0.5, 0.8):
        assert choose(scores, f"CostAccuracy(c={c})").threshold == pytest.approx(c, abs=0.03)


def test_shares_of_weights_that_are_equal_but_for_rounding_tie() -> None:
    actual = np.array([False, True, False, True, False, False, False])
    score = np.array([93.0, 4, 6, 62, 82, 80, 4])
    weight = np.array([0.3, 0.3, 0.6, 0.6, 0.5, 0.8, 0.2])  # precision is 0.6 / 2.2 from 62 on and 0.9 / 3.3 from 4 on
    assert choose(thresholds(actual, score, weight), "Precision").thresholds == (62, 4)


def test_upper_limits_are_compared_without_rounding() -> None:
    limit = parse_goal("Recall where Informedness <= 0.1").constraints[0]
    assert limit.met(cells(tp=4, fp=3, fn=6, tn=7)).tolist() == [True]  # 0.4 + 0.7 - 1 is above 0.1 if rounded
    strict = parse_goal("Recall where Informedness < 0.1").constraints[0]
    assert strict.met(cells(tp=4, fp=3, fn=6, tn=7)).tolist() == [False]


def test_thresholds_with_fewer_true_positives_tie_where_a_lower_rate_is_sought() -> None:
    scores = thresholds(np.array([True, False, True, True, False]), np.array([0.9, 0.8, 0.7, 0.6, 0.5]))
    choice = choose(scores, "FPR where TPR >= 0.5")
    assert (choice.thresholds, choice.value) == ((0.7, 0.6), 0.5)


def test_ties_that_rounding_separates_are_found() -> None:
    """Two hits, and three with four false alarms, are worth 3/5, which is 0.6 or 0.6000000000000001 when computed."""
    actual = np.array([each == "+" for each in "++----+---"])
    choice = choose(thresholds(actual, np.arange(10.0, 0, -1)), "CostAccuracy(c=0.2)")
    assert choice.thresholds == (9.0, 4.0)
    assert choice.value == pytest.approx(0.6)
