"""Quotients and roots of counts: in floating point, or exactly, where counts are held as fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence import hits

Numbers = NDArray[Any]  # floating point, or fractions held as objects


def ratio(numerator: Numbers, denominator: Numbers | float) -> Numbers:
    """The quotient, NaN where it is divided by nothing."""
    if numerator.dtype != object:
        return hits.ratio(numerator, denominator)
    below = np.broadcast_to(np.asarray(denominator, object), numerator.shape)
    return _each(lambda pair: pair[0] / pair[1] if pair[1] else math.nan, zip(numerator, below, strict=True))


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
