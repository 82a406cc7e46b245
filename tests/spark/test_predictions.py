"""Predictions in Spark: counted by label and by score in the cluster, and the same values."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.tables.adapters.spark_predictions import rounded_down

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
    {"actual": "spam", "score": "score", "measures": ["AUC", "AP", "Accuracy"], "threshold": 0.5},
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
    with pytest.raises(BadInput, match="DataFrame: there is no column 'predict'; did you mean 'predicted'"):
        cranfield.classify("actual", "predict", data=frame)
    with pytest.raises(BadSetting, match="items are counted in Spark"):
        cranfield.classify("actual", "predicted", item="fold", data=frame)


def test_too_many_distinct_rows_are_refused_in_words(spark, items, monkeypatch):
    monkeypatch.setattr("cranfield.tables.adapters.spark_predictions.MOST", 12)
    frame = spark.createDataFrame(items)
    with pytest.raises(BadInput, match="more than 12 distinct rows are too many for one machine; round the scores"):
        cranfield.classify("actual", "predicted", data=frame)
    with pytest.raises(BadInput, match="classify one system at a time"):
        cranfield.classify("spam", score={"one": "score", "other": "fold"}, data=frame)


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_too_many_distinct_scores_are_rounded_to_quantiles_with_a_stated_bound(spark, monkeypatch, kind):
    monkeypatch.setattr("cranfield.tables.adapters.spark_predictions.MOST", 200)
    monkeypatch.setattr("cranfield.tables.adapters.spark_predictions.N_QUANTILES", 40)
    chance = np.random.default_rng(3)
    label = chance.integers(0, 2, 4000)
    score = np.where(chance.random(4000) < 0.3, 0.0, chance.normal(0.4 + 0.2 * label, 0.1, 4000)).astype(kind)
    data = pa.table({"label": label, "score": score})
    exact = cranfield.classify("label", score="score", data=data, threshold=0.45)
    with pytest.warns(CranfieldWarning, match="Counts at these thresholds are exact") as warned:
        ours = cranfield.classify("label", score="score", data=spark.createDataFrame(data), threshold=0.45)
    message = next(str(warning.message) for warning in warned if "quantiles" in str(warning.message))
    bound = float(re.search(r"the AUC is within (\S+) of", message)[1])
    assert abs(ours["AUC"] - exact["AUC"]) <= bound
    assert bound < 0.02
    assert ours.confusion.counts.tolist() == exact.confusion.counts.tolist()


def test_rounding_down_keeps_the_counts_at_every_threshold():
    chance = np.random.default_rng(4)
    for kind in (np.float32, np.float64):
        scores = np.append(np.round(chance.normal(size=500), 2), [-np.inf, np.inf, np.nan]).astype(kind)
        finite = scores[np.isfinite(scores)]
        edges = np.unique(np.append(chance.choice(finite, 20), [finite.min(), finite.max(), 0.5]).astype(kind))
        rounded = rounded_down(scores, edges)
        assert np.array_equal(np.isnan(rounded), np.isnan(scores))
        assert [(rounded >= at).sum() for at in np.unique(rounded)] == [
            (scores >= at).sum() for at in np.unique(rounded)
        ]
        assert (np.sort(rounded[:500]) == rounded[:500][np.argsort(scores[:500])]).all()
        assert np.array_equal(rounded[np.isin(scores, edges)], scores[np.isin(scores, edges)])
