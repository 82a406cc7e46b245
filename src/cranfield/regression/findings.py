"""Rules about regression errors: what a mean error hides."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.rounding import LONG_SUMS
from cranfield.settings import CONFIDENCE
from cranfield.statistics.intervals import wilson
from cranfield.tables.forecasts import ends
from cranfield.text import count, percent, value, verb

_QUARTERS = 4
_FEWEST = 10  # fewest items for a slope


@rule(
    "worse-than-mean",
    about="regression errors",
    title="Predicting the mean would be better",
    severity="serious",
    why="The mean of the actual values is the best constant prediction. A model with a larger squared error is worse "
    "than no model at all.",
    action="Check scale, units and the matching of predictions to items; use the mean as a baseline.",
)
def worse_than_mean(residuals: Residuals, *, r2: float = 0.0, standard_errors: float = 3.0) -> Observations:
    """R2 is below `r2`, and the squared error exceeds that of predicting the mean by `standard_errors` standard
    errors."""
    error, spread = float(residuals.mean(residuals.error**2)), float(residuals.variance(residuals.actual))
    if not spread > 0 or not 1 - error / spread < r2:
        return
    excess = residuals.error**2 - (residuals.actual - residuals.mean(residuals.actual)) ** 2
    if error - spread < standard_errors * np.sqrt(float(residuals.variance(excess)) / len(residuals)):
        return
    yield observation(
        f"RMSE is {value(np.sqrt(error))}, but predicting the mean for every item would give {value(np.sqrt(spread))}: "
        f"R2 is {value(1 - error / spread)}.",
        {"rmse": float(np.sqrt(error)), "rmse_of_mean": float(np.sqrt(spread)), "r2": 1 - error / spread},
    )


@rule(
    "shifted-predictions",
    about="regression errors",
    title="Predictions are biased",
    severity="caution",
    why="A systematic error does not cancel out in sums, and is the easiest one to correct.",
    action="Estimate the mean error on held-out items and subtract it from every prediction; look for its cause.",
    explains=("worse-than-mean",),
)
def shifted_predictions(residuals: Residuals, *, proportion: float = 0.1, standard_errors: float = 3.0) -> Observations:
    """Bias makes up at least `proportion` of the squared error and is at least `standard_errors` standard errors from
    0."""
    if len(residuals) < 2:
        return
    bias, variance = float(residuals.mean(residuals.error)), float(residuals.variance(residuals.error))
    whole = bias**2 + variance
    if not whole > 0 or not reaches(bias**2 / whole, proportion):
        return
    if abs(bias) < standard_errors * np.sqrt(variance / len(residuals)):
        return
    side = "high" if bias > 0 else "low"
    yield observation(
        f"Predictions are too {side} by {value(abs(bias))} on average, which accounts for {percent(bias**2 / whole)} "
        f"of the squared error: without this bias RMSE would be {value(np.sqrt(variance))} instead of "
        f"{value(np.sqrt(whole))}.",
        {"bias": bias, "rmse": float(np.sqrt(whole)), "rmse_without": float(np.sqrt(variance))},
    )


@rule(
    "shrunken-predictions",
    about="regression errors",
    title="Predictions vary too little",
    severity="caution",
    why="Actual values change by more than the predictions: low values are predicted too high and high values too low, "
    "as by a model that is regularised too much or was trained on noisy features.",
    action="Regress actual on predicted values on held-out items and rescale, or regularise less; plot residuals "
    "against predictions.",
)
def shrunken_predictions(residuals: Residuals, *, slope: float = 1.2, standard_errors: float = 3.0) -> Observations:
    """The slope of actual on predicted values is at least `slope`, and `standard_errors` standard errors above 1."""
    if len(residuals) < _FEWEST or not float(residuals.variance(residuals.predicted)) > 0:
        return
    mean, spread = float(residuals.mean(residuals.predicted)), float(residuals.variance(residuals.predicted))
    centred = residuals.predicted - mean
    estimate = float(residuals.mean(centred * residuals.actual)) / spread
    rest = residuals.actual - residuals.mean(residuals.actual) - estimate * centred
    error = np.sqrt(float(residuals.mean(rest**2)) / spread / (len(residuals) - 2))
    if estimate >= slope and estimate - 1 >= standard_errors * error:
        yield observation(
            f"Actual values change by {value(estimate)} for each unit of the prediction: predictions vary too little, "
            "being too high for low values and too low for high ones.",
            {"slope": estimate, "standard_error": float(error)},
        )


@rule(
    "few-large-errors",
    about="regression errors",
    title="A few items dominate the squared error",
    severity="caution",
    why="Squaring emphasises large errors: a handful of items determines MSE, RMSE and R2, and which system looks "
    "better. Without these items, or if they are data errors, the values would be very different.",
    action="Inspect these items; report MAE or the median absolute error next to RMSE.",
    explains=("worse-than-mean", "shrunken-predictions"),
)
def few_large_errors(residuals: Residuals, *, few: float = 0.02, half: float = 0.5, least: int = 20) -> Observations:
    """A single item, or at most a proportion `few` of at least `least` items, makes up `half` of the squared error."""
    weight = np.ones(len(residuals)) if residuals.weight is None else residuals.weight
    square = np.sort(weight * residuals.error**2)[::-1]
    if len(square) < least or not square.sum() > 0:
        return
    part = np.cumsum(square) / square.sum()
    n_few = int(np.argmax(part >= half - LONG_SUMS)) + 1
    if n_few > max(1, few * len(square)):
        return
    rmse, rest = (np.sqrt(squares.sum() / residuals.total) for squares in (square, square[n_few:]))
    mae = float(residuals.mean(np.abs(residuals.error)))
    yield observation(
        f"{count(n_few, 'item')} of {len(square):,} {verb(n_few, 'makes', 'make')} up {percent(part[n_few - 1])} of "
        f"the squared error: RMSE is {value(rmse)}, but would be {value(rest)} without {verb(n_few, 'its', 'their')} "
        f"error; MAE is {value(mae)}.",
        {"n_items": n_few, "proportion": float(part[n_few - 1]), "rmse": float(rmse), "rest": float(rest), "mae": mae},
    )


@rule(
    "uneven-errors",
    about="regression errors",
    title="Errors depend on the predicted value",
    severity="note",
    why="The errors are heteroscedastic, so one figure fits neither end: if errors grow with the value, it is too "
    "optimistic for large values, too pessimistic for small ones, and dominated by large values.",
    action="Report errors by range of values, or relative errors (MAPE, or errors of logarithms).",
)
def uneven_errors(
    residuals: Residuals, *, times: float = 2.0, standard_errors: float = 3.0, least: int = 40
) -> Observations:
    """The mean absolute error in the highest quarter of predictions is `times` that in the lowest, or the reverse.

    The two must differ by `standard_errors` standard errors, and there must be at least `least` items.
    """
    if len(residuals) < least:
        return
    order = np.argsort(residuals.predicted, kind="stable")
    size = np.abs(residuals.error)[order]
    low, high = size[: len(size) // _QUARTERS], size[-(len(size) // _QUARTERS) :]
    difference = abs(high.mean() - low.mean())
    spread = np.sqrt(low.var(ddof=1) / len(low) + high.var(ddof=1) / len(high))
    smaller, larger = sorted((float(low.mean()), float(high.mean())))
    if not larger > 0 or not reaches(larger, times * smaller) or difference < standard_errors * spread:
        return
    yield observation(
        f"The mean absolute error is {value(low.mean())} for the lowest quarter of predictions and "
        f"{value(high.mean())} for the highest.",
        {"low": float(low.mean()), "high": float(high.mean())},
    )


# Rules about predicted distributions: whether intervals and quantiles mean what they say


_LEVELS = (0.5, 0.8, 0.9, 0.95)  # levels at which samples and normal distributions are examined
_MEDIAN = 0.5


def _interval_levels(forecasts: Forecasts) -> tuple[float, ...]:
    if forecasts.form == "quantiles":
        return forecasts.interval_levels
    return tuple(level for level in _LEVELS if all(map(forecasts.reaches, ends(level))))


def _bounds(proportion: float, forecasts: Forecasts, confidence: float) -> tuple[float, float]:
    """Wilson's interval of a proportion of the items."""
    interval = wilson(proportion * forecasts.effective, forecasts.effective, confidence)
    return float(interval.low), float(interval.high)


