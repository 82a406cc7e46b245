"""Ratings in canonical form: the category that each rater assigned to each item of each topic."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints, Mask, objects
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.columns import Where, listed, refuse_rows
from cranfield.tables.names import decode
from cranfield.tables.numbers import EXACT, number, widened
from cranfield.tables.readers.cells import MISSING, alike

Category = str | float
Column = Sequence[Any] | NDArray[Any]

_CODE = re.compile(r"[+-]?0[0-9]")


class Source(NamedTuple):
    """A file that ratings came from, its form and the digest of its content."""

    name: str
    form: str
    digest: str | None


@frozen(eq=False)
class Rated:
    """Ratings as numbers: `unit[i]` is the topic of item i; row r says that a rater put an item in a category.

    There are no raters if it is unknown who rated. `names[i]` is the name of item i. Categories are `ordered` if they
    are numbers or if their order was passed.
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
    notes: tuple[str, ...] = ()  # remarks for users, such as how many ratings were left out


def rated(
    category: Column,
    item: Column,
    rater: Column | None = None,
    unit: Column | None = None,
    *,
    order: Sequence[Category] | None = None,
    known: Sequence[Any] = (),
    where: Where = lambda place: f"the ratings, row {place + 1}",
) -> Rated:
    """Ratings from columns; a category of None, NaN or "" is a missing rating. `where` locates a row in errors.

    Numeric categories are ordered by value; texts have the order that was passed, or none. Those that are `known` are
    categories even without ratings.
    """
    values, names = _column(category, "category", where), _column(item, "item", where)
    _require_one_length(values, names, rater, unit)
    present = _is_present(values)
    if not present.any():
        raise BadInput("there are no ratings")
    labels, code = _categories(values[present], order, known)
    distinct, place = _numbered(names, "item", where)
    units: tuple[str, ...] = ("all",)
    unit_of_item = np.zeros(len(distinct), np.int64)
    if unit is not None:
        topics, of_row = _numbered(_column(unit, "topic", where), "topic", where)
        key, place = np.unique(of_row * len(distinct) + place, return_inverse=True)
        units, unit_of_item, distinct = _texts(topics), key // len(distinct), distinct[key % len(distinct)]
    raters, by = np.empty(0), np.full(len(values), -1)
    if rater is not None:
        raters, by = _numbered(_column(rater, "rater", where), "rater", where)
    place, by = place[present], by[present]
    row = np.lexsort((code, by, place))  # so that sums do not depend on the order of the ratings
    ratings = Rated(
        categories=labels,
        ordered=order is not None or isinstance(labels[0], float),
        raters=_texts(raters),
        units=units,
        names=distinct,
        unit=unit_of_item,
        item=place[row],
        rater=by[row],
        category=code[row],
    )
    if ratings.raters:
        _require_once(ratings)
    return ratings


def _column(values: Column, what: str, where: Where) -> NDArray[Any]:
    """The values as an array, in which a missing value does not become text."""
    odd = next((row for row, value in enumerate(values) if _is_several(value)), None)
    if odd is not None:
        raise BadInput(f"{where(odd)}: the {what} must be a single value, not {values[odd]!r:.60}")
    column = np.asarray(values)
    if column.dtype.kind in "iub" or (column.dtype.kind not in "OS" and isinstance(values, np.ndarray)):
        return column
    if all(isinstance(value, float) for value in values):
        return column
    return objects(decode(value) if isinstance(value, bytes) else value for value in values)


def _is_several(value: Any) -> bool:
    return isinstance(value, list | tuple | dict | set | frozenset) or getattr(value, "ndim", 0) > 0


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, masked or an empty text."""
    if value is None or value is np.ma.masked:
        return True
    return bool(value != value) or (isinstance(value, str) and not value.strip())


def grade(value: Any) -> float | None:
    """The category as a number; None for text, for codes such as 01, and where a number would lose digits."""
    if isinstance(value, str) and _CODE.match(value.strip()):
        return None
    try:
        value_as_float = number(value)
    except ValueError:
        return None
    if not math.isfinite(value_as_float):
        return None
    digits = str(value).strip().lstrip("+-")
    exact = abs(value_as_float) < EXACT or not digits.isdigit() or int(value_as_float) == int(value)
    return value_as_float if exact else None


def _require_one_length(values: NDArray[Any], names: NDArray[Any], rater: Column | None, unit: Column | None) -> None:
    lengths = {len(column) for column in (values, names, rater, unit) if column is not None}
    if values.ndim != 1 or names.ndim != 1 or len(lengths) > 1:
        raise BadInput(
            f"the columns of ratings must all have the same length; they have {', '.join(map(str, sorted(lengths)))}"
        )


def _is_present(values: NDArray[Any]) -> Mask:
    if values.dtype.kind == "f":
        return ~np.isnan(values)
    if values.dtype.kind in "iub":
        return np.ones(len(values), np.bool_)
    return np.array([not is_missing(value) for value in values.tolist()], np.bool_)


def _numbered(values: NDArray[Any], what: str, where: Where) -> tuple[NDArray[Any], Ints]:
    """The distinct names in order, and the place of each row's among them."""
    refuse_rows(~_is_present(values), where, lambda _: f"the {what} is missing")
    if values.dtype.kind == "O":
        values = values.astype(str)
    if values.dtype.kind in "iu" and len(values) and values.min() >= 0 and values.max() < 4 * len(values):
        occurs = np.bincount(values) > 0  # numbers with a small range need no sorting
        return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]
    return np.unique(values, return_inverse=True)


