"""Measures of predicted distributions, quantiles and intervals of numbers."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.forecasts import Forecasts
from cranfield.measures.declaration import NoInterval, Reasons
from cranfield.measures.deviances import Quantile
from cranfield.measures.registry import EXACT, measure
from cranfield.measures.regression import EMPTY, NOTHING
from cranfield.settings import Range

IntervalLevel = Annotated[float, Range("a level between 0 and 1", low=0, high=1, open=True, at=True)]
QuantileLevel = Annotated[float, Range("a quantile between 0 and 1", low=0, high=1, open=True, at=True)]
FEWEST_LEVELS = 3  # fewest quantiles from which CRPS is computed

_INTERVAL: Reasons = EMPTY | {
    "the interval at this level was not predicted": lambda forecasts, level: not forecasts.has_interval(level)
}
_QUANTILE: Reasons = EMPTY | {
    "this quantile was not predicted": lambda forecasts, quantile: not forecasts.has_quantile(quantile)
}
_DISTRIBUTION: Reasons = EMPTY | {
    f"fewer than {FEWEST_LEVELS} quantiles were predicted": lambda forecasts, **_: _too_few(forecasts),
    "fair needs at least 2 samples per item": lambda forecasts, fair: (
        fair and forecasts.form == "samples" and forecasts.values.shape[1] == 1
    ),
}
_LEVELS: Reasons = EMPTY | {
    "the predictions are not quantiles or intervals": lambda forecasts: forecasts.form != "quantiles"
}
_loss = partial(measure, bounds=(0, np.inf), higher_is_better=False, per_item=True)


def _too_few(forecasts: Forecasts) -> bool:
    return forecasts.form == "quantiles" and len(forecasts.levels) < FEWEST_LEVELS


@measure(
    "CRPS",
    interval="jackknife from 1000",
    title="Continuous ranked probability score",
    cite="matheson1976",
    names=("crps_ensemble", "crps_gaussian"),
    bounds=(-np.inf, np.inf),
    higher_is_better=False,
    undefined=_DISTRIBUTION,
    per_item=True,
)
def continuous_ranked_probability_score(forecasts: Forecasts, *, fair: bool = False) -> Floats:
    """Mean squared difference between the predicted distribution function and the step at the actual value, integrated.

    It is in the unit of the values, and the absolute error of a prediction without spread. Of samples, it is that of
    their empirical distribution; `fair=True` removes its bias, which grows as samples get fewer, and may then be
    negative. Of quantiles, it is twice their pinball loss, integrated over the levels by the midpoint rule.
    """
    return np.full(len(forecasts), np.nan) if _too_few(forecasts) else forecasts.crps(fair=fair)


@_loss("WIS", title="Weighted interval score", cite="bracher2021", names=("weighted_interval_score",),
       undefined=_LEVELS)  # fmt: skip
def weighted_interval_score(forecasts: Forecasts) -> Floats:
    """Mean of twice the pinball losses of all predicted quantiles.

    For central intervals and the median, the interval scores, each weighted by half of the probability outside the
    interval, and half of the absolute error of the median, divided by the number of intervals plus one half.
    """
    if forecasts.form != "quantiles":
        return np.full(len(forecasts), np.nan)
    return np.asarray(2 * forecasts.pinballs.mean(axis=1))


@_loss("Pinball", title="Pinball loss of a quantile", cite="koenker1978", names=("QuantileScore",),
       synonyms={"alpha": "quantile"}, undefined=_QUANTILE)  # fmt: skip
def pinball_of_quantile(forecasts: Forecasts, *, quantile: Quantile = 0.5) -> Floats:
    """Mean absolute error of a predicted quantile, weighted by its level if it is too low, else by the complement."""
    return forecasts.pinball(quantile)


@_loss(
    "IntervalScore",
    interval=NoInterval("the few items outside the intervals determine it"),
    title="Interval score",
    cite="gneiting2007",
    names=("WinklerScore",),
    undefined=_INTERVAL,
)
def interval_score(forecasts: Forecasts, *, level: IntervalLevel) -> Floats:
    """Mean width of the central intervals, plus 2 / (1 - level) times the distance of the actual values outside."""
    lower, upper = forecasts.interval(level)
    outside = np.maximum(lower - forecasts.actual, 0) + np.maximum(forecasts.actual - upper, 0)
    return upper - lower + 2 / (1 - level) * outside


@measure(
    "IntervalCoverage",
    interval=EXACT,
    title="Coverage of intervals",
    cite="christoffersen1998",
    higher_is_better=None,
    undefined=_INTERVAL,
    per_item=True,
    binary={},
)
def interval_coverage(forecasts: Forecasts, *, level: IntervalLevel) -> Floats:
    """Proportion of the actual values inside the central interval, bounds included; it should equal the level."""
    lower, upper = forecasts.interval(level)
    inside = (lower <= forecasts.actual) & (forecasts.actual <= upper)
    return np.where(np.isnan(lower + upper), np.nan, inside)


@measure(
    "IntervalWidth",
    interval="jackknife from 50",
    title="Mean width of intervals",
    cite="gneitingbalabdaoui2007",
    bounds=(-np.inf, np.inf),
    higher_is_better=None,
    undefined=_INTERVAL,
    per_item=True,
)
def interval_width(forecasts: Forecasts, *, level: IntervalLevel) -> Floats:
    """Mean of the upper minus the lower bound of the central interval; of two calibrated systems, narrower is better.

    It is negative where quantiles cross.
    """
    lower, upper = forecasts.interval(level)
    return upper - lower


@measure(
    "QuantileCoverage",
    interval=EXACT,
    title="Observed frequency of a quantile",
    cite="gneitingbalabdaoui2007",
    higher_is_better=None,
    undefined=_QUANTILE,
    per_item=True,
    binary={},
)
def quantile_coverage(forecasts: Forecasts, *, quantile: QuantileLevel) -> Floats:
    """Proportion of the actual values at or below the predicted quantile; it should equal the level of the quantile."""
    return forecasts.observed(quantile)


@measure(
    "QuantileCalibrationError",
    interval=NoInterval("deviations from calibration are larger in samples, even if forecasts are calibrated"),
    title="Calibration error of quantiles",
    cite="kuleshov2018",
    higher_is_better=False,
    undefined=NOTHING,
)
def quantile_calibration_error(forecasts: Forecasts) -> Floats:
    """Mean absolute difference between the level of a quantile and the proportion of actual values at or below it.

    Over the predicted quantiles; of samples and normal distributions, over the levels 0.05, 0.1, …, 0.95.
    """
    levels = forecasts.checked_levels
    error = [abs(forecasts.mean(forecasts.observed(level)) - level) for level in levels]
    return np.asarray(np.mean(error) if error else np.nan)
