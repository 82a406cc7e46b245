"""Learners of scikit-learn, measures by name, and folds that share examples, against scikit-learn's own validation."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn import metrics
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from cranfield import compare, cross_validate, halves, k_fold
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.measures.scikit_learn import lower_is_better, metric_name

LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
CLASSIFIERS = {"margin": make_pipeline(StandardScaler(), LinearSVC()), "logistic": LINEAR, "bayes": GaussianNB()}


def name_of(value: Any) -> str:
    """The name of a test: that of a function, without its address."""
    return str(getattr(getattr(value, "func", value), "__name__", value))


def examples(n_classes: int = 2, n: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_classes)
    known = np.arange(n) % n_classes
    return rng.normal(size=(n, 3)) + known[:, None] * [1.0, 0.5, 0], known


def numbers() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    return x, np.exp(x @ [0.5, 0.2] + rng.normal(0, 0.1, 60))


@pytest.mark.parametrize(
    ("score", "lower"),
    [
        (metrics.mean_squared_error, True), ("MSE", True), (metrics.median_absolute_error, True), ("RMSE", True),
        (metrics.r2_score, False), ("R2", False), (metrics.mean_absolute_error, True), (metrics.max_error, True),
    ],
    ids=name_of,
)  # fmt: skip
def test_the_better_learner_wins_whatever_the_score(score: Any, lower: bool) -> None:
    x, y = numbers()
    folds = cross_validate({"mean": DummyRegressor(), "line": LinearRegression()}, x, y, k_fold(60, 6), score)
    assert folds.lower_is_better is lower
    (row,) = compare(folds, baseline="mean", test="corrected t").rows
    assert (row.system, row.wins, row.losses) == ("line", 6, 0)
    assert folds.provenance.settings["lower_is_better"] is lower


@pytest.mark.parametrize(
    ("score", "scoring"),
    [
        ("Accuracy", "accuracy"), (metrics.accuracy_score, "accuracy"), ("F", "f1"), (metrics.f1_score, "f1"),
        ("AUC", "roc_auc"), (metrics.roc_auc_score, "roc_auc"), ("AP", "average_precision"),
        (metrics.average_precision_score, "average_precision"), ("MCC", "matthews_corrcoef"),
        (partial(metrics.fbeta_score, beta=2), metrics.make_scorer(metrics.fbeta_score, beta=2)),
    ],
    ids=name_of,
)  # fmt: skip
def test_estimators_answer_as_the_measure_needs(score: Any, scoring: Any) -> None:
    x, y = examples()
    splits = list(StratifiedKFold(5).split(x, y))
    folds = cross_validate(CLASSIFIERS, x, y, splits, score)
    for name, values in zip(folds.systems, folds.values, strict=True):
        assert values == pytest.approx(cross_val_score(CLASSIFIERS[name], x, y, cv=splits, scoring=scoring)), name
    assert not folds.lower_is_better


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("score", "scoring"),
    [("LogLoss", "neg_log_loss"), (metrics.log_loss, "neg_log_loss"), ("Brier", "neg_brier_score"),
     (metrics.brier_score_loss, "neg_brier_score")],
    ids=name_of,
)  # fmt: skip
def test_losses_of_probabilities_are_lower_for_the_better(score: Any, scoring: str, n_classes: int) -> None:
    x, y = examples(n_classes)
    splits, learners = list(StratifiedKFold(5).split(x, y)), {"logistic": LINEAR, "prior": DummyClassifier()}
    folds = cross_validate(learners, x, y, splits, score)
    scale = 2 if n_classes == 2 and "brier" in scoring and isinstance(score, str) else 1
    theirs = -cross_val_score(LINEAR, x, y, cv=splits, scoring=scoring)
    assert folds.values[0] == pytest.approx(theirs) or folds.values[0] * scale == pytest.approx(theirs)
    assert folds.lower_is_better
    with pytest.raises(BadSetting, match="margin: probabilities are needed, but Pipeline has no predict_proba"):
        cross_validate({"margin": CLASSIFIERS["margin"]}, x, y, splits, score)


def test_several_classes_are_ranked_by_their_probabilities() -> None:
    x, y = examples(3)
    splits = list(StratifiedKFold(5).split(x, y))
    for score in ("AUC", partial(metrics.roc_auc_score, multi_class="ovr")):
        folds = cross_validate({"logistic": LINEAR}, x, y, splits, score)
        assert folds.values[0] == pytest.approx(cross_val_score(LINEAR, x, y, cv=splits, scoring="roc_auc_ovr"))


@pytest.mark.parametrize("measure", ["F", "AUC", "Brier", "AP"])
def test_text_labels_need_a_positive_class(measure: str) -> None:
    x, y = examples()
    text, splits = np.array(["good", "bad"])[y], list(StratifiedKFold(5).split(x, y))
    with pytest.raises(BadSetting, match="depends on the positive class: choose 'bad' or 'good' with positive="):
        cross_validate({"logistic": LINEAR}, x, text, splits, measure)
    for positive, truth in (("bad", y), ("good", 1 - y)):
        folds = cross_validate({"logistic": LINEAR}, x, text, splits, measure, positive=positive)
        expected = cross_validate({"logistic": LINEAR}, x, truth, splits, measure)
        assert folds.values == pytest.approx(expected.values)


def test_a_pair_of_functions_answers_as_the_measure_needs() -> None:
    x, y = examples()
    pair = (lambda a, b: LINEAR.fit(a, b), lambda model, a: model.predict_proba(a)[:, 1])
    splits = k_fold(90, 5, strata=y)
    for measure in ("AUC", "LogLoss"):
        both = cross_validate({"pair": pair, "estimator": LINEAR}, x, y, splits, measure)
        assert both.values[0] == pytest.approx(both.values[1])


def test_an_unknown_function_is_asked_for_its_direction() -> None:
    x, y = numbers()
    learners = {"mean": DummyRegressor()}

    def cost(true: Any, predicted: Any) -> float:
        return float(np.abs(true - predicted).sum())

    for unknown in (cost, lambda true, predicted: 0.5, metrics.confusion_matrix, metrics.silhouette_score):
        with pytest.raises(BadSetting, match=r"is a lower score better.*lower_is_better=True or False"):
            cross_validate(learners, x, y, k_fold(60, 3), unknown)
    assert cross_validate(learners, x, y, k_fold(60, 3), cost, lower_is_better=True).lower_is_better
    with pytest.raises(BadSetting, match="lower_is_better=False, but lower values of MSE are better"):
        cross_validate(learners, x, y, k_fold(60, 3), "MSE", lower_is_better=False)
    with pytest.raises(BadSetting, match="score must be a measure or a function"):
        cross_validate(learners, x, y, k_fold(60, 3), 3)  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="Prevalence has no better direction"):
        cross_validate({"prior": DummyClassifier()}, *examples(), k_fold(90, 3), "Prevalence")


def test_every_metric_of_scikit_learn_has_the_direction_of_its_scorer() -> None:
    for name in metrics.get_scorer_names():
        scorer = metrics.get_scorer(name)
        known = metric_name(scorer._score_func)
        if known is not None:
            assert lower_is_better(known) == (scorer._sign < 0), name


@pytest.mark.parametrize("learner", [LinearRegression, 3, "line", (1, 2), (len,), None], ids=name_of)
def test_other_learners_are_refused(learner: Any) -> None:
    with pytest.raises(BadInput, match="line: a learner must be two functions"):
        cross_validate({"line": learner}, *numbers(), k_fold(60, 3), "MSE")


def test_estimators_stay_unfitted_and_may_be_any_object_with_the_methods() -> None:
    class Middle:
        def fit(self, x: Any, y: Any) -> Middle:
            self.value = np.median(y)
            return self

        def predict(self, x: Any) -> Any:
            return np.full(len(x), self.value)

    own, line = Middle(), LinearRegression()
    cross_validate({"middle": own, "line": line}, *numbers(), k_fold(60, 3), "MAE")
    assert not hasattr(own, "value")
    assert not hasattr(line, "coef_")


def test_a_class_without_training_examples_is_named() -> None:
    x, y = examples(3, 30)
    order = np.argsort(y, kind="stable")
    splits = [(order[10:], order[:10]), (order[:20], order[20:])]
    with pytest.raises(BadInput, match="no example of the class 0; divide the examples with strata="):
        cross_validate({"logistic": LINEAR}, x, y, splits, "LogLoss")


# folds that share examples

FORMS = [
    np.asarray, list, pd.DataFrame, csr_array,
    lambda x: pl.DataFrame(x, schema=["a", "b", "c"], orient="row"),
    lambda x: pa.table({str(place): column for place, column in enumerate(x.T)}),
    lambda x: np.array([f"text {row[0]:.6f}" for row in x]),
    lambda x: x.astype(object),
]  # fmt: skip


def zero() -> dict[str, Any]:
    return {"zero": (lambda x, y: 0, lambda model, x: np.zeros(x.shape[0]))}


@pytest.mark.parametrize("form", FORMS)
def test_identical_rows_in_training_and_test_sets_are_counted(form: Any) -> None:
    x, _ = examples(2, 40)
    x, y = np.concatenate([x, x[:5]]), np.arange(45.0)
    y[40:] = y[:5]
    splits = [(np.arange(40), np.arange(40, 45)), (np.arange(5, 45), np.arange(5))]
    with pytest.warns(CranfieldWarning, match="10 of 10 test rows also occur, with the same answer, in the training"):
        folds = cross_validate(zero(), form(x), y, splits, "MSE")
    assert [caution.kind for caution in folds.warnings] == ["copied-rows"]
    y[40:] += 1  # the same examples with other answers are no copies
    assert cross_validate(zero(), form(x), y, splits, "MSE").warnings == ()
    y[40:] -= 1
    together = k_fold(45, 5, groups=[*range(40), *range(5)])
    assert cross_validate(zero(), form(x), y, together, "MSE").warnings == ()


def test_a_row_in_several_test_sets_is_noticed_unless_all_are() -> None:
    x, y = numbers()
    once = [split.test for split in k_fold(60, 3)]
    twice = [(np.setdiff1d(np.arange(60), test), test) for test in (once[0], np.append(once[1], once[0][0]), once[2])]
    with pytest.warns(CranfieldWarning, match=f"1 row is in several test sets.*such as row {once[0][0]}"):
        folds = cross_validate(zero(), x, y, twice, "MSE")
    assert [caution.kind for caution in folds.warnings] == ["repeated-test-rows"]
    with pytest.warns(CranfieldWarning, match="rows are in several test sets"):
        cross_validate(zero(), x, y, list(ShuffleSplit(5, random_state=0).split(x)), "MSE")
    assert cross_validate(zero(), x, y, halves(60), "MSE").warnings == ()
