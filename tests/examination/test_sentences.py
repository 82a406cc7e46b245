"""Sentences that hold for one as for many, above zero as below, and for each system once."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import evaluate, examine
from cranfield.classification.classify import classify
from cranfield.errors import CranfieldWarning
from cranfield.evidence.residuals import Residuals
from examination.answers import half_right, scored
from examination.differences import raters
from examination.pictured import pictured


def sentences(rule: str, *things: object) -> list[str]:
    return [finding.sentence for finding in examine(*things) if finding.rule == rule]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[12, 8], [8, 12]], "Kappa is 0.20: no better than chance."),
        ([[120, 80], [80, 120]], "Kappa is 0.20: little better than chance."),
        ([[10, 10], [10, 10]], "Kappa is 0.00: no better than chance."),
        ([[8, 12], [12, 8]], "Kappa is -0.20: no better than chance."),
        ([[80, 120], [120, 80]], "Kappa is -0.20: worse than chance."),
    ],
)
def test_kappa_is_put_on_the_right_side_of_chance(table: list[list[float]], words: str) -> None:
    assert sentences("low-agreement", raters(table))[0].endswith(words)


def test_a_constant_score_is_called_one() -> None:
    assert sentences("chance-level", scored([3] * 10, [3] * 10)) == [
        "Every item has the same score: the AUC is 0.5, that of random guessing."
    ]


def test_one_large_error_is_singular() -> None:
    error = np.where(np.arange(300) == 7, 60.0, 0.5)
    assert (
        "without its error" in sentences("few-large-errors", Residuals(np.arange(300.0), np.arange(300.0) + error))[0]
    )


def test_one_query_is_singular() -> None:
    assert sentences("few-queries", pictured("RR", bm25=["-+"]))[0].startswith("The values are based on 1 query:")


def test_averages_far_apart_are_told_once_and_of_the_best_system() -> None:
    uneven, better = ["-|+", "+" * 8 + "|++", "+" * 9 + "|+++"], ["-|+", "+" * 9 + "|+", "+" * 10 + "|++"]
    (found,) = sentences("macro-micro", pictured("R R@20", a=uneven, b=better))
    assert found.startswith("b: R ")
    assert found.endswith("; the same applies to R@20; the averages differ as much for 1 other system.")


def test_an_f_measure_of_answers_is_read_the_same_way() -> None:
    assert sentences("f-beta", half_right(2, tp=2, fp=2, fn=1, tn=3)) == [
        "F(beta=2) is 0.62 and gives recall 4 times the weight of precision; with the weights swapped, F(beta=0.5) "
        "would be 0.53."
    ]


def test_an_f_measure_of_several_answerers_names_the_one() -> None:
    both = classify([1, 1, 1, 0, 0], {"all": [1] * 5, "right": [1, 1, 1, 0, 0]}, measures="F(beta=2)")
    (found,) = sentences("f-beta", both)
    assert found.startswith("all: F(beta=2) is ")


def test_labels_of_items_that_have_several_are_examined() -> None:
    actual = [{"a"}, {"a", "b"}, {"b"}] * 30 + [{"a", "rare"}] + [{"a"}] * 9
    predicted = [{"a"}, {"a", "b"}, {"b"}] * 30 + [{"a", "rare"}] * 10
    assert sentences("flattered-class", classify(actual, predicted)) == [
        "Class rare against the rest has an accuracy of 0.91, but precision is 0.10 and recall is 1.00; only 1 % of "
        "the items are of this class."
    ]


def test_undefined_values_that_are_left_out_stay_out_of_the_mean_over_answered_queries() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}, "q3": {"c": 1}}  # AP of q2 is undefined
    with pytest.warns(CranfieldWarning, match="missing"):
        result = evaluate(qrels, {"run": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}, "AP", undefined="skip")
    assert sentences("unanswered-queries", result)[0].endswith("the mean AP would be 1.00 instead of 0.50.")


def test_a_run_without_documents_is_not_the_best_judged_one() -> None:
    qrels = {"q1": {"a": 1, "b": 0}}
    with pytest.warns(CranfieldWarning):
        result = evaluate(qrels, {"empty": {"q1": {}}, "run": {"q1": {"a": 2.0, "x": 1.0}}}, "AP")
    assert sentences("unequal-judged", result) == []
