"""Totals in tables: rows and columns that sum up the others, which must not be counted once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadInput

_NAMES = ("all", "total", "totals", "sum", "overall", "mean", "average", "avg")
_ENOUGH = 5  # sums that do not agree by chance
_FEW_DECIMALS = (1, 2, 3)
_ROUNDED = 1e-3  # of values printed with few digits


def is_total(name: Any) -> bool:
    """Whether a row or column with this name usually sums up the others."""
    return str(name).strip(" ()*").casefold() in _NAMES


def refuse_totals(table: Floats, rows: Sequence[Any], columns: Sequence[Any], where: str) -> None:
    """Refuse counts with a column or a row that contains the totals of the others."""
    for counts, names, what in ((table, columns, "column"), (table.T, rows, "row")):
        for place in np.flatnonzero(_adds_up(counts)).tolist():
            if is_total(names[place]) or np.count_nonzero(counts[:, place]) >= _ENOUGH:
                raise BadInput(
                    f"{where}: the {what} {str(names[place])!r} contains the totals of the others; leave it out"
                )


def _adds_up(table: Floats) -> Mask:
    """Which columns are the sums of at least two others in every row, and not all 0."""
    others = table.sum(axis=1, keepdims=True) - table
    return (table == others).all(axis=0) & table.any(axis=0) & (table.shape[1] > 2)


def refuse_summary(units: Sequence[str], values: Floats, unit: str) -> None:
    """Refuse values of a unit, such as `all` in the output of trec_eval, that are the means or sums of the others."""
    for place in (place for place, name in enumerate(units) if is_total(name) and len(units) > 1):
        others = np.delete(values, place, axis=1)
        for summary, what in ((others.mean(axis=1), "means"), (others.sum(axis=1), "sums")):
            if np.allclose(values[:, place], summary, rtol=_ROUNDED, atol=_half_a_digit(values[:, place])):
                raise BadInput(f"{unit} {units[place]!r} contains the {what} of the others; leave it out")


def _half_a_digit(values: Floats) -> float:
    """Half a unit of the last decimal of values that were rounded to a few decimals; 0 for others."""
    rounded = (decimals for decimals in _FEW_DECIMALS if np.array_equal(np.round(values, decimals), values))
    return next((0.5 * 10.0**-decimals for decimals in rounded), 0.0)
