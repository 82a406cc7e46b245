"""Intervals from a standard error, symmetric on a scale that suits the range of a measure."""

from __future__ import annotations

import math

import numpy as np

from cranfield.evidence.rounding import LONG_SUMS, ROUNDING
from cranfield.inference.intervals import Interval, absent

AT_THE_END = "the value is at the end of its range, where its standard error is 0"


def interval_on_scale(
    value: float, error: float, reach: float, bounds: tuple[float, float], confidence: float, method: str
) -> Interval:
    """The bounds at this many standard errors from the value: on the logit scale within finite bounds, on the log scale
    of the distance from a single bound.
    """
    low, high = bounds
    if np.isnan(error):
        return absent(confidence, "its standard error is undefined")
    if not low < value < high:
        return absent(confidence, AT_THE_END)
    if error <= LONG_SUMS * max(abs(value), abs(error), ROUNDING):
        return absent(confidence, "its standard error is 0: every item has the same influence")
    half = reach * error
    if math.isinf(low) and math.isinf(high):
        ends = value - half, value + half
    elif math.isinf(high):
        ends = low + (value - low) * _exp(-half / (value - low)), low + (value - low) * _exp(half / (value - low))
    elif math.isinf(low):
        ends = high - (high - value) * _exp(half / (high - value)), high - (high - value) * _exp(-half / (high - value))
    else:
        odds, slope = (value - low) / (high - value), (high - low) / ((value - low) * (high - value))
        below, above = (low + (high - low) * _proportion(odds * _exp(way * half * slope)) for way in (-1, 1))
        ends = below, above
    return Interval(np.array([ends[0]]), np.array([ends[1]]), confidence, method)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


def _proportion(odds: float) -> float:
    return odds / (1 + odds) if odds < math.inf else 1.0
