"""Predictions in Spark: counted by label and by score in the cluster, and the same values."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PySpark's, on pandas
    pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning"),
]


@pytest.fixture(scope="module")
def items() -> pa.Table:
    """Labels of several scripts, scores rounded so that many are tied, and folds."""
    chance = np.random.default_rng(11)
    n = 3000
    labels = np.array(["ja", "nein", "vielleicht 文", "=1"])
    actual = labels[chance.choice(4, n, p=[0.5, 0.3, 0.19, 0.01])]
    predicted = np.where(chance.random(n) < 0.7, actual, labels[chance.integers(0, 4, n)])
    spam = chance.integers(0, 2, n)
    score = np.round(np.clip(chance.normal(0.3 + 0.3 * spam, 0.2), 0, 1), 2)
    columns = {"actual": actual.tolist(), "predicted": predicted.tolist(), "spam": spam, "score": score}
    return pa.table(columns | {"fold": chance.integers(0, 5, n).astype(str).tolist()})


@pytest.mark.parametrize("asked", [
    {"actual": "actual", "predicted": "predicted"},
    {"actual": "actual", "predicted": "predicted", "by": "fold"},
    {"actual": "spam", "score": "score", "measures": ["AUC", "AP", "Accuracy"]},
    {"actual": "spam", "probability": {"one": "score"}, "goal": "F1"},
], ids=str)  # fmt: skip
def test_counted_items_give_the_same_values(spark, items, asked):
    frame = spark.createDataFrame(items).repartition(3)
    ours, theirs = (json.loads(cranfield.classify(**asked, data=data).to_json()) for data in (frame, items))
    for content in (ours, theirs):
        content["provenance"].pop("inputs")
    assert ours == theirs


def test_names_of_columns_and_items_are_checked(spark, items):
    frame = spark.createDataFrame(items)
    with pytest.raises(BadInput, match="no column 'predict' in the Spark data frame"):
        cranfield.classify("actual", "predict", data=frame)
    with pytest.raises(BadSetting, match="items are counted in Spark"):
        cranfield.classify("actual", "predicted", item="fold", data=frame)


def test_too_many_distinct_rows_are_refused_in_words(spark, items, monkeypatch):
    monkeypatch.setattr("cranfield.tables.adapters.spark_frames.MOST", 12)
    with pytest.raises(BadInput, match="16 distinct rows exceed the limit of 12 for one machine; round the scores"):
        cranfield.classify("actual", "predicted", data=spark.createDataFrame(items))
