"""Tables of ratings: one row per rating, one row per item with a column per rater, or counts by category.

Decided here: whether numbers are counts or ratings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats, objects
from cranfield.errors import BadInput
from cranfield.tables.column_roles import has_role, listed, places, spellings
from cranfield.tables.count_matrices import MOST, CountMatrix, count, matrix_of, square_sheet
from cranfield.tables.locations import Where
from cranfield.tables.number_spelling import is_number
from cranfield.tables.ratings import Category, Rated, Source, grade, is_missing, rated
from cranfield.tables.readers.sheets import Sheet
from cranfield.tables.totals import refuse_totals

Counts = bool | Literal["contingency"] | None  # whether the data are counts, and whether of two raters

_NAMED = ("query", "item", "id", "rater", "category")  # roles of columns that do not name a rater
_ROWS, _ALIKE = 5, 0.25  # with this many rows, sums that vary less than the columns are no coincidence


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first line names columns; q beside a number does not, since a query may be called q."""
    known = [cell for cell in cells if has_role(cell, _NAMED) and cell]
    return bool(known) and (not any(map(is_number, cells)) or any(cell.casefold() != "q" for cell in known))


def from_sheet(sheet: Sheet, order: Sequence[Category] | None, counts: bool | None) -> Rated:
    """The ratings in a table of any of these forms."""
    heads = [name.strip() for name in sheet.table.column_names]
    read = sheet.table.column if sheet.typed else sheet.text
    cells = [read(place).to_pylist() for place in range(len(heads))]
    columns = [[cell.strip() if isinstance(cell, str) else cell for cell in column] for column in cells]
    place_of = places(heads, ("query", "item", "rater", "category"), sheet.name)
    if "item" not in place_of:
        place_of |= dict(zip(("item",), places(heads, ("id",), sheet.name).values(), strict=False))
    by_role = {role: columns[place] for role, place in place_of.items()}
    unit, item = by_role.get("query"), by_role.get("item", ())
    if not counts and {"item", "rater", "category"} <= by_role.keys():
        return rated(objects(by_role["category"]), item, by_role["rater"], unit, order=order, where=sheet.where)
    if counts and not any(heads[place] for place in place_of.values()) and square_sheet(heads, columns):
        return contingency(matrix_of(heads, columns, Source(sheet.name, "table", None)), order)
    others = [place for place in range(len(heads)) if place not in (place_of.get("query"), place_of.get("item"))]
    by_rater = {heads[place]: columns[place] for place in others}
    names, rows = [heads[place] for place in others], list(zip(*(columns[place] for place in others), strict=True))
    if counts:
        return counted(names, rows, by_role.get("item"), order, unit, name=sheet.name, where=sheet.where)
    if counts is None:
        refuse_counts(rows, sheet.name, "one column per rater", names)
    _require_raters(sheet.name, heads, names, named="item" in place_of)
    _require_one_kind(sheet.name, by_rater)
    return rated(  # one row per rating
        objects(cell for row in rows for cell in row),
        [name for name in item for _ in names],
        names * len(rows),
        None if unit is None else [name for name in unit for _ in names],
        order=order,
        where=lambda place: sheet.where(place // len(names)),
    )


def _require_raters(where: str, columns: Sequence[str], names: Sequence[str], *, named: bool) -> None:
    """Refuse columns that do not name raters, and items without a column of names."""
    odd = [name for name in names if has_role(name)]
    if named and len(names) >= 2 and not odd:
        return
    accepted = "; ".join(f"{role}: {spellings(role)}" for role in ("item", "rater", "category"))
    which = f" ({listed(odd)} would name raters)" if odd and named else ""
    raise BadInput(
        f"{where}: the columns {listed(columns)} are not those of ratings{which}; one row per rating has "
        f"columns such as {accepted}; one row per item has one column for the item and one for each rater"
    )


def _require_one_kind(where: str, by_rater: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a text column next to numeric ones: it contains comments rather than ratings."""
    present = {name: [value for value in values if not is_missing(value)] for name, values in by_rater.items()}
    numbers = [name for name, values in present.items() if values and all(map(_looks_numeric, values))]
    texts = [name for name, values in present.items() if values and not any(map(_looks_numeric, values))]
    if numbers and texts:
        raise BadInput(
            f"{where}: column {numbers[0]!r} contains numbers and column {texts[0]!r} text, so they cannot both be "
            "ratings; remove the column that is not a rater's"
        )


def _looks_numeric(value: Any) -> bool:
    if isinstance(value, str):
        return is_number(value) and math.isfinite(float(value))  # inf may be a word
    return grade(value) is not None


def refuse_counts(rows: Sequence[Sequence[Any]], where: str, else_read: str, names: Sequence[str] = ()) -> None:
    """Refuse rows that may be counts: whole numbers with the same, or nearly the same, sum in every row."""
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return
    values = [[grade(cell) for cell in row] for row in rows]
    if not all(v is not None and 0 <= v <= MOST and v == int(v) for row in values for v in row):
        return
    table = np.array(values, np.float64)
    if reason := _like_counts(table, bool(names) and all(map(is_number, names))):
        raise BadInput(
            f"{where}: {reason}, so these may be counts (how many raters put each item in each category) or "
            f"ratings ({else_read}); choose with counts=True or False (--counts, --no-counts)"
        )


def _like_counts(table: Floats, numbered: bool) -> str:
    """Why a table may contain counts; empty if it cannot.

    Items that not everyone rated have smaller sums. Still, where one category has more the others have less, so that
    sums vary less than the columns do; ratings of one item are alike, and their sums vary more.
    """
    sums, spread = table.sum(axis=1), table.var(axis=0).sum()
    if sums.max() < 2:
        return ""
    if (sums == sums[0]).all():
        return f"every row adds up to {sums[0]:.0f}"
    if len(table) >= _ROWS and sums.var() < _ALIKE * spread:
        return f"rows add up to nearly the same, {sums.min():.0f} to {sums.max():.0f}"
    return "column names are numbers, as categories may be" if numbered and sums.var() < spread else ""


def counted(
    names: Sequence[Any],
    rows: Sequence[Sequence[Any]],
    item: Sequence[Any] | None,
    order: Sequence[Category] | None,
    unit: Sequence[Any] | None = None,
    *,
    name: str = "the counts",
    where: Where = lambda row: f"the counts, row {row + 1}",
) -> Rated:
    """The ratings behind counts, whose raters are unknown: `rows[item][category]`."""
    odd = [category for category in names if isinstance(category, str) and has_role(category, _NAMED)]
    if item is None:  # otherwise a column is named for it, so the first line is one of names
        _require_header(names, rows, name)
    if odd or not names:
        raise BadInput(f"{name}: counts have one column for the item and one per category, not {listed(odd)}")
    table = [[0 if is_missing(cell) else count(cell, where(row)) for cell in cells] for row, cells in enumerate(rows)]
    if sum(map(sum, table)) > MOST:
        raise BadInput(f"{name}: the counts add up to more than {MOST:,} ratings")
    if item is None:
        _require_counts_only(names, np.array(table, np.float64), name)
    items = range(1, len(rows) + 1) if item is None else item
    refuse_totals(np.array(table, np.float64), items, names, name)
    keys = [(None if unit is None else str(unit[row]), str(items[row])) for row in range(len(rows))]
    first = {key: row for row, key in reversed(list(enumerate(keys)))}
    twice = next((row for row, key in enumerate(keys) if first[key] < row), None)
    if twice is not None:
        raise BadInput(f"{where(twice)}: duplicate item {items[twice]!r}; one row per item is needed")
    row_of_rating = np.repeat(np.arange(len(rows)), [sum(cells) for cells in table]).tolist()
    return rated(
        objects(category for cells in table for category, n in zip(names, cells, strict=True) for _ in range(n)),
        [items[row] for row in row_of_rating],
        None,
        None if unit is None else [unit[row] for row in row_of_rating],
        order=order,
        known=names,
        where=lambda place: where(row_of_rating[place]),
    )


def _require_header(names: Sequence[Any], rows: Sequence[Sequence[Any]], where: str) -> None:
    """Refuse a first line of counts that would be read as category names."""
    texts = [str(name) for name in names]
    if not all(map(is_number, texts)) or not all(isinstance(name, str) for name in names):
        return
    sums = {sum(map(float, texts)), *(sum(grade(cell) or 0 for cell in row) for row in rows)}
    if len(set(texts)) < len(texts) or len(sums) == 1:
        raise BadInput(
            f"{where}: the first line is {' '.join(texts)}; it must name the categories (one column each, and one for "
            "the item if there is one)"
        )


def _require_counts_only(names: Sequence[Any], table: Floats, where: str) -> None:
    """Refuse a column of distinct numbers without which all rows have the same sum: it numbers the items."""
    sums = table.sum(axis=1)
    if len(table) < 2 or len(names) < 3 or np.ptp(sums) == 0:
        return
    for name, column in zip(names, table.T, strict=True):
        if np.ptp(sums - column) == 0 and len(set(column.tolist())) == len(column):
            raise BadInput(
                f"{where}: every row adds up to {sums[0] - column[0]:.0f} without the column {str(name)!r}, which "
                "seems to number the items; call it 'item', or add a column 'item' if it holds counts"
            )


def contingency(matrix: CountMatrix, order: Sequence[Category] | None) -> Rated:
    """The ratings behind the contingency table of two raters, with the first rater's categories as rows."""
    first, second, n_items = matrix.cells
    if n_items.sum() > MOST:
        raise BadInput(f"{matrix.source.name}: the counts add up to more than {MOST:,} items")
    item = np.repeat(np.arange(len(n_items)), n_items)
    pairs = np.column_stack([objects(first)[item], objects(second)[item]])
    items, raters = np.repeat(np.arange(1, len(item) + 1), 2), ["first", "second"] * len(item)
    ratings = rated(pairs.ravel(), items, raters, order=order, known=matrix.labels)
    return replace(ratings, sources=(matrix.source,))
