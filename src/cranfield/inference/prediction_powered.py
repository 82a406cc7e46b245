"""Prediction-powered inference: means from a few human and many machine judgments, with valid intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cranfield.arrays import Floats
from cranfield.inference.distributions import normal_reach, t_quantile


@dataclass(frozen=True)
class PoweredMean:
    """A mean estimated from both kinds of values, and the means of either kind alone."""

    value: float
    low: float
    high: float
    weight: float  # of the machine's values: 0 if they do not help
    human: float
    human_low: float
    human_high: float
    machine: float
    worth: float  # number of human values that would give an equally short interval
    difference: float  # machine minus human, on the units that have both
    needed: int | None  # human values for an interval of the desired half-width; None if not requested or out of reach


def powered_mean(
    human: Floats, machine: Floats, machine_rest: Floats, confidence: float = 0.95, half_width: float | None = None
) -> PoweredMean:
    """The mean over all units: these have a human value, and all have a machine value.

    The machine's mean over the other units replaces its mean over these, with the weight that makes the variance
    smallest (power tuning): the slope of human on machine values, less the fewer other units there are. As the slope is
    estimated, one more degree of freedom is lost.
    """
    n, n_rest = len(human), len(machine_rest)
    weight = _weight(human, machine, n_rest)
    value = float(human.mean() - weight * (machine.mean() - machine_rest.mean())) if weight else float(human.mean())
    left, lost = human - weight * machine, 2 if weight else 1
    variance = float(((left - left.mean()) ** 2).sum()) / (n - lost) / n
    if weight:
        variance += weight**2 * float(np.concatenate([machine, machine_rest]).var(ddof=1)) / n_rest
    half = t_quantile((1 + confidence) / 2, n - lost) * math.sqrt(variance)
    alone = float(human.var(ddof=1)) / n
    half_alone = t_quantile((1 + confidence) / 2, n - 1) * math.sqrt(alone)
    return PoweredMean(
        value,
        value - half,
        value + half,
        weight,
        float(human.mean()),
        float(human.mean()) - half_alone,
        float(human.mean()) + half_alone,
        float(np.concatenate([machine, machine_rest]).mean()),
        n * alone / variance if variance else math.nan,
        float((machine - human).mean()),
        None if half_width is None else _needed(human, machine, n + n_rest, half_width, confidence),
    )


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
    room = (half_width / normal_reach(confidence)) ** 2 - explained * variance / n_units
    if room <= 0:
        return None
    n_needed = math.ceil(variance * (1 - explained) / room)
    return max(n_needed, 3) if n_needed <= n_units else None
