"""The arrays that figures are held in, by the type of one element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """The values as one column, each unchanged."""
    listed = list(values)
    column = np.empty(len(listed), object)
    column[:] = listed
    return column


def is_constant(column: Floats) -> bool:
    """Whether a column is one number, stored once."""
    return len(column) > 0 and column.strides == (0,)


def constant(number: float, n: int) -> Floats:
    """A column of n times the same number, stored once."""
    return np.broadcast_to(np.float64(number), n)
