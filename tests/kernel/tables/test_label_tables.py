"""Multilabel data as tables of 0 and 1 and as sets of labels: neither is taken for the other."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from cranfield import classify
from cranfield.errors import BadInput
from generators.label_sets import NAMES as NAMES_OF_CLASSES
from generators.label_sets import TABLES, Rows

ACTUAL = [[1, 0, 1], [0, 1, 0], [1, 1, 0]]
PREDICTED = [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
NAMES = NAMES_OF_CLASSES[:3]


def subset_accuracy(actual: Rows, predicted: Rows) -> float:
    return sum(a == p for a, p in zip(actual, predicted, strict=True)) / len(actual)


def hamming_loss(actual: Rows, predicted: Rows) -> float:
    pairs = [(a, p) for one, other in zip(actual, predicted, strict=True) for a, p in zip(one, other, strict=True)]
    return sum(a != p for a, p in pairs) / len(pairs)


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_a_table_of_0_and_1_is_a_table(make: Callable[[Rows], Any]) -> None:
    found = classify(make(ACTUAL), make(PREDICTED), measures=["SubsetAccuracy", "HammingLoss"])
    assert found["SubsetAccuracy"] == pytest.approx(1 / 3)
    assert found["HammingLoss"] == pytest.approx(2 / 9)


@pytest.mark.parametrize("form", [list, pd.Series, pl.Series, lambda rows: pl.Series(rows, dtype=pl.Array(str, 3))])
def test_digits_as_text_are_a_table_too(form: Callable[[Any], Any]) -> None:
    actual, predicted = (form([[str(cell) for cell in row] for row in rows]) for rows in (ACTUAL, PREDICTED))
    assert classify(actual, predicted, measures="SubsetAccuracy")["SubsetAccuracy"] == pytest.approx(1 / 3)


def test_tables_of_two_words_are_refused_and_sets_of_two_words_are_not() -> None:
    rows = [["yes", "no", "yes"], ["no", "no", "yes"]]
    with pytest.raises(BadInput, match="lists of 'no' and 'yes' look like a table"):
        classify(rows, rows)
    pairs = [["cat", "dog"], ["dog", "cat"]]
    assert classify(pairs, pairs, measures="SubsetAccuracy")["SubsetAccuracy"] == 1
    assert classify([set(row) for row in rows], [{"no", "yes"}] * 2, measures="SubsetAccuracy")["SubsetAccuracy"] == 1


def test_sparse_systems_by_name() -> None:
    both = {"a": sparse.dok_matrix(np.array(PREDICTED)), "b": sparse.csr_matrix(ACTUAL)}
    found = classify(ACTUAL, both, measures="SubsetAccuracy")
    assert found["SubsetAccuracy"] == pytest.approx({"a": 1 / 3, "b": 1})


@pytest.mark.parametrize("separator", [" ", "|", ", "])
def test_rows_of_0_and_1_written_in_a_text_are_a_table(separator: str, tmp_path: Path) -> None:
    actual, predicted = ([separator.join(map(str, row)) for row in rows] for rows in (ACTUAL, PREDICTED))
    found = classify(actual, predicted, separator=separator, measures="SubsetAccuracy")
    assert found["SubsetAccuracy"] == pytest.approx(1 / 3)
    file = tmp_path / "written.csv"
    pd.DataFrame({"actual": actual, "predicted": predicted}).to_csv(file, index=False)
    read = classify("actual", "predicted", data=file, separator=separator, measures="SubsetAccuracy")
    assert read["SubsetAccuracy"] == pytest.approx(1 / 3)


def test_the_labels_0_and_1_written_in_a_text_are_labels() -> None:
    found = classify(["0|1", "1", "0"], ["0|1", "0", "0"], separator="|", measures="SubsetAccuracy")
    assert found["SubsetAccuracy"] == pytest.approx(2 / 3)


def test_a_table_of_signs_is_not_read_as_sets() -> None:
    with pytest.raises(BadInput, match="write 0 instead of -1"):
        classify([[1, -1, 1], [-1, 1, -1]], [[1, -1, 1], [1, 1, -1]])
    with pytest.raises(BadInput, match="write 0 instead of -1"):
        classify(["1 -1 1", "-1 1 -1"], ["1 -1 1", "1 1 -1"], separator=" ")


@pytest.mark.parametrize("seed", range(20))
def test_tables_and_sets_of_any_shape_agree(seed: int) -> None:
    chance = random.Random(seed)
    n, width = chance.randint(1, 8), chance.randint(3, 6)
    actual, predicted = ([[chance.randint(0, 1) for _ in range(width)] for _ in range(n)] for _ in range(2))
    expected = subset_accuracy(actual, predicted), hamming_loss(actual, predicted)
    for make in TABLES.values() if width == len(NAMES) else (list, np.array, sparse.csr_array, pd.DataFrame):
        found = classify(make(actual), make(predicted), measures=["SubsetAccuracy", "HammingLoss"])  # type: ignore[operator]
        assert (found["SubsetAccuracy"], found["HammingLoss"]) == pytest.approx(expected)
    names = [f"c{place}" for place in range(width)]
    for kind in (set, list, tuple, frozenset):
        sets = [
            [kind(name for name, yes in zip(names, row, strict=True) if yes) for row in rows]  # type: ignore[call-arg]
            for rows in (actual, predicted)
        ]
        found = classify(*sets, labels=names, measures=["SubsetAccuracy", "HammingLoss"])
        assert (found["SubsetAccuracy"], found["HammingLoss"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("actual", "predicted", "value"),
    [
        ([{0, 1}, {1}], [{0}, {1}], 0.5),
        ([{0}, {1}], [{0}, {0}], 0.5),
        ([{0, 1}, {1}], [[0, 1], [1]], 1.0),
        ([[0, 1], [1]], [[0], [1]], 0.5),
        ([[0, 1], [1, 2]], [[1, 0], [0, 1]], 0.5),
        ([("a", "b"), ("b",)], [("b", "a"), ("a",)], 0.5),
        ([[0, 1], [1, 1]], [[0, 1], [1, 0]], 0.5),  # a set holds nothing twice, so these are tables
    ],
)
def test_sets_are_sets(actual: Any, predicted: Any, value: float) -> None:
    assert classify(actual, predicted, measures="SubsetAccuracy")["SubsetAccuracy"] == value


@pytest.mark.parametrize("rows", [[[0, 1], [1, 0]], [[0], [1]], [(1, 0), (0, 1)], pa.array([[0, 1], [1, 0]])])
def test_what_may_be_either_is_refused(rows: Any) -> None:
    with pytest.raises(BadInput, match="may be sets of the labels 0 and 1, or a table with one column per class"):
        classify(rows, rows)


def test_what_may_be_either_is_a_table_if_labels_say_so() -> None:
    rows = [[0, 1], [1, 0]]
    assert classify(rows, rows, labels=["a", "b"], measures="SubsetAccuracy")["SubsetAccuracy"] == 1
    assert classify(np.array(rows), rows, measures="SubsetAccuracy")["SubsetAccuracy"] == 1


@pytest.mark.parametrize(
    ("actual", "predicted", "said"),
    [
        (ACTUAL, [{0}, {1}, {0}], "actual is a table of 0 and 1, but predicted contains sets of labels"),
        (np.array(ACTUAL), np.array(PREDICTED)[:, :2], "predicted: got 2 columns for 3 classes"),
        (
            pd.DataFrame(ACTUAL, columns=NAMES),
            pd.DataFrame(PREDICTED, columns=["cat", "dog", "1"]),
            "predicted: there is no column for class '01'; available: 'cat', 'dog', '1'",
        ),
        (np.ma.array(ACTUAL, mask=np.eye(3)), ACTUAL, "row 0: actual of 0 is missing"),
        (pd.DataFrame([[1, None], [0, 1]]), np.eye(2), "row 0: actual of 1 is missing"),
        (np.array([[1, 2], [0, 1]]), np.eye(2), "row 0: actual of 1 is 2, neither 0 nor 1"),
        (sparse.csr_array([[1, 2], [0, 1]]), np.eye(2), "row 0: actual of 1 is 2, neither 0 nor 1"),
    ],
)
def test_what_does_not_fit_is_refused(actual: Any, predicted: Any, said: str) -> None:
    with pytest.raises(BadInput) as error:
        classify(actual, predicted)
    assert said in str(error.value)


SCORES = [[0.9, 0.1, 0.8], [0.2, 0.7, 0.1], [0.6, 0.4, 0.3]]


@pytest.mark.parametrize(
    "make",
    [list, np.array, sparse.csr_array, lambda rows: pd.DataFrame(rows, columns=NAMES),
     lambda rows: pd.DataFrame(rows, columns=NAMES)[NAMES[::-1]],
     lambda rows: pl.DataFrame(rows, schema=NAMES, orient="row"),
     lambda rows: dict(zip(NAMES, zip(*rows, strict=True), strict=True))],
)  # fmt: skip
@pytest.mark.parametrize("what", ["score", "probability"])
def test_scores_of_every_class(make: Callable[[Any], Any], what: str) -> None:
    actual = pd.DataFrame(ACTUAL, columns=NAMES)
    found = classify(actual, **{what: make(SCORES)}, threshold=0.5, measures=["AUC", "SubsetAccuracy"])
    assert found.systems == ("predictions",)
    assert found["AUC"] == 1
    assert found["SubsetAccuracy"] == pytest.approx(2 / 3)
    several = classify(actual, **{what: {"a": make(SCORES), "b": make(SCORES)}}, threshold=0.5, measures=["AUC"])
    assert several.systems == ("a", "b")


def test_arrays_in_a_list_are_rows_or_columns_by_their_length() -> None:
    rows = [np.array(row) for row in ([0.7, 0.3], [0.4, 0.6], [0.1, 0.9])]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    by_row, by_column = (classify(["a", "b", "b"], probability=given, measures="LogLoss") for given in (rows, columns))
    assert by_row["LogLoss"] == by_column["LogLoss"]
    with pytest.raises(BadInput, match="2 arrays could be the rows or the columns of a table"):
        classify(["a", "b"], probability=rows[:2])


def test_one_label_is_not_averaged_even_if_no_item_has_it() -> None:
    found = classify([set()], [set()], labels=["cat"], average="weighted", measures="Accuracy")
    assert found["Accuracy"] == 1
