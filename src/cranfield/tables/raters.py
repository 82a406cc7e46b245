"""The entry point for ratings: files of judgments by several assessors, frames, dicts and rows.

Decided here: whether ratings are files, a data frame, a dict or rows.

Decided here: whether numbers are counts or ratings.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats, Mask, objects
from cranfield.errors import BadInput
from cranfield.tables.adapters.frames import is_frame
from cranfield.tables.adapters.spark_inputs import NeedsSpark
from cranfield.tables.columns import Where, has_role, listed, places, spellings
from cranfield.tables.counts import MOST, CountMatrix, count, count_matrix, matrix_of, square_sheet
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.numbers import is_number
from cranfield.tables.ratings import Category, Rated, Source, doubts, grade, is_missing, rated
from cranfield.tables.readers.files import judgments_in
from cranfield.tables.readers.formats.delimited_text import header_of
from cranfield.tables.readers.recognition import HEAD, recognised
from cranfield.tables.readers.sheets import Sheet, as_sheet, sheet_of
from cranfield.tables.readers.streams import Stream, opened, source
from cranfield.tables.sources import as_judgments
from cranfield.tables.system_names import by_name, system_names
from cranfield.tables.totals import is_total, refuse_totals

# Tables of ratings: one row per rating, one row per item with a column per rater, or counts by category


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


_ONE = "all ratings are by one rater, {who!r}; agreement needs at least two (one file per rater, or a rater column)"


def as_ratings(data: Any, *, order: Sequence[Category] | None = None, counts: Counts = None) -> Rated:
    """The ratings in the input.

    A path: lines `topic rater document grade` as in TREC's qrels, or CSV or TSV with a header: one row per rating with
    columns such as item, rater and category (and topic), or one row per item and one column per rater. Several paths,
    or several qrels by name: one rater each. Frames with such columns; `{rater: {item: category}}`; rows
    `(item, rater, category)` or `(topic, item, rater, category)`.

    With `counts`, one row per item and one column per category with the number of raters; or the contingency table of
    two raters, whose rows and columns have the same names. Tables that could be counts or ratings are refused unless
    `counts` is set.
    """
    if counts == "contingency" or (counts and _is_cells(data)):
        ratings = contingency(count_matrix(data, labels=order, unnamed="category"), order)
    else:
        ratings = _ratings(data, order, counts)
    if len(ratings.raters) == 1:
        raise BadInput(_ONE.format(who=ratings.raters[0]))
    _refuse_total(ratings)
    return replace(ratings, notes=(*ratings.notes, *doubts(ratings)))


def _refuse_total(ratings: Rated) -> None:
    """Refuse totals in the last row: an item of that name whose categories are the sums, or occur nowhere else."""
    last = len(ratings.names) - 1
    if last < 1 or not is_total(ratings.names[last]):
        return
    of_last = ratings.item == last
    strange = not np.isin(ratings.category[of_last], ratings.category[~of_last]).any()
    if strange or (ratings.ordered and _adds_up(ratings, of_last)):
        raise BadInput(f"the item {str(ratings.names[last])!r} contains totals rather than ratings; leave it out")


def _adds_up(ratings: Rated, of_total: Mask) -> bool:
    """Whether the numbers of an item are the sums of those of each rater."""
    if not ratings.raters or not all(isinstance(category, int | float) for category in ratings.categories):
        return False
    number = np.array(ratings.categories, np.float64)[ratings.category]
    rows = ratings.rater[of_total]
    sums = np.bincount(ratings.rater[~of_total], number[~of_total], len(ratings.raters))
    return bool(np.array_equal(sums[rows], number[of_total]))


def _is_cells(data: Any) -> bool:
    """Whether counts are passed directly, row by row, rather than in a file."""
    return isinstance(data, list) and all(isinstance(text, str) and is_number(text) for text in data)


def _ratings(data: Any, order: Sequence[Category] | None, counts: bool | None) -> Rated:
    if isinstance(data, list) and len(data) == 1 and isinstance(data[0], str | os.PathLike):
        (data,) = data
    if isinstance(data, str | os.PathLike):
        return _read(os.fspath(data), order, counts)
    if is_frame(data):
        return from_sheet(as_sheet(data), order, counts)
    if counts:
        return _counts(data, order)
    if isinstance(data, Rated):
        return data
    if isinstance(data, Judgments):
        return _from_qrels({"": data}, order)
    if isinstance(data, Mapping):
        return _from_mapping(data, order, counts)
    if isinstance(data, Iterable):
        return _from_items(list(data), order, counts)
    raise BadInput(f"{type(data).__name__} does not contain ratings; pass a path, data frame, dict of raters, or rows")


def _counts(data: Any, order: Sequence[Category] | None) -> Rated:
    """The ratings behind counts: one row per item, one column per category."""
    if isinstance(data, Mapping) and data and all(isinstance(row, Mapping) for row in data.values()):
        names = list(dict.fromkeys(category for row in data.values() for category in row))
        rows = [[row.get(name, 0) for name in names] for row in data.values()]
        if set(names) == set(data):
            return contingency(count_matrix(data), order)
        _require_by_item(rows)
        return counted(names, rows, list(data), order)
    if isinstance(data, Rated | Judgments | Mapping) or not isinstance(data, Iterable):
        raise BadInput(
            f"{type(data).__name__} does not contain counts; pass a path, data frame, {{item: {{category: n}}}} or rows"
        )
    rows = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in data]
    if len({len(row) for row in rows}) != 1:
        raise BadInput("rows of counts must all have the same length, one number per category")
    return counted(list(range(len(rows[0]))), rows, None, order)


def _require_by_item(rows: Sequence[Sequence[Any]]) -> None:
    """Refuse transposed counts, by category and item: their columns rather than their rows have equal sums."""
    numbers = [[0 if is_missing(cell) else grade(cell) for cell in row] for row in rows]
    if any(cell is None for row in numbers for cell in row):
        return
    table = np.array(numbers, np.float64)
    by_row, by_column = table.sum(axis=1), table.sum(axis=0)
    if np.ptp(by_row) > 0 and len(by_column) > 1 and np.ptp(by_column) == 0:
        raise BadInput(
            f"counts must be {{item: {{category: n}}}}; this looks like {{category: {{item: n}}}}, since the counts of "
            f"every inner key add up to {by_column[0]:.0f}"
        )


def _from_items(items: list[Any], order: Sequence[Category] | None, counts: bool | None) -> Rated:
    if not items:
        raise BadInput("there are no ratings")
    if all(isinstance(item, str | os.PathLike) for item in items):
        paths = [os.fspath(item) for item in items]
        if len(paths) == 1:
            return _read(paths[0], order, counts)
        names = system_names(paths)
        return _from_qrels({n: as_judgments(p) for n, p in zip(names, paths, strict=True)}, order)
    widths = {len(row) for row in items if isinstance(row, tuple | list)}
    if widths not in ({3}, {4}):
        raise BadInput(
            "rows of ratings must be (item, rater, category) or (topic, item, rater, category); for rows of counts, "
            "one per item and with a number for each category, pass counts=True"
        )
    if counts is None:
        refuse_counts(items, "the rows", "(item, rater, category) or (topic, item, rater, category)")
    columns = list(zip(*items, strict=True))
    unit = columns[0] if len(columns) == 4 else None
    item, rater, category = columns[-3:]
    return rated(objects(category), item, rater, unit, order=order)


def _from_mapping(data: Mapping[Any, Any], order: Sequence[Category] | None, counts: bool | None) -> Rated:
    rows = list(_mapped(data))
    if not rows:
        raise BadInput("there are no ratings")
    if counts is None:
        _refuse_counts_by_name(list(data.values()))
    unit, item, rater, category = zip(*rows, strict=True)
    if None in unit and any(topic is not None for topic in unit):
        raise BadInput(
            "some raters have {item: category} and some {topic: {item: category}}; all must have the same form"
        )
    topics = None if unit[0] is None else unit
    return rated(objects(category), item, rater, topics, order=order)


def _refuse_counts_by_name(inner: Sequence[Mapping[Any, Any]]) -> None:
    """Refuse dicts that may be counts: of each category by item, or of each item by category."""
    names = list(dict.fromkeys(name for counts in inner for name in counts))
    table = [[counts.get(name) for name in names] for counts in inner]
    refuse_counts(list(zip(*table, strict=True)), "the dict", "{rater: {item: category}}")
    if len(inner) > len(names):  # more raters than items are unlikely
        refuse_counts(table, "the dict", "{rater: {item: category}}")


def _mapped(data: Mapping[Any, Any]) -> Iterator[tuple[Any, str, str, Any]]:
    for rater, by_item in by_name(data, "raters").items():
        if not isinstance(by_item, Mapping):
            raise BadInput(f"rater {rater!r}: expected {{item: category}}, got {type(by_item).__name__}")
        for name, value in by_name(by_item, f"items or topics of rater {rater!r}").items():
            if isinstance(value, Mapping):
                yield from ((name, str(item), rater, category) for item, category in value.items())
            else:
                yield None, name, rater, value


def _from_qrels(several: Mapping[str, Judgments], order: Sequence[Category] | None) -> Rated:
    """Judgments by one rater each, or a single set whose iterations are the raters."""
    unit, item, rater, grade = [], [], [], []
    for name, qrels in several.items():
        texts = qrels.texts
        unit += [decode(qrels.queries[place]) for place in qrels.unit]
        item += [texts[place] for place in qrels.document]
        groups = qrels.group.tolist() if not name and qrels.group is not None else None
        rater += [decode(group) for group in groups] if groups is not None else [name or "0"] * len(qrels.document)
        grade += qrels.grade.tolist()
    grades = np.array(grade, np.float64)
    unjudged = grades < 0  # pooled, not judged
    note = f"grades below 0 mean that a document was not judged: {unjudged.sum()} of {len(grades)} left out"
    return replace(
        rated(np.where(unjudged, np.nan, grades), item, rater, unit, order=order),
        sources=tuple(Source(qrels.name, qrels.form, qrels.digest) for qrels in several.values()),
        notes=(note,) if unjudged.any() else (),
    )


def _read(path: str, order: Sequence[Category] | None, counts: bool | None) -> Rated:
    with suppress(NeedsSpark):
        return _read_file(path, order, counts)
    table = as_sheet(path)
    return replace(from_sheet(table, order, counts), sources=(Source(table.name, table.form, table.digest),))


def _read_file(path: str, order: Sequence[Category] | None, counts: bool | None) -> Rated:
    with opened(source(path)) as stream:
        form = recognised(stream)
        if form.text and not counts and not is_header(header_of(stream)):
            if counts is None:
                lines = _lines(stream)
                named = bool(lines) and not any(map(is_number, lines[0]))  # categories, perhaps
                refuse_counts(lines[named:], path, "topic, rater, document and grade")
            return _from_qrels({"": judgments_in(stream, form.content(stream, "qrels"))}, order)
        table = sheet_of(stream)
    rated = from_sheet(table, order, counts)
    return replace(rated, sources=(Source(table.name, table.form, table.digest),))


def _lines(stream: Stream) -> list[list[str]]:
    """The fields of the first lines."""
    start = stream.peek(HEAD).decode("utf-8", "replace")
    return [line.replace(",", " ").replace(";", " ").split() for line in start.splitlines() if line.strip()]
