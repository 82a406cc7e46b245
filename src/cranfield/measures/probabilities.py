"""Measures of predicted probabilities: scoring rules and calibration."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import Numbers, ratio, summed, summed_items
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.probabilities import BINS, Binning, binned, effective_sizes
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.declaration import NoInterval
from cranfield.measures.rates import NOTHING, ONE_CLASS
from cranfield.measures.registry import measure
from cranfield.rounding import NEAR
from cranfield.settings import Count, Range
from cranfield.tables.disk import in_blocks

CLIP = 1e-15
# the smallest number whose difference from 1 is below 1
Clip = Annotated[float, Range("a number between 1.1e-16 and 0.5", low=1.1e-16, high=0.5, open=True)]
_ANY = (0, np.inf)
_explained = partial(measure, bounds=(-np.inf, 1), undefined=ONE_CLASS, needs_probability=True)
_loss = partial(measure, higher_is_better=False, undefined=NOTHING, needs_probability=True)
_INFLATED = NoInterval("sampling error increases it")
_LOGARITHMIC = NoInterval("one confident error, which samples rarely contain, may outweigh all other items")
RARE_LOSSES = NoInterval("scores that separate the classes have rare large losses, which samples may not contain")
_calibration = partial(_loss, calibration=True, interval=_INFLATED)
_debiased = partial(_calibration, bounds=(-1, 1), interval=NoInterval("no method covers values near 0"))


def _total(scores: Thresholds) -> float:
    return float(scores.n_positive + scores.n_negative)


def _weighted(
    term: Callable[[Floats], Floats], probability: Floats, weight: Floats | None, count: Ints | None
) -> Floats:
    """The weighted sum over items of a term of their probabilities."""
    if weight is None:
        return summed_items(term, count, probability)
    return summed(lambda p, weight: term(p) * weight, probability, weight)


def _clipped(ascending: Floats, clip: float) -> Floats:
    """The probabilities clipped to [clip, 1 - clip]; they are sorted, so only the ends are checked."""
    inside = not len(ascending) or (ascending[0] >= clip and ascending[-1] <= 1 - clip)
    return ascending if inside else in_blocks(lambda p: np.clip(p, clip, 1 - clip), ascending)


def _sum_or_mean(value: Floats | float, n: float, total: bool) -> Numbers:
    """The sum, or the mean over n items."""
    return np.asarray(value, np.float64) if total else ratio(np.asarray(value), n)


def _entropy(size: Floats) -> Numbers:
    """Log-loss of always predicting the proportions of the classes."""
    proportion = ratio(size[size > 0], size.sum())
    return -np.asarray((proportion * np.log(proportion)).sum())


class _Filled(NamedTuple):
    """The bins that hold items."""

    n: Floats
    effective: Floats  # effective sample size
    difference: Floats  # |mean predicted probability − observed frequency|
    variance: Floats  # of a single outcome


def _filled(scores: Thresholds, bins: int, by: Binning) -> _Filled:
    by_bin = binned(scores, bins, by)
    filled = by_bin.n > 0
    n, effective = by_bin.n[filled], effective_sizes(scores, by_bin)[filled]
    frequency, predicted = by_bin.positive[filled] / n, by_bin.predicted[filled] / n
    return _Filled(n, effective, np.abs(predicted - frequency), np.maximum(frequency * (1 - frequency), 0))


def _absolute_mean(mean: Floats, deviation: Floats) -> Floats:
    """The mean of the absolute value of normal variables with these means, which are not negative, and deviations."""
    from scipy.special import erf

    with np.errstate(over="ignore"):
        distance = np.where(deviation > 0, mean / np.where(deviation > 0, deviation, 1), np.inf)
        return deviation * math.sqrt(2 / math.pi) * np.exp(-(distance**2) / 2) + mean * erf(distance / math.sqrt(2))


# binary


@_loss("LogLoss", interval=_LOGARITHMIC, title="Log-loss", cite="good1952", names=("CrossEntropy",), bounds=_ANY)
def log_loss(scores: Thresholds, *, clip: Clip = CLIP, total: bool = False) -> Numbers:
    """Mean negative log of the predicted probability of the true class, probabilities clipped to [clip, 1 - clip]."""
    yes, no = _clipped(scores.positive, clip), _clipped(scores.negative, clip)
    gain = _weighted(np.log, yes, scores.positive_weight, scores.positive_count)
    other = _weighted(lambda p: np.log1p(-p), no, scores.negative_weight, scores.negative_count)
    return _sum_or_mean(-(gain + other), _total(scores), total)


@_loss("Brier", interval="mean", title="Brier score", cite="brier1950", names=("brier_score_loss",))
def brier(scores: Thresholds, *, total: bool = False) -> Numbers:
    """Mean squared difference between the predicted probability and the outcome, 1 or 0."""
    yes = _weighted(lambda p: (1 - p) ** 2, scores.positive, scores.positive_weight, scores.positive_count)
    no = _weighted(np.square, scores.negative, scores.negative_weight, scores.negative_count)
    return _sum_or_mean(yes + no, _total(scores), total)


@_explained("D2LogLoss", interval=_LOGARITHMIC, title="Explained log-loss", cite="good1952")
def explained_log_loss(scores: Thresholds, *, clip: Clip = CLIP) -> Numbers:
    """One minus the log-loss divided by that of always predicting the prevalence."""
    size = np.array([scores.n_positive, scores.n_negative], np.float64)
    return 1 - ratio(log_loss(scores, clip=clip), _entropy(size))


@_explained("D2Brier", interval="delta from 20", title="Brier skill score", cite="brier1950", names=("BSS",))
def explained_brier(scores: Thresholds) -> Numbers:
    """One minus the Brier score divided by that of always predicting the prevalence."""
    return 1 - ratio(brier(scores), uncertainty(scores))


@_calibration("ECE", title="Expected calibration error", cite="naeini2015")
def expected_calibration_error(scores: Thresholds, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """Mean over items of |mean predicted probability − observed frequency| in their bin.

    It depends on the bins and decreases with fewer of them.
    """
    _, _, _, positive, predicted = binned(scores, bins, by)
    return ratio(np.abs(positive - predicted).sum(), _total(scores))


@_debiased("DebiasedECE", title="Debiased expected calibration error", cite="kumar2019")
def debiased_calibration_error(scores: Thresholds, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """ECE less its bias, which is estimated from the normal distribution of the observed frequency in each bin.

    It may be below 0. If the probabilities are nearly calibrated, it is still too high on average: no estimate of an
    absolute difference is unbiased.
    """
    bin_ = _filled(scores, bins, by)
    error = np.sqrt(ratio(bin_.variance, bin_.effective))
    return ratio((bin_.n * (2 * bin_.difference - _absolute_mean(bin_.difference, error))).sum(), _total(scores))


@_calibration("MCE", title="Maximum calibration error", cite="naeini2015")
def maximum_calibration_error(scores: Thresholds, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """Greatest |mean predicted probability − observed frequency| in any bin."""
    _, _, n, positive, predicted = binned(scores, bins, by)
    return np.asarray(np.nanmax(ratio(np.abs(positive - predicted), n)) if n.any() else np.nan)


@measure(
    "Uncertainty",
    interval="prevalence",
    title="Uncertainty",
    cite="murphy1973",
    higher_is_better=None,
    undefined=NOTHING,
)
def uncertainty(scores: Thresholds) -> Numbers:
    """Brier score of always predicting the prevalence."""
    return ratio(np.asarray(scores.n_positive * scores.n_negative), _total(scores) ** 2)


@_calibration("Reliability", title="Reliability", cite="murphy1973")
def reliability(scores: Thresholds, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """Mean squared difference between mean predicted probability and observed frequency in each bin."""
    _, _, n, positive, predicted = binned(scores, bins, by)
    return ratio(np.asarray(np.nansum(ratio((positive - predicted) ** 2, n))), _total(scores))


@_debiased("DebiasedReliability", title="Debiased reliability", cite="ferro2012")
def debiased_reliability(scores: Thresholds, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """Reliability less the sampling variance of the observed frequency in each bin.

    It may be below 0, and is unbiased if the probabilities in each bin are equal. Bins with a single item, whose
    variance is unknown, count as 0.
    """
    bin_ = _filled(scores, bins, by)
    several = bin_.effective > 1 + NEAR
    variance = ratio(bin_.variance, np.where(several, bin_.effective - 1, 1))
    return ratio((bin_.n * (bin_.difference**2 - variance))[several].sum(), _total(scores))


@measure(
    "Resolution",
    title="Resolution",
    cite="murphy1973",
    undefined=NOTHING,
    needs_probability=True,
    interval=_INFLATED,
)
def resolution(scores: Thresholds, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """Mean squared difference between observed frequency in each bin and the prevalence."""
    _, _, n, positive, _ = binned(scores, bins, by)
    total = _total(scores)
    expected = n * ratio(np.asarray(scores.n_positive), total)
    return ratio(np.asarray(np.nansum(ratio((positive - expected) ** 2, n))), total)


def recalibrated_brier(scores: Thresholds) -> Numbers:
    """The Brier score after the best monotone recalibration: that of the ROC convex hull."""
    tp, fp = np.diff(scores.hull.tp), np.diff(scores.hull.fp)
    return ratio(np.nansum(tp * ratio(fp, tp + fp)), _total(scores))


@_calibration("Miscalibration", title="Miscalibration", cite="dimitriadis2021")
def miscalibration(scores: Thresholds) -> Numbers:
    """Decrease in the Brier score by the best monotone recalibration."""
    return brier(scores) - recalibrated_brier(scores)


@measure("Discrimination", title="Discrimination", cite="dimitriadis2021", undefined=NOTHING, interval=_INFLATED)
def discrimination(scores: Thresholds) -> Numbers:
    """Improvement of the recalibrated Brier score over always predicting the prevalence.

    Brier score = miscalibration - discrimination + uncertainty.
    """
    return uncertainty(scores) - recalibrated_brier(scores)


# any number of classes


def cross_entropy(actual: Floats, predicted: Floats, *, clip: float = CLIP) -> Floats:
    """Cross-entropy of the actual and the predicted probabilities, row by row: -Σ p log q."""
    return -(actual * np.log(np.clip(predicted, clip, 1 - clip))).sum(axis=-1)


@_loss("LogLoss", interval=_LOGARITHMIC, title="Log-loss", cite="good1952", names=("CrossEntropy",), bounds=_ANY)
def log_loss_of_classes(probabilities: ClassScores, *, clip: Clip = CLIP, total: bool = False) -> Numbers:
    """Mean negative log of the predicted probability of the true class, clipped to [clip, 1 - clip]."""
    loss = -np.log(np.clip(probabilities.of_actual, clip, 1 - clip))
    return _sum_or_mean(probabilities.sum(loss), probabilities.total, total)


@_loss("OneVsRestLoss", interval=_LOGARITHMIC, title="One-vs-rest log-loss", cite="good1952", bounds=_ANY)
def one_vs_rest_loss(probabilities: ClassScores, *, clip: Clip = CLIP, total: bool = False) -> Numbers:
    """Mean over items of the sum of the one-vs-rest log-losses of all classes."""
    all_ = np.clip(probabilities.score, clip, 1 - clip)
    actual = np.clip(probabilities.of_actual, clip, 1 - clip)
    loss = np.log1p(-actual) - np.log(actual) - np.log1p(-all_).sum(axis=1)
    return _sum_or_mean(probabilities.sum(loss), probabilities.total, total)


@_loss(
    "Brier",
    interval=RARE_LOSSES,
    title="Brier score",
    cite="brier1950",
    names=("brier_score_loss",),
    bounds=(0, 2),
)
def brier_of_classes(probabilities: ClassScores, *, total: bool = False) -> Numbers:
    """Mean over items of the sum over classes of the squared difference between probability and outcome, 1 or 0.

    For two classes, twice the binary Brier score.
    """
    predicted = probabilities.score
    squares = np.einsum("ik,ik->i", predicted, predicted) - 2 * probabilities.of_actual + 1
    return _sum_or_mean(probabilities.sum(squares), probabilities.total, total)


@_explained("D2LogLoss", interval=_LOGARITHMIC, title="Explained log-loss", cite="good1952")
def explained_log_loss_of_classes(probabilities: ClassScores, *, clip: Clip = CLIP) -> Numbers:
    """One minus the log-loss divided by that of always predicting the proportions of the classes."""
    return 1 - ratio(log_loss_of_classes(probabilities, clip=clip), _entropy(probabilities.size))


@_explained("D2Brier", interval=RARE_LOSSES, title="Brier skill score", cite="brier1950", names=("BSS",))
def explained_brier_of_classes(probabilities: ClassScores) -> Numbers:
    """One minus the Brier score divided by that of always predicting the proportions of the classes."""
    proportion = ratio(probabilities.size, probabilities.size.sum())
    return 1 - ratio(brier_of_classes(probabilities), (proportion * (1 - proportion)).sum())


@_calibration("ECE", title="Expected calibration error", cite="guo2017")
def top_calibration_error(probabilities: ClassScores, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """Mean over items of |mean highest probability − accuracy| in their bin."""
    return expected_calibration_error(probabilities.top, bins=bins, by=by)


@_debiased("DebiasedECE", title="Debiased expected calibration error", cite="kumar2019")
def debiased_top_calibration_error(probabilities: ClassScores, *, bins: Count = BINS, by: Binning = "width") -> Numbers:
    """ECE of the highest probabilities, less its bias, which is estimated as for two classes."""
    return debiased_calibration_error(probabilities.top, bins=bins, by=by)
