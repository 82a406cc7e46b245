"""Measures of predicted values: how far they are from the actual ones."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.exact import Numbers, ratio
from cranfield.evidence.residuals import Residuals
from cranfield.registry import measure

_ANY = (0, np.inf)
_NOTHING = "there are no items"
_ALL_THE_SAME = "the actual values are all the same"


@measure("MSE", title="Mean squared error", bounds=_ANY, higher_is_better=False, undefined=_NOTHING)
def mean_squared_error(residuals: Residuals) -> Numbers:
    """Mean of the squared errors."""
    return residuals.mean(residuals.error**2)


@measure("RMSE", title="Root mean squared error", bounds=_ANY, higher_is_better=False, undefined=_NOTHING)
def root_mean_squared_error(residuals: Residuals) -> Numbers:
    """Square root of the mean of the squared errors."""
    return np.sqrt(mean_squared_error(residuals))


@measure("MAE", title="Mean absolute error", bounds=_ANY, higher_is_better=False, undefined=_NOTHING)
def mean_absolute_error(residuals: Residuals) -> Numbers:
    """Mean of the errors, whichever way they go."""
    return residuals.mean(np.abs(residuals.error))


@measure(
    "MedianAE", title="Median absolute error", names=("MedAE",), bounds=_ANY, higher_is_better=False, undefined=_NOTHING
)
def median_absolute_error(residuals: Residuals) -> Numbers:
    """Median of the errors, whichever way they go."""
    return residuals.median(np.abs(residuals.error))


@measure("MaxError", title="Greatest error", bounds=_ANY, higher_is_better=False, undefined=_NOTHING)
def max_error(residuals: Residuals) -> Numbers:
    """Greatest of the errors, whichever way it goes; weights do not matter."""
    return np.asarray(np.abs(residuals.error).max() if len(residuals) else np.nan)


@measure("Bias", title="Mean error", names=("ME",), bounds=(-np.inf, np.inf), higher_is_better=None, undefined=_NOTHING)
def bias(residuals: Residuals) -> Numbers:
    """Mean of predicted less actual: above 0 if predictions are too high."""
    return residuals.mean(residuals.error)


@measure(
    "MAPE",
    title="Mean absolute percentage error",
    bounds=_ANY,
    higher_is_better=False,
    undefined={
        _NOTHING: lambda residuals: not len(residuals),
        "an actual value is 0": lambda residuals: (residuals.actual == 0).any(),
    },
)
def mean_absolute_percentage_error(residuals: Residuals) -> Numbers:
    """Mean of the errors as shares of the actual values, whichever way they go."""
    return residuals.mean(ratio(np.abs(residuals.error), np.abs(residuals.actual)))


@measure("R2", title="Coefficient of determination", names=("R²",), bounds=(-np.inf, 1), undefined=_ALL_THE_SAME)
def r_squared(residuals: Residuals) -> Numbers:
    """One less the squared errors, as a share of those of always giving the mean."""
    return 1 - ratio(mean_squared_error(residuals), residuals.variance(residuals.actual))


@measure("ExplainedVariance", title="Explained variance", bounds=(-np.inf, 1), undefined=_ALL_THE_SAME)
def explained_variance(residuals: Residuals) -> Numbers:
    """One less the variance of the errors, as a share of that of the actual values: R² without the bias."""
    return 1 - ratio(residuals.variance(residuals.error), residuals.variance(residuals.actual))


@measure(
    "Correlation",
    title="Pearson correlation",
    names=("Pearson",),
    bounds=(-1, 1),
    undefined={
        _NOTHING: lambda residuals: not len(residuals),
        _ALL_THE_SAME: lambda residuals: np.ptp(residuals.actual) == 0,
        "the predicted values are all the same": lambda residuals: np.ptp(residuals.predicted) == 0,
    },
)
def correlation(residuals: Residuals) -> Numbers:
    """Correlation of the actual with the predicted values."""
    actual, predicted = residuals.centred(residuals.actual), residuals.centred(residuals.predicted)
    spread = np.sqrt(residuals.mean(actual * actual)) * np.sqrt(residuals.mean(predicted * predicted))
    return ratio(residuals.mean(actual * predicted), spread)
