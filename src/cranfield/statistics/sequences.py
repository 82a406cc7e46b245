"""Confidence sequences and e-values of bounded means by betting (Waudby-Smith and Ramdas 2024): valid at every look."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask

N_CANDIDATES = 2_001  # evenly spaced candidate means; an odd number, to include the middle
_LARGEST = np.log(np.finfo(float).max)  # of the logarithm of an e-value: a lower e-value is valid too
CAUTION = 0.5  # the largest proportion of the capital that a bet can lose
BOLDEST = 0.95  # the same, if all values are known at once
DEVIATIONS = np.array([0.025, 0.05, 0.1])  # standard deviations of the values for which stakes are best, of their range


class ConfidenceSequence(NamedTuple):
    """After each value: the bounds of the mean, and the e-value of the hypothesis that the mean is `null`."""

    low: Floats
    high: Floats
    e: Floats

    @property
    def p(self) -> Floats:
        """Always-valid p-values: the inverse of the largest e-value so far."""
        return np.minimum(1 / np.maximum.accumulate(self.e), 1.0)


def confidence_sequence(values: Floats, bounds: tuple[float, float], level: float, null: float) -> ConfidenceSequence:
    """Bounds of the mean of values within `bounds` that are valid for all sample sizes simultaneously.

    For each candidate mean a gambler bets on the next value being higher, another on its being lower, half of the
    capital each. The stakes depend only on earlier values, so the capital is a martingale if the candidate is the mean,
    and rarely grows large: candidates at which it ever reached 1 / level are excluded.
    """
    low, high = bounds
    unit = (values - low) / (high - low)
    candidate = np.linspace(0, 1, N_CANDIDATES)
    place = (null - low) / (high - low)
    stake = _stakes(unit, level)
    allowed, e = np.ones(N_CANDIDATES, bool), np.empty(len(unit))
    logs, of_null = np.zeros((2, N_CANDIDATES)), np.zeros((2, 1))
    bounds_after = np.empty((2, len(unit)))
    for i, value in enumerate(unit.tolist()):
        logs += _gains(value, stake[i], candidate)
        of_null += _gains(value, stake[i], np.array([place]))
        allowed &= np.logaddexp(*logs) - np.log(2) < -np.log(level)
        e[i] = np.exp(min(np.logaddexp(*of_null)[0] - np.log(2), _LARGEST))
        bounds_after[:, i] = _hull(allowed, candidate)
    scaled = low + (high - low) * bounds_after
    return ConfidenceSequence(scaled[0], scaled[1], e)


def _stakes(unit: Floats, level: float) -> Floats:
    """The stake before each value, from the variance of the earlier ones."""
    i = np.arange(1, len(unit) + 1)
    mean = (0.5 + np.cumsum(unit)) / (i + 1)
    variance = (0.25 + np.cumsum((unit - mean) ** 2)) / (i + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return np.sqrt(2 * np.log(2 / level) / (before * i * np.log(i + 1)))


def _gains(value: float, stake: float, candidate: Floats) -> Floats:
    """The log growth of both gamblers' capital with a value."""
    with np.errstate(divide="ignore"):
        up = np.minimum(stake, CAUTION / candidate)
        down = np.minimum(stake, CAUTION / (1 - candidate))
    return np.array([np.log1p(up * (value - candidate)), np.log1p(-down * (value - candidate))])


def _hull(allowed: Mask, candidate: Floats) -> tuple[float, float]:
    """The smallest interval with all candidates that are not excluded, plus a step on each side for means between."""
    if not allowed.any():
        return np.nan, np.nan
    places = np.flatnonzero(allowed)
    step = candidate[1]
    return max(candidate[places[0]] - step, 0.0), min(candidate[places[-1]] + step, 1.0)


def e_value(values: Floats, bounds: tuple[float, float], null: float, level: float) -> float:
    """The e-value of the hypothesis that the mean is `null`: if so, it is 1 / level or more with probability level.

    Gamblers as in `confidence_sequence`, with all values at once: their stakes depend only on the number of values and
    on what the standard deviation may be, so the order of the values does not matter.
    """
    low, high = bounds
    place = (null - low) / (high - low)
    away = (values - low) / (high - low) - place
    stakes = np.sqrt(2 * np.log(2 / level) / len(values)) / DEVIATIONS
    up, down = np.minimum(stakes, BOLDEST / place), np.minimum(stakes, BOLDEST / (1 - place))
    logs = np.log1p(np.multiply.outer(np.concatenate([up, -down]), away)).sum(axis=1)
    return float(np.exp(np.minimum(logs, _LARGEST)).mean())
