"""Intervals by formula: Wilson's for shares and what is made of one, that of the logarithm for ratios."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.label_sets import LabelSets
from cranfield.inference.distributions import normal_reach
from cranfield.inference.intervals import wilson
from cranfield.registry import Measure, parse

_JACCARD = parse("Jaccard", "binary")
_OF_JACCARD = tuple(parse(name, "binary") for name in ("F", "F(alpha=0.5)", "Dice"))  # 2J / (1 + J)
_RATIOS = ("LRplus", "LRminus", "DOR")


Counted = Cells | Confusion | LabelSets


class Bounds(NamedTuple):
    """Between what bounds a value lies, and how they came; NaN where there are none, `method` then says why."""

    low: float
    high: float
    method: str


def by_formula(measure: Measure, counts: Counted, squared: Counted | None, confidence: float) -> Bounds | None:
    """The bounds of a share, of what is a function of one, or of a ratio of two; None if the measure is none of them.

    Squared are the same counts with the squares of the weights, where items have some: items then count as those of
    equal weight that would tell as much, as Kish reckons.
    """
    named = "" if squared is None else ", weighted"
    if measure.family.parts is not None:
        return Bounds(*_share(measure, counts, squared, confidence), f"wilson{named}")
    if not isinstance(counts, Cells) or not isinstance(squared, Cells | None):
        return None
    if measure in _OF_JACCARD:
        low, high = _share(_JACCARD, counts, squared, confidence)
        return Bounds(2 * low / (1 + low), 2 * high / (1 + high), f"wilson{named}")
    if measure.family.name in _RATIOS:
        return _ratio(measure, counts, squared, confidence, f"logarithm{named}")
    return None


def _share(measure: Measure, counts: Counted, squared: Counted | None, confidence: float) -> tuple[float, float]:
    """Wilson's interval of as many items as the weights are worth."""
    part, whole = _parts(measure, counts)
    size = whole if squared is None else whole**2 / _parts(measure, squared)[1]
    found = wilson(part / whole * size, size, confidence)
    return float(found.low), float(found.high)


def _parts(measure: Measure, counts: Counted) -> tuple[float, float]:
    parts = measure.family.parts
    if parts is None:
        raise TypeError(f"{measure} is no share of a number of items")
    part, whole = (float(np.ravel(number)[0]) for number in parts(counts, **measure.options))
    return part, whole


def _ratio(measure: Measure, cells: Cells, squared: Cells | None, confidence: float, method: str) -> Bounds:
    """The interval of the ratio of two shares, or of two odds, on the scale of its logarithm, where it is even.

    The variance of the logarithm of a share p of n items is (1 - p)/(np), and that of its odds 1/(np(1 - p)).
    """
    value = float(measure.values(cells)[0])
    if value == 0:
        return Bounds(np.nan, np.nan, "none: a ratio of 0 has no logarithm")
    yes, no = (float(side[0]) for side in (cells.positive, cells.negative))
    n_yes, n_no = yes, no
    if squared is not None:
        n_yes, n_no = yes**2 / float(squared.positive[0]), no**2 / float(squared.negative[0])
    tp, fp, fn, tn = (float(cell[0]) for cell in cells.each)
    variance = {
        "LRplus": lambda: fn / tp / n_yes + tn / fp / n_no,
        "LRminus": lambda: tp / fn / n_yes + fp / tn / n_no,
        "DOR": lambda: yes / tp * (yes / fn) / n_yes + no / fp * (no / tn) / n_no,
    }[measure.family.name]()
    reach = np.exp(normal_reach(confidence) * np.sqrt(variance))
    return Bounds(value / reach, value * reach, method)
