"""Quotients and roots of counts: in floating point, or exactly, where counts are held as fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]  # floating point, or fractions held as objects

NEAR = 1e-9  # values closer than this may differ by rounding alone
ROUNDING = 1e-11  # shares of sums of weights closer than this do


def ratio(numerator: Numbers, denominator: Numbers | float) -> Numbers:
    """The quotient, NaN where it is divided by nothing: the one home of what is undefined."""
    if isinstance(denominator, int | float):
        return np.asarray(numerator / denominator) if denominator else np.full(np.shape(numerator), np.nan)
    if numerator.dtype == object:
        pairs = zip(numerator, np.broadcast_to(denominator, numerator.shape), strict=True)
        return _each(lambda pair: pair[0] / pair[1] if pair[1] else math.nan, pairs)
    if denominator.size == 1 and denominator.item():
        return np.asarray(numerator / denominator)  # one number is looked at far faster than an array of one
    nothing = denominator == 0
    if not nothing.any():
        return np.asarray(numerator / denominator)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(nothing, np.nan, numerator / denominator)


def settled(value: Numbers, bounds: tuple[float, float]) -> Numbers:
    """The value, or the bound that rounding carried it past."""
    if value.dtype == object:
        return value  # fractions, which are not rounded
    low, high = bounds
    if value.size == 1 and low <= value.item() <= high:
        return value
    beyond = (value < low) | (value > high)
    if not beyond.any():
        return value
    kept = np.clip(value, low, high)
    return np.where(beyond & (np.abs(value - kept) < NEAR), kept, value)


def root(value: Numbers) -> Numbers:
    """The square root with the sign of the value; roots of equal fractions are equal."""
    if value.dtype != object:
        return np.copysign(np.sqrt(np.abs(value)), value)
    return _each(lambda number: math.copysign(math.sqrt(abs(number)), number), value)


def fractions(value: Numbers) -> Numbers:
    """The same numbers as fractions."""
    return _each(Fraction, value.tolist())


def decimal(number: float) -> Fraction:
    """The fraction that a number's shortest text stands for: 7/10 for 0.7."""
    return Fraction(str(number))


def _each(function: Any, values: Any) -> Numbers:
    result = [function(value) for value in values]
    array = np.empty(len(result), object)
    array[:] = result
    return array
