"""Equality up to rounding errors: the rule and its constants.

A computed number has an error of some units in the last place of the largest number it was computed from. Two numbers
are therefore equal up to rounding if they differ by at most `ROUNDING` times that size: 0.5 - 0.4 and 0.4 - 0.3, which
are computed from values up to 0.5, are the same difference. The size matters: the error of 1000000.5 - 1000000.4 is
larger than that of 0.5 - 0.4. Whole numbers of up to 64 bits are counts and times, which have no error: two of them are
equal only if they are the same number.

Decided here: when two values are equal up to rounding.
"""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats, Mask

ROUNDING = 2.0**-44  # 256 units in the last place: separates decimals of 12 digits, joins sums of 500 of them
LONG_SUMS = 2.0**-36  # the same for sums over any number of items or weights
NEAR = 2.0**-30  # closer values may be equal, which is then decided exactly if possible
INTEGERS = 2.0**63  # all larger floating-point numbers are whole, rounded or not


def whole(values: Floats) -> Mask:
    """Which values are whole numbers, taken to be without rounding errors."""
    return (np.abs(values) <= INTEGERS) & (np.floor(values) == values)


def zero_within_rounding(apart: Floats, size: Floats | float) -> Floats:
    """The differences, 0 if they are within the rounding errors of numbers of this size."""
    return np.where(np.abs(apart) <= ROUNDING * size, 0.0, apart)


def less(values: Floats, others: Floats) -> Floats:
    """The values minus the others, 0 if they are equal up to rounding."""
    apart = values - others
    rounded = zero_within_rounding(apart, np.maximum(np.abs(values), np.abs(others)))
    return np.where(whole(values) & whole(others), apart, rounded)


def merged(values: Floats, size: Floats) -> Floats:
    """The values, each replaced by the smallest that equals it up to the rounding of numbers of these sizes.

    Neighbours in sorted order are compared, so that equality is symmetric and transitive.
    """
    order = np.argsort(values, kind="stable")
    ordered, sizes = values[order], np.where(np.isinf(values) | whole(values), 0.0, size)[order]
    with np.errstate(invalid="ignore", over="ignore"):
        first = np.append(True, ~(np.diff(ordered) <= ROUNDING * np.maximum(sizes[1:], sizes[:-1])))[: len(values)]
    least = np.empty_like(ordered)
    least[order] = ordered[first][np.cumsum(first) - 1]
    return least
