"""Precision-recall-gain: precision, recall and F on a scale where 0 is always predicting positive."""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.evidence.arithmetic import Numbers, ratio
from cranfield.evidence.cells import Cells
from cranfield.measures.declaration import Reasons
from cranfield.measures.rates import NO_NEGATIVES, OF_ONE_KIND
from cranfield.measures.registry import measure
from cranfield.settings import Beta, Proportion, require_one_weight

_NO_TRUE_POSITIVES: Reasons = {
    NO_NEGATIVES: OF_ONE_KIND[NO_NEGATIVES],
    "there are no true positives": lambda cells, **_: cells.tp == 0,
}
_gain = partial(measure, cite="flach2015", bounds=(-np.inf, 1), undefined=_NO_TRUE_POSITIVES, monotone=True)


@_gain("PrecisionGain", interval="jeffreys", title="Precision gain", names=("precG",))
def precision_gain(cells: Cells, *, clip: bool = False) -> Numbers:
    """Precision on a harmonic scale where 0 is always predicting positive and 1 is perfect.

    With clip, a precision below the prevalence counts as the prevalence, so that the gain is at least 0.
    """
    return _clipped(1 - ratio(cells.fp * cells.positive, cells.tp * cells.negative), cells, clip)


@_gain("RecallGain", interval="jeffreys", title="Recall gain", names=("recG",))
def recall_gain(cells: Cells, *, clip: bool = False) -> Numbers:
    """Recall on a harmonic scale where 0 is a recall equal to the prevalence and 1 is perfect.

    With clip, a recall below the prevalence counts as the prevalence, so that the gain is at least 0.
    """
    return _clipped(1 - ratio(cells.fn * cells.positive, cells.tp * cells.negative), cells, clip)


@_gain("FGain", interval="jeffreys", title="F-gain", names=("FG",), aliases=("FG{beta}",))
def f_gain(cells: Cells, *, beta: Beta = 1, alpha: Proportion | None = None, clip: bool = False) -> Numbers:
    """Mean of precision gain and recall gain, weighted 1 to beta²: the F-measure on their scale.

    Precision gain has weight alpha = 1/(1 + beta²). With clip, it is the mean of the clipped gains.
    """
    require_one_weight("FGain", beta, alpha)
    if beta == np.inf:
        return recall_gain(cells, clip=clip)
    if clip:
        weight = 1 / (1 + beta**2) if alpha is None else alpha
        return weight * precision_gain(cells, clip=True) + (1 - weight) * recall_gain(cells, clip=True)
    if alpha is not None:
        wrong, both = alpha * cells.fp + (1 - alpha) * cells.fn, cells.tp
    else:
        wrong, both = cells.fp + beta**2 * cells.fn, (1 + beta**2) * cells.tp
    return 1 - ratio(wrong * cells.positive, both * cells.negative)


def _clipped(gain: Numbers, cells: Cells, clip: bool) -> Numbers:
    """The gain, or 0 if it is lower or there are no true positives; undefined if there is only one class."""
    if not clip:
        return gain
    with np.errstate(invalid="ignore"):  # comparing an undefined fraction
        return np.where(cells.positive * cells.negative == 0, np.nan, np.fmax(gain, 0))
