"""Losses of numeric predictions other than squared errors: logarithmic errors, quantile losses, deviances, and D²."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.evidence.arithmetic import Numbers, ratio
from cranfield.evidence.residuals import Residuals, power_of
from cranfield.measures.declaration import Reasons
from cranfield.measures.registry import measure
from cranfield.measures.regression import EMPTY, EQUAL, NOTHING, SQUARES
from cranfield.settings import Proportion, Range

Quantile = Annotated[float, Range("a number between 0 and 1", low=0, high=1, open=True)]
Power = Annotated[float, Range("a number of 0 or less", high=0), Range("a number of 1 or more", low=1)]
_loss = partial(measure, bounds=(0, np.inf), higher_is_better=False)
_explained = partial(measure, bounds=(-np.inf, 1))


# logarithms

_LOGARITHMS: Reasons = EMPTY | {
    "an actual value is -1 or less": lambda residuals: (residuals.actual <= -1).any(),
    "a predicted value is -1 or less": lambda residuals: (residuals.predicted <= -1).any(),
}


@_loss(
    "MSLE",
    interval=SQUARES,
    title="Mean squared logarithmic error",
    names=("mean_squared_log_error",),
    undefined=_LOGARITHMS,
)
def mean_squared_logarithmic_error(residuals: Residuals) -> Numbers:
    """Mean of the squared differences between the logarithms of predicted + 1 and actual + 1."""
    return residuals.mean_square(_logarithmic(residuals))


@_loss(
    "RMSLE",
    interval=SQUARES,
    title="Root mean squared logarithmic error",
    names=("root_mean_squared_log_error",),
    undefined=_LOGARITHMS,
)
def root_mean_squared_logarithmic_error(residuals: Residuals) -> Numbers:
    """Square root of the mean squared logarithmic error."""
    return residuals.root_mean_square(_logarithmic(residuals))


def _logarithmic(residuals: Residuals) -> Floats:
    """The logarithm of (predicted + 1) / (actual + 1)."""
    actual, predicted = (_only(value, value > -1) for value in (residuals.actual, residuals.predicted))
    return np.log1p(predicted) - np.log1p(actual)


def _only(value: Floats, valid: Mask) -> Floats:
    """The valid values; NaN instead of others, so that their mean is undefined."""
    return np.where(valid, value, np.nan)


# quantiles


@_loss(
    "Pinball",
    interval="jackknife from 1000",
    title="Mean pinball loss",
    cite="koenker1978",
    synonyms={"alpha": "quantile"},
    undefined=NOTHING,
)
def pinball(residuals: Residuals, *, quantile: Proportion = 0.5) -> Numbers:
    """Mean of the absolute errors, weighted by the quantile if the prediction is too low, else by its complement.

    Predicting that quantile of the actual values minimises it. For the median it is half of the mean absolute error.
    """
    return residuals.mean(_pinball_losses(residuals.error, quantile))


@_explained(
    "D2Pinball",
    interval="jackknife from 1000",
    title="Explained pinball loss",
    cite="koenker1999",
    names=("D2AbsoluteError",),
    synonyms={"alpha": "quantile"},
    undefined=EMPTY | EQUAL,
)
def explained_pinball(residuals: Residuals, *, quantile: Quantile = 0.5) -> Numbers:
    """One minus the pinball loss divided by that of always predicting the quantile of the actual values.

    For the median, one minus the absolute errors divided by those of always predicting the median.
    """
    if not len(residuals):
        return np.asarray(np.nan)
    best = np.quantile(residuals.actual, quantile, weights=residuals.weights, method="inverted_cdf")
    spread = best - residuals.actual
    unit = power_of(spread)
    with np.errstate(over="ignore"):  # overflow gives infinity
        error = np.ldexp(residuals.error, -unit)
    least = residuals.mean(_pinball_losses(np.ldexp(spread, -unit), quantile))
    return 1 - ratio(residuals.mean(_pinball_losses(error, quantile)), least)


def _pinball_losses(error: Floats, quantile: float) -> Floats:
    """The pinball loss of each error."""
    return np.where(error < 0, -quantile * error, (1 - quantile) * error)


# deviances

_POSITIVE: Reasons = {
    "a predicted value is 0 or less": lambda residuals, power=1: power != 0 and (residuals.predicted <= 0).any(),
}
_AMOUNTS: Reasons = {
    "an actual value is negative": lambda residuals, power=1: power >= 1 and (residuals.actual < 0).any(),
}
_ABOVE_ZERO: Reasons = {
    "an actual value is 0 or less": lambda residuals, power=2: power >= 2 and (residuals.actual <= 0).any(),
}


@_loss(
    "PoissonDeviance",
    interval=SQUARES,
    title="Mean Poisson deviance",
    cite="jorgensen1987",
    undefined=EMPTY | _POSITIVE | _AMOUNTS,
)
def poisson_deviance(residuals: Residuals) -> Numbers:
    """Mean deviance of counts: twice the sum of actual log(actual / predicted) and the errors, by item."""
    return tweedie_deviance(residuals, power=1)


@_loss(
    "GammaDeviance",
    interval=SQUARES,
    title="Mean gamma deviance",
    cite="jorgensen1987",
    undefined=EMPTY | _POSITIVE | _ABOVE_ZERO,
)
def gamma_deviance(residuals: Residuals) -> Numbers:
    """Mean deviance of positive amounts, for which only the ratio of actual to predicted matters."""
    return tweedie_deviance(residuals, power=2)


@_loss(
    "TweedieDeviance",
    interval=SQUARES,
    title="Mean Tweedie deviance",
    cite="jorgensen1987",
    undefined=EMPTY | _POSITIVE | _AMOUNTS | _ABOVE_ZERO,
)
def tweedie_deviance(residuals: Residuals, *, power: Power = 0) -> Numbers:
    """Mean deviance of a distribution whose variance is a power of its mean.

    Power 0 is the mean squared error, 1 the Poisson and 2 the gamma deviance; between 1 and 2, amounts with zeros.
    """
    return residuals.mean(_deviance(residuals.actual, residuals.predicted, power))


@_explained(
    "D2Tweedie",
    interval=SQUARES,
    title="Explained Tweedie deviance",
    cite="cameron1997",
    undefined=EMPTY
    | EQUAL
    | _POSITIVE
    | _AMOUNTS
    | _ABOVE_ZERO
    | {
        "the mean of the actual values is 0 or less": lambda residuals, power: (
            power < 0 and residuals.mean(residuals.actual) <= 0
        )
    },
)
def explained_tweedie(residuals: Residuals, *, power: Power = 0) -> Numbers:
    """One minus the Tweedie deviance divided by that of always predicting the mean of the actual values."""
    actual = residuals.actual
    lowest, highest = actual.min(initial=np.inf), actual.max(initial=-np.inf)
    mean = np.clip(residuals.mean(actual), lowest, highest)  # exact if all values are equal
    spread = residuals.mean(_deviance(actual, np.full(len(residuals), mean), power))
    return 1 - ratio(tweedie_deviance(residuals, power=power), spread)


def _deviance(actual: Floats, predicted: Floats, power: float) -> Floats:
    """The deviance of each item; NaN outside the domain of the distribution."""
    with np.errstate(over="ignore"):
        if power == 0:
            return (predicted - actual) ** 2
        valid = (predicted > 0) & ((power < 0) | (actual > 0) | ((power < 2) & (actual == 0)))
        mean = _only(predicted, valid)
        half = _half_deviance(ratio(actual - mean, mean), power)
        return mean ** (2 - power) * 2 * np.maximum(half, 0)  # below 0 by rounding only


def _half_deviance(excess: Floats, power: float) -> Floats:
    """Half of the deviance of 1 + excess from a mean of 1, to which other means scale; accurate near 0."""
    with np.errstate(divide="ignore"):
        log = np.log1p(np.maximum(excess, -1))  # -inf for 0, whose terms vanish
    if power == 1:
        return (1 + excess) * np.where(excess > -1, log, 0) - excess
    if power == 2:
        return excess - log
    return np.expm1((2 - power) * log) / ((1 - power) * (2 - power)) - excess / (1 - power)
