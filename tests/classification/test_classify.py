"""The verb `classify`, whatever goes in."""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

import cranfield
from classification.examples import CLASSES, SCORES
from cranfield import classify, regress
from cranfield.errors import BadSetting, CranfieldWarning, UnknownMeasure

ACTUAL = ["Woman"] * 20 + ["Man"] * 20 + ["Child"] * 60
PREDICTED = (
    ["Woman"] * 13 + ["Man"] * 2 + ["Child"] * 5 + ["Woman"] * 4 + ["Man"] * 15 + ["Child"] + ["Woman"] * 2 + ["Man"]
    + ["Child"] * 57
)  # fmt: skip
ORDER = ("Woman", "Man", "Child")


def test_labels_of_three_classes() -> None:
    result = classify(ACTUAL, PREDICTED, labels=ORDER)
    assert result.confusion is not None
    assert result.confusion.counts.tolist() == [[13, 2, 5], [4, 15, 1], [2, 1, 57]]
    assert result["Accuracy"] == 0.85
    assert result["F1"] == pytest.approx(0.7943232063899587)
    assert result.classes.per_query("Precision") == pytest.approx({"Woman": 13 / 19, "Man": 15 / 18, "Child": 57 / 63})
    assert result.classes.per_query("Accuracy") == pytest.approx({"Woman": 0.87, "Man": 0.92, "Child": 0.91})


@pytest.mark.parametrize(
    ("average", "f1"), [("macro", 0.7943232063899587), ("micro", 0.85), ("weighted", 0.8473256311510483)]
)
def test_classes_are_averaged_in_one_way_for_all_measures(average: str, f1: float) -> None:
    result = classify(ACTUAL, PREDICTED, labels=ORDER, average=average)  # type: ignore[arg-type]
    assert result["F1"] == pytest.approx(f1)
    assert result.result.provenance.settings["average"] == average


def test_aggregates_of_the_classes() -> None:
    classes = classify(ACTUAL, PREDICTED, labels=ORDER).classes
    place = [str(measure) for measure in classes.measures].index("F")
    assert classes.aggregated("mean")[0, place] == pytest.approx(0.7943232063899587)
    assert classes.aggregated("micro")[0, place] == pytest.approx(0.85)
    assert classes.aggregated("weighted")[0, place] == pytest.approx(0.8473256311510483)


def as_numpy(values: object) -> object:
    return np.array(values)


def as_objects(values: object) -> object:
    return np.array(values, object)


FORMS = [list, as_numpy, as_objects, pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v[:7], v[7:]])]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_labels_gives_the_same(form: object) -> None:
    given = classify(form(ACTUAL), form(PREDICTED), labels=ORDER)  # type: ignore[operator]
    assert given.confusion is not None
    assert given.confusion.counts.tolist() == [[13, 2, 5], [4, 15, 1], [2, 1, 57]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [int, float, bool])
def test_every_form_of_numbers_gives_the_same(form: object, kind: type) -> None:
    actual = form([kind(sign == "P") for sign in CLASSES])  # type: ignore[operator]
    assert classify(actual, score=form(list(SCORES)))["AUC"] == 0.68  # type: ignore[operator]


def test_scores_of_twenty_instances() -> None:
    result = classify(list(CLASSES), score=SCORES, positive="P", threshold=0.54)
    assert result.of().threshold == 0.54
    assert result.confusion is not None
    assert (result.confusion.labels, result.confusion.counts.tolist()) == (("N", "P"), [[9, 1], [5, 5]])
    assert result["Accuracy"] == 0.7
    assert result.choose("closest").thresholds == (0.51, 0.4)


def test_the_positive_class_may_come_first() -> None:
    result = classify(list(CLASSES), score=[-score for score in SCORES], positive="N")
    assert result["AUC"] == 0.68
    assert classify(["a", "b", "a"], ["a", "a", "a"], positive="a")["Precision"] == pytest.approx(2 / 3)
    first = classify(["a", "b", "a"], score=[3, 2, 1], positive="a", threshold=2)
    assert first.confusion is not None
    assert first.confusion.counts.tolist() == [[1, 1], [1, 0]]


