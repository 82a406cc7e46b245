"""Measures of probabilities: what they cost when they are wrong, and whether they can be taken at their word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.exact import Numbers, ratio
from cranfield.evidence.probabilities import Bounds, Probabilities, binned
from cranfield.evidence.sums import summed
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.measures.labels import NOTHING
from cranfield.registry import measure
from cranfield.settings import Count, Range

CLIP = 1e-15
# the least that, taken from 1, leaves less than 1
Clip = Annotated[float, Range("a number between 1.1e-16 and 0.5", low=1.1e-16, high=0.5, open=True)]
_ANY = (0, np.inf)


def _total(scores: Thresholds) -> float:
    return float(scores.n_positive + scores.n_negative)


def _weighted(term: Callable[[Floats], Floats], given: Floats, weight: Floats | None) -> Floats:
    """The sum of a term of each probability, weighted."""
    if weight is None:
        return summed(term, given)
    return summed(lambda given, weight: term(given) * weight, given, weight)


def _clipped(ascending: Floats, clip: float) -> Floats:
    """The probabilities within [clip, 1 - clip]; only their ends need to be looked at."""
    inside = not len(ascending) or (ascending[0] >= clip and ascending[-1] <= 1 - clip)
    return ascending if inside else np.clip(ascending, clip, 1 - clip)


def _summed_up(value: NDArray[np.float64] | float, n: float, total: bool) -> Numbers:
    """The sum, or the mean over as many items."""
    return np.asarray(value, np.float64) if total else ratio(np.asarray(value), n)


# of yes-or-no answers


@measure(
    "LogLoss",
    title="Log-loss",
    cite="good1952",
    names=("CrossEntropy",),
    aliases=("log_loss",),
    bounds=_ANY,
    higher_is_better=False,
    undefined=NOTHING,
    probable=True,
)
def log_loss(scores: Thresholds, *, clip: Clip = CLIP, total: bool = False) -> Numbers:
    """Mean of -log of the probability given to what came true, probabilities clipped to [clip, 1 - clip]."""
    yes, no = _clipped(scores.positive, clip), _clipped(scores.negative, clip)
    gain = _weighted(np.log, yes, scores.positive_weight)
    other = _weighted(lambda given: np.log1p(-given), no, scores.negative_weight)
    return _summed_up(-(gain + other), _total(scores), total)


@measure(
    "Brier",
    title="Brier score",
    cite="brier1950",
    aliases=("brier",),
    higher_is_better=False,
    undefined=NOTHING,
    probable=True,
)
def brier(scores: Thresholds, *, total: bool = False) -> Numbers:
    """Mean square of how far the probability is from what came true, 1 or 0."""
    yes = _weighted(lambda given: (1 - given) ** 2, scores.positive, scores.positive_weight)
    no = _weighted(np.square, scores.negative, scores.negative_weight)
    return _summed_up(yes + no, _total(scores), total)


@measure(
    "ECE",
    title="Expected calibration error",
    cite="naeini2015",
    higher_is_better=False,
    undefined=NOTHING,
    probable=True,
)
def expected_calibration_error(scores: Thresholds, *, bins: Count = 10, by: Bounds = "width") -> Numbers:
    """Mean over the items of how far, in their bin, the mean probability is from the share that came true.

    It depends on the bins, and falls as there are fewer.
    """
    _, _, _, positive, given = binned(scores, bins, by)
    return ratio(np.abs(positive - given).sum(), _total(scores))


@measure(
    "MCE",
    title="Maximum calibration error",
    cite="naeini2015",
    higher_is_better=False,
    undefined=NOTHING,
    probable=True,
)
def maximum_calibration_error(scores: Thresholds, *, bins: Count = 10, by: Bounds = "width") -> Numbers:
    """Greatest difference, in any bin, between the mean probability and the share that came true."""
    _, _, n, positive, given = binned(scores, bins, by)
    return np.asarray(np.nanmax(ratio(np.abs(positive - given), n)) if n.any() else np.nan)


@measure("Uncertainty", title="Uncertainty", cite="murphy1973", higher_is_better=None, undefined=NOTHING)
def uncertainty(scores: Thresholds) -> Numbers:
    """Brier score of always giving the prevalence."""
    return ratio(np.asarray(scores.n_positive * scores.n_negative), _total(scores) ** 2)


@measure(
    "Reliability", title="Reliability", cite="murphy1973", higher_is_better=False, undefined=NOTHING, probable=True
)
def reliability(scores: Thresholds, *, bins: Count = 10, by: Bounds = "width") -> Numbers:
    """Mean square of how far, in each bin, the mean probability is from the share that came true."""
    _, _, n, positive, given = binned(scores, bins, by)
    return ratio(np.asarray(np.nansum(ratio((positive - given) ** 2, n))), _total(scores))


@measure("Resolution", title="Resolution", cite="murphy1973", undefined=NOTHING, probable=True)
def resolution(scores: Thresholds, *, bins: Count = 10, by: Bounds = "width") -> Numbers:
    """Mean square of how far, in each bin, the share that came true is from the prevalence."""
    _, _, n, positive, _ = binned(scores, bins, by)
    total = _total(scores)
    expected = n * ratio(np.asarray(scores.n_positive), total)
    return ratio(np.asarray(np.nansum(ratio((positive - expected) ** 2, n))), total)


def recalibrated_brier(scores: Thresholds) -> Numbers:
    """The Brier score after the best monotone recalibration: that of the ROC convex hull."""
    tp, fp = np.diff(scores.hull.tp), np.diff(scores.hull.fp)
    return ratio(np.nansum(tp * ratio(fp, tp + fp)), _total(scores))


@measure(
    "Miscalibration",
    title="Miscalibration",
    cite="dimitriadis2021",
    higher_is_better=False,
    undefined=NOTHING,
    probable=True,
)
def miscalibration(scores: Thresholds) -> Numbers:
    """How much the Brier score falls by the best monotone recalibration."""
    return brier(scores) - recalibrated_brier(scores)


@measure("Discrimination", title="Discrimination", cite="dimitriadis2021", undefined=NOTHING)
def discrimination(scores: Thresholds) -> Numbers:
    """How much better the recalibrated Brier score is than that of always giving the prevalence.

    Brier score = miscalibration - discrimination + uncertainty.
    """
    return uncertainty(scores) - recalibrated_brier(scores)


# of any number of classes


def cross_entropy(actual: Floats, given: Floats, *, clip: float = CLIP) -> Floats:
    """How far the probabilities given are from the actual ones, row by row: -Σ p log q."""
    return -(actual * np.log(np.clip(given, clip, 1 - clip))).sum(axis=-1)


@measure(
    "LogLoss",
    title="Log-loss",
    cite="good1952",
    names=("CrossEntropy",),
    aliases=("log_loss",),
    bounds=_ANY,
    higher_is_better=False,
    undefined=NOTHING,
)
def log_loss_of_classes(probabilities: Probabilities, *, clip: Clip = CLIP, total: bool = False) -> Numbers:
    """Mean of -log of the probability given to the class that came true, clipped to [clip, 1 - clip]."""
    loss = -np.log(np.clip(probabilities.of_actual, clip, 1 - clip))
    return _summed_up(probabilities.sum(loss), probabilities.total, total)


@measure(
    "OneVsRestLoss",
    title="One-against-rest log-loss",
    cite="good1952",
    bounds=_ANY,
    higher_is_better=False,
    undefined=NOTHING,
)
def one_vs_rest_loss(probabilities: Probabilities, *, clip: Clip = CLIP, total: bool = False) -> Numbers:
    """Mean over the items of the log-losses of all classes, each against the rest, added up."""
    given = np.clip(probabilities.given, clip, 1 - clip)
    actual = np.clip(probabilities.of_actual, clip, 1 - clip)
    loss = np.log1p(-actual) - np.log(actual) - np.log1p(-given).sum(axis=1)
    return _summed_up(probabilities.sum(loss), probabilities.total, total)


@measure(
    "Brier",
    title="Brier score",
    cite="brier1950",
    aliases=("brier",),
    bounds=(0, 2),
    higher_is_better=False,
    undefined=NOTHING,
)
def brier_of_classes(probabilities: Probabilities, *, total: bool = False) -> Numbers:
    """Mean over the items of the squares of how far each class's probability is from 1 or 0, added up.

    For two classes, twice the Brier score of a yes-or-no answer.
    """
    given = probabilities.given
    squares = np.einsum("ik,ik->i", given, given) - 2 * probabilities.of_actual + 1
    return _summed_up(probabilities.sum(squares), probabilities.total, total)


@measure("ECE", title="Expected calibration error", cite="guo2017", higher_is_better=False, undefined=NOTHING)
def top_calibration_error(probabilities: Probabilities, *, bins: Count = 10, by: Bounds = "width") -> Numbers:
    """Mean over the items of how far, in their bin, the highest probability is from the share predicted right."""
    return expected_calibration_error(probabilities.top, bins=bins, by=by)


@measure(
    "OneVsOneAUC",
    title="One-against-one area under the ROC curve",
    cite="hand2001",
    names=("HandTill",),
    undefined="fewer than two classes have items",
)
def one_against_one_area(probabilities: Probabilities, *, weighted: bool = False) -> Numbers:
    """Mean, over the pairs of classes that have items, of how well each of a pair is told from the other.

    That is the probability that an item of one class was given a higher probability of it than an item of the other,
    averaged over both directions. With `weighted`, a pair counts as much as it has items.
    """
    size = probabilities.size
    above = np.array([_ranked_above(probabilities, place) for place in range(len(size))])
    one, other = np.triu_indices(len(size), 1)
    present = (size[one] > 0) & (size[other] > 0)
    one, other = one[present], other[present]
    area = (above[one, other] + above[other, one]) / 2
    weight = size[one] + size[other] if weighted else np.ones(len(one))
    return ratio((area * weight).sum(), weight.sum())


def _ranked_above(probabilities: Probabilities, place: int) -> Floats:
    """The share of the items of each class that those of one class are given a higher probability of it than."""
    own = probabilities.actual == place
    given, weight = probabilities.given[:, place], probabilities.weights
    order = np.argsort(given[own], kind="stable")
    ascending, sums = given[own][order], np.append(0.0, np.cumsum(weight[own][order]))
    not_above = sums[np.searchsorted(ascending, given, "left")] + sums[np.searchsorted(ascending, given, "right")]
    beaten = weight * (sums[-1] - not_above / 2)
    size = probabilities.size
    return ratio(np.bincount(probabilities.actual, beaten, len(size)), size * sums[-1])
