"""Warnings about labels and thresholds that are accepted but probably not what was meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cranfield import classify
from cranfield.errors import CranfieldWarning

ONE_HOT = np.eye(3, dtype=int)[[0, 1, 2, 1]]
PROBABILITY = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8], [0.5, 0.4, 0.1]])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "а"),  # Cyrillic
        ("a", "a\u200b"),  # zero-width space
        ("e-mail", "e\u2010mail"),  # hyphen
        ("-1", "\u22121"),  # minus sign
        ("not spam", "not  spam"),
    ],
)
def test_labels_that_look_the_same_are_named(one: str, other: str) -> None:
    with pytest.warns(CranfieldWarning, match="count as different classes"):
        assert classify([one, other], [one, one], measures="Accuracy")["Accuracy"] == 0.5


def test_an_empty_label_is_named() -> None:
    with pytest.warns(CranfieldWarning, match="the label '' counts as a class"):
        classify(["a", "", "b"], ["a", "b", "b"])
    with pytest.warns(CranfieldWarning, match="the label '' counts as a class"):
        classify(["a;b;", "b"], ["a;b", "b"], separator=";")


def test_predicted_labels_of_another_vocabulary_are_named() -> None:
    with pytest.warns(CranfieldWarning, match=r"no predicted label \('0', '1'\) is an actual one \('no', 'yes'\)"):
        assert classify(["yes", "no", "yes"], ["1", "0", "1"])["Accuracy"] == 0


def test_clusters_need_no_names_of_classes() -> None:
    assert classify(["a", "b", "a"], ["x", "y", "x"], measures="ARI")["ARI"] == 1


@pytest.mark.parametrize(
    "system", [{"predicted": np.eye(3, dtype=int)[[0, 1, 2, 0]]}, {"probability": PROBABILITY}], ids=str
)
def test_single_labels_in_one_hot_form_are_named(system: dict[str, Any]) -> None:
    with pytest.warns(CranfieldWarning, match="single labels in one-hot form"):
        result = classify(ONE_HOT, **system)
    assert result["Accuracy"] == pytest.approx(10 / 12)  # of 12 decisions; 3 of 4 items are right


@pytest.mark.parametrize("measure", ["SubsetAccuracy", "Recall", "AUC"])
def test_measures_that_are_the_same_for_one_hot_tables_have_no_warning(measure: str) -> None:
    predicted = {"score": PROBABILITY} if measure == "AUC" else {"predicted": ONE_HOT}
    classify(ONE_HOT, **predicted, measures=measure)


def test_multilabel_data_are_not_taken_for_one_hot() -> None:
    assert classify(np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]]))["Accuracy"] == 0.75
    assert classify(np.array([[1, 0], [0, 1]]), np.array([[1, 0], [1, 1]]))["Accuracy"] == 0.75


@pytest.mark.parametrize(("threshold", "message"), [(50, "above every score .*no item"), (-5, "below every score")])
def test_a_threshold_outside_the_scores_is_named(threshold: float, message: str) -> None:
    with pytest.warns(CranfieldWarning, match=message):
        classify([1, 0, 1], score=[0.9, 0.2, 0.4], threshold=threshold)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_a_threshold_within_the_scores_is_not_named(threshold: float) -> None:
    classify([1, 0, 1], score=[0.9, 0.2, 0.4], threshold=threshold)
