"""Which classes there are and which is positive, whatever labels are made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from cranfield import classify, compare
from cranfield.errors import BadInput, CranfieldWarning
from cranfield.evidence.confusion import confusion
from cranfield.tables.labels import Label

HIGH = 2**64 - 1
FAR = ((0, 1, 2), (-(2**63), 2**63 - 1), (2**63 - 3, 2**63 - 1), (-(2**63), 1 - 2**63), (HIGH - 3, HIGH - 1, HIGH))


@pytest.mark.parametrize("label", [0, 1, -1, False, True])
def test_a_yes_or_no_stays_one_where_only_one_of_them_occurs(label: int) -> None:
    given = classify([label] * 3, [label] * 3)
    assert given.of().units == (1,)
    assert given["Accuracy"] == 1
    lacking, reason = ("Specificity", "negative") if label == 1 else ("Recall", "positive")
    assert given.interval(lacking).method == f"undefined: there are no {reason}s"


def test_labels_that_are_listed_are_all_there_are() -> None:
    assert classify([0, 0], [0, 0], labels=[0]).of().labels == (0,)


@pytest.mark.parametrize("numbers", FAR, ids=str)
def test_whole_numbers_however_large(numbers: tuple[int, ...]) -> None:
    kind = np.uint64 if max(numbers) >= 2**63 else np.int64
    actual, predicted = np.array(numbers, kind), np.array(numbers[::-1], kind)
    for given in ((actual, predicted), (pa.array(actual), pa.array(predicted))):
        for labels in (None, list(numbers)):
            found = confusion(*given, labels=labels)
            assert found.labels == numbers
            assert np.array_equal(found.counts, np.fliplr(np.eye(len(numbers))))


def test_whole_numbers_too_large_for_a_column_are_refused() -> None:
    assert confusion([HIGH, 1], [HIGH, HIGH]).labels == (1, HIGH)
    with pytest.raises(BadInput, match="actual: cannot read a column from list"):
        confusion([10**80], [10**80])


@pytest.mark.parametrize("make", [np.array, list, pa.array])
def test_true_and_false_stay_such(make: type) -> None:
    given = classify(make([True, False, True]), make([True, True, True]))
    assert [*map(repr, given.of().labels)] == ["False", "True"]
    assert given["Precision"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("positive", "recall"), [(None, 0.5), ("true", 0.5), ("False", 1.0), (False, 1.0)])
def test_true_or_false_in_a_file_is_positive_as_told(positive: Label | None, recall: float, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("y,p\ntrue,true\ntrue,false\nfalse,false\n")
    assert classify("y", "p", data=str(file), positive=positive)["Recall"] == recall


def test_a_table_of_one_column_is_a_column() -> None:
    upright = np.array([[0.9], [0.2], [0.6]])
    actual = [1, 0, 1]
    assert classify(actual, score=upright)["AUC"] == 1
    assert classify(actual, probability=upright)["Brier"] == classify(actual, probability=upright[:, 0])["Brier"]
    assert classify(actual, np.array([[1], [0], [0]]))["Recall"] == 0.5


def test_a_classifier_may_be_called_actual() -> None:
    given = classify([1, 0, 1, 0], {"actual": [1, 1, 1, 1]})
    assert given.systems == ("actual",)
    assert given["Accuracy"] == 0.5


@pytest.mark.parametrize("threshold", [np.int64(2), np.float32(2), 2])
def test_a_threshold_may_be_a_number_of_any_kind(threshold: float) -> None:
    given = classify([1, 0, 1], score=[3, 1, 2], threshold=threshold)
    assert given["Accuracy"] == 1
    assert given.settings["threshold"] == 2.0


def test_an_inverted_scorer_is_one_whose_scores_are_negated() -> None:
    actual, score = [1, 0, 1, 0, 1], [1.0, 3, 2, 2, 5]
    plain = classify(actual, score=score)
    turned = classify(actual, score=score, invert=True)
    assert turned["AUC"] == pytest.approx(1 - plain["AUC"])
    assert turned["AUC"] == classify(actual, score=[-each for each in score])["AUC"]
    assert turned.choose("Accuracy").thresholds == (-1, -2, -5)
    assert turned.settings["invert"] is True
    assert plain.settings["invert"] is False


def test_inverted_probabilities_are_those_of_the_opposite() -> None:
    given = classify([1, 0, 1], probability=[0.1, 0.8, 0.4], invert=True)
    assert given["Brier"] == pytest.approx((0.1**2 + 0.2**2 + 0.4**2) / 3)
    assert given["Accuracy"] == 1


def test_groups_without_a_positive_are_pointed_out_among_many_classes() -> None:
    with pytest.warns(CranfieldWarning, match="1 of 2 groups has items of only one class"):
        classify(list("abcb"), score=[4, 2, 3, 4], positive="a", by=[1, 1, 2, 2])


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["yes", "no", "maybe"])], ids=str)
def test_categories_of_polars_are_labels_groups_and_names(kind: pl.DataType) -> None:
    actual, predicted = (pl.Series(each, dtype=kind) for each in (["yes", "no", "no"], ["yes", "yes", "no"]))
    assert classify(actual, predicted, measures="Accuracy")["Accuracy"] == pytest.approx(2 / 3)
    frame = pl.DataFrame({"actual": actual, "predicted": predicted, "fold": predicted})
    found = classify("actual", "predicted", data=frame, by="fold", measures="Accuracy")
    assert found.result.units == ("no", "yes")
    assert list(found.result.values[0, 0]) == pytest.approx([1, 0.5])
    named = pl.Series(["a", "b", "c"], dtype=pl.Categorical)
    assert classify(actual, predicted, item=named, measures="Accuracy")["Accuracy"] == pytest.approx(2 / 3)
    values = pl.DataFrame({"qid": named, "x": [0.1, 0.5, 0.3], "y": [0.2, 0.2, 0.2]})
    assert compare(values).rows[0].difference == pytest.approx(0.1)


def test_a_masked_element_in_a_list_is_missing() -> None:
    with pytest.raises(BadInput, match="row 1: actual is missing"):
        classify([1, np.ma.masked, 0], [1, 0, 0])
    with pytest.raises(BadInput, match="row 1: score is missing"):
        classify([1, 0, 0], score=[0.5, np.ma.masked, 0.1])
