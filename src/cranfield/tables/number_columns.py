"""Columns of numbers and weights, checked.

Decided here: which numbers are probabilities, and when those of all classes add up to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.errors import BadInput
from cranfield.tables.adapters.system_columns import require_length
from cranfield.tables.columns import Where, refuse_rows
from cranfield.tables.labels import arrow
from cranfield.tables.numbers import BLANKS, EXACT, merged, number, rounded_integer, widened, widened_column
from cranfield.tables.readers.cells import MISSING

_GREATEST = 1e140  # sums of squares do not overflow
_LEAST = 1e-60  # smallest weight: the product of four weights, and sums of such products, stay finite


def numbers(name: str, values: Any, where: Where, *, ordered: bool = False, exact: bool = False) -> Floats:
    """The values as finite floating-point numbers.

    With `ordered`, different integers must remain different; with `exact`, integers must not be rounded.
    """
    plain = _plain(name, values)
    column = plain if isinstance(plain, np.ndarray) else _one_by_one(name, plain, where)
    if not np.isfinite(column).all():
        place = int(np.argmin(np.isfinite(column)))
        what = "is missing" if np.isnan(column[place]) else f"is {column[place]}, which is not a finite number"
        raise BadInput(f"{where(place)}: {name} {what}")
    if (ordered or exact) and np.abs(column).max(initial=0) >= EXACT:
        (_require_order if ordered else _require_exact)(name, _listed(name, values), column, where)
    return with_one_zero(column)


def with_one_zero(column: NDArray[Any]) -> NDArray[Any]:
    """The numbers with 0.0 for -0.0, which is the same score, but would be shown as another threshold."""
    return column + 0 if np.signbit(column[column == 0]).any() else column


def squarable_numbers(name: str, values: Any, where: Where) -> Floats:
    """The values as numbers whose squares do not overflow."""
    column = numbers(name, values, where, exact=True)
    refuse_rows(
        np.abs(column) > _GREATEST,
        where,
        lambda place: f"{name} is {column[place]}, too large to be squared; rescale the values",
    )
    return column


def _listed(name: str, values: Any) -> Sequence[Any] | NDArray[Any]:
    """The values as they were passed."""
    return values if isinstance(values, list | tuple | np.ndarray) else arrow(name, values).to_pylist()


def _plain(name: str, values: Any) -> Floats | list[Any]:
    """The values as an array of numbers, or else as a list."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub" and values.ndim == 1:
        plain = widened(np.asarray(values))
        return np.where(np.ma.getmaskarray(values), np.nan, plain) if np.ma.is_masked(values) else plain
    try:
        column = arrow(name, values)
    except BadInput:
        if not isinstance(values, list | tuple):
            raise
        return list(values)  # texts among numbers
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        from pyarrow.compute import utf8_trim  # slow to import and rarely needed

        column = utf8_trim(column, BLANKS)
    try:
        return widened_column(column).cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column.to_pylist()


def _one_by_one(name: str, values: Sequence[Any], where: Where) -> Floats:
    """The numbers, converted one by one."""
    result = np.empty(len(values))
    for place, value in enumerate(values):
        try:
            result[place] = np.nan if value is None or value in MISSING else number(value)
        except ValueError as reason:
            raise BadInput(f"{where(place)}: {name} {value!r:.60} {reason}") from None
    return result


def _require_order(name: str, values: Sequence[Any] | NDArray[Any], column: Floats, where: Where) -> None:
    """Refuse integers that differ, but not as floating-point numbers."""
    lost = merged(values, column)
    if lost is not None:
        first, second = sorted(lost)
        raise BadInput(
            f"{where(second)}: {name} {values[second]} equals {values[first]} ({where(first)}) when rounded to "
            "floating point, which is exact only for integers up to 2**53; subtract a constant from all scores, or "
            "rank them"
        )


def _require_exact(name: str, values: Sequence[Any] | NDArray[Any], column: Floats, where: Where) -> None:
    """Refuse integers that floating point would round."""
    place = rounded_integer(values, column)
    if place is not None:
        raise BadInput(
            f"{where(place)}: {name} {values[place]} would be rounded to {column[place]:.0f} in floating point, "
            "which is exact only for integers up to 2**53; subtract a constant from actual and predicted values"
        )


def weights(values: Any, n_items: int, where: Where) -> Floats:
    """The values as weights: not negative, and not all 0."""
    column = numbers("weight", values, where)
    require_length("weight", len(column), n_items)
    refuse_rows(column < 0, where, lambda place: f"weight is {column[place]}, which is negative")
    if not column.any():
        raise BadInput("the weights are all 0")
    extreme = (column > 0) & ((column < _LEAST) | (column > 1 / _LEAST))
    refuse_rows(extreme, where, lambda place: f"weight {column[place]} is too extreme; rescale the weights")
    return column


# Columns of probabilities, checked: between 0 and 1, and those of all classes add up to 1


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
