"""Columns of probabilities, checked: between 0 and 1, and those of all classes add up to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput
from cranfield.tables.labels import Where
from cranfield.tables.number_columns import numbers

TOLERANCE = 0.0005  # per class, by which the sum of probabilities may deviate from 1: three decimals, or 16 bits


def probabilities(name: str, values: Any, where: Where, *, most: float = 1) -> Floats:
    """The values as probabilities, or as non-negative numbers up to another limit."""
    column = numbers(name, values, where)
    if len(column) and (column.min() < 0 or column.max() > most):
        place = int(np.argmax((column < 0) | (column > most)))
        what = "not between 0 and 1" if most == 1 else "negative"
        raise BadInput(f"{where(place)}: {name} is {column[place]}, which is {what}")
    return column


def distribution(table: Floats, where: Where, *, normalise: bool = False) -> Floats:
    """The class probabilities of each item, which must sum to 1, or are divided by their sum if requested."""
    total = table.sum(axis=1)
    if normalise:
        if not total.all():
            raise BadInput(f"{where(int(np.argmin(total)))}: the probabilities are all 0, so they cannot be normalised")
        return np.asarray(table / total[:, None], np.float64)
    allowed = TOLERANCE * table.shape[1]
    off = np.abs(total - 1) > allowed + 1e-9  # rounding error of the sum
    if off.any():
        place = int(np.argmax(off))
        raise BadInput(
            f"{where(place)}: the probabilities add up to {total[place]:.6g}, not to 1 (allowed: {TOLERANCE:g} per "
            f"class, here {allowed:g}, for rounding); normalise divides them by their sum"
        )
    return table
