"""Rules about predicted distributions: whether intervals and quantiles mean what they say."""

from __future__ import annotations

from cranfield.evidence.forecasts import Forecasts
from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import reaches, rule
from cranfield.inference.intervals import wilson
from cranfield.measures.settings import CONFIDENCE
from cranfield.tables.forecasts import ends
from cranfield.text import count, percent, verb

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
