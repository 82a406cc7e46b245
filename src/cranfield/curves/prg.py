"""Precision-recall and precision-recall-gain curves over the thresholds of a scorer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.exact import ratio
from cranfield.evidence.threshold_steps import Counts
from cranfield.evidence.thresholds import Thresholds


class PrecisionRecallByThreshold(NamedTuple):
    """Points from the highest score down."""

    threshold: Floats
    recall: Floats
    precision: Floats


class Gains(NamedTuple):
    """Points of the precision-recall-gain curve with nonnegative recall gain, to be joined by straight lines."""

    threshold: Floats
    recall_gain: Floats
    precision_gain: Floats


class GainHull(NamedTuple):
    """Corners of the convex hull: corner i gives the best F-measure for beta from `beta_from[i]` to `beta_to[i]`."""

    threshold: Floats
    recall_gain: Floats
    precision_gain: Floats
    beta_from: Floats
    beta_to: Floats


class CalibratedF(NamedTuple):
    """F-calibrated scores: scores from `low` to `high` get `value`, the 1/(1 + beta²) at which to accept them."""

    low: Floats
    high: Floats
    value: Floats


def precision_recall(scores: Thresholds, *, every: bool = False) -> PrecisionRecallByThreshold:
    """Precision and recall where recall changes and just before it does, or at every distinct score.

    While only negatives are accepted, precision falls and recall is constant, so the ends of each such stretch suffice.
    """
    threshold, tp, fp = scores.every if every else scores.rises
    precision = np.add(tp, fp, dtype=np.float64)
    if not scores.weighted:
        np.divide(tp, precision, out=precision)  # at least one item is accepted at every threshold
    else:
        precision = ratio(tp, precision)
    return PrecisionRecallByThreshold(threshold, ratio(tp, scores.n_positive), precision)


def interpolated(scores: Thresholds) -> PrecisionRecallByThreshold:
    """For each recall reached, the highest precision at this or a higher recall."""
    threshold, tp, fp = scores.steps
    highest = np.maximum.accumulate(ratio(tp, tp + fp)[::-1])[::-1]
    return PrecisionRecallByThreshold(threshold, ratio(tp, scores.n_positive), highest)


def gains(scores: Thresholds) -> Gains:
    """Precision gain against recall gain, from recall gain 0 to 1."""
    threshold, tp, fp = scores.path
    least = ratio(np.asarray(scores.n_positive**2), float(scores.n_positive + scores.n_negative))
    first = int(np.argmax(tp >= least))
    recall, precision = _gain(scores, scores.n_positive - tp[first:], tp[first:]), _gain(scores, fp[first:], tp[first:])
    if not first or tp[first] == least:
        return Gains(threshold[first:], recall, precision)
    way = (least - tp[first - 1]) / (tp[first] - tp[first - 1])  # the previous point has negative recall gain
    between = _gain(scores, fp[first - 1] + way * (fp[first] - fp[first - 1]), least)
    return Gains(np.append(threshold[first], threshold[first:]), np.append(0.0, recall), np.append(between, precision))


def gain_hull(scores: Thresholds) -> GainHull:
    """The convex hull of the precision-recall-gain curve, and the values of beta for which each corner is optimal.

    The gains are a projective map of the counts, which preserves lines, so the corners are those of the ROC hull.
    """
    threshold, tp, fp = scores.hull
    square = _beta_square(scores)
    beta = np.sqrt(np.append(square, np.inf))
    defined = tp > 0
    return GainHull(
        threshold[defined],
        _gain(scores, scores.n_positive - tp[defined], tp[defined]),
        _gain(scores, fp[defined], tp[defined]),
        np.append(0.0, beta[:-1])[defined],
        beta[defined],
    )


def calibrated_f(scores: Thresholds) -> CalibratedF:
    """F-calibrated scores: accepting values of 1/(1 + beta²) and above maximises the F-measure of beta."""
    threshold = scores.hull.score
    return CalibratedF(threshold[1:], threshold[:-1], 1 / (1 + _beta_square(scores)))


def _beta_square(scores: Thresholds) -> Floats:
    """The beta² at which both ends of each side of the hull have the same F-measure."""
    _, tp, fp = scores.hull
    with np.errstate(divide="ignore", invalid="ignore"):
        return (fp[1:] * tp[:-1] - fp[:-1] * tp[1:]) / (scores.n_positive * np.diff(tp))


def _gain(scores: Thresholds, wrong: Counts, tp: Counts) -> Floats:
    return 1 - ratio(wrong * scores.n_positive, tp * scores.n_negative)
