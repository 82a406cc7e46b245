"""Rows are paired by position, so that pandas indexes in another order are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cranfield import classify, regress
from cranfield.errors import BadInput

NAMES = ["a", "b", "c", "d"]
ORDER = [2, 0, 3, 1]
ACTUAL = pd.Series([1, 0, 1, 0], NAMES)
COLUMNS = {
    "predicted": pd.Series([1, 0, 0, 0], NAMES),
    "score": pd.Series([0.9, 0.2, 0.4, 0.1], NAMES),
    "probability": pd.Series([0.9, 0.2, 0.4, 0.1], NAMES),
    "weight": pd.Series([1.0, 2.0, 1.0, 3.0], NAMES),
    "by": pd.Series(["x", "x", "y", "y"], NAMES),
    "item": pd.Series(["i", "j", "k", "l"], NAMES),
}


def shuffled(values: Any) -> Any:
    """The same values by label, in another order."""
    return values.iloc[ORDER]


@pytest.mark.parametrize("moved", ["actual", *COLUMNS])
def test_an_index_in_another_order_is_refused(moved: str) -> None:
    columns: dict[str, Any] = {name: COLUMNS[name] for name in ("predicted", "weight", "by", "item")}
    if moved in ("score", "probability"):
        columns = {moved: COLUMNS[moved]}
    columns |= {"actual": ACTUAL}
    columns[moved] = shuffled(columns[moved])
    with pytest.raises(BadInput, match=r"same labels in another order .* row 0 is '.' in one and '.' in the other"):
        classify(**columns)


@pytest.mark.parametrize("moved", ["actual", "predicted", "weight", "by", "item"])
def test_regress_refuses_it_as_well(moved: str) -> None:
    columns = {"actual": ACTUAL} | {name: COLUMNS[name] for name in ("predicted", "weight", "by", "item")}
    with pytest.raises(BadInput, match="same labels in another order"):
        regress(**columns | {moved: shuffled(columns[moved])})


@pytest.mark.parametrize("form", [lambda c: {"m": c}, lambda c: c.to_frame("m")])
def test_systems_in_dicts_and_frames_are_checked_too(form: Any) -> None:
    with pytest.raises(BadInput, match=r"the index of predicted(\['m'\])? has the same labels in another order"):
        classify(ACTUAL, form(shuffled(COLUMNS["predicted"])))


def test_a_column_beside_a_frame_is_checked() -> None:
    frame = pd.DataFrame({"y": ACTUAL, "p": COLUMNS["predicted"]})
    with pytest.raises(BadInput, match="the index of data has the same labels in another order than that of weight"):
        classify("y", "p", data=frame, weight=shuffled(COLUMNS["weight"]))
    assert classify("y", "p", data=frame, weight=COLUMNS["weight"])["Accuracy"] == pytest.approx(6 / 7)


def test_other_labels_are_refused() -> None:
    with pytest.raises(BadInput, match="the index of predicted has other labels than that of actual"):
        classify(ACTUAL, pd.Series([1, 0, 1, 0], [*"abce"]))
    with pytest.raises(BadInput, match="3 values for 4 items"):
        classify(ACTUAL, pd.Series([1, 0, 1], [*"abc"]))


def test_aligned_and_default_indexes_are_paired() -> None:
    """As after a random split, where predictions are a new series."""
    actual = pd.Series([1, 0, 1, 0], [17, 3, 8, 5])
    for predicted in (actual, pd.Series([1, 0, 1, 0]), np.array([1, 0, 1, 0]), [1, 0, 1, 0]):
        assert classify(actual, predicted)["Accuracy"] == 1
        assert regress(actual, predicted)["MSE"] == 0
    assert classify(shuffled(ACTUAL), shuffled(COLUMNS["predicted"]))["Accuracy"] == 0.75
    with_missing = pd.Series([1, 0], [None, "b"])
    assert classify(with_missing, with_missing.copy())["Accuracy"] == 1


def test_a_default_index_in_another_order_is_refused() -> None:
    """As after sorting one of two columns, where pairing by position would be wrong."""
    actual = pd.Series([1, 0, 1, 0])
    for columns in (
        {"actual": actual, "predicted": actual.sort_values()},
        {"predicted": actual, "actual": actual[::-1]},
    ):
        with pytest.raises(BadInput, match="same labels in another order"):
            classify(**columns)
        with pytest.raises(BadInput, match="same labels in another order"):
            regress(**columns)
