"""Data tables of plots: their columns, and names that are not taken."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa


def table_of(**columns: Any) -> pa.Table:
    """A table of arrays of numbers, null where they are not finite, and lists of texts; a single text is repeated."""
    n_rows = next(len(values) for values in columns.values() if not isinstance(values, str))
    return pa.table({name: _column(values, n_rows) for name, values in columns.items()})


def unused(name: str, taken: Collection[str]) -> str:
    """The name, in parentheses if it is taken: a class may be called `all`, and a system `ideal`."""
    while name in taken:
        name = f"({name})"
    return name


def _column(values: Any, n_rows: int) -> pa.Array:
    if isinstance(values, np.ndarray):
        return pa.array(values, mask=~np.isfinite(values) if values.dtype.kind == "f" else None)
    if isinstance(values, pa.Array):
        return values
    return pa.array([values] * n_rows if isinstance(values, str) else values, pa.string())
