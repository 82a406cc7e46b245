"""Columns are matched by name where they have names, and never silently in another order, twice or with themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cranfield import classify, cross_entropy, regress
from cranfield.errors import BadInput, BadSetting

X, Y = [1.0, 2.0, 4.0], [10.0, 30.0, 20.0]
ORDERED = pd.Categorical(["low", "mid", "high", "low"], categories=["low", "mid", "high"], ordered=True)
TABLE = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]])


@pytest.mark.parametrize("names", [["y", "z"], ["y_pred", "x_pred"], ["pred_y", "pred_x"]])
def test_predicted_outputs_whose_names_tell_another_order_are_refused(names: list[str]) -> None:
    actual = pd.DataFrame({"x": X, "y": Y})
    with pytest.raises(BadInput, match="same names"):
        regress(actual, pd.DataFrame(dict(zip(names, (Y, X), strict=True))))


@pytest.mark.parametrize("names", [["x_pred", "y_pred"], ["first", "second"], [1, 2]])
def test_predicted_outputs_with_other_names_are_matched_in_order(names: list[Any]) -> None:
    assert regress(pd.DataFrame({"x": X, "y": Y}), pd.DataFrame(dict(zip(names, (X, Y), strict=True))))["MAE"] == 0
    assert regress(np.column_stack([X, Y]), pd.DataFrame(dict(zip(names, (X, Y), strict=True))))["MAE"] == 0


def test_duplicate_columns_are_refused_in_arrow_tables_and_data_frames() -> None:
    table = pa.table([[1, 0, 1], [0, 0, 0]], names=["m", "m"])
    for twice in (table, pd.DataFrame([[1, 0], [0, 0], [1, 0]], columns=["m", "m"])):
        with pytest.raises(BadInput, match="predicted: duplicate column 'm'"):
            classify([1, 0, 1], twice)
        with pytest.raises(BadInput, match="predicted: duplicate column 'm'"):
            regress([1, 0, 1], twice)
        with pytest.raises(BadInput, match="duplicate column 'm'"):
            classify(twice, twice)
        with pytest.raises(BadInput, match="duplicate column 'm'"):
            regress(twice, twice)


@pytest.mark.parametrize("column", [{"predicted": "y"}, {"score": "y"}, {"predicted": {"a": "g", "b": "y"}}])
def test_the_column_of_actual_labels_cannot_be_predicted_too(column: dict[str, Any]) -> None:
    data = pd.DataFrame({"y": [1, 0, 1], "g": [1, 1, 0]})
    with pytest.raises(BadInput, match="the column 'y' has the actual values"):
        classify("y", data=data, **column)


def test_the_column_of_actual_values_cannot_be_predicted_too() -> None:
    data = pd.DataFrame({"y": X, "z": Y, "p": X})
    for actual, predicted in (("y", "y"), (["y", "z"], ["p", "z"])):
        with pytest.raises(BadInput, match="has the actual values"):
            regress(actual, predicted, data=data)


@pytest.mark.parametrize("actual", [ORDERED, pd.Series(ORDERED)], ids=["categorical", "series"])
def test_the_order_of_categories_must_not_contradict_that_of_unnamed_columns(actual: Any) -> None:
    with pytest.raises(BadInput, match=r"ordered 'low', 'mid', 'high', .* read as 'high', 'low', 'mid'"):
        classify(actual, probability=TABLE)
    assert classify(actual, probability=TABLE, labels=["low", "mid", "high"])["Accuracy"] == 1
    assert classify(actual, probability=pd.DataFrame(TABLE, columns=["low", "mid", "high"]))["Accuracy"] == 1
    assert classify(pd.Categorical(list("abca")), probability=TABLE)["Accuracy"] == 1


def test_series_in_a_list_are_paired_by_position_only_if_their_indexes_agree() -> None:
    actual, low = pd.Series(X), pd.Series([0.0, 1.0, 2.0])
    assert regress(actual, intervals={0.9: [low, low + 3]})["IntervalCoverage@0.9"] == 1
    with pytest.raises(BadInput, match="same labels in another order"):
        regress(actual, intervals={0.9: [low.iloc[::-1], low.iloc[::-1] + 3]})
    yes = pd.Series([0.9, 0.2, 0.4])
    with pytest.raises(BadInput, match="same labels in another order"):
        classify(pd.Series([1, 0, 1]), probability=[1 - yes.iloc[::-1], yes.iloc[::-1]])


def test_soft_labels_are_paired_by_position_only_if_their_indexes_agree() -> None:
    cat = pd.Series([0.5, 1.0, 0.2])
    turned = cat.iloc[::-1]
    assert cross_entropy({"cat": cat, "dog": 1 - cat}, {"cat": cat, "dog": 1 - cat})["KLDivergence"] == pytest.approx(0)
    with pytest.raises(BadInput, match="same labels in another order"):
        cross_entropy({"cat": cat, "dog": 1 - cat}, {"cat": turned, "dog": 1 - turned})


def test_levels_as_text_are_refused() -> None:
    with pytest.raises(BadSetting, match=r"'0.1' is neither a level, such as 0.9, nor a system"):
        regress(X, quantiles={"0.1": X, "0.9": Y})


def test_crossing_quantiles_are_noted_below_the_table() -> None:
    crossed = regress(X, quantiles={0.1: [2, 1, 2], 0.9: [1, 3, 5]})
    note = "predictions: predicted quantiles cross for 1 of 3 items, where intervals have a negative width"
    assert note in crossed.forecast_notes
    assert note in " ".join(str(crossed).split())
    assert not regress(X, quantiles={0.1: X, 0.9: Y}).forecast_notes


@pytest.mark.parametrize("rows", ["y_pred", "Prediction", "predicted class", "classified as", "Predicted \\ Actual"])
def test_rows_that_are_named_as_predicted_are_not_read_as_actual(rows: str) -> None:
    counts = pd.DataFrame([[5, 1], [2, 7]], index=pd.Index(["a", "b"], name=rows), columns=["a", "b"])
    with pytest.raises(BadSetting, match="pass rows='predicted'"):
        classify(counts=counts, positive="b")
    assert classify(counts=counts, positive="b", rows="predicted")["Precision"] == pytest.approx(7 / 9)


@pytest.mark.parametrize("columns", ["y_true", "truth", "Reference", "Gold standard", "ground truth"])
def test_columns_that_are_named_as_actual_have_predicted_rows(columns: str) -> None:
    counts = pd.DataFrame([[5, 1], [2, 7]], index=["a", "b"], columns=pd.Index(["a", "b"], name=columns))
    with pytest.raises(BadSetting, match="pass rows='predicted'"):
        classify(counts=counts, positive="b")


@pytest.mark.parametrize("rows", ["y_true", "actual", "Truth", None, "class", "structure"])
def test_rows_with_other_names_are_actual(rows: str | None) -> None:
    counts = pd.DataFrame([[5, 1], [2, 7]], index=pd.Index(["a", "b"], name=rows), columns=["a", "b"])
    assert classify(counts=counts, positive="b")["Precision"] == pytest.approx(7 / 8)


def test_exchanged_quantiles_are_refused() -> None:
    with pytest.raises(BadInput, match=r"the quantile at 0.1 is above that at 0.9 for every item"):
        regress(X, quantiles={0.1: Y, 0.9: X})
