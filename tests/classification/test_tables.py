"""Classifiers and predicted values as tables."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from classification.examples import CLASSES, PEOPLE, SCORES, twenty
from cranfield import classify, regress
from cranfield.classification.result import Classification
from cranfield.classification.tables import matrix, rates, tables, thresholds
from cranfield.evidence.confusion import Confusion
from cranfield.present.formats import aligned
from cranfield.regression import tables as regression


def measures_in(found: Classification, form: str, **options: bool) -> set[str]:
    """The measures that have a value in CSV or JSON, by system, class, average and test."""
    if form == "csv":
        return {row["measure"] for row in csv.DictReader(io.StringIO(found.to_csv(**options)))}
    document = json.loads(found.to_json(**options))
    systems = document["systems"].values()
    whole = {row["measure"] for system in systems for row in system["measures"]} | (
        {"AUC"} if document["areas"] else set()
    )
    parts = [part for system in systems for name in ("classes", "averages") for part in system.get(name, {}).values()]
    return whole | {name for part in parts for name in part} - {"items"}


@pytest.mark.parametrize("form", ["csv", "json"])
def test_requested_measures_are_the_only_ones_in_every_format(form: str) -> None:
    first, second = [0.9, 0.2, 0.8, 0.4, 0.3, 0.7, 0.1], [0.8, 0.1, 0.2, 0.6, 0.7, 0.3, 0.3]
    scored = classify([1, 0, 1, 0, 1, 1, 0], score={"a": first, "b": second}, measures=["Recall"], threshold=0.5)
    assert measures_in(scored, form) == {"Recall"}
    assert {"Recall", "Precision", "DOR"} < measures_in(scored, form, every=True)
    classes = classify(["x", "y", "z"], ["x", "x", "z"], measures=["Recall", "Kappa"])
    assert measures_in(classes, form) == {"Recall", "Kappa"}
    assert {"Recall", "Kappa", "Specificity"} < measures_in(classes, form, every=True)


def test_without_a_request_csv_has_all_rates() -> None:
    assert {"Recall", "Precision", "DOR"} < measures_in(classify([1, 0, 1], [1, 1, 1]), "csv")


def test_a_table_of_classes_has_the_requested_measures() -> None:
    text = str(classify(["x", "y", "z"], ["x", "x", "z"], measures=["Recall"]))
    assert "Each class against the rest" in text
    assert "Precision" not in text


def test_there_is_no_table_of_classes_for_measures_of_a_whole_matrix() -> None:
    assert "Each class" not in str(classify(["x", "y", "z"], ["x", "x", "z"], measures=["Kappa"]))


def test_the_matrix_has_margins_and_says_what_is_in_rows() -> None:
    text = aligned(matrix(PEOPLE, rows="predicted"))
    assert "predicted classes in rows, actual in columns" in text
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
    shown = [line.split() for line in aligned(matrix(Confusion.of(("a", "b"), counts))).splitlines()[4:6]]
    assert shown == [["a", "2.5", "0.3", "2.8"], ["b", "1", "3000000000", "3000000001"]]


def test_classes_are_told_by_the_highest_probability_and_not_by_a_threshold() -> None:
    table = np.array([[0.4, 0.3, 0.3], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.4, 0.3, 0.3]])
    found = classify(["a", "b", "c", "a"], probability=table)
    assert not any("are predicted positive" in note for note in rates(found, found.of()).notes)


def test_classes_often_confused_come_side_by_side() -> None:
    counts = np.full((6, 6), 0)
    np.fill_diagonal(counts, 50)
    for one, other in ((0, 3), (1, 4), (2, 5)):
        counts[one, other] = counts[other, one] = 20
    order = Confusion.of(tuple("abcdef"), counts).seriated.labels
    pairs = {frozenset(order[place : place + 2]) for place in (0, 2, 4)}
    assert pairs == {frozenset("ad"), frozenset("be"), frozenset("cf")}


def test_the_pairs_mistaken_most_often() -> None:
    first, second = PEOPLE.most_confused(2)
    assert (first.actual, first.predicted, first.n, first.proportion) == ("Woman", "Child", 5, 0.25)
    assert (second.actual, second.predicted, second.n) == ("Man", "Woman", 4)


def test_the_threshold_in_use_is_marked_among_its_neighbours() -> None:
    text = aligned(thresholds(twenty(), 0.54, n=2))
    assert [line.split()[0] for line in text.splitlines()[4:9]] == ["0.6", "0.55", "0.54", "0.53", "0.52"]
    assert "0.54 <" in text
    between = aligned(thresholds(twenty(), 0.545, n=1))
    assert [line.split()[0] for line in between.splitlines()[4:7]] == ["0.55", "0.545", "0.54"]
    nothing = aligned(thresholds(twenty(), np.inf, n=1))
    assert [line.split()[0] for line in nothing.splitlines()[4:6]] == ["inf", "0.9"]


def test_undefined_measures_say_why() -> None:
    given = classify([1, 0, 0], [0, 0, 0])
    text = aligned(rates(given, given.of()))
    assert "undefined: nothing was predicted positive" in text


def test_all_tables_of_a_scorer() -> None:
    given = classify(list(CLASSES), score=SCORES, positive="P", by=[place % 2 for place in range(20)], goal="closest")
    titles = [table.title for table in tables(given, thresholds=True)]
    assert [title.split(" (")[0] for title in titles] == [
        "Confusion matrix",
        "Measures",
        "Groups",
        "Thresholds around the one in use",
        "Optimal threshold for each goal on these items",
    ]
    text = "\n".join(map(aligned, tables(given, thresholds=True)))
    assert "CornerDistance: 0.51, 0.4 tie; the highest is shown" in text


def test_all_tables_of_several_scorers() -> None:
    actual = [1, 0, 1, 0, 1, 0]
    given = classify(actual, score={"a": [6, 1, 5, 2, 4, 3], "b": [3, 1, 6, 5, 4, 2]}, threshold=3)
    titles = [table.title for table in tables(given, every=True)]
    assert titles[:3] == [
        "Systems",
        "Differences of AUC (DeLong's test)",
        "a: confusion matrix (actual classes in rows, predicted in columns)",
    ]


def test_a_goal_out_of_reach_is_said_to_be() -> None:
    given = classify(list(CLASSES), probability=SCORES, positive="P")
    text = "\n".join(map(aligned, tables(given, goals=["Recall where Precision > 1"])))
    assert "no threshold satisfies the goal" in text


def lines(given: Classification, title: str) -> list[list[str]]:
    """The words of each line of the table of this title."""
    table = next(table for table in tables(given, every=True) if table.title == title)
    return [line.split() for line in aligned(table).splitlines()]


def test_groups_say_why_a_value_is_undefined_and_over_how_many_a_mean_is() -> None:
    given = classify([1, 1, 1, 0, 1, 0], [1, 1, 1, 1, 0, 0], by=list("aabbcc"), measures=["Specificity", "Recall"])
    shown = lines(given, "Groups")
    assert ["a", "–", "1.0000"] in shown
    assert ["groups", "in", "the", "mean", "2", "3"] in shown
    assert ["Specificity", "of", "a", "is", "undefined:", "there", "are", "no", "negatives"] in shown
    assert ["undefined", "values", "are", "left", "out", "of", "means"] in shown


def test_shares_of_groups_and_of_classes_have_intervals() -> None:
    grouped = classify([1, 1, 1, 0, 1, 0], [1, 1, 1, 1, 0, 0], by=list("aabbcc"), measures="Recall")
    assert ["0.158–1.000"] in lines(grouped, "Groups")  # Clopper and Pearson's, of two of two
    classes = lines(classify(list("aabbcc"), list("aabbca")), "Each class against the rest")
    named = next(place for place, line in enumerate(classes) if line[:1] == ["b"])
    assert classes[named + 1] == ["0.158–1.000", "0.158–1.000", "0.398–1.000", "0.273–1.000", "0.541–1.000"]


def test_items_of_several_classes_are_counted_once() -> None:
    shown = lines(classify([["a"], ["a", "b"], ["b"]], [["a"], ["a"], ["b"]]), "Each class against the rest")
    assert next(line for line in shown if line[:1] == ["a"])[-1] == "2"
    assert {line[-1] for line in shown if line[:1] in (["macro"], ["micro"], ["weighted"])} == {"3"}


def test_a_small_p_is_not_shown_as_nothing() -> None:
    actual = np.arange(400) % 2
    noise = np.random.default_rng(5).normal(size=(2, 400))
    given = classify(actual, score={"good": actual + noise[0] / 3, "bad": actual / 9 + noise[1]})
    assert lines(given, "Differences of AUC (DeLong's test)")[4][-2:] == ["<", "0.0001"]


def test_many_ties_are_counted_rather_than_listed() -> None:
    given = classify([1] * 20 + [0], score=np.arange(21.0)[::-1])
    notes = next(table for table in tables(given, goals=["Precision"]) if "goal" in table.title).notes
    assert "Precision: 20, 19, 18, 17, 16, 15, 14, 13 and 12 more tie; the highest is shown" in notes


def test_what_an_area_is_called_is_said_in_a_sentence() -> None:
    given = classify([1, 0, 1, 0, 1, 0], score=[1, 2, 3, 2, 5, 4])
    assert any("is called “fail” (excellent: 0.9 or more" in note for note in rates(given, given.of()).notes)


def test_groups_of_predicted_values_say_why_a_value_is_undefined() -> None:
    given = regress([1, 2, 3, 3, 0, 1], [1, 3, 3, 3, 1, 1], by=list("aabbcc"), measures=["R2", "MAPE"])
    table = regression.groups(given, range(2))
    assert table.notes == (
        "R2 of predictions in b is undefined: all actual values are equal",
        "MAPE of predictions in c is undefined: an actual value is 0",
    )
    assert [cell.value for cell in table.summary[-1]] == ["groups in the mean", "predictions", 2, 2]


def test_json_holds_everything() -> None:
    given = classify(list(CLASSES), probability=SCORES, positive="P", by=[place % 2 for place in range(20)])
    content = json.loads(given.to_json(goals=["MCC"], resamples=10))
    own = content["systems"]["predictions"]
    assert own["confusion"]["labels"] == ["N", "P"]
    assert own["confusion"]["counts"] == [[6, 4], [4, 6]]
    assert own["confusion"]["pairs"][1] == {"actual": "N", "predicted": "P", "count": 4}
    assert own["goals"]["CornerDistance"]["thresholds"] == [0.51, 0.4]
    assert own["goals"]["MCC"]["intervals"]["resamples"] == 10
    assert own["groups"]["0"]["Accuracy"]["value"] == pytest.approx(0.4)
    assert content["provenance"]["settings"]["average"] == "macro"
    assert content["provenance"]["measures"]["LogLoss"]["clip"] == 1e-15  # a convention is a printed setting


def test_json_of_classes() -> None:
    content = json.loads(classify(["a", "b", "c"], ["a", "b", "b"]).to_json(digits=3))
    own = content["systems"]["predictions"]
    assert own["classes"]["c"]["Recall"]["value"] == 0
    assert own["classes"]["c"]["Recall"]["method"] == "clopper-pearson"
    assert own["classes"]["c"]["Precision"]["value"] is None


def test_predicted_values_as_tables_and_json() -> None:
    given = regress([0, 1, 2, 3], {"a": [0, 1, 2, 5], "b": [1, 1, 1, 1]}, by=["x", "x", "y", "y"])
    text = "\n".join(map(aligned, regression.tables(given, every=True)))
    assert "MAPE of a is undefined: an actual value is 0" in text
    assert "Residuals (predicted minus actual)" in text
    content = json.loads(given.to_json())
    assert content["systems"]["a"]["measures"]["MSE"] == 1
    assert content["systems"]["a"]["groups"]["y"]["MSE"] == 2
    assert content["systems"]["b"]["residuals"]["mean"] == -0.5


SPAM = {"actual": ["spam", "spam", "ham", "ham", "ham"], "positive": "spam"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            classify(**SPAM, probability=[0.9, 0.2, 0.8, 0.1, 0.7]),
            "At a threshold of 0.5, 1 of 2 spam is found (recall 0.50), and 1 of 3 alarms is right (precision 0.33).",
        ),
        (classify(**SPAM, predicted=["ham"] * 5), "0 of 2 spam are found (recall 0.00): no item is predicted spam."),
        (
            classify([0, 0, 0], [0, 1, 1], labels=[0, 1], positive=1),
            "No item is of class 1, and 2 of 3 items are predicted to be.",
        ),
        (
            classify(list("aabbc"), list("aabcc")),
            "4 of 5 items are classified correctly (accuracy 0.80, 95 % CI 0.28–0.99); recall is lowest for b (0.50).",
        ),
        (classify(**SPAM, score=[5, 4, 3, 2, 1]), "AUC is 1.00 over 5 items; without a threshold, nothing is decided."),
        (
            classify([1, 0, 1, 0], {"good": [1, 0, 1, 0], "bad": [1, 1, 1, 1]}, measures="F"),
            "good has a higher F than bad: 1.00 and 0.67.",
        ),
        (
            classify([1, 0, 1, 0], score={"low": [1, 2, 3, 4], "high": [3, 2, 5, 4]}),
            "high has a higher AUC than low: 0.75 and 0.25.",
        ),
        (classify([1, 0, 1], {"one": [1, 1, 1], "other": [1, 1, 1]}), "one and other have the same F, 0.80."),
    ],
)
def test_the_answer_is_a_sentence_that_somebody_could_say(given: Classification, said: str) -> None:
    assert given.answer == said
    assert str(given).startswith(f"{said}\n")


def test_a_higher_area_is_called_significant_only_if_it_is() -> None:
    random = np.random.default_rng(5)
    actual = np.arange(400) % 2
    good, bad, worse = actual + random.normal(size=400) / 3, random.normal(size=400), random.normal(size=400)
    assert classify(actual, score={"bad": bad, "good": good}).answer.startswith(
        "good has a significantly higher AUC than bad: "
    )
    assert "higher, but not significantly higher, AUC than" in classify(actual, score={"a": bad, "b": worse}).answer


def test_the_first_screen_has_the_matrix_and_few_measures_in_80_columns() -> None:
    scored = classify(list(CLASSES), probability=SCORES, positive="P")
    lines = "\n".join(map(aligned, tables(scored))).splitlines()
    assert len(lines) < 35
    assert max(map(len, [line for line in lines if "  " in line])) <= 80
    assert "Thresholds around" not in str(scored)
    assert len(scored.shown(every=True).splitlines()) > 60
