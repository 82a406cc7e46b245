"""Clusters against known classes: as in scikit-learn, and as counted pair by pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from cranfield import classify
from cranfield.evidence.confusion import confusion
from cranfield.measures.naming import parse

CLASSES, CLUSTERS = "aaabbbbcc", "xxyyyyzzx"
FUNCTIONS = (
    "rand_score", "adjusted_rand_score", "fowlkes_mallows_score", "mutual_info_score", "normalized_mutual_info_score",
    "adjusted_mutual_info_score", "homogeneity_score", "completeness_score", "v_measure_score",
)  # fmt: skip


def value(measure: str, actual: object, predicted: object, weight: np.ndarray | None = None) -> float:
    return float(parse(measure, "classes").values(confusion(actual, predicted, weight=weight)))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("n", "n_classes", "n_clusters"), [(30, 2, 2), (200, 5, 3), (300, 40, 60), (9, 1, 3)])
def test_values_are_those_of_scikit_learn(name: str, n: int, n_classes: int, n_clusters: int) -> None:
    random = np.random.default_rng(n)
    actual = random.integers(0, n_classes, n)
    predicted = np.where(random.random(n) < 0.5, actual % n_clusters, random.integers(0, n_clusters, n))
    assert value(name, actual, predicted) == pytest.approx(getattr(metrics, name)(actual, predicted), abs=1e-10)


@pytest.mark.parametrize("mean", ["min", "geometric", "arithmetic", "max"])
def test_means_of_entropies_are_those_of_scikit_learn(mean: str) -> None:
    actual, predicted = list(CLASSES), list(CLUSTERS)
    for ours, theirs in (("NMI", "normalized_mutual_info_score"), ("AMI", "adjusted_mutual_info_score")):
        expected = getattr(metrics, theirs)(actual, predicted, average_method=mean)
        assert value(f"{ours}(mean={mean!r})", actual, predicted) == pytest.approx(expected)
    expected = metrics.v_measure_score(actual, predicted, beta=3)
    assert value("VMeasure(beta=3)", actual, predicted) == pytest.approx(expected)


def overlap(own: str, other: str) -> float:
    """Mean over items of the proportion of those in the same group of `own` that share the group of `other`."""
    items = range(len(own))
    groups = [[i for i in items if own[i] == own[item]] for item in items]
    return float(np.mean([np.mean([other[i] == other[item] for i in group]) for item, group in enumerate(groups)]))


def f_measure(beta: float) -> float:
    precision, recall = overlap(CLUSTERS, CLASSES), overlap(CLASSES, CLUSTERS)
    return (1 + beta**2) / (1 / precision + beta**2 / recall)


def purity() -> float:
    groups = [[a for a, c in zip(CLASSES, CLUSTERS, strict=True) if c == cluster] for cluster in set(CLUSTERS)]
    return sum(max(map(group.count, group)) for group in groups) / len(CLASSES)


def rand() -> float:
    pairs = list(combinations(zip(CLASSES, CLUSTERS, strict=True), 2))
    return sum((a == b) == (c == d) for (a, c), (b, d) in pairs) / len(pairs)


COUNTED: dict[str, Callable[[], float]] = {
    "Purity": purity,
    "RandIndex": rand,
    "BCubedPrecision": lambda: overlap(CLUSTERS, CLASSES),
    "BCubedRecall": lambda: overlap(CLASSES, CLUSTERS),
    "BCubedF": lambda: f_measure(1),
    "BCubedF(beta=2)": lambda: f_measure(2),
}


@pytest.mark.parametrize("measure", COUNTED)
def test_values_counted_item_by_item(measure: str) -> None:
    assert value(measure, list(CLASSES), list(CLUSTERS)) == pytest.approx(COUNTED[measure]())


def test_chance_is_the_mean_over_all_assignments() -> None:
    actual, predicted = "aaabb", "xyyxx"
    every = [value("MI", list(actual), list(order)) for order in permutations(predicted)]
    found, most = value("MI", list(actual), list(predicted)), value("MI", list(actual), list(actual))
    assert value("AMI", list(actual), list(predicted)) == pytest.approx(
        (found - np.mean(every)) / (most - np.mean(every))
    )


def test_names_of_clusters_do_not_matter_with_two_classes_either() -> None:
    found = classify([0, 0, 1, 1], [1, 1, 0, 0], measures=["ARI", "Purity", "Accuracy"])
    assert (found["ARI"], found["Purity"], found["Accuracy"]) == (1, 1, 0)


@pytest.mark.parametrize("measure", ["ARI", "AMI"])
@pytest.mark.parametrize("labels", ["aaa", "abc"])
def test_what_no_chance_could_change_is_undefined(measure: str, labels: str) -> None:
    assert math.isnan(value(measure, list(labels), list(labels)))


def test_pairs_need_whole_weights() -> None:
    actual, predicted = list("aabb"), list("abbb")
    twice = value("ARI", np.repeat(actual, 2).tolist(), np.repeat(predicted, 2).tolist())
    assert value("ARI", actual, predicted, np.full(4, 2.0)) == twice
    found = classify(actual, predicted, weight=[0.5, 1, 1, 1], measures="ARI").interval("ARI")
    assert found.method == "undefined: weights are not whole numbers, so pairs of items cannot be counted"


def test_intervals_leave_out_one_item_at_a_time() -> None:
    actual, predicted = [*CLASSES * 9], [*CLUSTERS * 9]
    found = classify(actual, predicted, measures="FMI").interval("FMI")
    rows = range(len(actual))
    without = [
        metrics.fowlkes_mallows_score([actual[i] for i in rows if i != row], [predicted[i] for i in rows if i != row])
        for row in rows
    ]
    squares = np.square(without - np.mean(without))
    error = math.sqrt((len(rows) - 1) / len(rows) * squares.sum())
    freedom = round(squares.sum() ** 2 / np.square(squares).sum())
    assert found.method == "jackknife"
    half = stats.t.ppf(0.975, freedom) * error / (found.value * (1 - found.value))
    assert math.log(found.high / (1 - found.high)) - math.log(found.value / (1 - found.value)) == pytest.approx(half)
