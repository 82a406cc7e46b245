"""Measures of numeric predictions."""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import Numbers, ratio
from cranfield.evidence.residuals import Residuals, power_of
from cranfield.measures.declaration import NoInterval, Reasons
from cranfield.measures.registry import measure

_ANY = (0, np.inf)
SQUARES = NoInterval("a few large errors, which samples rarely contain, determine squared errors")
NOTHING = "there are no items"
ALL_THE_SAME = "all actual values are equal"
EMPTY: Reasons = {NOTHING: lambda predicted, **_: not len(predicted)}
EQUAL: Reasons = {ALL_THE_SAME: lambda residuals, **_: np.ptp(residuals.actual) == 0}
_error = partial(measure, bounds=_ANY, higher_is_better=False, undefined=NOTHING)


@_error("MSE", interval=SQUARES, title="Mean squared error", cite="hyndman2006")
def mean_squared_error(residuals: Residuals) -> Numbers:
    """Mean of the squared errors."""
    return residuals.mean_square(residuals.error)


@_error("RMSE", interval=SQUARES, title="Root mean squared error", cite="hyndman2006")
def root_mean_squared_error(residuals: Residuals) -> Numbers:
    """Square root of the mean squared error."""
    return residuals.root_mean_square(residuals.error)


@_error("MAE", interval="jackknife from 1000", title="Mean absolute error", cite="hyndman2006")
def mean_absolute_error(residuals: Residuals) -> Numbers:
    """Mean of the absolute errors."""
    return residuals.mean(np.abs(residuals.error))


@_error("MedianAE", interval="order statistics", title="Median absolute error", names=("MedAE",), cite="hyndman2006")
def median_absolute_error(residuals: Residuals) -> Numbers:
    """Median of the absolute errors."""
    return residuals.median(np.abs(residuals.error))


@_error("MaxError", interval=NoInterval("the largest error is that of one item"), title="Maximum error")
def max_error(residuals: Residuals) -> Numbers:
    """Largest absolute error; weights have no effect."""
    return np.asarray(np.abs(residuals.error).max() if len(residuals) else np.nan)


@measure(
    "Bias",
    interval="jackknife from 50",
    title="Mean error",
    names=("ME",),
    bounds=(-np.inf, np.inf),
    higher_is_better=None,
    undefined=NOTHING,
)
def bias(residuals: Residuals) -> Numbers:
    """Mean of predicted minus actual: positive if predictions are too high."""
    return residuals.mean(residuals.error)


@measure(
    "MAPE",
    interval="jackknife from 1000",
    cite="hyndman2006",
    title="Mean absolute percentage error",
    bounds=_ANY,
    higher_is_better=False,
    undefined=EMPTY | {"an actual value is 0": lambda residuals: (residuals.actual == 0).any()},
)
def mean_absolute_percentage_error(residuals: Residuals) -> Numbers:
    """Mean of the absolute errors divided by the absolute actual values."""
    return residuals.mean(ratio(np.abs(residuals.error), np.abs(residuals.actual)))


@measure(
    "R2",
    interval=SQUARES,
    title="Coefficient of determination",
    names=("R²",),
    bounds=(-np.inf, 1),
    cite="kvalseth1985",
    undefined=ALL_THE_SAME,
)
def r_squared(residuals: Residuals) -> Numbers:
    """One minus the sum of squared errors divided by that of always predicting the mean."""
    return _explained(residuals, residuals.error)


@measure("ExplainedVariance", interval=SQUARES, title="Explained variance", bounds=(-np.inf, 1), undefined=ALL_THE_SAME)
def explained_variance(residuals: Residuals) -> Numbers:
    """One minus the variance of the errors divided by that of the actual values: R² without the bias."""
    return _explained(residuals, residuals.centred(residuals.error))


@measure(
    "Correlation",
    interval=SQUARES,
    cite="pearson1895",
    title="Pearson correlation",
    names=("Pearson",),
    bounds=(-1, 1),
    undefined=EMPTY | EQUAL | {"all predicted values are equal": lambda residuals: np.ptp(residuals.predicted) == 0},
)
def correlation(residuals: Residuals) -> Numbers:
    """Correlation between actual and predicted values."""
    actual, predicted = (
        np.ldexp(deviations, -power_of(deviations))
        for deviations in map(residuals.centred, (residuals.actual, residuals.predicted))
    )
    spread = np.sqrt(residuals.mean_square(actual)) * np.sqrt(residuals.mean_square(predicted))
    return ratio(residuals.mean(actual * predicted), spread)


def _explained(residuals: Residuals, error: Floats) -> Numbers:
    """One minus the sum of squared errors divided by that of always predicting the mean."""
    spread = residuals.centred(residuals.actual)
    unit = power_of(spread)
    return 1 - ratio(residuals.mean_square(error, unit), residuals.mean_square(spread, unit))
