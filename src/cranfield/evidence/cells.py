"""Cells: the four counts of a yes-or-no decision, for many units at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cranfield.evidence.exact import Numbers, fractions

_EXACT = 2.0**53  # below which floating point holds every whole number


@dataclass(frozen=True, eq=False)
class Cells:
    """True and false positives, false and true negatives of each unit: a class, a threshold, a fold."""

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
        """How many are positive."""
        return self.tp + self.fn

    @property
    def negative(self) -> Numbers:
        """How many are negative."""
        return self.fp + self.tn

    @property
    def accepted(self) -> Numbers:
        """How many are predicted positive."""
        return self.tp + self.fp

    @property
    def rejected(self) -> Numbers:
        """How many are predicted negative."""
        return self.fn + self.tn

    @property
    def total(self) -> Numbers:
        """How many there are."""
        return self.tp + self.fn + self.fp + self.tn

    @property
    def pooled(self) -> Cells:
        """All units as one, for micro-averages."""
        return Cells(*(cell.sum(keepdims=True) for cell in self.each))

    @property
    def inverted(self) -> Cells:
        """The cells had every answer been the opposite."""
        return Cells(tp=self.fn, fp=self.tn, fn=self.tp, tn=self.fp)

    @property
    def each(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """True positives, false positives, false negatives, true negatives."""
        return self.tp, self.fp, self.fn, self.tn

    def take(self, units: Numbers) -> Cells:
        """The cells of some of the units."""
        return Cells(*(cell[units] for cell in self.each))

    @property
    def whole(self) -> bool:
        """Whether all are counts, or sums of whole weights, and hence exact."""
        return all(bool(((cell == np.rint(cell)) & (cell < _EXACT)).all()) for cell in self.each)

    @property
    def exact(self) -> Cells:
        """The same counts as fractions, of which every measure is computed without rounding."""
        return Cells(*map(fractions, self.each))


def cells(tp: float | Numbers, fp: float | Numbers, fn: float | Numbers, tn: float | Numbers) -> Cells:
    """The cells with these counts: numbers for one unit, arrays for several."""
    return Cells(*(np.atleast_1d(np.asarray(cell, np.float64)) for cell in (tp, fp, fn, tn)))
