"""Sums over long columns, a block of rows at a time, so that what lies between stays in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 14


def summed(term: Callable[..., NDArray[Any]], *columns: NDArray[Any]) -> NDArray[np.float64]:
    """The sum over the rows of a term computed of columns of one length."""
    starts = range(0, len(columns[0]), _BLOCK)
    each = [term(*(column[start : start + _BLOCK] for column in columns)).sum() for start in starts]
    return np.asarray(sum(each), np.float64)