@rule(
    "intervals-too-narrow",
    about="predicted distributions",
    title="Intervals cover too little",
    severity="serious",
    why="The system is overconfident: actual values fall outside its intervals more often than their level promises, "
    "so decisions that rely on them take more risk than intended.",
    action="Recalibrate on held-out items: widen the intervals by the quantile of their errors (conformal "
    "prediction), or add the variance that the model leaves out.",
)
def intervals_too_narrow(forecasts: Forecasts, *, margin: float = 0.03, confidence: float = 0.999) -> Observations:
    """The coverage of an interval is at least `margin` below its level, beyond its confidence interval at `confidence`.

    The level with the largest difference is reported.
    """
    missed = []
    for level in _interval_levels(forecasts):
        lower, upper = forecasts.interval(level)
        below, above = (float(forecasts.mean(out)) for out in (forecasts.actual < lower, forecasts.actual > upper))
        covered = 1 - below - above
        if reaches(level - covered, margin) and _bounds(covered, forecasts, confidence)[1] < level:
            missed.append((level - covered, level, covered, below, above))
    if not missed:
        return
    _, level, covered, below, above = max(missed)
    low, high = _bounds(covered, forecasts, CONFIDENCE)
    yield observation(
        f"Nominal {percent(level)} intervals cover {percent(covered)} of the actual values ({percent(CONFIDENCE)} CI "
        f"{percent(low)} to {percent(high)}): {percent(below)} are below them and {percent(above)} above.",
        {"level": level, "coverage": covered, "low": low, "high": high, "below": below, "above": above},
    )


