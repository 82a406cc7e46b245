"""Scores of predicted distributions by integration in plain Python: exact for steps, else by Simpson's rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist


def crps_of_samples(samples: Sequence[float], actual: float) -> Fraction:
    """The integral of (F(x) - [x >= actual])² over the steps of the empirical distribution function F."""
    points = sorted({Fraction(x) for x in (*samples, actual)})
    total = Fraction(0)
    for left, right in pairwise(points):
        height = Fraction(sum(Fraction(x) <= left for x in samples), len(samples)) - (left >= Fraction(actual))
        total += height**2 * (right - left)
    return total


def fair_crps(samples: Sequence[float], actual: float) -> Fraction:
    """Mean distance to the actual value, minus half of the mean distance of two different samples."""
    exact = [Fraction(x) for x in samples]
    pairs = [abs(a - b) for i, a in enumerate(exact) for j, b in enumerate(exact) if i != j]
    return sum(abs(x - Fraction(actual)) for x in exact) / len(exact) - sum(pairs) / len(pairs) / 2


def crps_of_normal(mean: float, deviation: float, actual: float, steps: int = 20_000) -> float:
    """The same integral for a normal distribution: to the left and to the right of the actual value."""
    normal = NormalDist(mean, deviation)
    low = min(actual, mean) - 12 * deviation
    high = max(actual, mean) + 12 * deviation
    below = simpson(lambda x: normal.cdf(x) ** 2, low, actual, steps)
    return below + simpson(lambda x: (1 - normal.cdf(x)) ** 2, actual, high, steps)


def simpson(function: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Simpson's rule with an even number of steps."""
    width = (high - low) / steps
    inner = math.fsum((4 if k % 2 else 2) * function(low + k * width) for k in range(1, steps))
    return width / 3 * (function(low) + inner + function(high))


def pinball(quantile: float, actual: float, level: Fraction) -> Fraction:
    """The loss of one predicted quantile."""
    error = Fraction(actual) - Fraction(quantile)
    return max(level * error, (level - 1) * error)


def weighted_interval_score(intervals: dict[Fraction, tuple[float, float]], median: float, actual: float) -> Fraction:
    """As Bracher et al. define it: weighted interval scores, and half of the absolute error of the median."""
    total = abs(Fraction(actual) - Fraction(median)) / 2
    for level, bounds in intervals.items():
        total += (1 - level) / 2 * interval_score(*bounds, actual, level)
    return total / (len(intervals) + Fraction(1, 2))


def interval_score(lower: float, upper: float, actual: float, level: Fraction) -> Fraction:
    """The width, and a penalty for values outside."""
    low, high, y = map(Fraction, (lower, upper, actual))
    penalty = 2 / (1 - level)
    return high - low + (penalty * (low - y) if y < low else 0) + (penalty * (y - high) if y > high else 0)
