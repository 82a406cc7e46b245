"""Quotients, undefined (NaN) if the divisor is 0, and roots of counts: in floating point, or exact for fractions.

Decided here: where a value becomes undefined: only `ratio` returns NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import objects
from cranfield.evidence.rounding import NEAR

if TYPE_CHECKING:
    from fractions import Fraction

Numbers = NDArray[Any]  # floating point, or fractions held as objects


def ratio(numerator: Numbers, denominator: Numbers | float) -> Numbers:
    """The quotient, NaN if the denominator is 0: the only place where values become undefined."""
    if isinstance(denominator, int | float):
        with np.errstate(over="ignore"):
            return np.asarray(numerator / denominator) if denominator else np.full(np.shape(numerator), np.nan)
    if numerator.dtype == object:
        pairs = zip(numerator, np.broadcast_to(denominator, numerator.shape), strict=True)
        return objects(number / divisor if divisor else math.nan for number, divisor in pairs)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # overflow gives infinity
        if denominator.size == 1 and denominator.item():
            return np.asarray(numerator / denominator)  # checking one number is much faster than an array
        return np.where(denominator == 0, np.nan, numerator / denominator)


def clip_to_bounds(value: Numbers, bounds: tuple[float, float]) -> Numbers:
    """The value, clipped to the bound if rounding exceeded it."""
    if value.dtype == object:
        return value  # fractions, which are not rounded
    low, high = bounds
    if value.size == 1 and low <= value.item() <= high:
        return value
    beyond = (value < low) | (value > high)
    if not beyond.any():
        return value
    clipped = np.clip(value, low, high)
    return np.where(beyond & (np.abs(value - clipped) < NEAR), clipped, value)


def root(value: Numbers) -> Numbers:
    """The signed square root; roots of equal fractions are equal."""
    if value.dtype != object:
        return np.copysign(np.sqrt(np.abs(value)), value)
    return objects(math.copysign(math.sqrt(abs(number)), number) for number in value)


def fractions(value: Numbers) -> Numbers:
    """The same numbers as fractions."""
    from fractions import Fraction  # slow to import and rarely needed

    return objects(map(Fraction, value.tolist()))


def decimal(number: float) -> Fraction:
    """The fraction written by the shortest decimal text of a number: 7/10 for 0.7."""
    from fractions import Fraction

    return Fraction(str(number))
