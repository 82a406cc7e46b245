"""Labels of types that several tools write differently: the same moment is one class, lookalikes are pointed out."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cranfield import classify, regress
from cranfield.errors import BadInput, BadSetting, CranfieldWarning


def accuracy(actual: Any, predicted: Any) -> float:
    return float(classify(actual, predicted, measures="Accuracy")["Accuracy"])


def test_one_moment_in_two_time_zones_is_one_class() -> None:
    utc = [datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 1, 3, tzinfo=UTC)]
    local = [moment.astimezone(timezone(timedelta(hours=5, minutes=30))) for moment in utc]
    assert accuracy(utc, local) == 1
    assert accuracy(pl.Series(utc), pd.Series(local).dt.as_unit("s")) == 1
    assert classify(utc, local, measures="Accuracy").confusion.labels == (
        "2024-01-02 00:00:00Z",
        "2024-01-03 00:00:00Z",
    )


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_times_of_day_do_not_depend_on_their_unit(unit: str) -> None:
    times = [time(12, 30), time(9, 5, 1)]
    assert accuracy(pa.array(times, pa.time64("us")), pa.array(times, pa.time32(unit))) == 1


@pytest.mark.parametrize(
    "values",
    [
        pa.array([timedelta(1), timedelta(2)], pa.duration("s")),
        pd.Series(pd.period_range("2024-01", periods=2, freq="M")),
        [UUID(int=1), UUID(int=2)],
    ],
    ids=["durations", "periods", "uuids"],
)
def test_types_without_a_text_of_their_own_are_refused(values: Any) -> None:
    with pytest.raises(BadInput, match="labels must be text or integers"):
        accuracy(values, values)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_whole_numbers_in_floating_point_of_any_size(dtype: type) -> None:
    assert accuracy(np.array([1, 0, 3], dtype), [1, 0, 2]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "pair", [("Spam", "spam"), ("TRUE", "true"), ("é", "e\u0301"), ("１", "1"), ("STRASSE", "straße")], ids=ascii
)
def test_labels_that_look_alike_are_pointed_out(pair: tuple[str, str]) -> None:
    with pytest.warns(CranfieldWarning, match="count as different classes, although they differ only in case"):
        assert accuracy([pair[0], "other"], [pair[1], "other"]) == 0.5


def test_different_words_are_no_lookalikes() -> None:
    assert accuracy(["spam", date(2024, 1, 1).isoformat()], ["ham", "2024-01-01"]) == 0.5  # warnings are errors


@pytest.mark.parametrize(
    "form",
    [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda values: list(map(str, values))],
    ids=["list", "tuple", "array", "pandas", "polars", "arrow", "text"],
)
def test_values_that_floating_point_would_round_are_refused(form: Any) -> None:
    with pytest.raises(BadInput, match=r"row 1: actual 9007199254740993 would be rounded to 9007199254740992"):
        regress(form([2**53, 2**53 + 1, 3]), form([2**53, 2**53, 3]))


def test_large_values_that_floating_point_holds_are_accepted() -> None:
    assert regress([2**53 + 2, 10**20], [2**53, 10**20], measures="MAE")["MAE"] == 1
    assert regress(["1e30", "2e30"], ["1e30", "2e30"], measures="MAE")["MAE"] == 0


@pytest.mark.parametrize("spelling", ["NA", "n/a", "NaN", "None", "null"])
def test_a_class_that_may_be_a_missing_label_is_pointed_out(spelling: str) -> None:
    with pytest.warns(CranfieldWarning, match=f"the label '{spelling}' counts as a class; leave such items out if"):
        assert accuracy(["a", "b", spelling], ["a", "b", "b"]) == pytest.approx(2 / 3)


def test_a_set_has_no_rows() -> None:
    with pytest.raises(BadInput, match="actual: a set has no order"):
        accuracy({0, 1}, [1, 0])


def test_a_single_label_is_no_column() -> None:
    with pytest.raises(BadInput, match="actual: cannot read a column"):
        accuracy(np.array(1), np.array(1))


def test_labels_from_a_generator_are_read_once() -> None:
    assert classify((label for label in [0, 1, 0]), (label for label in [0, 1, 1]))["Accuracy"] == pytest.approx(2 / 3)
    texts = classify(map(str, "aba"), map(str, "abb"), measures="Accuracy")
    assert texts["Accuracy"] == pytest.approx(2 / 3)


def test_a_masked_label_in_the_first_row_is_missing() -> None:
    with pytest.raises(BadInput, match="row 0: actual is missing"):
        classify(np.ma.array([0, 1, 1], mask=[True, False, False]), [0, 1, 1])


@pytest.mark.parametrize(("threshold", "hint"), [(50, "; for 50 % use 0.5"), (-0.1, "")])
def test_a_threshold_that_no_probability_can_have_is_refused(threshold: float, hint: str) -> None:
    with pytest.raises(BadSetting, match=f"threshold is {threshold:g}, but probabilities lie between 0 and 1{hint}$"):
        classify([0, 1, 1], probability=[0.1, 0.9, 0.4], threshold=threshold)
    assert classify([0, 1, 1], score=[10, 90, 40], threshold=50)["Recall"] == 0.5
