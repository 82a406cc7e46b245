"""Ratings in canonical form: who put which item of which topic in which category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Category = str | float
Column = Sequence[Any] | NDArray[Any]


class Source(NamedTuple):
    """A file that ratings came from, its form and the digest of its content."""

    name: str
    form: str
    digest: str | None


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings as numbers: `unit[i]` is the topic of item i; row r says that a rater put an item in a category.

    There are no raters where it is not known who rated. `names[i]` is what the item is called. Categories are
    `ordered` where they are numbers, or where their order was given.
    """

    categories: tuple[Category, ...]
    ordered: bool
    raters: tuple[str, ...]
    units: tuple[str, ...]
    names: NDArray[Any]
    unit: Ints
    item: Ints
    rater: Ints
    category: Ints
    sources: tuple[Source, ...] = ()


def rated(
    category: Column,
    item: Column,
    rater: Column | None = None,
    unit: Column | None = None,
    *,
    order: Sequence[Category] | None = None,
) -> Rated:
    """Ratings from columns; a category of None, NaN or "" is a rating not given.

    Categories that are numbers stand in their order; texts in the order given, or else in none.
    """
    values, names = np.asarray(category), np.asarray(item)
    _require_one_length(values, names, rater, unit)
    given = _given(values)
    if not given.any():
        raise BadInput("there is no rating")
    labels, code = _categories(values[given], order)
    distinct, place = _numbered(names)
    units: tuple[str, ...] = ("all",)
    unit_of_item = np.zeros(len(distinct), np.int64)
    if unit is not None:
        known, of_row = _numbered(np.asarray(unit))
        key, place = np.unique(of_row * len(distinct) + place, return_inverse=True)
        units, unit_of_item, distinct = _texts(known), key // len(distinct), distinct[key % len(distinct)]
    raters, by = (np.empty(0), np.full(len(values), -1)) if rater is None else _numbered(np.asarray(rater))
    made = Rated(
        categories=labels,
        ordered=order is not None or isinstance(labels[0], float),
        raters=_texts(raters),
        units=units,
        names=distinct,
        unit=unit_of_item,
        item=place[given],
        rater=by[given],
        category=code,
    )
    if made.raters:
        _require_once(made)
    return made


def _require_one_length(values: NDArray[Any], names: NDArray[Any], rater: Column | None, unit: Column | None) -> None:
    lengths = {len(column) for column in (values, names, rater, unit) if column is not None}
    if values.ndim != 1 or names.ndim != 1 or len(lengths) > 1:
        raise BadInput(f"the columns of ratings must have one length; they have {', '.join(map(str, sorted(lengths)))}")


def _given(values: NDArray[Any]) -> Mask:
    if values.dtype.kind == "f":
        return ~np.isnan(values)
    if values.dtype.kind in "iub":
        return np.ones(len(values), np.bool_)
    return np.array([v is not None and v != "" and v == v for v in values.tolist()], np.bool_)


def _numbered(values: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """The distinct names in order, and the place of each row's among them."""
    if values.dtype.kind == "O":
        values = values.astype(str)
    if values.dtype.kind in "iu" and len(values) and values.min() >= 0 and values.max() < 4 * len(values):
        occurs = np.bincount(values) > 0  # numbers that lie close need no sorting
        return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]
    return np.unique(values, return_inverse=True)


def _texts(names: NDArray[Any]) -> tuple[str, ...]:
    return tuple(map(str, names.tolist()))


def _categories(values: NDArray[Any], order: Sequence[Category] | None) -> tuple[tuple[Category, ...], Ints]:
    if values.dtype.kind not in "iufb":
        values = _as_numbers(values)
    distinct, code = np.unique(values, return_inverse=True)
    labels = tuple(label if isinstance(label, str) else float(label) for label in distinct.tolist())
    if order is None:
        return labels, code
    named = np.asarray(order) if isinstance(labels[0], str) else _as_numbers(np.asarray(order))
    wanted = tuple(label if isinstance(label, str) else float(label) for label in named.tolist())
    unknown = [label for label in labels if label not in wanted]
    if unknown:
        raise BadInput(f"category {unknown[0]!r} is not in the order given: {', '.join(map(str, wanted))}")
    return wanted, np.array([wanted.index(label) for label in labels])[code]


def _as_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """The categories as numbers if they all are, else as texts."""
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return values.astype(str)


def _require_once(made: Rated) -> None:
    ordered = np.sort(made.item * len(made.raters) + made.rater)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        name, who = made.names[twice[0] // len(made.raters)], made.raters[twice[0] % len(made.raters)]
        raise BadInput(f"rater {who!r} rated item {str(name)!r} more than once; one rating a rater and item is needed")
