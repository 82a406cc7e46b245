"""Bisection: the smallest number that satisfies a monotone condition, and roots."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadSetting

MOST_UNITS = 10_000_000  # that a plan may need
_HALVINGS = 100  # of an interval with a root: down to the last digit
_LARGEST = 1e300  # number that is tried


def least(enough: Callable[[float], bool]) -> float:
    """The smallest positive number that satisfies a monotone condition, by bisection; infinity if there is none."""
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
        if high > _LARGEST:
            return math.inf
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def least_whole(enough: Callable[[int], bool], start: int, refused: Callable[[int], str]) -> int:
    """The smallest number of units from `start` on that satisfies a monotone condition; too many are refused."""
    few, many = start - 1, start
    while not enough(many):
        few, many = many, 2 * many
        if many > MOST_UNITS:
            raise BadSetting(refused(few))
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def roots(function: Callable[[Floats], Floats], negative: Floats, positive: Floats) -> Floats:
    """Where functions cross 0 between numbers at which they are negative and others at which they are positive."""
    for _ in range(_HALVINGS):
        middle = (negative + positive) / 2
        if (np.abs(positive - negative) <= 1e-13 * np.maximum(np.abs(middle), 1)).all():
            break
        below = function(middle) < 0
        negative, positive = np.where(below, middle, negative), np.where(below, positive, middle)
    return (negative + positive) / 2


def root(function: Callable[[float], float], negative: float, positive: float) -> float:
    """Where a function crosses 0 between a number at which it is negative and one at which it is positive."""
    for _ in range(_HALVINGS):
        middle = (negative + positive) / 2
        negative, positive = (middle, positive) if function(middle) < 0 else (negative, middle)
    return (negative + positive) / 2
