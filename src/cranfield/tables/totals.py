"""Totals in tables: rows and columns that sum up the others, which must not be counted again.

Decided here: whether a row or column is the total of others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadInput

_NAMES = ("all", "total", "totals", "sum", "overall", "mean", "average", "avg")
_SUMMARIES: dict[str, tuple[str, Callable[[Floats], Any]]] = {  # what rows of other names contain
    **dict.fromkeys(
        ("std", "sd", "stdev"), ("standard deviations", lambda rows: rows.std(axis=1, ddof=min(1, rows.shape[1] - 1)))
    ),
    **dict.fromkeys(("median", "50%"), ("medians", lambda rows: np.median(rows, axis=1))),
    **dict.fromkeys(("count", "n"), ("numbers", lambda rows: np.full(len(rows), float(rows.shape[1])))),
    "25%": ("lower quartiles", lambda rows: np.quantile(rows, 0.25, axis=1)),
    "75%": ("upper quartiles", lambda rows: np.quantile(rows, 0.75, axis=1)),
    "min": ("minima", lambda rows: rows.min(axis=1)),
    "max": ("maxima", lambda rows: rows.max(axis=1)),
}
_TOTALS = (("means", lambda rows: rows.mean(axis=1)), ("sums", lambda rows: rows.sum(axis=1)))
_DIFFERENCES = ("difference", "diff", "delta", "gain", "improvement")
_FEW_SYSTEMS = 50  # of which differences are looked for
_ENOUGH = 5  # sums that do not agree by chance
_FEW_DECIMALS = (1, 2, 3)
_ROUNDED = 1e-3  # of values printed with few digits


def is_total(name: Any) -> bool:
    """Whether a row or column with this name usually sums up the others."""
    return _plain(name) in _NAMES


def _plain(name: Any) -> str:
    return str(name).strip(" ()*").casefold()


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
    """Refuse values of a unit that summarise the others, such as `all` of trec_eval or `mean` and `std` of pandas."""
    summaries = np.array([_says_summary(name) for name in units], np.bool_)
    if summaries.all() and len(units) > 2:
        raise BadInput(f"{', '.join(map(repr, units))} summarise values; pass the values, one row per query or item")
    others = values[:, ~summaries]
    for place in np.flatnonzero(summaries).tolist() if others.shape[1] else ():
        kinds = _TOTALS if is_total(units[place]) else (_SUMMARIES[_plain(units[place])],)
        for what, summary in kinds:
            if _same(values[:, place], summary(others)):
                raise BadInput(f"{unit} {units[place]!r} contains the {what} of the others; leave it out")


def refuse_derived(systems: Sequence[str], values: Floats) -> None:
    """Refuse values of a system that are the means or sums of the other systems, or the differences of two of them."""
    derived = np.array([_says_derived(name) for name in systems], np.bool_)
    for place in np.flatnonzero(derived).tolist():
        what = _derived(values[place], values[~derived])
        if what is not None:
            raise BadInput(
                f"{systems[place]!r} contains the {what} of other systems; leave it out, or rename it if it is a system"
            )


def _says_summary(name: str) -> bool:
    """Whether a row with this name usually summarises the others."""
    return is_total(name) or _plain(name) in _SUMMARIES


def _says_derived(name: str) -> bool:
    """Whether a column with this name is usually computed from others; medians and maxima are compared as systems."""
    return is_total(name) or _plain(name) in _DIFFERENCES


def _derived(value: Floats, others: Floats) -> str | None:
    """What a row of values contains of the other rows; None if nothing known."""
    if len(others) < 2 or value.size < 2:
        return None
    known = [("means", others.mean(axis=0)), ("sums", others.sum(axis=0))]
    pairs = permutations(range(min(len(others), _FEW_SYSTEMS)), 2)
    known += [("differences", others[first] - others[second]) for first, second in pairs]
    return next((what for what, row in known if _same(value, row)), None)


def _same(values: Floats, computed: Floats) -> bool:
    return np.allclose(values, computed, rtol=_ROUNDED, atol=_half_a_digit(values))


def _half_a_digit(values: Floats) -> float:
    """Half a unit of the last decimal of values that were rounded to a few decimals; 0 for others."""
    rounded = (decimals for decimals in _FEW_DECIMALS if np.array_equal(np.round(values, decimals), values))
    return next((0.5 * 10.0**-decimals for decimals in rounded), 0.0)
