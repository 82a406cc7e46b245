"""One class alone, labels of other types, and columns that could be systems or classes."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import BadInput


def test_one_class_has_the_measures_that_it_defines_if_both_are_listed() -> None:
    with pytest.raises(BadInput, match=r"scores need items of two classes \(list both as labels"):
        classify([1, 1, 1], probability=[0.9, 0.8, 0.7], measures=["Brier"])
    result = classify([1, 1, 1], probability=[0.9, 0.8, 0.7], labels=[0, 1], measures=["Brier", "AUC", "Recall"])
    assert result["Brier"] == pytest.approx(metrics.brier_score_loss([1, 1, 1], [0.9, 0.8, 0.7]))
    assert result["Recall"] == 1
    assert np.isnan(result["AUC"])
    assert "undefined" in result.interval("AUC").method
    for text in (str(result), result.to_json(), str(classify([0, 0], probability=[0.1, 0.6], labels=[0, 1]))):
        assert "undefined" in text
    with pytest.raises(BadInput, match="scores need items of two classes"):
        classify([1, 1, 1], score=[0.9, 0.8, 0.7], labels=[0, 1], goal="F")


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([b"pos", b"neg"], b"pos"),
        ([b"pos", b"neg"], "pos"),
        ([date(2024, 1, 2), date(2024, 1, 3)], date(2024, 1, 2)),
        ([date(2024, 1, 2), date(2024, 1, 3)], "2024-01-02"),
        ([datetime(2024, 1, 2, 3), datetime(2024, 1, 3)], datetime(2024, 1, 2, 3)),
        ([np.datetime64("2024-01-02"), np.datetime64("2024-01-03")], np.datetime64("2024-01-02")),
    ],
    ids=str,
)
def test_the_positive_class_may_be_written_as_the_labels_are(labels: list[Any], positive: Any) -> None:
    actual, predicted = np.array(labels)[[0, 0, 1, 1]], np.array(labels)[[0, 1, 1, 1]]
    result = classify(actual, predicted, positive=positive)
    assert (result["Precision"], result["Recall"]) == (1, 0.5)
    assert classify(actual, score=[4, 2, 1, 3], positive=positive)["AUC"] == 0.75
    assert classify(actual, predicted, collapse=positive)["Recall"] == 0.5


@pytest.mark.parametrize("labels", [["pos", "neg"], [b"pos", b"neg"]], ids=str)
@pytest.mark.parametrize("kind", [None, object])
def test_a_table_with_one_column_of_text_is_a_column(labels: list[Any], kind: Any) -> None:
    actual, predicted = (np.array(labels, kind)[rows][:, None] for rows in ([0, 0, 1, 1], [0, 1, 1, 1]))
    assert classify(actual, predicted, positive="pos")["Recall"] == 0.5
    assert classify(actual, score=np.array([[4.0], [2], [1], [3]]), positive="pos")["AUC"] == 0.75


def test_a_column_for_each_class_without_names_is_told_how_to_name_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "three.csv"
    path.write_text("y,p0,p1,p2\ncat,0.8,0.1,0.1\ndog,0.2,0.7,0.1\nbird,0.1,0.2,0.7\n")
    columns = [option for name in ("p0", "p1", "p2") for option in ("--probability", name)]
    assert main(["classify", str(path), "--actual", "y", *columns]) == 2
    assert "there are 3 classes and 3 columns: if each belongs to a class, name it: bird=COLUMN" in (
        capsys.readouterr().err
    )
    named = [option for name in ("cat=p0", "dog=p1", "bird=p2") for option in ("--probability", name)]
    assert main(["classify", str(path), "--actual", "y", *named, "-m", "LogLoss", "--quiet"]) == 0


def test_narrow_floats_are_the_shortest_decimals_that_they_print_as() -> None:
    actual = [1, 0, 1]
    for kind in (np.float32, np.float16):
        narrow = np.array([0.1, 0.3, 0.7], kind)
        expected = classify(actual, probability=[float(str(value)) for value in narrow])["Brier"]
        assert classify(actual, probability=narrow)["Brier"] == expected
        assert classify(actual, probability=narrow.astype(float))["Brier"] != expected  # widened first
