"""ROC curves (recall against false positive rate at every threshold), their hulls, DET and lift curves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.exact import ratio
from cranfield.evidence.threshold_steps import Steps
from cranfield.evidence.thresholds import Thresholds


class Roc(NamedTuple):
    """Points from no predicted positives, at an infinite threshold, to all."""

    threshold: Floats
    fallout: Floats
    recall: Floats


class RocHull(NamedTuple):
    """Corners of the convex hull; `likelihood_ratio[i]` is the slope of the side that ends at corner i + 1."""

    threshold: Floats
    fallout: Floats
    recall: Floats
    likelihood_ratio: Floats


class Det(NamedTuple):
    """Detection error trade-off; the deviates are the rates on the probit scale on which it is drawn."""

    threshold: Floats
    fallout: Floats
    miss_rate: Floats
    fallout_deviate: Floats
    miss_deviate: Floats


class Lift(NamedTuple):
    """Cumulative gain: the fraction `gain` of the positives is in the top-scored `proportion` of items."""

    threshold: Floats
    proportion: Floats
    gain: Floats
    lift: Floats


def _points(scores: Thresholds, every: bool) -> Steps:
    return scores.every.from_nothing if every else scores.path


def roc(scores: Thresholds, *, every: bool = False) -> Roc:
    """Recall against false positive rate at the corners of the curve, or at every distinct score."""
    threshold, tp, fp = _points(scores, every)
    return Roc(threshold, ratio(fp, scores.n_negative), ratio(tp, scores.n_positive))


def roc_hull(scores: Thresholds) -> RocHull:
    """The convex hull: the best ROC curve attainable by randomising between two thresholds."""
    threshold, tp, fp = scores.hull
    fallout, recall = ratio(fp, scores.n_negative), ratio(tp, scores.n_positive)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(tp) * scores.n_negative / (np.diff(fp) * scores.n_positive)
    return RocHull(threshold, fallout, recall, slope)


def det(scores: Thresholds, *, every: bool = False) -> Det:
    """False negative rate against false positive rate."""
    from scipy.special import ndtri

    threshold, tp, fp = _points(scores, every)
    fallout = ratio(fp, scores.n_negative)
    miss_rate = ratio(scores.n_positive - tp, scores.n_positive)
    return Det(threshold, fallout, miss_rate, ndtri(fallout), ndtri(miss_rate))


def lift(scores: Thresholds, *, every: bool = False) -> Lift:
    """Gain and lift against the proportion of accepted items, where gain changes or at every distinct score."""
    threshold, tp, fp = (scores.every if every else scores.rises).from_nothing
    proportion = ratio(tp + fp, scores.n_positive + scores.n_negative)
    gain = ratio(tp, scores.n_positive)
    return Lift(threshold, proportion, gain, ratio(gain, proportion))