@rule(
    "intervals-too-wide",
    about="predicted distributions",
    title="Intervals cover too much",
    severity="caution",
    why="The intervals are wider than their level requires, so they say less than the system knows.",
    action="Recalibrate on held-out items: shrink the intervals to the quantile of their errors.",
)
def intervals_too_wide(forecasts: Forecasts, *, margin: float = 0.03, confidence: float = 0.999) -> Observations:
    """The proportion inside an interval exceeds its level by `margin`, beyond its confidence interval at `confidence`.

    Values on a bound count as outside. The level with the largest difference is reported.
    """
    wide = []
    for level in _interval_levels(forecasts):
        lower, upper = forecasts.interval(level)
        inside = float(forecasts.mean((lower < forecasts.actual) & (forecasts.actual < upper)))
        if reaches(inside - level, margin) and _bounds(inside, forecasts, confidence)[0] > level:
            wide.append((inside - level, level, inside))
    if wide:
        _, level, inside = max(wide)
        yield observation(
            f"Nominal {percent(level)} intervals cover {percent(inside)} of the actual values: they are too wide.",
            {"level": level, "coverage": inside},
        )


@rule(
    "shifted-distributions",
    about="predicted distributions",
    title="Predicted distributions are biased",
    severity="caution",
    why="The predicted median should split the actual values in half. If it does not, all quantiles are shifted, and "
    "intervals miss on one side.",
    action="Estimate the shift on held-out items and correct it; look for its cause.",
    covers=("shifted-predictions",),
    explains=("intervals-too-narrow", "worse-than-mean"),
)
def shifted_distributions(forecasts: Forecasts, *, margin: float = 0.05, confidence: float = 0.999) -> Observations:
    """The proportion of values on one side of the median exceeds one half by `margin`, beyond its confidence interval
    at `confidence`."""
    if not forecasts.has_quantile(_MEDIAN):
        return
    median = forecasts.quantile(_MEDIAN)
    for side, outside in (("below", forecasts.actual < median), ("above", forecasts.actual > median)):
        proportion = float(forecasts.mean(outside))
        if reaches(proportion - _MEDIAN, margin) and _bounds(proportion, forecasts, confidence)[0] > _MEDIAN:
            yield observation(
                f"{percent(proportion)} of the actual values are {side} the predicted median: predictions are too "
                f"{'high' if side == 'below' else 'low'}.",
                {"proportion": proportion, "side": side},
            )


@rule(
    "crossing-quantiles",
    about="predicted distributions",
    title="Predicted quantiles cross",
    severity="caution",
    why="A quantile at a higher level cannot be lower: where quantiles cross, they describe no distribution, and "
    "intervals have a negative width. This happens if each quantile is predicted by a separate model.",
    action="Sort the predicted quantiles of each item, or fit them together.",
)
def crossing_quantiles(forecasts: Forecasts, *, proportion: float = 0.01) -> Observations:
    """Quantiles cross for at least `proportion` of the items."""
    n = forecasts.n_crossing
    if n and reaches(n / len(forecasts), proportion):
        yield observation(
            f"Predicted quantiles cross for {count(n, 'item')} of {len(forecasts):,}, which then "
            f"{verb(n, 'has', 'have')} no valid distribution.",
            {"n_items": n, "proportion": n / len(forecasts)},
        )
