"""Calibration: predicted probabilities against observed frequencies, in bins or by isotonic regression."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput
from cranfield.evidence.exact import ratio
from cranfield.evidence.probabilities import BINS, Binning, binned
from cranfield.evidence.thresholds import Thresholds
from cranfield.frozen import frozen


class Calibration(NamedTuple):
    """Items by predicted probability: above `lower`, up to and including `upper`."""

    lower: Floats
    upper: Floats
    n: Floats
    positive: Floats
    mean_predicted: Floats
    observed: Floats  # frequency


@frozen(eq=False)
class Isotonic:
    """An increasing step function from scores to probabilities: `probability[i]` for scores of `low[i]` and above."""

    low: Floats
    probability: Floats

    def __call__(self, score: Floats) -> Floats:
        """The calibrated probability of each score; below all observed scores, that of the lowest."""
        place = np.searchsorted(self.low, score, side="right") - 1
        return self.probability[np.maximum(place, 0)]


def calibration(scores: Thresholds, *, bins: int = BINS, by: Binning = "width") -> Calibration:
    """Mean predicted probability and observed frequency by bin; empty bins are omitted."""
    require_probabilities(scores, "calibration")
    by_bin = binned(scores, bins, by)
    filled = by_bin.n > 0
    lower, upper, n, positive, predicted = (column[filled] for column in by_bin)
    return Calibration(lower, upper, n, positive, predicted / n, positive / n)


def isotonic(scores: Thresholds) -> Isotonic:
    """Isotonic regression: the best monotone map from scores to probabilities.

    It follows from the ROC convex hull, whose sides pool adjacent scores in the wrong order; the slope of a side is a
    likelihood ratio, which with the prevalence gives the proportion of positives among the pooled items.
    """
    threshold, tp, fp = scores.hull
    rise, run = np.diff(tp), np.diff(fp)
    return Isotonic(threshold[:0:-1], ratio(rise, rise + run)[::-1])


def require_probabilities(scores: Thresholds, what: str) -> None:
    """Refuse scores that are not probabilities."""
    ends = [score for ascending in (scores.positive, scores.negative) if len(ascending) for score in ascending[[0, -1]]]
    for score in ends:
        if not 0 <= score <= 1:
            raise BadInput(f"{what} needs probabilities from 0 to 1, but one score is {score:g}")