def test_probabilities_are_answers_from_a_half_on_unless_a_goal_is_given() -> None:
    assert classify(list(CLASSES), probability=SCORES, positive="P").of().threshold == 0.5
    assert classify(list(CLASSES), probability=SCORES, positive="P", goal="Accuracy").of().threshold == 0.54
    assert classify(list(CLASSES), probability=SCORES, positive="P", threshold=0.3)["Recall"] == 1


def test_labels_and_scores_together() -> None:
    result = classify([1, 1, 0, 0], [1, 0, 0, 0], score=[0.9, 0.4, 0.6, 0.1])
    assert (result["Recall"], result["AUC"]) == (0.5, 0.75)


def test_one_class_of_many_against_the_rest() -> None:
    result = classify(ACTUAL, PREDICTED, positive="Woman")
    assert (result["Precision"], result["Recall"]) == pytest.approx((13 / 19, 13 / 20))
    scored = classify(ACTUAL, score=[label == "Woman" for label in PREDICTED], positive="Woman", threshold=1)
    assert scored.confusion is not None
    assert scored.confusion.labels == ("not Woman", "Woman")
    assert scored["Accuracy"] == pytest.approx(0.87)


def test_probabilities_of_three_classes() -> None:
    rng = np.random.default_rng(3)
    table = rng.dirichlet([1, 1, 1], 100)
    actual = np.array(["a", "b", "c"])[[rng.choice(3, p=row) for row in table]]
    result = classify(actual, probability=table)
    assert result["LogLoss"] == pytest.approx(metrics.log_loss(actual, table))
    assert result["Accuracy"] == metrics.accuracy_score(actual, np.array(["a", "b", "c"])[table.argmax(axis=1)])
    assert result["AUC"] == pytest.approx(metrics.roc_auc_score(actual, table, multi_class="ovr"))
    assert classify(actual, probability=table.tolist())["LogLoss"] == result["LogLoss"]
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        by_name = classify(actual, probability=frame({"c": table[:, 2], "a": table[:, 0], "b": table[:, 1]}))
        assert by_name["LogLoss"] == pytest.approx(result["LogLoss"])
    by_label = classify(actual, probability={"c": table[:, 2], "a": table[:, 0], "b": table[:, 1]})
    assert by_label["LogLoss"] == pytest.approx(result["LogLoss"])
    weighted = classify(actual, probability=table, average="weighted")
    assert weighted["AUC"] == pytest.approx(metrics.roc_auc_score(actual, table, multi_class="ovr", average="weighted"))


def test_several_labels_an_item() -> None:
    actual = [{"a"}, {"a", "b"}, set(), {"b", "c"}]
    predicted = [{"a"}, {"b"}, {"b"}, {"b", "c"}]
    result = classify(actual, predicted)
    table = [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1]]
    said = [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 1]]
    for average in ("macro", "micro", "weighted"):
        ours = classify(actual, predicted, average=average)  # type: ignore[arg-type]
        theirs = metrics.precision_recall_fscore_support(table, said, average=average)
        assert [ours[name] for name in ("Precision", "Recall", "F1")] == pytest.approx(theirs[:3])
    assert result.confusion is None
    as_table = classify(np.array(table), np.array(said), labels=["a", "b", "c"])
    assert as_table["F1"] == result["F1"]
    as_text = classify(["a", "a|b", "", "b|c"], ["a", "b", "b", "b|c"], separator="|")
    assert as_text["F1"] == result["F1"]
    as_lists = classify(pa.array([sorted(item) for item in actual]), pa.array([sorted(item) for item in predicted]))
    assert as_lists["F1"] == result["F1"]


