"""Calibration: probabilities against what came true, in bins or by isotonic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cranfield.errors import BadInput
from cranfield.evidence.exact import ratio
from cranfield.evidence.probabilities import Bounds, binned
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.measures.probabilities import brier, reliability, resolution, uncertainty


class Calibration(NamedTuple):
    """The items by the probability they were given: above `lower`, up to and with `upper`."""

    lower: Floats
    upper: Floats
    n: Floats
    positive: Floats
    given: Floats  # mean probability
    share: Floats  # share that came true


class BrierParts(NamedTuple):
    """Brier score = reliability - resolution + uncertainty + what probabilities vary within their bins."""

    reliability: float
    resolution: float
    uncertainty: float
    within: float


@dataclass(frozen=True, eq=False)
class Isotonic:
    """A rising step function from scores to probabilities: from `low[i]` on, the probability is `probability[i]`."""

    low: Floats
    probability: Floats

    def __call__(self, score: Floats) -> Floats:
        """The calibrated probability of each score; below all that were seen, that of the lowest."""
        place = np.searchsorted(self.low, score, side="right") - 1
        return self.probability[np.maximum(place, 0)]


def calibration(scores: Thresholds, *, bins: int = 10, by: Bounds = "width") -> Calibration:
    """Mean probability and the share that came true, bin by bin; empty bins are left out."""
    require_probabilities(scores, "calibration")
    found = binned(scores, bins, by)
    filled = found.n > 0
    lower, upper, n, positive, given = (column[filled] for column in found)
    return Calibration(lower, upper, n, positive, given / n, positive / n)


def isotonic(scores: Thresholds) -> Isotonic:
    """The calibration that fits best of all that keep the order of the scores.

    The sides of the ROC convex hull pool scores whose order is wrong; the slope of each is a likelihood ratio, which
    with the prevalence gives the share of positives among the pooled.
    """
    threshold, tp, fp = scores.hull
    rise, run = np.diff(tp), np.diff(fp)
    return Isotonic(threshold[:0:-1], ratio(rise, rise + run)[::-1])


def brier_parts(scores: Thresholds, *, bins: int = 10, by: Bounds = "width") -> BrierParts:
    """What the Brier score is made of."""
    require_probabilities(scores, "the Brier score")
    off, apart, spread = (
        reliability(scores, bins=bins, by=by),
        resolution(scores, bins=bins, by=by),
        uncertainty(scores),
    )
    within = brier(scores) - off + apart - spread
    return BrierParts(float(off), float(apart), float(spread), float(within))


def require_probabilities(scores: Thresholds, what: str) -> None:
    """Refuse scores that are no probabilities."""
    ends = [score for ascending in (scores.positive, scores.negative) if len(ascending) for score in ascending[[0, -1]]]
    for score in ends:
        if not 0 <= score <= 1:
            raise BadInput(f"{what} needs probabilities from 0 to 1, and there is a score {score:g}")
