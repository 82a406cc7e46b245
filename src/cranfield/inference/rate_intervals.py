"""Clopper and Pearson's intervals of proportions and of functions of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.label_sets import LabelSets
from cranfield.inference.intervals import EXACT, exact_proportion
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure

_JACCARD = parse("Jaccard", "binary")
OF_JACCARD = tuple(parse(name, "binary") for name in ("F", "F(alpha=0.5)", "Dice"))  # 2J / (1 + J)


FEWEST = 20  # items, for all but proportions
WEIGHTED = "items have different weights: no method covers if weights depend on the class or the score"
Counted = Cells | Confusion | LabelSets


class IntervalEstimate(NamedTuple):
    """A value, its bounds and their method; if there are none, the bounds are NaN and `method` says why."""

    value: float
    low: float
    high: float
    confidence: float
    method: str


class UnitIntervals(NamedTuple):
    """The bounds for each unit and their method; if there are none, the bounds are NaN and `method` says why."""

    low: Floats
    high: Floats
    method: list[str]


def by_formula(measure: Measure, counts: Counted, confidence: float) -> UnitIntervals | None:
    """The bounds of a proportion or a function of one; None if the measure is neither."""
    if measure.declaration.parts is not None:
        low, high = _proportion(measure, counts, confidence)
        return UnitIntervals(low, high, [EXACT] * len(low))
    if measure in OF_JACCARD:
        low, high = _proportion(_JACCARD, counts, confidence)
        return UnitIntervals(2 * low / (1 + low), 2 * high / (1 + high), [EXACT] * len(low))
    return None


def _proportion(measure: Measure, counts: Counted, confidence: float) -> tuple[Floats, Floats]:
    interval = exact_proportion(*_parts(measure, counts), confidence)
    return interval.low, interval.high


def _parts(measure: Measure, counts: Counted) -> tuple[Floats, Floats]:
    parts = measure.declaration.parts
    if parts is None:
        raise TypeError(f"{measure} is not a proportion of items")
    part, whole = (np.atleast_1d(np.asarray(number, np.float64)) for number in parts(counts, **measure.options))
    return part, whole
