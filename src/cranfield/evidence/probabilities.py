"""Probabilities: the predicted probability of each class, and the actual class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.addition import concatenated
from cranfield.evidence.quantiles import quantiles
from cranfield.evidence.thresholds import Counts, Thresholds, thresholds
from cranfield.tables.labels import Codes, Label

Binning = Literal["width", "count"]


class Bins(NamedTuple):
    """Items by predicted probability: above `lower`, up to and including `upper`."""

    lower: Floats
    upper: Floats
    n: Floats  # number of items, or the sum of their weights
    positive: Floats  # number of positive items
    predicted: Floats  # sum of the predicted probabilities


@dataclass(frozen=True, eq=False)
class Probabilities:
    """One row per item: the index of its class in `labels`, and the predicted probability of each class."""

    kind: ClassVar[str] = "classes"

    labels: tuple[Label, ...]
    actual: Codes
    probability: Floats
    weight: Floats | None = None

    def __add__(self, other: Probabilities) -> Probabilities:
        """The items of both, which must have the same classes."""
        return concatenated([self, other])

    def take(self, rows: Ints) -> Probabilities:
        """The items in these rows, which may repeat."""
        weight = None if self.weight is None else self.weight[rows]
        return Probabilities(self.labels, self.actual[rows], self.probability[rows], weight)

    @property
    def total(self) -> float:
        """Number of items, or the sum of their weights."""
        return float(len(self.actual)) if self.weight is None else float(self.weight.sum())

    @cached_property
    def weights(self) -> Floats:
        """The weight of each item."""
        return np.ones(len(self.actual)) if self.weight is None else self.weight

    @property
    def size(self) -> Floats:
        """Number of items per class, or the sum of their weights."""
        return np.asarray(np.bincount(self.actual, self.weights, len(self.labels)), np.float64)

    @cached_property
    def of_actual(self) -> Floats:
        """Predicted probability of the true class."""
        return np.take_along_axis(self.probability, self.actual.astype(np.int64)[:, None], axis=1)[:, 0]

    @cached_property
    def predicted(self) -> Ints:
        """The class with the highest probability; the first one if several tie."""
        return self.probability.argmax(axis=1)

    @cached_property
    def top(self) -> Thresholds:
        """The highest probability of each item, by whether that class is the true one."""
        return thresholds(self.predicted == self.actual, self.probability.max(axis=1), self.weight)

    def thresholds(self, place: int) -> Thresholds:
        """One class against the rest."""
        return thresholds(self.actual == place, self.probability[:, place], self.weight)

    def sum(self, value: Floats) -> float:
        """Weighted sum of a value of each item."""
        return float(value.sum() if self.weight is None else (value * self.weight).sum())


def binned(scores: Thresholds, bins: int, by: Binning = "width") -> Bins:
    """The items in bins of equal width from 0 to 1, or of equal count."""
    edges = _even(bins)
    if by == "count" and len(scores.positive) + len(scores.negative):
        score = np.concatenate([scores.positive, scores.negative])
        edges = quantiles(score, scores.weights if scores.weighted else None, edges)
    n_positive, sum_positive = _gathered(scores.positive, scores.positive_weight, edges)
    n_negative, sum_negative = _gathered(scores.negative, scores.negative_weight, edges)
    return Bins(edges[:-1], edges[1:], n_positive + n_negative, n_positive, sum_positive + sum_negative)


@cache
def _even(bins: int) -> Floats:
    return np.linspace(0.0, 1.0, bins + 1)


def _gathered(ascending: Floats, weight: Floats | None, edges: Floats) -> tuple[Floats, Floats]:
    """The number of scores in each bin, and their sum."""
    between = np.zeros(len(edges), np.int64)
    between[1:-1], between[-1] = np.searchsorted(ascending, edges[1:-1], side="right"), len(ascending)
    starts, ends = between[:-1], between[1:]
    if weight is None:
        return (ends - starts).astype(np.float64), _summed(ascending, starts, ends)
    return _summed(weight, starts, ends), _summed(weight * ascending, starts, ends)


def _summed(values: Counts, starts: Ints, ends: Ints) -> Floats:
    sums = np.zeros(len(starts))
    filled = ends > starts
    if filled.any():
        sums[filled] = np.add.reduceat(values, starts[filled], dtype=np.float64)
    return sums
