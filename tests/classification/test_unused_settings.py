"""Settings that would have no effect are refused, so that nobody believes that they changed a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from cranfield import classification_report, classify, regress
from cranfield.errors import BadInput, BadSetting

ACTUAL = [1, 1, 0, 0, 1, 0]
GUESS = [1, 0, 0, 1, 1, 0]
SCORE = [0.9, 0.4, 0.3, 0.6, 0.8, 0.1]
LABELS = {"predicted": GUESS}
BOTH = {"predicted": GUESS, "score": SCORE}
SETS = {"actual": [[1, 0], [0, 1], [1, 1]], "probability": np.array([[0.9, 0.1], [0.2, 0.7], [0.6, 0.4]])}


@pytest.mark.parametrize(
    ("passed", "setting", "message"),
    [
        (LABELS, {"threshold": 0.3}, "threshold has no effect: there are no scores"),
        (BOTH, {"threshold": 0.3}, "threshold has no effect: the labels were predicted already"),
        (LABELS, {"goal": "Recall"}, "goal has no effect"),
        (SETS, {"goal": "Recall"}, "goal has no effect"),
        (LABELS, {"auc_interval": "delong"}, "auc_interval has no effect"),
        (LABELS, {"average": "weighted"}, "average='weighted' has no effect: values are those of the positive class"),
        (BOTH, {"average": "micro"}, "average='micro' has no effect: values are those of the positive class"),
        (LABELS, {"rows": "predicted"}, "rows='predicted' has no effect"),
        ({"score": SCORE}, {"threshold": True}, "threshold must be a number, not True"),
    ],
)
def test_classify_refuses_settings_without_effect(passed: dict[str, Any], setting: Any, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        classify(**({"actual": ACTUAL} | passed), **setting)


@pytest.mark.parametrize("setting", [{"threshold": 0.3}, {"goal": "Accuracy"}])
def test_counts_have_no_threshold(setting: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match="has no effect"):
        classify(counts=[[5, 1], [2, 7]], **setting)


def test_a_threshold_applies_to_the_systems_with_scores_beside_one_with_labels() -> None:
    both = classify(ACTUAL, {"labels": GUESS}, score={"scores": SCORE}, threshold=0.35)
    expected = metrics.recall_score(ACTUAL, np.array(SCORE) >= 0.35)
    assert both["Recall"] == {"labels": pytest.approx(2 / 3), "scores": pytest.approx(expected)}


def test_regress_refuses_an_average_over_one_output() -> None:
    with pytest.raises(BadSetting, match="average='variance' has no effect: there is one output"):
        regress([1, 2, 3], [1, 2, 4], average="variance")


@pytest.mark.parametrize("setting", [{"measures": "Kappa"}, {"average": "micro"}, {"by": list("aabbcc")}])
def test_a_classification_report_refuses_settings_that_change_no_figure(setting: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match="has no effect"):
        classification_report(ACTUAL, GUESS, **setting)


def test_a_classification_report_of_a_result_takes_no_other_data() -> None:
    result = classify(ACTUAL, GUESS)
    assert str(classification_report(result)) == str(classification_report(ACTUAL, GUESS))
    with pytest.raises(BadSetting, match="predicted has no effect"):
        classification_report(result, ACTUAL)
    with pytest.raises(BadSetting, match="labels has no effect"):
        classification_report(result, labels=[1, 0])


def test_a_classification_report_checks_its_settings() -> None:
    with pytest.raises(BadSetting, match="undefined must be one of"):
        classification_report(ACTUAL, GUESS, undefined="one")  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="two classes have the name 'a'"):
        classification_report(ACTUAL, GUESS, names=["a", "a"])
    with pytest.raises(BadSetting, match="a class and an average are called 'accuracy'"):
        classification_report(["accuracy", "b"], ["accuracy", "b"]).output_dict()


def test_counts_without_rows_are_refused_with_the_form_to_use() -> None:
    for flat in ((1, 2, 3, 4), [1, 2, 3, 4], np.array([1, 2, 3, 4])):
        with pytest.raises(BadInput, match="counts must be rows with one number per class"):
            classify(counts=flat)
