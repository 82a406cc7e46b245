"""Columns of numbers, checked: every one is a number, and every probability is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.labels import Where, arrow

Floats = NDArray[np.float64]

_LEAST = 1e-60  # weight: that four of them multiplied are a number, and so sums of them
ROUNDING = 1e-6  # what probabilities may add up to beside 1: those of 32 bits are rounded


def numbers(name: str, values: Any, where: Where) -> Floats:
    """The values as floating-point numbers, all of them finite."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub" and values.ndim == 1:
        column = values.astype(np.float64, copy=False)
    else:
        column = _from_any(name, values, where)
    if not np.isfinite(column).all():
        place = int(np.argmin(np.isfinite(column)))
        what = "is missing" if np.isnan(column[place]) else f"is {column[place]}, which is no finite number"
        raise BadInput(f"{where(place)}: {name} {what}")
    return column


def _from_any(name: str, values: Any, where: Where) -> Floats:
    try:
        column = arrow(name, values)
    except BadInput:
        if not isinstance(values, list | tuple):
            raise
        return _each(name, values, where)  # texts among numbers
    return _from_arrow(name, column, where)


def _from_arrow(name: str, column: pa.Array, where: Where) -> Floats:
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    try:
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    return _each(name, column.to_pylist(), where)


def _each(name: str, values: Sequence[Any], where: Where) -> Floats:
    """The numbers, of texts and others, one by one."""
    result = np.empty(len(values))
    for place, value in enumerate(values):
        try:
            result[place] = np.nan if value is None else float(value)
        except (TypeError, ValueError):
            raise BadInput(f"{where(place)}: {name} {value!r} is not a number") from None
    return result


def probabilities(name: str, values: Any, where: Where) -> Floats:
    """The values as probabilities."""
    column = numbers(name, values, where)
    if len(column) and (column.min() < 0 or column.max() > 1):
        place = int(np.argmax((column < 0) | (column > 1)))
        raise BadInput(f"{where(place)}: {name} is {column[place]}, which is not between 0 and 1")
    return column


def require_distribution(table: Floats, where: Where) -> None:
    """Refuse probabilities of the classes of an item that do not add up to 1."""
    off = np.abs(table.sum(axis=1) - 1) > ROUNDING
    if off.any():
        place = int(np.argmax(off))
        raise BadInput(f"{where(place)}: the probabilities add up to {table[place].sum():.6g}, not to 1")


def weights(values: Any, n_items: int, where: Where) -> Floats:
    """The values as weights: not negative, and not all nothing."""
    column = numbers("weight", values, where)
    if len(column) != n_items:
        raise BadInput(f"weight: there are {len(column)} of them for {n_items} items")
    if (column < 0).any():
        place = int(np.argmax(column < 0))
        raise BadInput(f"{where(place)}: weight is {column[place]}, which is negative")
    if not column.any():
        raise BadInput("the weights are all 0")
    extreme = (column > 0) & ((column < _LEAST) | (column > 1 / _LEAST))
    if extreme.any():
        place = int(np.argmax(extreme))
        raise BadInput(
            f"{where(place)}: weight is {column[place]}; its fourth power must be a number, so bring it nearer to 1"
        )
    return column
