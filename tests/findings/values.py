"""Predicted values that make each rule speak, and the nearest that do not."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.residuals import Residuals
from findings.pictured import Case

ACTUAL = np.arange(100.0)
EVEN = np.resize([1.0, -1.0], 100)  # errors that cancel out


def off(error: float | np.ndarray, actual: np.ndarray = ACTUAL) -> Residuals:
    """Values that were predicted with these errors."""
    return Residuals(actual, actual + error)


def with_large(n: int, size: float) -> Residuals:
    """Errors of 1, of which so many are larger."""
    return off(np.where(np.arange(100) % 50 < n, size, 1.0) * EVEN)


VALUES = {
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
}
