"""Cells: the 2x2 contingency tables of binary decisions, for many units at once."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.evidence.arithmetic import Numbers, fractions
from cranfield.frozen import frozen

_EXACT = 2.0**53  # floating point is exact for integers below this


@frozen(eq=False)
class Cells:
    """True and false positives, false and true negatives of each unit, such as a class, a threshold or a fold."""

    kind: ClassVar[str] = "binary"

    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers

    def __len__(self) -> int:
        return len(self.tp)

    def __add__(self, other: Cells) -> Cells:
        """The counts of both, unit by unit."""
        return Cells(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn)

    @property
    def positive(self) -> Numbers:
        """Number of positives."""
        return self.tp + self.fn

    @property
    def negative(self) -> Numbers:
        """Number of negatives."""
        return self.fp + self.tn

    @property
    def accepted(self) -> Numbers:
        """Number of predicted positives."""
        return self.tp + self.fp

    @property
    def rejected(self) -> Numbers:
        """Number of predicted negatives."""
        return self.fn + self.tn

    @property
    def total(self) -> Numbers:
        """Number of items."""
        return self.tp + self.fn + self.fp + self.tn

    @property
    def pooled(self) -> Cells:
        """All units as one, for micro-averages."""
        return Cells(*(cell.sum(keepdims=True) for cell in self.counts))

    @property
    def inverted(self) -> Cells:
        """The cells if every prediction were inverted."""
        return Cells(tp=self.fn, fp=self.tn, fn=self.tp, tn=self.fp)

    @property
    def counts(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """True positives, false positives, false negatives, true negatives."""
        return self.tp, self.fp, self.fn, self.tn

    def take(self, units: Numbers) -> Cells:
        """The cells of some of the units."""
        return Cells(*(cell[units] for cell in self.counts))

    @property
    def whole(self) -> bool:
        """Whether all cells are integers, and hence exact."""
        return all(bool(((cell == np.rint(cell)) & (cell < _EXACT)).all()) for cell in self.counts)

    @property
    def exact(self) -> Cells:
        """The same counts as fractions, from which measures are computed without rounding."""
        return Cells(*map(fractions, self.counts))


def cells(tp: float | Numbers, fp: float | Numbers, fn: float | Numbers, tn: float | Numbers) -> Cells:
    """The cells with these counts: numbers for one unit, arrays for several."""
    return Cells(*(np.atleast_1d(np.asarray(cell, np.float64)) for cell in (tp, fp, fn, tn)))


def four_cells(actual: Mask, predicted: Mask) -> tuple[Mask, Mask, Mask, Mask]:
    """Which decisions are true positives, false positives, false negatives and true negatives."""
    return actual & predicted, ~actual & predicted, actual & ~predicted, ~actual & ~predicted


def label_cells(actual: Mask, predicted: Mask, weight: Floats | None) -> Cells:
    """The cells of each label, from the actual and the predicted labels of each item."""
    counts = four_cells(actual, predicted)
    if weight is None:
        return Cells(*(cell.sum(axis=0).astype(np.float64) for cell in counts))
    return Cells(*(weight @ cell for cell in counts))