def test_scores_of_several_labels_an_item() -> None:
    table = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    score = np.array([[0.9, 0.2], [0.4, 0.7], [0.6, 0.8], [0.1, 0.3]])
    result = classify(table, probability=score)
    assert result["AUC"] == pytest.approx(metrics.roc_auc_score(table, score))
    assert result["Recall"] == pytest.approx(metrics.recall_score(table, score >= 0.5, average="macro"))
    with pytest.raises(BadSetting, match="pass threshold= \\(--threshold\\): scores at or above"):
        _ = classify(table, score=score)["Recall"]


def test_folds_give_a_value_each() -> None:
    actual, predicted = [1, 0, 1, 0, 1, 1], [1, 0, 0, 0, 1, 0]
    result = classify(
        actual, {"a": predicted, "b": actual}, by=["x", "x", "x", "y", "y", "y"], measures=["Accuracy", "F1"]
    )
    assert result.result.units == ("x", "y")
    assert result.result.per_query("Accuracy", "a") == pytest.approx({"x": 2 / 3, "y": 2 / 3})
    assert result["b", "F1"] == 1
    assert result.result.values.shape == (2, 2, 2)
    assert result.result.micro[0, 0] == pytest.approx(4 / 6)


def test_a_fold_is_answered_at_the_threshold_of_all_items() -> None:
    by = [place % 2 for place in range(20)]
    folds = classify(list(CLASSES), score=SCORES, positive="P", by=by, threshold=0.54)
    assert folds.result.per_query("Accuracy") == pytest.approx({"0": 0.4, "1": 1.0})
    chosen = classify(list(CLASSES), score=SCORES, positive="P", by=by, goal="Accuracy")
    assert chosen.of().threshold == 0.54
    assert np.mean([*chosen.result.per_query("Accuracy").values()]) == chosen.result.micro[0, 0]


def test_a_fold_of_one_class_is_left_out_of_the_mean_and_said_to_be() -> None:
    with pytest.warns(CranfieldWarning, match="1 of 2 groups has items of only one class"):
        result = classify([1, 0, 1, 0, 1, 1], score=[6, 5, 4, 3, 9, 8], by=[0, 0, 0, 0, 1, 1], measures="AUC")
    assert result["AUC"] == 0.75
    assert result.result.n_undefined.tolist() == [[1]]


def test_a_scorer_below_the_diagonal_is_pointed_out() -> None:
    actual, score = [1, 0] * 20, [3, 4, 1, 2] * 10
    doubt = r"AUC of 0.25 \(95 % CI \[0.125, 0.438\]\) is below 0.5; do low scores mean positive\? Inverted, .* 0.75"
    with pytest.warns(CranfieldWarning, match=doubt):
        result = classify(actual, score=score)
    assert result.thresholds is not None
    assert classify(actual, score=np.negative(score))["AUC"] == 0.75
    assert result.thresholds.inverted.ordered == 600
    with pytest.warns(CranfieldWarning, match=r"are these probabilities of the other class\?"):
        _ = classify(actual, probability=np.array(score) / 5).result


def test_an_area_that_is_below_a_half_by_chance_is_no_warning() -> None:
    assert classify([1, 0, 1, 0], score=[3, 4, 1, 2]).warnings == ()
    rng = np.random.default_rng(0)
    with warnings.catch_warnings(action="ignore"):
        noise = [classify(np.arange(80) % 2, score=rng.random(80), threshold=0.5) for _ in range(200)]
    assert np.mean([result["AUC"] < 0.5 for result in noise]) > 0.4
    assert np.mean([bool(result.warnings) for result in noise]) <= 0.05


def test_weights() -> None:
    actual, predicted, weight = [1, 0, 1, 1], [1, 1, 0, 1], [2, 1, 0.5, 0]
    result = classify(actual, predicted, weight=weight)
    assert result["Accuracy"] == pytest.approx(metrics.accuracy_score(actual, predicted, sample_weight=weight))


