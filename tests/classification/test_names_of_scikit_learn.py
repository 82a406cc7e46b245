"""Names of scikit-learn's functions mean what they mean there, or are refused with what to pass."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import BadSetting
from cranfield.measures.scikit_learn import OF_TWO_CLASSES, ONE_IS_POSITIVE

pytestmark = pytest.mark.filterwarnings("ignore:.*below 0.5:cranfield.errors.CranfieldWarning")

NAMES = sorted(OF_TWO_CLASSES - {"fbeta_score"})
LABELS: list[tuple[Any, Any]] = [(0, 1), (1, 2), (-1, 1), (False, True), (1, 7), (0, 2), (2, 3), ("ham", "spam")]


def labelled(low: Any, high: Any, n: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    truth = rng.random(n) < 0.4
    guess = np.where(rng.random(n) < 0.75, truth, ~truth)
    return np.where(truth, high, low), np.where(guess, high, low)


@pytest.mark.parametrize(("name", "labels"), [*product(NAMES, LABELS)], ids=str)
def test_two_classes_have_the_value_of_scikit_learn_or_are_refused_where_it_refuses(name: str, labels: Any) -> None:
    actual, predicted = labelled(*labels)
    try:
        expected = getattr(metrics, name)(actual, predicted)
    except ValueError:
        with pytest.raises(BadSetting, match=r"depends on the positive class: choose .* with positive="):
            classify(actual, predicted, measures=name)
    else:
        result = classify(actual, predicted, measures=name)
        assert result[name] == pytest.approx(expected)
        assert classify(actual, predicted, measures=["accuracy_score", name])[name] == pytest.approx(expected)


def test_the_example_of_the_issue() -> None:
    actual, predicted = [1, 1, 2, 1, 2], [1, 1, 2, 2, 2]
    assert classify(actual, predicted, measures="f1_score")["F"] == metrics.f1_score(actual, predicted) == 0.8


@pytest.mark.parametrize("name", NAMES)
def test_more_classes_and_multilabel_data_need_an_average_as_there(name: str) -> None:
    actual, predicted = [*"abca"], [*"abbc"]
    for data in ((actual, predicted), ([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])):
        with pytest.raises(ValueError, match="average='binary'"):
            getattr(metrics, name)(*map(np.array, data))
        with pytest.raises(BadSetting, match=r"is for two classes, as in scikit-learn, and there are 3.*average="):
            classify(*map(np.array, data), measures=name)
    for average in ("macro", "micro", "weighted"):
        ours = classify(actual, predicted, measures=name, average=average, undefined="zero")  # type: ignore[arg-type]
        assert ours[name] == pytest.approx(getattr(metrics, name)(actual, predicted, average=average, zero_division=0))


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_average_precision_takes_the_class_one(labels: Any) -> None:
    actual, _ = labelled(*labels)
    score = np.round(np.random.default_rng(1).normal(size=40) + (actual == labels[1]), 1)
    try:
        expected = metrics.average_precision_score(actual, score)
    except ValueError:
        with pytest.raises(BadSetting, match="choose the positive class"):
            classify(actual, score=score, measures="average_precision_score")
    else:
        assert classify(actual, score=score, measures="average_precision_score")["AP"] == pytest.approx(expected)


@pytest.mark.parametrize("name", ["roc_auc_score", "log_loss", "brier_score_loss", "d2_brier_score"])
def test_names_without_a_default_positive_class_ask_for_it(name: str) -> None:
    actual, _ = labelled("ham", "spam")
    probability = np.linspace(0.01, 0.99, len(actual))
    with pytest.raises(BadSetting, match="choose the positive class, 'ham' or 'spam'"):
        classify(actual, probability=probability, measures=name)
    known = classify(actual, probability=probability, measures=name, positive="spam")
    given = {"pos_label": "spam"} if "brier" in name else {}
    assert known[name] == pytest.approx(getattr(metrics, name)(actual, probability, **given))


def test_names_that_contradict_each_other_imply_nothing() -> None:
    actual, _ = labelled(1, 2)
    score = np.linspace(0, 1, len(actual))
    with pytest.raises(BadSetting, match="choose the positive class, 1 or 2"):  # 1 there for one, 2 for the other
        classify(actual, score=score, measures=["average_precision_score", "roc_auc_score"])


def test_every_name_that_implies_a_class_has_that_default_there() -> None:
    from inspect import signature

    for name in ONE_IS_POSITIVE:
        settings = signature(getattr(metrics, name)).parameters
        assert settings["pos_label"].default == 1
        assert (settings["average"].default == "binary") == (name in OF_TWO_CLASSES)


# one rule for labels, scores and probabilities

TWO = {"labels": {"predicted": [*"abba"]}, "probabilities": {"probability": {"a": [1, 0, 1, 1], "b": [0, 1, 0, 0]}}}


@pytest.mark.parametrize("answers", list(TWO.values()), ids=list(TWO))
def test_two_classes_without_a_positive_one_are_asked_for_it(answers: Any) -> None:
    actual = [*"abaa"]
    with pytest.raises(BadSetting, match=r"depends on the positive class: choose 'a' or 'b' with positive= \(--pos"):
        classify(actual, **answers)
    assert classify(actual, **answers, positive="a")["Specificity"] in (0, 1)
    assert classify(actual, **answers, average="macro")["Recall"] > 0.5
    assert classify(actual, **answers, measures=["Accuracy", "MCC"])["Accuracy"] >= 0.5  # the same for either class


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True)], ids=str)
def test_an_average_that_would_be_ignored_is_refused(labels: Any) -> None:
    actual, predicted = labelled(*labels)
    with pytest.raises(BadSetting, match="average='macro' has no effect: values are those of the positive class"):
        classify(actual, predicted, average="macro")


def test_the_command_asks_by_the_names_of_its_options(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("y,p,q\nham,ham,0.1\nspam,ham,0.7\nspam,spam,0.9\n")
    for column in (["--predicted", "p"], ["--probability", "q"]):
        assert main(["classify", str(path), "--actual", "y", *column]) == 2
        assert "'ham' or 'spam'" in (message := capsys.readouterr().err)
        assert "--positive" in message
        assert main(["classify", str(path), "--actual", "y", *column, "--positive", "spam", "--quiet"]) == 0
        capsys.readouterr()
