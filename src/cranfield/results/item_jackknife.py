"""Jackknife confidence intervals over items, for measures that repeated items in bootstrap resamples bias upwards."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.confusion import Confusion
from cranfield.inference.intervals import jackknife
from cranfield.inference.rate_intervals import IntervalEstimate
from cranfield.measures.registry import Measure

COUNTS = 1_000  # most counts of a matrix to leave out one by one


def jackknifed(
    matrix: Confusion, measure: Measure, value: float, confidence: float, *, weighted: bool
) -> IntervalEstimate:
    """The interval from the values without one item, or why there is none; items of one cell leave the same value."""
    if weighted or len(matrix.count) > COUNTS:
        what = "items with weights" if weighted else f"{len(matrix.count)} counts"
        return _none(value, confidence, f"the bootstrap of {what} must be requested")
    fewer = (matrix.count - one for one in np.eye(len(matrix.count), dtype=matrix.count.dtype))
    left_out = [float(measure.values(Confusion(matrix.labels, matrix.row, matrix.column, count))) for count in fewer]
    if np.isnan(left_out).any():
        return _none(value, confidence, "undefined if one item is left out")
    if np.ptp(left_out) == 0:
        return _none(value, confidence, "the value is the same whichever item is left out")
    interval = jackknife(value, np.repeat(left_out, matrix.count), confidence)
    least, most = measure.declaration.bounds
    low, high = max(float(interval.low[0]), least), min(float(interval.high[0]), most)
    return IntervalEstimate(value, low, high, confidence, interval.method)


def _none(value: float, confidence: float, why: str) -> IntervalEstimate:
    return IntervalEstimate(value, np.nan, np.nan, confidence, f"none: {why}")
