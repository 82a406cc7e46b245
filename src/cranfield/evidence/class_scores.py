"""Scores of several classes: a score or a probability of each class for each item, and the actual class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.items import WeightedItems
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.frozen import cached_property, frozen
from cranfield.tables.labels import Codes, Label


@frozen(eq=False)
class ClassScores(WeightedItems):
    """One row per item: the index of its class in `labels`, and the score of each class, which may be a probability."""

    kind: ClassVar[str] = "classes"

    labels: tuple[Label, ...]
    actual: Codes
    score: Floats
    weight: Floats | None = None

    @property
    def size(self) -> Floats:
        """Number of items per class, or the sum of their weights."""
        return np.asarray(np.bincount(self.actual, self.weights, len(self.labels)), np.float64)

    @cached_property
    def of_actual(self) -> Floats:
        """The score of the true class."""
        return np.take_along_axis(self.score, self.actual.astype(np.int64)[:, None], axis=1)[:, 0]

    @cached_property
    def highest_other(self) -> Floats:
        """The highest score of a class other than the true one."""
        others = np.arange(len(self.labels)) != self.actual[:, None]
        return self.score.max(axis=1, initial=-np.inf, where=others)

    @cached_property
    def predicted(self) -> Ints:
        """The class with the highest score; the first one if several tie."""
        return self.score.argmax(axis=1)

    @cached_property
    def top(self) -> Thresholds:
        """The highest score of each item, by whether that class is the true one."""
        return thresholds(self.predicted == self.actual, self.score.max(axis=1), self.weight)

    def thresholds(self, place: int) -> Thresholds:
        """One class against the rest."""
        return thresholds(self.actual == place, self.score[:, place], self.weight)

    def sum(self, value: Floats) -> float:
        """Weighted sum of a value of each item."""
        return float(value.sum() if self.weight is None else (value * self.weight).sum())
