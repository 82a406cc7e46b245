"""Measures of clusters against known classes; the names of the clusters do not matter.

The rows of the confusion matrix are the classes, and its columns the clusters.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import Numbers, ratio, root
from cranfield.evidence.confusion import Confusion
from cranfield.measures.declaration import NoInterval, Reasons
from cranfield.measures.rates import NOTHING
from cranfield.measures.registry import measure
from cranfield.rounding import NEAR
from cranfield.settings import Positive

_clusters = partial(measure, interval="jackknife from 10")
_information = partial(
    measure,
    interval=NoInterval("mutual information is too high in samples; AMI, which corrects for that, has an interval"),
)
Mean = Literal["arithmetic", "geometric", "min", "max"]

_PAIRLESS: Reasons = {
    "there are fewer than two items": lambda confusion, **_: confusion.total < 2,
    "weights are not whole numbers, so pairs of items cannot be counted": lambda table, **_: not _whole(table),
}
_NO_CHANCE: Reasons = {
    "clusters of these sizes agree with classes of these sizes to the same degree in every assignment": (
        lambda *_, **__: True
    )
}
_NO_PAIR_IN_COMMON: Reasons = {
    "no two items belong to the same class": lambda confusion: _pairs(confusion.actual) == 0,
    "no two items are in the same cluster": lambda confusion: _pairs(confusion.predicted) == 0,
}


# pairs of items


def _whole(confusion: Confusion) -> bool:
    """Whether all counts are integers, so that weights are the frequencies of items."""
    return bool((confusion.count == np.rint(confusion.count)).all())


def _pairs(count: NDArray[Any]) -> float:
    """Number of pairs of items within groups of these sizes."""
    size = count.astype(np.float64)
    return float((size * (size - 1)).sum() / 2)


def _pair_cells(confusion: Confusion) -> Floats:
    """Number of pairs in the same class and cluster, only the same cluster, only the same class, and neither."""
    if not _whole(confusion):
        return np.full(4, np.nan)
    both = _pairs(confusion.count)
    cluster, class_ = _pairs(confusion.predicted), _pairs(confusion.actual)
    total = _pairs(np.asarray(confusion.total))
    return np.array([both, cluster - both, class_ - both, total - cluster - class_ + both])


@_clusters("RandIndex", title="Rand index", cite="rand1971", names=("Rand",), undefined=_PAIRLESS)
def rand_index(confusion: Confusion) -> Numbers:
    """Proportion of pairs of items that are together, or apart, in both the classes and the clusters."""
    both, _, _, neither = cells = _pair_cells(confusion)
    return ratio(both + neither, cells.sum())


@_clusters(
    "ARI",
    title="Adjusted Rand index",
    cite="hubert1985",
    names=("AdjustedRand",),
    bounds=(-0.5, 1),
    undefined=_PAIRLESS | _NO_CHANCE,
)
def adjusted_rand_index(confusion: Confusion) -> Numbers:
    """Rand index minus its expected value by chance, divided by the maximum of that difference.

    It is Cohen's kappa over pairs of items. It is undefined if all items form one class and one cluster, or if all
    are separate in both, where scikit-learn returns 1.
    """
    both, cluster, class_, neither = _pair_cells(confusion)
    by_chance = (both + class_) * (class_ + neither) + (both + cluster) * (cluster + neither)
    return ratio(2 * (both * neither - cluster * class_), by_chance)


@_clusters(
    "FMI",
    title="Fowlkes–Mallows index",
    cite="fowlkes1983",
    names=("fowlkes_mallows_score",),
    undefined=_NO_PAIR_IN_COMMON | _PAIRLESS,
)
def fowlkes_mallows(confusion: Confusion) -> Numbers:
    """Geometric mean of precision and recall over pairs of items: those in the same cluster and in the same class."""
    both, cluster, class_, _ = _pair_cells(confusion)
    return root(ratio(both * both, (both + cluster) * (both + class_)))


# information


def _entropy(size: NDArray[Any]) -> Floats:
    """Entropy of a division into groups of these sizes, in nats; exactly 0 for one group."""
    present = size[size > 0]
    proportion = present / present.sum()
    return np.asarray(-(proportion * np.log(proportion)).sum() + 0.0)


@_information(
    "MutualInformation",
    title="Mutual information",
    cite="shannon1948",
    names=("MI", "mutual_info_score"),
    bounds=(0, np.inf),
    undefined=NOTHING,
)
def mutual_information(confusion: Confusion) -> Numbers:
    """Information that the cluster of an item gives about its class, in nats."""
    occurs = confusion.count > 0
    count = confusion.count[occurs].astype(np.float64)
    by_chance = (
        confusion.actual[confusion.row[occurs]] / confusion.total * confusion.predicted[confusion.column[occurs]]
    )
    information = (count * np.log(count / by_chance)).sum()
    return ratio(np.asarray(max(information, 0.0)), float(confusion.total))


def _normaliser(confusion: Confusion, mean: Mean) -> Floats:
    """A mean of the entropies of classes and clusters."""
    both = np.array([_entropy(confusion.actual), _entropy(confusion.predicted)])
    means = {"arithmetic": both.mean(), "min": both.min(), "max": both.max(), "geometric": np.sqrt(both.prod())}
    return np.asarray(means[mean])


def _one_of_each(confusion: Confusion) -> bool:
    return _n_groups(confusion.actual) == _n_groups(confusion.predicted) == 1


def _n_groups(size: NDArray[Any]) -> int:
    return int((size > 0).sum())


@_information(
    "NMI",
    title="Normalised mutual information",
    cite="strehl2002",
    names=("normalized_mutual_info_score",),
    undefined={
        NOTHING: lambda confusion, **_: confusion.total == 0,
        "the mean of the entropies is 0": lambda *_, **__: True,
    },
)
def normalised_mutual_information(confusion: Confusion, *, mean: Mean = "arithmetic") -> Numbers:
    """Mutual information divided by the mean entropy of classes and clusters; 1 for one class in one cluster.

    It increases with the number of clusters, even for random ones; AMI corrects for this.
    """
    if _one_of_each(confusion):
        return np.asarray(1.0)
    return ratio(mutual_information(confusion), _normaliser(confusion, mean))


@_clusters(
    "AMI",
    title="Adjusted mutual information",
    cite="vinh2010",
    names=("adjusted_mutual_info_score",),
    bounds=(-np.inf, 1),
    undefined=_PAIRLESS | _NO_CHANCE,
)
def adjusted_mutual_information(confusion: Confusion, *, mean: Mean = "arithmetic") -> Numbers:
    """Mutual information minus its expected value by chance, divided by the same difference for the mean entropy.

    It is undefined if all items form one class and one cluster, or if all are separate in both, where scikit-learn
    returns 1.
    """
    if not _whole(confusion) or confusion.total < 2:
        return np.asarray(np.nan)
    expected = _expected_information(confusion)
    above = _without_rounding(mutual_information(confusion) - expected)
    most = _without_rounding(_normaliser(confusion, mean) - expected)
    return ratio(above, most)


def _without_rounding(difference: Floats) -> Floats:
    return np.where(np.abs(difference) < NEAR, 0.0, difference)


def _expected_information(confusion: Confusion) -> Floats:
    """Mean mutual information over all assignments with the same sizes of classes and clusters.

    The number of items of a class in a cluster is then hypergeometric. Groups of equal size are computed once.
    """
    n = int(confusion.total)
    classes, n_classes = np.unique(confusion.actual[confusion.actual > 0].astype(np.int64), return_counts=True)
    clusters, n_clusters = np.unique(confusion.predicted[confusion.predicted > 0].astype(np.int64), return_counts=True)
    total = 0.0
    for size, times in zip(classes.tolist(), n_classes.tolist(), strict=True):
        total += times * float(_expected_term(size, clusters, n) @ n_clusters)
    return np.asarray(total)


def _expected_term(size: int, cluster: NDArray[np.int64], n: int) -> Floats:
    """Expected contribution of a class of this size with each cluster."""
    least, most = np.maximum(1, size + cluster - n), np.minimum(size, cluster)
    length = most - least + 1
    place = np.repeat(np.arange(len(cluster)), length)
    common = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length - least, length)
    other, log = cluster[place], _log_factorials(n)
    probability = np.exp(
        log[size] + log[other] + log[n - size] + log[n - other] - log[n]
        - log[common] - log[size - common] - log[other - common] - log[n - size - other + common]
    )  # fmt: skip
    term = common / n * np.log(common / size / other * n) * probability
    return np.bincount(place, term, len(cluster)).astype(np.float64, copy=False)


@lru_cache(maxsize=1)  # resamples have the same number of items
def _log_factorials(n: int) -> Floats:
    from scipy.special import gammaln  # slow to import and rarely needed

    return np.asarray(gammaln(np.arange(1.0, n + 2)))


@_information("Homogeneity", title="Homogeneity", cite="rosenberg2007", undefined=NOTHING)
def homogeneity(confusion: Confusion) -> Numbers:
    """Mutual information divided by the entropy of the classes: 1 if every cluster has items of one class only."""
    if _n_groups(confusion.actual) == 1:
        return np.asarray(1.0)
    return ratio(mutual_information(confusion), _entropy(confusion.actual))


@_information("Completeness", title="Completeness", cite="rosenberg2007", undefined=NOTHING)
def completeness(confusion: Confusion) -> Numbers:
    """Mutual information divided by the entropy of the clusters: 1 if every class is in one cluster only."""
    if _n_groups(confusion.predicted) == 1:
        return np.asarray(1.0)
    return ratio(mutual_information(confusion), _entropy(confusion.predicted))


@_information("VMeasure", title="V-measure", cite="rosenberg2007", names=("V",), undefined=NOTHING)
def v_measure(confusion: Confusion, *, beta: Positive = 1) -> Numbers:
    """Weighted harmonic mean of homogeneity and completeness; beta above 1 favours completeness.

    For beta 1 it is NMI.
    """
    if _one_of_each(confusion):
        return np.asarray(1.0)
    entropies = beta * _entropy(confusion.predicted) + _entropy(confusion.actual)
    return ratio((1 + beta) * mutual_information(confusion), entropies)


# items


@_clusters("Purity", title="Purity", cite="manning2008", undefined=NOTHING)
def purity(confusion: Confusion) -> Numbers:
    """Proportion of items that belong to the most frequent class of their cluster.

    It is 1 if every item forms its own cluster.
    """
    most = np.zeros(len(confusion.labels))
    np.maximum.at(most, confusion.column, confusion.count)
    return ratio(most.sum(), float(confusion.total))


@_clusters("BCubedPrecision", title="BCubed precision", cite="amigo2009", undefined=NOTHING)
def bcubed_precision(confusion: Confusion) -> Numbers:
    """Mean over items of the proportion of the items in their cluster that are of their class."""
    return _mean_overlap(confusion, confusion.predicted[confusion.column])


@_clusters("BCubedRecall", title="BCubed recall", cite="amigo2009", undefined=NOTHING)
def bcubed_recall(confusion: Confusion) -> Numbers:
    """Mean over items of the proportion of the items of their class that are in their cluster."""
    return _mean_overlap(confusion, confusion.actual[confusion.row])


def _mean_overlap(confusion: Confusion, size: NDArray[Any]) -> Numbers:
    occurs = confusion.count > 0
    count = confusion.count[occurs].astype(np.float64)
    return ratio((count * (count / size[occurs])).sum(), float(confusion.total))


@_clusters("BCubedF", title="BCubed F-measure", cite="amigo2009", names=("BCubed",), undefined=NOTHING)
def bcubed_f(confusion: Confusion, *, beta: Positive = 1) -> Numbers:
    """Weighted harmonic mean of BCubed precision and recall; beta above 1 favours recall."""
    precision, recall = bcubed_precision(confusion), bcubed_recall(confusion)
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)
