"""Areas of several classes: averaged, pooled, one against one, and how sure they are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from cranfield import classify
from cranfield.arrays import Floats
from cranfield.classification.intervals import AVERAGED
from cranfield.errors import BadSetting, CranfieldWarning
from cranfield.evidence.cells import Cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import parse


def items(seed: int, n: int = 80, n_classes: int = 4, levels: int = 10) -> tuple[NDArray[np.int64], Floats]:
    """Classes, and probabilities on few levels, so that many tie."""
    rng = np.random.default_rng(seed)
    actual = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))
    given = rng.multinomial(levels, np.full(n_classes, 1 / n_classes), n) + 3 * np.eye(n_classes)[actual]
    return actual, given / given.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [3, 4, 7])
@pytest.mark.parametrize("levels", [2, 10, 1000])
@pytest.mark.parametrize(("measure", "average"), [("OneVsOneAUC", "macro"), ("HandTill(weighted=True)", "weighted")])
def test_one_against_one_is_that_of_scikit_learn(n_classes: int, levels: int, measure: str, average: str) -> None:
    actual, given = items(levels, 120, n_classes, levels)
    theirs = roc_auc_score(actual, given, multi_class="ovo", average=average)
    assert classify(actual, probability=given, measures=measure)[measure] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_one_against_one_pair_by_pair(seed: int, weighted: bool) -> None:
    actual, given = items(seed, 40)
    weight = np.random.default_rng(seed).integers(0, 4, len(actual)) / 2 + (np.arange(len(actual)) < 4)
    areas, sizes = [], []
    for pair in combinations(range(4), 2):
        ways = []
        for own, other in (pair, pair[::-1]):
            won = total = 0.0
            for i in np.flatnonzero(actual == own):
                for j in np.flatnonzero(actual == other):
                    a, b = given[i, own], given[j, own]
                    won += weight[i] * weight[j] * ((a > b) + (a == b) / 2)
                    total += weight[i] * weight[j]
            ways.append(won / total)
        areas.append(sum(ways) / 2)
        sizes.append(weight[np.isin(actual, pair)].sum() if weighted else 1.0)
    found = parse("OneVsOneAUC", "classes")(weighted=weighted).values(ClassScores((0, 1, 2, 3), actual, given, weight))
    assert float(found) == pytest.approx(np.average(areas, weights=sizes), abs=1e-12)


def test_one_against_one_leaves_out_classes_without_items() -> None:
    given = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.5, 0.4, 0.1]])
    two = classify(["a", "b", "b"], probability=given, labels=["a", "b", "c"], measures="HandTill")
    assert two["HandTill"] == 1
    alone = classify(["a", "a", "a"], probability=given, labels=["a", "b", "c"], measures="HandTill")
    assert np.isnan(alone["HandTill"])
    assert alone.interval("HandTill").method == "undefined: fewer than two classes have items"


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("weighted", [False, True])
def test_averages_of_areas_are_those_of_scikit_learn(average: str, weighted: bool) -> None:
    actual, given = items(3)
    weight = np.random.default_rng(3).integers(1, 5, len(actual)) if weighted else None
    truth = np.eye(4, dtype=int)[actual]
    theirs = roc_auc_score(truth, given, average=average, sample_weight=weight)
    classes = classify(actual, probability=given, average=average, weight=weight, measures="AUC")  # type: ignore[arg-type]
    assert classes["AUC"] == pytest.approx(theirs, abs=1e-12)
    sets = classify(truth, score=given, average=average, weight=weight, measures="AUC")  # type: ignore[arg-type]
    assert sets["AUC"] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_interval_of_an_averaged_area_by_hand(average: str) -> None:
    actual, given = (column[:50] for column in items(5))
    actual[:48] = np.arange(48) % 4
    truth = np.eye(4, dtype=int)[actual]
    whole = roc_auc_score(truth, given, average=average)
    left_out = [
        roc_auc_score(np.delete(truth, item, axis=0), np.delete(given, item, axis=0), average=average)
        for item in range(50)
    ]
    squares = np.square(left_out - np.mean(left_out))
    freedom = round(squares.sum() ** 2 / np.square(squares).sum())
    half = stats.t.ppf(0.975, freedom) * np.sqrt(49 / 50 * squares.sum()) / (whole * (1 - whole))
    found = classify(actual, probability=given, average=average).interval("AUC")  # type: ignore[arg-type]
    assert found.method == "jackknife"
    assert (found.low, found.high) == pytest.approx(
        tuple(special.expit(special.logit(whole) + np.array([-half, half])))
    )


@pytest.mark.parametrize("measure", ["AUC", "AP", "OneVsOneAUC", "F1", "Accuracy"])
@pytest.mark.parametrize("weight", [None, 0.5])
def test_measures_of_classes_have_intervals(measure: str, weight: float | None) -> None:
    actual, given = items(6, 300)
    weights = None if weight is None else np.full(len(actual), weight)
    found = classify(actual, probability=given, weight=weights).interval(measure, resamples=100)
    assert found.low < found.high
    assert found.method.startswith(("jackknife", "jeffreys", "clopper-pearson"))


def test_each_class_has_an_area_with_an_interval() -> None:
    actual, given = items(9, 300)
    found = classify(actual, probability=given, measures=["AUC", "AP"])
    for place in range(4):
        own = classify(actual == place, score=given[:, place], measures=["AUC", "AP"])
        assert found.interval("AUC", label=place) == own.interval("AUC")
        assert found.interval("AP", label=place, resamples=50) == own.interval("AP", resamples=50)
        assert found.classes.per_query("AUC")[str(place)] == own["AUC"]
    pooled = classify(np.eye(4, dtype=int)[actual].ravel(), score=given.ravel())["AUC"]
    assert found.classes.aggregated("micro")[0, 0] == pytest.approx(pooled, abs=1e-12)


def test_every_measure_of_sets_has_an_interval() -> None:
    actual, given = items(7, 160)
    with pytest.warns(CranfieldWarning, match="one-hot"):
        sets = classify(np.eye(4, dtype=int)[actual], probability=given)
    for measure in sets.measures:
        found = sets.interval(measure)
        expected = measure.name in AVERAGED or measure.declaration.evidence not in (Cells, Thresholds)
        some = ("jackknife", "clopper-pearson", "none: fewer than 50", "none: the value is the same")
        assert found.method.startswith(some if expected else "none")


def test_of_many_scores_of_classes_none_is_left_out() -> None:
    actual, given = items(8, 6000)
    assert classify(actual, probability=given).interval("AUC").method == "none: more than 20,000 scores or labels"


def test_the_method_of_an_interval_applies_to_one_class_too() -> None:
    actual, probability = items(5)
    found = classify(actual, probability=probability)
    alone = classify((actual == 2).astype(int), score=probability[:, 2])
    for method in ("delong", "logit"):
        own, binary = found.interval("AUC", label=2, method=method), alone.interval("AUC", method=method)
        assert (own.low, own.high, own.method) == (binary.low, binary.high, binary.method)
    with pytest.raises(BadSetting, match="'delong' is for the AUC"):
        found.interval("Recall", label=2, method="delong")
