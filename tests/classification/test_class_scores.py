"""Scores of several classes that are no probabilities: as in scikit-learn, in every form, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC

from cranfield import classify
from cranfield.arrays import Floats, Ints
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

NAMES = ("ant", "Bee", "猫", "10")


def decisions(seed: int) -> tuple[Ints, Floats, Floats]:
    """Classes, decision values of one column per class, and weights."""
    rng = np.random.default_rng(seed)
    actual = np.append(np.arange(5), rng.integers(0, 5, 45))
    score = rng.normal(0, 3, (50, 5)) + 2 * np.eye(5)[actual]
    return actual, score, rng.integers(0, 4, 50) / 4


@pytest.mark.parametrize("weighted", [False, True])
def test_top_k_accuracy_and_hinge_loss_are_those_of_scikit_learn(weighted: bool) -> None:
    for seed in range(5):
        actual, score, weight = decisions(seed)
        given = weight if weighted else None
        found = classify(actual, score=score, labels=range(5), weight=given, measures="TopK@1,TopK@3,hinge_loss")
        for k in (1, 3):
            theirs = metrics.top_k_accuracy_score(actual, score, k=k, sample_weight=given)
            assert found[f"TopKAccuracy@{k}"] == pytest.approx(theirs)
        assert found["HingeLoss"] == pytest.approx(metrics.hinge_loss(actual, score, sample_weight=given))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_hinge_loss_of_two_classes_is_that_of_scikit_learn(weighted: bool) -> None:
    for seed in range(5):
        actual, score, weight = decisions(seed)
        yes, given, margin = actual == 3, weight if weighted else None, score[:, 3] - score[:, 0] + 2 * (actual == 3)
        found = classify(yes, score=margin, weight=given, measures="HingeLoss")["HingeLoss"]
        assert found == pytest.approx(metrics.hinge_loss(yes, margin, sample_weight=given))


def test_areas_of_decision_values_need_no_probabilities() -> None:
    actual, score, _ = decisions(1)
    found = classify(actual, score=score, measures=["AUC", "OneVsOneAUC"])
    one_vs_rest = [metrics.roc_auc_score(actual == label, score[:, label]) for label in range(5)]
    assert found["AUC"] == pytest.approx(np.mean(one_vs_rest))
    pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
    both = [np.isin(actual, pair) for pair in pairs]
    areas = [metrics.roc_auc_score(actual[k] == a, score[k, a]) for (a, _), k in zip(pairs, both, strict=True)]
    assert found["OneVsOneAUC"] == pytest.approx(np.mean(areas))


def test_a_support_vector_machine_is_evaluated_as_it_is() -> None:
    x, actual = make_classification(120, n_informative=5, n_classes=4, random_state=3)
    machine = LinearSVC(random_state=0).fit(x, actual)
    found = classify(actual, score=machine.decision_function(x))
    assert found["Accuracy"] == metrics.accuracy_score(actual, machine.predict(x))
    assert found.of().threshold is None


def test_classes_that_tie_are_taken_in_order_so_that_the_first_place_is_accuracy() -> None:
    found = classify(
        list("abc"), score=[[1, 1, 0], [1, 1, 0], [2, 2, 2]], labels=list("abc"), measures="TopK@1,Accuracy"
    )
    assert found["TopKAccuracy@1"] == found["Accuracy"] == pytest.approx(1 / 3)


FORMS: dict[str, Any] = {
    "rows": lambda table: table.tolist(),
    "NumPy": lambda table: table,
    "by class": lambda table: {name: table[:, place] for place, name in enumerate(NAMES)},
    "by class, in another order": lambda table: {name: table[:, place] for place, name in [*enumerate(NAMES)][::-1]},
    "pandas": lambda table: pd.DataFrame(table, columns=NAMES),
    "Polars": lambda table: pl.DataFrame(table, schema=list(NAMES)),
    "by system": lambda table: {"svm": table},
    "frames by system": lambda table: {"svm": pd.DataFrame(table, columns=NAMES)},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_bits(form: str, tmp_path: Path) -> None:
    actual, score, _ = decisions(4)
    actual, score = actual % 4, score[:, :4]
    named, how = [NAMES[code] for code in actual], {"labels": NAMES, "measures": ["HingeLoss", "AUC", "TopKAccuracy"]}
    expected = classify(named, score=score, **how).result.values
    assert np.array_equal(classify(named, score=FORMS[form](score), **how).result.values, expected)
    frame = pd.DataFrame(score, columns=NAMES).assign(actual=named)
    frame.to_parquet(tmp_path / "scores.parquet")
    for data in (frame, tmp_path / "scores.parquet"):
        again = classify("actual", score={name: name for name in NAMES}, data=data, **how)
        assert np.array_equal(again.result.values, expected)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def test_the_command_takes_one_column_per_class(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("y,a,b,c\na,2,1,-1\nb,1,3,0.5\nc,1,0,0.5\nc,-1,-1,4\n")
    options = ["-a", "y", "-m", "HingeLoss,Accuracy", "-f", "csv"]
    named = printed(capsys, "classify", str(path), "--score", "a", "--score", "b", "--score", "c", *options)
    assigned = ["--score", "a=a", "--score", "b=b", "--score", "c=c"]
    assert named == printed(capsys, "classify", str(path), *assigned, *options)
    assert ",HingeLoss,,,,0.375" in named  # only the third item lacks a margin of 1: its own score is lower by 0.5
    assert ",Accuracy,,,,0.75" in named


def test_the_score_of_the_positive_class_is_its_column() -> None:
    actual, score, _ = decisions(2)
    for given in ({"score": score}, {"probability": np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)}):
        (table,) = given.values()
        found = classify(actual, positive=3, measures="AUC", **given)
        assert found["AUC"] == pytest.approx(metrics.roc_auc_score(actual == 3, table[:, 3]))
        kept = classify(actual, collapse=3, measures=["AUC", "Accuracy"], **given)
        assert kept["AUC"] == found["AUC"]
        assert kept["Accuracy"] == np.mean((actual == 3) == (table.argmax(axis=1) == 3))


@pytest.mark.parametrize("setting", [{"threshold": 0.5}, {"goal": "F"}])
def test_a_threshold_does_not_apply_to_scores_of_classes(setting: dict[str, Any]) -> None:
    actual, score, _ = decisions(2)
    with pytest.raises(BadSetting, match="threshold and goal do not apply"):
        classify(actual, score=score, **setting)


def test_what_needs_probabilities_refuses_scores() -> None:
    actual, score, _ = decisions(2)
    for name in ("LogLoss", "Brier", "ECE", "D2Brier", "OneVsRestLoss"):
        with pytest.raises(BadSetting, match=f"{name} needs probabilities"):
            classify(actual, score=score, measures=name)
    with pytest.raises(BadSetting, match="more than two classes"):
        classify([0, 1], score=[0.2, 0.7], measures="TopKAccuracy@2")


def test_a_class_without_a_column_is_named() -> None:
    with pytest.raises(BadInput, match="row 2: actual is 'c', for which there is no column"):
        classify(list("abc"), score={"a": [1, 0, 0], "b": [0, 1, 0]})


def test_scores_as_large_as_numbers_are_have_a_loss_without_a_bound() -> None:
    table = [[1e308, -1e308, 0], [1e308, -1e308, 0], [0, 0, 1]]
    assert classify(list("abc"), score=table, labels=list("abc"), measures="HingeLoss")["HingeLoss"] == np.inf