def test_undefined_is_left_out_or_counts_as_nothing() -> None:
    actual, predicted = ["a", "a", "b", "c"], ["a", "b", "b", "b"]
    assert classify(actual, predicted)["Precision"] == pytest.approx((1 + 1 / 3) / 2)
    assert classify(actual, predicted, undefined="zero")["Precision"] == pytest.approx((1 + 1 / 3) / 3)
    assert np.isnan(classify([0, 0], [0, 0], labels=[0, 1])["Recall"])
    assert classify([0, 0], [0, 0], labels=[0, 1]).interval("Recall").method == "undefined: there are no positives"


@pytest.mark.parametrize(
    ("measure", "method"), [("Recall", "clopper-pearson"), ("F1", "clopper-pearson"), ("F2", "jeffreys")]
)
def test_intervals_hold_the_value_and_stay_in_bounds(measure: str, method: str) -> None:
    bounded = classify(list(CLASSES), score=SCORES, positive="P", threshold=0.54).interval(measure)
    assert 0 <= bounded.low <= bounded.value <= bounded.high <= 1
    assert bounded.method == method


def test_exact_interval_of_a_share() -> None:
    found = classify(list(CLASSES), score=SCORES, positive="P", threshold=0.54).interval("Recall")  # 5 of 10
    assert (found.low, found.high) == pytest.approx(proportion_confint(5, 10, method="beta"))


def test_intervals_of_matrices_and_areas() -> None:
    people = classify(ACTUAL, PREDICTED, labels=ORDER)
    assert people.interval("Accuracy")[1:3] == pytest.approx(proportion_confint(85, 100, method="beta"))
    for measure in ("Kappa", "MCC", "F1", "Precision"):
        found = people.interval(measure, resamples=100)
        assert found.low <= found.value <= found.high
        assert found == people.interval(measure, resamples=100)
    area = classify(list(CLASSES), score=SCORES, positive="P")
    assert area.interval("AUC").method == "delong, logit"
    assert area.interval("AUC", method="delong").method == "delong"
    with pytest.raises(BadSetting, match="'delong' is for the AUC of one score per item, not for AP"):
        area.interval("AP", method="delong")
    assert area.interval("AP").method == "none: fewer than 50 positive items"


def test_intervals_of_one_class() -> None:
    people = classify(ACTUAL, PREDICTED, labels=ORDER)
    found = people.interval("Precision", label="Woman")  # 13 of 19
    assert (found.value, found.low, found.high) == pytest.approx((13 / 19, *proportion_confint(13, 19, method="beta")))
    assert people.interval("F1", label="Woman").method == "clopper-pearson"
    assert people.interval("F2", label="Woman").method == "jeffreys"
    with pytest.raises(BadSetting, match="there is no class 'Dog'"):
        people.interval("F1", label="Dog")
    nobody = classify(["a", "b"], ["b", "b"], average="macro").interval("Precision", label="a")
    assert nobody.method == "undefined: nothing was predicted positive"


def test_folds_can_be_compared() -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 2, 300)
    scores = {"good": actual + rng.normal(size=300), "poor": actual + 3 * rng.normal(size=300)}
    folds = classify(actual, score=scores, by=np.arange(300) % 10, measures="AUC")
    (row,) = folds.result.compare("poor").rows
    assert row.n == 10
    assert row.p < 0.05


def test_areas_of_two_scorers_are_compared() -> None:
    scores = {"one": SCORES, "other": tuple(reversed(SCORES))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        result = classify(list(CLASSES), score=scores, positive="P")
    test = result.compare_areas("one", "other")
    assert test.areas == (0.68, pytest.approx(0.32))
    assert 0 < test.p < 1
    with pytest.raises(BadSetting, match="choose a classifier: one of 'one', 'other'"):
        _ = result.confusion


def test_frames_and_names_of_columns() -> None:
    columns = {"cls": list(CLASSES), "s": list(SCORES), "fold": [place % 4 for place in range(20)]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns), columns):
        assert classify("cls", score="s", data=frame, positive="P")["AUC"] == 0.68
    given = classify("cls", score="s", by="fold", data=columns, positive="P", threshold=0.5, measures="Accuracy")
    assert len(given.result.units) == 4


