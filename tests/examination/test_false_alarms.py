"""Rules that allow for chance seldom speak where there is nothing but chance, nor of a few answers."""

from __future__ import annotations

from warnings import catch_warnings

import numpy as np
import pytest

from cranfield import examine
from cranfield.classification.classify import classify
from cranfield.classification.result import Classification
from cranfield.evidence.cells import cells
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.findings.rules import require_rule

DRAWS = 400


def alarms(n_items: int, a: float, b: float, sharpened: float = 1.0, draws: int = DRAWS) -> float:
    """The share of drawn classifiers that are called miscalibrated, their odds the power of the true ones."""
    rule, n_alarms = require_rule("miscalibration"), 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        given = np.clip(rng.beta(a, b, n_items), 0.001, 0.999)
        true = 1 / (1 + ((1 - given) / given) ** (1 / sharpened))
        actual = rng.random(n_items) < true
        if 0 < actual.sum() < n_items:
            with catch_warnings(action="ignore"):  # of areas below a half, which few items have by chance
                (evaluated,) = classify(actual, probability=given, positive=True, measures="Accuracy").evaluated
            n_alarms += len(list(rule.findings(evaluated)))
    return n_alarms / draws


@pytest.mark.parametrize("n_items", [30, *(pytest.param(n, marks=pytest.mark.simulation) for n in (200, 1000))])
@pytest.mark.parametrize(("a", "b"), [(0.5, 2), (1, 1), (5, 5)])
def test_calibrated_probabilities_are_seldom_accused(n_items: int, a: float, b: float) -> None:
    assert alarms(n_items, a, b) <= 0.01


@pytest.mark.parametrize("draws", [40, pytest.param(DRAWS, marks=pytest.mark.simulation)])
@pytest.mark.parametrize(("a", "b"), [(0.5, 2), (1, 1)])
def test_overconfident_probabilities_are_mostly_found(a: float, b: float, draws: int) -> None:
    assert alarms(400, a, b, sharpened=2.5, draws=draws) > 0.8


def test_one_item_in_a_bin_is_no_miscalibration() -> None:
    rng = np.random.default_rng(1007)
    given = np.clip(rng.beta(0.5, 2, 200), 0.001, 0.999)
    actual = (rng.random(200) < given).astype(int)
    assert "miscalibration" not in [finding.rule for finding in examine(classify(actual, probability=given))]


def folds(rng: np.random.Generator, n_folds: int) -> Classification:
    """Scores of one quality in folds of 60 items, assigned at random."""
    actual = rng.random(60 * n_folds) < 0.4
    return classify(actual, score=rng.normal(size=len(actual)) + actual, threshold=0.5, positive=True,
                    by=rng.permutation(len(actual)) % n_folds, measures=["AP", "AUC"])  # fmt: skip


@pytest.mark.parametrize("rule", ["precision-baseline", "weak-group", "pooled-groups"])
def test_random_folds_seldom_differ(rule: str) -> None:
    found = [[one.rule for one in examine(folds(np.random.default_rng(seed), 10))] for seed in range(40)]
    assert sum(rule in rules for rules in found) <= 2


def test_a_calibrated_classifier_that_seldom_predicts_a_rare_class_is_not_biased() -> None:
    alarms = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        given = 1 / (1 + np.exp(1.4 - 1.2 * rng.normal(size=500)))  # about one in four
        actual, predicted = rng.random(500) < given, given >= 0.5
        for result in (classify(actual, probability=given, positive=True), classify(actual, predicted, positive=True)):
            alarms += "favoured-class" in [one.rule for one in examine(result)]
    assert alarms == 0


def test_an_impossible_probability_that_comes_true_is_found() -> None:
    result = classify([1, 1, 1, 0, 0, 0], probability=[0.0, 0.0, 1.0, 1.0, 0.0, 0.0], measures="Accuracy")
    assert "miscalibration" in [finding.rule for finding in examine(result)]


@pytest.mark.parametrize("counted", [cells(tp=60, fp=34, fn=0, tn=6), cells(tp=6, fp=0, fn=54, tn=40)])
def test_six_answers_rule_nothing_out_or_in(counted: object) -> None:
    assert not {"rule-out", "rule-in"} & {finding.rule for finding in examine(counted)}


def test_a_few_predictions_are_no_evidence_that_most_are_wrong_or_all_inverted() -> None:
    few, more = (
        [{one.rule for one in examine(cells(*(times * n for n in counts)))} for counts in ((2, 3, 1, 30), (0, 3, 2, 1))]
        for times in (1, 40)
    )
    assert ["low-precision" in few[0], "answers-reversed" in few[1]] == [False, False]
    assert ["low-precision" in more[0], "answers-reversed" in more[1]] == [True, True]


def test_a_rare_yes_that_is_right_is_not_praised_where_the_answer_is_nearly_always_no() -> None:
    rules = [finding.rule for finding in examine(cells(tp=90, fp=0, fn=910, tn=1000))]
    assert "one-sided" in rules
    assert "rule-in" not in rules


def test_predictions_without_skill_are_seldom_called_worse_than_the_mean() -> None:
    rule, rng = require_rule("worse-than-mean"), np.random.default_rng(0)
    actual = rng.normal(size=(DRAWS, 50))
    alarmed = [any(rule.findings(Residuals(own, np.full(50, own[:25].mean())))) for own in actual]
    assert np.mean(alarmed) <= 0.01


@pytest.mark.parametrize(("n_items", "told"), [(40, True), (4000, False)])
def test_a_threshold_from_few_items_is_optimistic_and_from_many_is_not(n_items: int, told: bool) -> None:
    rng = np.random.default_rng(3)
    actual = np.arange(n_items) % 2
    result = classify(actual, score=rng.normal(size=n_items) + actual, goal="Informedness", measures="Accuracy")
    assert ("threshold-same-items" in [finding.rule for finding in examine(result)]) == told


def test_a_threshold_that_was_given_is_not_said_to_be_chosen() -> None:
    rng = np.random.default_rng(3)
    actual = np.arange(40) % 2
    result = classify(actual, score=rng.normal(size=40) + actual, threshold=0.5, measures="Accuracy")
    assert "threshold-same-items" not in [finding.rule for finding in examine(result)]


def test_weights_do_not_make_few_items_many() -> None:
    light, heavy = (
        classify([1, 0] * 6, probability=[0.7] * 12, weight=[weight] * 12, measures="Accuracy")
        for weight in (1.0, 100.0)
    )
    assert [f.rule for f in examine(light)].count("miscalibration") == 0
    assert [f.rule for f in examine(heavy)].count("miscalibration") == 0


def test_one_of_each_class_is_too_little_to_choose_on_others() -> None:
    scores = Thresholds(np.array([0.9]), np.array([0.1]))
    assert "threshold-same-items" not in [finding.rule for finding in examine(scores)]
