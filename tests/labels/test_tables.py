"""Classifiers and predicted values as tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cranfield import classify, regress
from cranfield.evidence.confusion import Confusion
from cranfield.present import regression
from cranfield.present.classification import matrix, rates, tables, thresholds
from cranfield.present.classification_data import document, regression_document
from cranfield.present.plain import aligned
from labels.examples import CLASSES, PEOPLE, SCORES, twenty


def test_the_matrix_has_margins_and_says_what_is_in_rows() -> None:
    text = aligned(matrix(PEOPLE, rows="predicted"))
    assert "predicted classes in rows and actual ones in columns" in text
    assert [line.split() for line in text.splitlines()[4:7]] == [
        ["Woman", "13", "4", "2", "19"],
        ["Man", "2", "15", "1", "18"],
        ["Child", "5", "1", "57", "63"],
    ]
    other = aligned(matrix(PEOPLE))
    assert "actual classes in rows" in other
    assert ["Woman", "13", "2", "5", "20"] in [line.split() for line in other.splitlines()]
    assert other.splitlines()[-1].split() == ["all", "19", "18", "63", "100"]


def test_sums_of_weights_are_shown_without_what_adding_them_up_leaves() -> None:
    counts = np.array([[2.5, 0.1 + 0.1 + 0.1], [1.0, 3e9]])
    shown = [line.split() for line in aligned(matrix(Confusion(("a", "b"), counts))).splitlines()[4:6]]
    assert shown == [["a", "2.5", "0.3", "2.8"], ["b", "1", "3000000000", "3000000001"]]


def test_classes_are_told_by_the_highest_probability_and_not_by_a_threshold() -> None:
    table = np.array([[0.4, 0.3, 0.3], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.4, 0.3, 0.3]])
    found = classify(["a", "b", "c", "a"], probability=table)
    assert not any("answers are yes" in note for note in rates(found, found.of()).notes)


def test_classes_often_confused_come_side_by_side() -> None:
    counts = np.full((6, 6), 0)
    np.fill_diagonal(counts, 50)
    for one, other in ((0, 3), (1, 4), (2, 5)):
        counts[one, other] = counts[other, one] = 20
    order = Confusion(tuple("abcdef"), counts).seriated.labels
    pairs = {frozenset(order[place : place + 2]) for place in (0, 2, 4)}
    assert pairs == {frozenset("ad"), frozenset("be"), frozenset("cf")}


def test_the_pairs_mistaken_most_often() -> None:
    first, second = PEOPLE.most_confused(2)
    assert (first.actual, first.predicted, first.times, first.share) == ("Woman", "Child", 5, 0.25)
    assert (second.actual, second.predicted, second.times) == ("Man", "Woman", 4)


def test_the_threshold_in_use_is_marked_among_its_neighbours() -> None:
    text = aligned(thresholds(twenty(), 0.54, around=2))
    assert [line.split()[0] for line in text.splitlines()[4:9]] == ["0.6", "0.55", "0.54", "0.53", "0.52"]
    assert "0.54 <" in text
    between = aligned(thresholds(twenty(), 0.545, around=1))
    assert [line.split()[0] for line in between.splitlines()[4:7]] == ["0.55", "0.545", "0.54"]
    nothing = aligned(thresholds(twenty(), np.inf, around=1))
    assert [line.split()[0] for line in nothing.splitlines()[4:6]] == ["inf", "0.9"]


def test_undefined_measures_say_why() -> None:
    given = classify([1, 0, 0], [0, 0, 0])
    text = aligned(rates(given, given.of()))
    assert "undefined: nothing was predicted positive" in text


def test_all_tables_of_a_scorer() -> None:
    given = classify(list(CLASSES), score=SCORES, positive="P", by=[place % 2 for place in range(20)], goal="closest")
    titles = [table.title for table in tables(given)]
    assert [title.split(",")[0] for title in titles] == [
        "Confusion matrix",
        "Measures",
        "Groups",
        "Thresholds around the one in use",
        "The best threshold for each goal",
    ]
    text = "\n".join(map(aligned, tables(given)))
    assert "CornerDistance: 0.51, 0.4 tie; the highest is shown" in text


def test_all_tables_of_several_scorers() -> None:
    actual = [1, 0, 1, 0, 1, 0]
    given = classify(actual, score={"a": [6, 1, 5, 2, 4, 3], "b": [3, 1, 6, 5, 4, 2]})
    titles = [table.title for table in tables(given)]
    assert titles[:3] == [
        "Systems",
        "Areas under the ROC curve compared (DeLong)",
        "a: confusion matrix, actual classes in rows and predicted ones in columns",
    ]


def test_a_goal_out_of_reach_is_said_to_be() -> None:
    given = classify(list(CLASSES), probability=SCORES, positive="P")
    text = "\n".join(map(aligned, tables(given, goals=["Recall where Precision > 1"])))
    assert "no threshold satisfies it" in text


def test_json_holds_everything() -> None:
    given = classify(list(CLASSES), probability=SCORES, positive="P", by=[place % 2 for place in range(20)])
    content = json.loads(document(given, goals=["MCC"], samples=10))
    own = content["systems"]["predictions"]
    assert own["confusion"] == {"labels": ["N", "P"], "counts": [[6, 4], [4, 6]]}
    assert own["goals"]["CornerDistance"]["thresholds"] == [0.51, 0.4]
    assert own["goals"]["MCC"]["sure"]["samples"] == 10
    assert own["groups"]["0"]["Accuracy"] == pytest.approx(0.4)
    assert content["provenance"]["settings"]["average"] == "macro"
    assert content["provenance"]["measures"]["LogLoss"]["clip"] == 1e-15  # a convention is a printed setting


def test_json_of_classes() -> None:
    content = json.loads(document(classify(["a", "b", "c"], ["a", "b", "b"]), digits=3))
    own = content["systems"]["predictions"]
    assert own["classes"]["c"]["Recall"]["value"] == 0
    assert own["classes"]["c"]["Recall"]["method"] == "wilson"
    assert own["classes"]["c"]["Precision"]["value"] is None


def test_predicted_values_as_tables_and_json() -> None:
    given = regress([0, 1, 2, 3], {"a": [0, 1, 2, 5], "b": [1, 1, 1, 1]}, by=["x", "x", "y", "y"])
    text = "\n".join(map(aligned, regression.tables(given)))
    assert "MAPE of a is undefined: an actual value is 0" in text
    assert "Residuals, predicted less actual" in text
    content = json.loads(regression_document(given))
    assert content["systems"]["a"]["measures"]["MSE"] == 1
    assert content["systems"]["a"]["groups"]["y"]["MSE"] == 2
    assert content["systems"]["b"]["residuals"]["mean"] == -0.5
