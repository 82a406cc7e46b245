"""Columns of probabilities, checked: between 0 and 1, and those of all classes add up to 1.

Decided here: which numbers are probabilities, and when those of all classes add up to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.tables.locations import Where, refuse_rows
from cranfield.tables.number_columns import numbers

TOLERANCE = 0.0005  # per class, by which the sum of probabilities may deviate from 1: three decimals, or 16 bits


def probabilities(name: str, values: Any, where: Where, *, most: float = 1) -> Floats:
    """The values as probabilities, or as non-negative numbers up to another limit."""
    column = numbers(name, values, where)
    if len(column) and (column.min() < 0 or column.max() > most):  # without a mask for each item
        limits = "not between 0 and 1" if most == 1 else "negative"
        refuse_rows(
            (column < 0) | (column > most), where, lambda place: f"{name} is {column[place]}, which is {limits}"
        )
    return column


def distribution(table: Floats, where: Where, *, normalise: bool = False) -> Floats:
    """The class probabilities of each item, which must sum to 1, or are divided by their sum if requested."""
    total = table.sum(axis=1)
    if normalise:
        refuse_rows(total == 0, where, lambda _: "the probabilities are all 0, so they cannot be normalised")
        return np.asarray(table / total[:, None], np.float64)
    allowed = TOLERANCE * table.shape[1]
    refuse_rows(
        np.abs(total - 1) > allowed + 1e-9,  # rounding error of the sum
        where,
        lambda place: (
            f"the probabilities add up to {total[place]:.6g}, not to 1 (allowed: {TOLERANCE:g} per class, "
            f"here {allowed:g}, for rounding); normalise divides them by their sum"
        ),
    )
    return table
