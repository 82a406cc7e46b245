"""Predicted values that make each rule speak, and the nearest that do not."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.regression.regress import regress
from cranfield.regression.result import Regression
from examination.pictured import Case

ACTUAL = np.arange(100.0)
EVEN = np.resize([1.0, -1.0], 100)  # errors that cancel out


def off(error: float | np.ndarray, actual: np.ndarray = ACTUAL) -> Residuals:
    """Values that were predicted with these errors."""
    return Residuals(actual, actual + error)


def with_large(n: int, size: float) -> Residuals:
    """Errors of 1, of which so many are larger."""
    return off(np.where(np.arange(100) % 50 < n, size, 1.0) * EVEN)


def around(width: float, shift: float = 0.0) -> Forecasts:
    """Intervals at the level 0.8 of this half width, and medians, around errors spread evenly from -5 to 5."""
    middle = ACTUAL + np.linspace(-5, 5, 100) + shift
    quantiles = np.column_stack([middle - width, middle, middle + width])
    return Forecasts(ACTUAL, quantiles, "quantiles", (0.1, 0.5, 0.9))


def crossing(n: int) -> Forecasts:
    """Two quantiles, which cross for so many items."""
    low = np.where(np.arange(100) < n, 1.0, -1.0)
    return Forecasts(ACTUAL, np.column_stack([ACTUAL + low, ACTUAL]), "quantiles", (0.1, 0.5))


def in_folds(bias: float) -> Regression:
    """Four folds of 25 items with errors of 1, and a bias in the third."""
    fold = np.repeat(["f1", "f2", "f3", "f4"], 25)
    return regress(ACTUAL, ACTUAL + EVEN + bias * (fold == "f3"), by=fold)


VALUES = {
    "biased-group": Case(
        in_folds(1.0),
        in_folds(0.5),
        "In group f3, predictions are too high by 1.04 on average; the mean error of the other items is -0.0133.",
    ),
    "worse-than-mean": Case(
        Residuals(np.resize([1.0, 2.0, 3.0], 30), np.resize([3.0, 2.0, 1.0], 30)),
        Residuals(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])),
        "RMSE is 1.63, but predicting the mean for every item would give 0.816: R2 is -3.00.",
    ),
    "shifted-predictions": Case(
        off(0.5 + EVEN),
        off(0.3 + EVEN),
        "Predictions are too high by 0.500 on average, which accounts for 20 % of the squared error: without this "
        "bias RMSE would be 1.00 instead of 1.12.",
    ),
    "shrunken-predictions": Case(
        Residuals(ACTUAL, 30 + 0.4 * ACTUAL + 5 * EVEN),
        Residuals(ACTUAL, 5 + 0.9 * ACTUAL + 5 * EVEN),
        "Actual values change by 2.12 for each unit of the prediction: predictions vary too little, being too high "
        "for low values and too low for high ones.",
    ),
    "few-large-errors": Case(
        with_large(1, 10.0),
        with_large(1, 6.0),
        "2 items of 100 make up 67 % of the squared error: RMSE is 1.73, but would be 0.990 without their error; MAE "
        "is 1.18.",
    ),
    "uneven-errors": Case(
        off(EVEN * np.linspace(1, 3, 100)),
        off(EVEN * np.linspace(1, 2, 100)),
        "The mean absolute error is 1.24 for the lowest quarter of predictions and 2.75 for the highest.",
    ),
    "intervals-too-narrow": Case(
        around(3.05),
        around(3.4),
        "Nominal 80 % intervals cover 60 % of the actual values (95 % CI 50 % to 69 %): 20 % are below them and 20 % "
        "above.",
    ),
    "intervals-too-wide": Case(
        around(4.8),
        around(4.4),
        "Nominal 80 % intervals cover 96 % of the actual values: they are too wide.",
    ),
    "shifted-distributions": Case(
        around(4, 2.0),
        around(4, 1.0),
        "70 % of the actual values are below the predicted median: predictions are too high.",
    ),
    "crossing-quantiles": Case(
        crossing(2),
        crossing(0),
        "Predicted quantiles cross for 2 items of 100, which then have no valid distribution.",
    ),
}