def test_a_frame_holds_several_scorers() -> None:
    scores = {"one": list(SCORES), "other": [score / 2 for score in SCORES]}
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        found = classify(list(CLASSES), score=frame(scores), positive="P", measures="AUC")
        assert (found.systems, found["other", "AUC"]) == (("one", "other"), 0.68)


def test_the_result_is_that_of_every_verb() -> None:
    result = classify(ACTUAL, PREDICTED).result
    assert isinstance(result, cranfield.Result)
    assert result.by_system()["predictions"]["Accuracy"] == 0.85
    assert "Accuracy" in result.to_json()
    assert result.table().column_names[:2] == ["system", "measure"]


def test_measures_that_cannot_be_had() -> None:
    with pytest.raises(BadSetting, match="AUC needs scores or probabilities; predictions has labels only"):
        classify([1, 0], [1, 0], measures="AUC")
    with pytest.raises(BadSetting, match="LogLoss needs probabilities"):
        classify([1, 0], score=[3, 1], measures="LogLoss")
    with pytest.raises(UnknownMeasure, match="did you mean"):
        classify([1, 0], [1, 0], measures="Acuracy")
    with pytest.raises(BadSetting, match="average must be one of 'macro', 'micro', 'weighted', 'samples', not 'mean'"):
        classify([1, 0], [1, 0], average="mean")  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="threshold must be a number, not 'high'"):
        classify([1, 0], score=[1, 0], threshold="high")  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="nothing to evaluate"):
        classify([1, 0])


@pytest.mark.parametrize(
    "assess", [lambda: classify([1, 0, 1], score=[3, 1, 2]), lambda: regress([1, 2, 4], [1, 3, 4])]
)
def test_what_is_no_longer_used_is_let_go_at_once(assess: Callable[[], Any]) -> None:
    gc.disable()
    try:
        found = assess()
        _ = found.result
        kept = weakref.ref(found)
        del found
        assert kept() is None
    finally:
        gc.enable()


def test_nothing_given_is_changed() -> None:
    actual, score = np.array([1, 0, 1, 0]), np.array([0.1, 0.9, 0.4, 0.3])
    before = actual.copy(), score.copy()
    _ = classify(actual, probability=score).result
    assert (np.array_equal(before[0], actual), np.array_equal(before[1], score)) == (True, True)


def test_a_measure_that_only_one_kind_has_in_this_form_is_read_back() -> None:
    given = classify(list("abcab"), list("abcba"), measures=["Precision", "Kappa(weights='linear')"])
    assert given["Kappa(weights='linear')"] == given["Kappa(weights=linear)"]  # a bare word is a text


def test_items_of_several_classes_as_a_whole() -> None:
    rng = np.random.default_rng(11)
    actual, said = rng.random((40, 3)) < 0.5, rng.random((40, 3)) < 0.2
    said ^= actual
    given = classify(actual.astype(int), said.astype(int), measures=["SubsetAccuracy", "HammingLoss"])
    assert given["SubsetAccuracy"] == pytest.approx(metrics.accuracy_score(actual, said))
    assert given["HammingLoss"] == pytest.approx(metrics.hamming_loss(actual, said))
    assert given.interval("SubsetAccuracy").method == "clopper-pearson"
    assert [*map(str, given.classes.measures)] == ["ErrorRate"]
    weight = rng.random(40)
    weighed = classify(actual.astype(int), said.astype(int), weight=weight, measures="ExactMatch")
    assert weighed["SubsetAccuracy"] == pytest.approx(metrics.accuracy_score(actual, said, sample_weight=weight))
    assert weighed.interval("SubsetAccuracy").method.startswith("none: items have different weights")


def test_an_item_of_one_class_has_no_set_of_labels() -> None:
    with pytest.raises(BadSetting, match="SubsetAccuracy needs multilabel data"):
        classify([1, 0], [1, 0], measures="SubsetAccuracy")
