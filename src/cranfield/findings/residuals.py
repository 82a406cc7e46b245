"""Rules about predicted values: what an average error hides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.evidence.residuals import Residuals
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import count, share, value, verb

_QUARTERS = 4


@rule(
    "worse-than-mean",
    title="Predicting the mean would be better",
    severity="serious",
    why="The mean of the actual values, the same for every item, is what one would predict without looking at any. "
    "Predictions with a larger squared error are worth less than none.",
    action="Look for values on another scale, in another unit or of other items; compare with the mean before anything "
    "else.",
)
def worse_than_mean(residuals: Residuals, *, r2: float = 0.0, sure: float = 3.0) -> Iterator[Said]:
    """The squared error is larger than that of the mean of the actual values, by `sure` standard errors: R2 is below
    `r2`."""
    error, spread = float(residuals.mean(residuals.error**2)), float(residuals.variance(residuals.actual))
    if not spread > 0 or not 1 - error / spread < r2:
        return
    excess = residuals.error**2 - (residuals.actual - residuals.mean(residuals.actual)) ** 2
    if error - spread < sure * np.sqrt(float(residuals.variance(excess)) / len(residuals)):
        return
    yield said(
        f"The root mean squared error is {value(np.sqrt(error))}, but that of predicting the mean for every item would "
        f"be {value(np.sqrt(spread))}: R2 is {value(1 - error / spread)}.",
        {"rmse": float(np.sqrt(error)), "rmse_of_mean": float(np.sqrt(spread)), "r2": 1 - error / spread},
    )


@rule(
    "shifted-predictions",
    title="Predictions are too high, or too low, on average",
    severity="caution",
    why="An error that points the same way for most items does not cancel out in sums, and is the easiest one to mend.",
    action="Subtract the mean error, found on held-out items, from every prediction; look for what causes it.",
)
def shifted_predictions(residuals: Residuals, *, part: float = 0.1, sure: float = 3.0) -> Iterator[Said]:
    """The mean error makes up at least `part` of the squared error, and is `sure` standard errors from 0."""
    if len(residuals) < 2:
        return
    shift, left = float(residuals.mean(residuals.error)), float(residuals.variance(residuals.error))
    whole = shift**2 + left
    if not whole > 0 or not reaches(shift**2 / whole, part) or abs(shift) < sure * np.sqrt(left / len(residuals)):
        return
    side = "high" if shift > 0 else "low"
    yield said(
        f"Predictions are too {side} by {value(abs(shift))} on average, which makes up {share(shift**2 / whole)} of "
        f"the squared error: without it the root mean squared error would be {value(np.sqrt(left))}, not "
        f"{value(np.sqrt(whole))}.",
        {"shift": shift, "rmse": float(np.sqrt(whole)), "rmse_without": float(np.sqrt(left))},
    )


@rule(
    "few-large-errors",
    title="A few items carry the squared error",
    severity="caution",
    why="Squares grow fast: a handful of items decides over MSE, RMSE and R2, and with them which system looks better. "
    "Were they not in the sample, or were they mistakes in the data, the figures would be others.",
    action="Look at these items; report MAE or the median absolute error beside RMSE.",
)
def few_large_errors(residuals: Residuals, *, few: float = 0.02, half: float = 0.5, least: int = 20) -> Iterator[Said]:
    """One of at least `least` items, or at most the share `few` of them, makes up `half` of the squared error."""
    weight = np.ones(len(residuals)) if residuals.weight is None else residuals.weight
    square = np.sort(weight * residuals.error**2)[::-1]
    if len(square) < least or not square.sum() > 0:
        return
    carried = np.cumsum(square) / square.sum()
    n_few = int(np.argmax(carried >= half - 1e-9)) + 1
    if n_few > max(1, few * len(square)):
        return
    rmse, rest = (np.sqrt(part.sum() / residuals.total) for part in (square, square[n_few:]))
    mae = float(residuals.mean(np.abs(residuals.error)))
    yield said(
        f"{count(n_few, 'item')} of {len(square):,} {verb(n_few, 'makes', 'make')} up {share(carried[n_few - 1])} of "
        f"the squared error: the root mean squared error is {value(rmse)}, {value(rest)} were "
        f"{verb(n_few, 'it', 'they')} right, and the mean absolute error {value(mae)}.",
        {"n_items": n_few, "carried": float(carried[n_few - 1]), "rmse": float(rmse), "rest": float(rest), "mae": mae},
    )


@rule(
    "uneven-errors",
    title="Errors grow, or shrink, with the predicted value",
    severity="note",
    why="One figure for the error fits neither end: where errors grow with the value, it promises too much for large "
    "values and too little for small ones, and large values decide over it.",
    action="Report errors for ranges of values, or relative ones (MAPE, or the error of logarithms).",
)
def uneven_errors(residuals: Residuals, *, times: float = 2.0, sure: float = 3.0, least: int = 40) -> Iterator[Said]:
    """In the quarter of the highest predictions the mean absolute error is `times` that in the lowest, or the reverse.

    The two must be `sure` standard errors apart, and of at least `least` items.
    """
    if len(residuals) < least:
        return
    order = np.argsort(residuals.predicted, kind="stable")
    size = np.abs(residuals.error)[order]
    low, high = size[: len(size) // _QUARTERS], size[-(len(size) // _QUARTERS) :]
    apart = abs(high.mean() - low.mean())
    spread = np.sqrt(low.var(ddof=1) / len(low) + high.var(ddof=1) / len(high))
    smaller, larger = sorted((float(low.mean()), float(high.mean())))
    if not larger > 0 or not reaches(larger, times * smaller) or apart < sure * spread:
        return
    yield said(
        f"In the quarter of the items with the lowest predictions the mean absolute error is {value(low.mean())}, in "
        f"that with the highest {value(high.mean())}.",
        {"low": float(low.mean()), "high": float(high.mean())},
    )
