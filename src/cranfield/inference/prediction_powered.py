"""Prediction-powered inference: means from a few human and many machine judgments, with valid intervals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import zero_within_rounding
from cranfield.frozen import frozen
from cranfield.inference.distributions import normal_critical_value, t_quantile
from cranfield.inference.intervals import UNBOUNDED, Interval, bounded_interval, t_interval
from cranfield.measures.settings import CONFIDENCE

WIDEST = 1.1  # times the interval from human values alone
ENOUGH = 30  # human values; with fewer, an interval shorter than theirs covers less than it should
ENOUGH_FROM_BOUND = 6.0  # the same for the sum of their distances from the nearer bound, as of a rare 1 among zeros


@frozen
class CombinedEstimate:
    """An estimate from human and machine judgments together, and from either kind alone."""

    value: float
    low: float
    high: float
    weight: float  # of the machine's judgments; 0 if they do not help
    human: float
    human_low: float
    human_high: float
    machine: float
    difference: float  # machine minus human, on the units that have both
    worth: float  # number of human judgments that would give an equally short interval
    needed: int | None  # human judgments for the desired half-width; None if not requested or out of reach


def powered_mean(
    human: Floats,
    machine: Floats,
    machine_rest: Floats,
    confidence: float = CONFIDENCE,
    half_width: float | None = None,
    *,
    bounds: tuple[float, float] = UNBOUNDED,
) -> CombinedEstimate:
    """The mean over all units: these have a human value, and all have a machine value.

    The machine's mean over the other units replaces its mean over these, with the weight that makes the variance
    smallest (power tuning): the slope of human on machine values, less the fewer other units there are. The interval is
    that of the human mean, adjusted for skewness if the values have bounds, scaled by the ratio of standard errors; it
    is shorter only if there are enough human values to estimate the ratio.
    Human values that are all the same show no variance, so there is no interval.
    """
    n, n_rest = len(human), len(machine_rest)
    weight = _weight(human, machine, n_rest)
    centre = float(human.mean())
    value = float(centre - weight * (machine.mean() - machine_rest.mean())) if weight else centre
    variance = _variance(human, machine, machine_rest, weight)
    alone = float(human.var(ddof=1)) / n
    flat = not zero_within_rounding(np.ptp(human, keepdims=True), np.abs(human).max()).any()
    people = _of_people(human, bounds, confidence)
    scale = _reach(confidence, n - 2) / _reach(confidence, n - 1) * math.sqrt(variance / alone) if weight else 1.0
    scale = min(scale if _enough(human, bounds) else max(scale, 1.0), WIDEST)
    human_low, human_high = float(people.low[0]), float(people.high[0])
    estimate = CombinedEstimate(
        value,
        max(value - scale * (centre - human_low), min(bounds[0], value)),  # the estimate may be outside the bounds
        min(value + scale * (human_high - centre), max(bounds[1], value)),
        weight,
        centre,
        human_low,
        human_high,
        float(np.concatenate([machine, machine_rest]).mean()),
        float((machine - human).mean()),
        n * alone / variance if variance else math.nan,
        None if half_width is None else _needed(human, machine, n + n_rest, half_width, confidence),
    )
    return _without_interval(estimate) if flat else estimate


def _enough(human: Floats, bounds: tuple[float, float]) -> bool:
    """Whether these are enough values to estimate how much the machine's values explain."""
    low, high = bounds
    if len(human) < ENOUGH or not np.isfinite(bounds).all():
        return len(human) >= ENOUGH
    return len(human) * min(float(human.mean()) - low, high - float(human.mean())) >= ENOUGH_FROM_BOUND * (high - low)


def _without_interval(estimate: CombinedEstimate) -> CombinedEstimate:
    """The human mean, whose variance is unknown."""
    unknown = math.nan
    alone = replace(estimate, value=estimate.human, low=unknown, high=unknown, weight=0.0)
    return replace(alone, human_low=unknown, human_high=unknown, worth=unknown)


def _of_people(human: Floats, bounds: tuple[float, float], confidence: float) -> Interval:
    """The interval from human values alone, as for any other mean of a measure with these bounds."""
    if np.isfinite(bounds).all():
        return bounded_interval(human[:, None], bounds, confidence)
    return t_interval(human[:, None], confidence)


def _variance(human: Floats, machine: Floats, machine_rest: Floats, weight: float) -> float:
    """The variance of the estimate.

    A unit whose machine value is far from the others pulls the estimated slope towards itself: its residual is divided
    by one minus its leverage, as in the jackknife.
    """
    n = len(human)
    left = human - weight * machine
    left = left - left.mean()
    if not weight:
        return float((left**2).sum()) / (n - 1) / n
    apart = (machine - machine.mean()) ** 2
    left = left / (1 - np.minimum(apart / apart.sum(), 0.9))
    others = float(np.concatenate([machine, machine_rest]).var(ddof=1))
    return float((left**2).sum()) / (n - 1) / n + weight**2 * others / len(machine_rest)


def _reach(confidence: float, freedom: int) -> float:
    """The quantile of Student's t distribution for both bounds."""
    return float(t_quantile((1 + confidence) / 2, freedom))


def _weight(human: Floats, machine: Floats, n_rest: int) -> float:
    """The weight of the machine's values; 0 if they do not vary, correlate negatively, or are too few."""
    variance = float(machine.var(ddof=1))
    if not n_rest or len(human) < 3 or not variance:
        return 0.0
    covariance = float(((human - human.mean()) * (machine - machine.mean())).sum()) / (len(human) - 1)
    return max(covariance / variance, 0.0) / (1 + len(human) / n_rest)


def _needed(human: Floats, machine: Floats, n_units: int, half_width: float, confidence: float) -> int | None:
    """The smallest number of human values whose interval has this half-width, among this many units."""
    variance = float(human.var(ddof=1))
    spread = float(machine.std(ddof=1)) * math.sqrt(variance)
    covariance = float(((human - human.mean()) * (machine - machine.mean())).sum()) / (len(human) - 1)
    explained = max(covariance / spread, 0.0) ** 2 if spread else 0.0
    room = (half_width / normal_critical_value(confidence)) ** 2 - explained * variance / n_units
    if room <= 0:
        return None
    n_needed = math.ceil(variance * (1 - explained) / room)
    return max(n_needed, 3) if n_needed <= n_units else None
