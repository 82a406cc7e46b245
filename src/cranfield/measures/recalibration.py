"""Slope and intercept of logistic recalibration."""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.evidence.arithmetic import Numbers
from cranfield.evidence.recalibration import log_odds, most_likely_intercept, most_likely_slope
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.rates import ONE_CLASS
from cranfield.measures.registry import measure


def _one_class(scores: Thresholds) -> bool:
    return scores.one_class


def _certain(scores: Thresholds) -> bool:
    """Whether a probability is 0 or 1; they are sorted, so only the ends are checked."""
    return any(side[0] <= 0 or side[-1] >= 1 for side in (scores.positive, scores.negative) if len(side))


def _constant(scores: Thresholds) -> bool:
    return len({side[end] for side in (scores.positive, scores.negative) if len(side) for end in (0, -1)}) < 2


def _separated(scores: Thresholds) -> bool:
    """Whether no negative is above a positive, or none below one."""
    positive, negative = scores.positive, scores.negative
    return scores.one_class or bool(positive[0] >= negative[-1] or positive[-1] <= negative[0])


_FINITE = {ONE_CLASS: _one_class, "a probability is 0 or 1, which has no finite log-odds": _certain}
_cox = partial(measure, cite="cox1958", bounds=(-np.inf, np.inf), higher_is_better=None, needs_probability=True)


@_cox(
    "CalibrationSlope",
    title="Calibration slope",
    interval="calibration slope",
    undefined=_FINITE
    | {
        "all probabilities are equal": _constant,
        "a threshold separates the classes, so the slope of highest likelihood is infinite": _separated,
    },
)
def calibration_slope(scores: Thresholds) -> Numbers:
    """Slope of the logistic regression of the outcomes on the predicted log-odds: 1 if calibrated.

    Below 1, the probabilities are too extreme; above 1, not extreme enough. Fitted by maximum likelihood, with an
    intercept.
    """
    if _one_class(scores) or _certain(scores) or _separated(scores):
        return np.asarray(np.nan)
    return np.asarray(most_likely_slope(log_odds(scores)))


@_cox(
    "CalibrationIntercept",
    title="Calibration intercept",
    names=("CalibrationInTheLarge",),
    interval="calibration intercept",
    undefined=_FINITE,
)
def calibration_intercept(scores: Thresholds) -> Numbers:
    """Log-odds to add to all predictions so that their mean is the prevalence: 0 if calibrated, negative if too high.

    The intercept of the logistic regression of the outcomes on the predicted log-odds with slope 1 (calibration in the
    large), fitted by maximum likelihood.
    """
    if _one_class(scores) or _certain(scores):
        return np.asarray(np.nan)
    return np.asarray(most_likely_intercept(log_odds(scores)))
