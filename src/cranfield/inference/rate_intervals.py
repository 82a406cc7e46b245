"""Intervals by formula: Wilson's for proportions and functions of one, the log method for ratios."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.label_sets import LabelSets
from cranfield.inference.distributions import normal_critical_value
from cranfield.inference.intervals import wilson
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure

_JACCARD = parse("Jaccard", "binary")
_OF_JACCARD = tuple(parse(name, "binary") for name in ("F", "F(alpha=0.5)", "Dice"))  # 2J / (1 + J)
_RATIOS = ("LRplus", "LRminus", "DOR")


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


def by_formula(measure: Measure, counts: Counted, squared: Counted | None, confidence: float) -> UnitIntervals | None:
    """The bounds of a proportion, a function of one, or a ratio of two; None if the measure is none of these.

    `squared` holds the same counts with squared weights if items are weighted: sample sizes are then Kish's effective
    sample sizes.
    """
    named = "" if squared is None else ", weighted"
    if measure.declaration.parts is not None:
        low, high = _proportion(measure, counts, squared, confidence)
        return UnitIntervals(low, high, [f"wilson{named}"] * len(low))
    if not isinstance(counts, Cells) or not isinstance(squared, Cells | None):
        return None
    if measure in _OF_JACCARD:
        low, high = _proportion(_JACCARD, counts, squared, confidence)
        return UnitIntervals(2 * low / (1 + low), 2 * high / (1 + high), [f"wilson{named}"] * len(low))
    if measure.declaration.name in _RATIOS:
        return _ratio(measure, counts, squared, confidence, f"logarithm{named}")
    return None


def _proportion(measure: Measure, counts: Counted, squared: Counted | None, confidence: float) -> tuple[Floats, Floats]:
    """Wilson's interval with the effective sample size."""
    part, whole = _parts(measure, counts)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items: no proportion and no interval
        size = whole if squared is None else whole**2 / _parts(measure, squared)[1]
        interval = wilson(part / whole * size, size, confidence)
    return interval.low, interval.high


def _parts(measure: Measure, counts: Counted) -> tuple[Floats, Floats]:
    parts = measure.declaration.parts
    if parts is None:
        raise TypeError(f"{measure} is not a proportion of items")
    part, whole = (np.atleast_1d(np.asarray(number, np.float64)) for number in parts(counts, **measure.options))
    return part, whole


def _ratio(measure: Measure, cells: Cells, squared: Cells | None, confidence: float, method: str) -> UnitIntervals:
    """The interval of the ratio of two proportions or two odds, symmetric on the log scale.

    The variance of the logarithm of a proportion p of n items is (1 - p)/(np), and of its odds 1/(np(1 - p)).
    """
    value, (tp, fp, fn, tn), yes, no = measure.values(cells), cells.counts, cells.positive, cells.negative
    with np.errstate(all="ignore"):  # ratios of 0 and undefined ones have no interval
        n_yes, n_no = (yes, no) if squared is None else (yes**2 / squared.positive, no**2 / squared.negative)
        variance = {
            "LRplus": lambda: fn / tp / n_yes + tn / fp / n_no,
            "LRminus": lambda: tp / fn / n_yes + fp / tn / n_no,
            "DOR": lambda: yes / tp * (yes / fn) / n_yes + no / fp * (no / tn) / n_no,
        }[measure.declaration.name]()
        reach = np.where(value > 0, np.exp(normal_critical_value(confidence) * np.sqrt(variance)), np.nan)
        reach = np.where(variance > 0, reach, np.nan)
        methods = [_method(*figures, method) for figures in zip(value, variance, strict=True)]
        return UnitIntervals(value / reach, value * reach, methods)


def _method(value: float, variance: float, method: str) -> str:
    """The method of a ratio, or why it has no interval."""
    if value == 0:
        return "none: a ratio of 0 has no logarithm"
    return "none: all items are predicted alike" if variance == 0 else method