def _texts(names: NDArray[Any]) -> tuple[str, ...]:
    return tuple(map(str, names.tolist()))


def _categories(
    values: NDArray[Any], order: Sequence[Category] | None, known: Sequence[Any]
) -> tuple[tuple[Category, ...], Ints]:
    """The categories in order, and the place of each rating's among them."""
    used, code = np.unique(_alike(values, [*known, *(order or ())]), return_inverse=True)
    labels: list[Category] = used.tolist()
    as_labels = (
        (lambda categories: [float(category) for category in categories]) if used.dtype.kind == "f" else _as_texts
    )
    scale = sorted({*labels, *as_labels(known)}) if order is None else as_labels(order)
    if len(set(scale)) < len(scale):
        raise BadInput(f"duplicate category in the given order: {', '.join(map(str, scale))}")
    place = {label: at for at, label in enumerate(scale)}
    unknown = [label for label in labels if label not in place]
    if unknown:
        raise BadInput(f"category {unknown[0]!r} is not in the given order: {', '.join(map(str, scale))}")
    return tuple(scale), np.array([place[label] for label in labels])[code]


def _alike(values: NDArray[Any], known: Sequence[Any]) -> NDArray[Any]:
    """The categories as numbers if they all are, those known too; else as texts."""
    if values.dtype.kind in "iufb" and not len(known) and (np.abs(values.astype(np.float64)) <= EXACT).all():
        return widened(values)
    listed = values.tolist()
    distinct = {category: grade(category) for category in {*listed, *known}}
    if None in distinct.values():
        return np.array(_as_texts(listed))
    return np.array([distinct[category] for category in listed], np.float64)


def _as_texts(values: Iterable[Any]) -> list[str]:
    """The categories as texts: a whole number as its digits, however it was stored."""
    return [
        f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value).strip() for value in values
    ]


def _require_once(ratings: Rated) -> None:
    n_raters = len(ratings.raters)
    ordered = np.sort(ratings.item * n_raters + ratings.rater)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        item, rater = ratings.names[twice[0] // n_raters], ratings.raters[twice[0] % n_raters]
        raise BadInput(
            f"rater {rater!r} rated item {str(item)!r} more than once; one rating per rater and item is needed"
        )


# Doubts about ratings: columns that may not be raters, and categories that may be missing or spelled in two ways


_DERIVED = {
    *("majority", "consensus", "adjudicated", "adjudication", "gold", "truth", "final", "aggregate", "aggregated"),
    *("mean", "median", "mode", "average"),
}


def doubts(ratings: Rated) -> Iterator[str]:
    """Remarks for users on what was read as a rater or as a category, and may be something else."""
    texts = [category for category in ratings.categories if isinstance(category, str)]
    missing = [text for text in texts if text in MISSING]
    if missing:
        yield f"{listed(missing)} counts as a category; leave the rating empty if it is missing"
    for first, second in alike(texts)[:1]:
        yield f"the categories {first!r} and {second!r} count as different, although they are spelled alike"
    derived = [name for name in ratings.raters if _DERIVED.intersection(re.split(r"[\W_\d]+", name.casefold()))]
    if derived and len(ratings.raters) > 2:
        yield f"{listed(derived)} counts as a rater; leave it out if its ratings were derived from those of the others"
    strangers = [ratings.raters[rater] for rater in _strangers(ratings)]
    if strangers:
        yield f"{listed(strangers)} shares no category with any other rater; leave it out if it is not a rater"


def _strangers(ratings: Rated) -> list[int]:
    """Raters who use several categories but share none with another rater."""
    if len(ratings.raters) < 2:
        return []
    size = len(ratings.categories)
    rater, category = np.divmod(np.unique(ratings.rater * size + ratings.category), size)
    shared = np.bincount(category, minlength=size)[category] > 1
    n_used, n_shared = (np.bincount(some, minlength=len(ratings.raters)) for some in (rater, rater[shared]))
    return np.flatnonzero((n_used > 1) & (n_shared == 0)).tolist()
