"""The one door for ratings: files of judgments by several assessors, frames, dicts and rows."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.errors import BadInput
from cranfield.tables.dictionaries import judged_dictionary
from cranfield.tables.files import read_qrels, recognised
from cranfield.tables.frames import is_frame
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.pieces import judged
from cranfield.tables.ratings import Category, Rated, Source, rated
from cranfield.tables.streams import Stream, opened, source
from cranfield.tables.systems import system_names

_ROLES = {
    "unit": ("topic", "topic_id", "query", "query_id", "qid"),
    "item": ("item", "item_id", "document", "document_id", "docno", "doc_id", "doc", "pid", "id"),
    "rater": ("rater", "rater_id", "assessor", "annotator", "judge", "worker", "worker_id", "coder", "iteration"),
    "category": ("category", "label", "grade", "rating", "value", "judgment", "judgement", "relevance", "rel", "score"),
}
_DELIMITERS = "\t,; "
_ONE = "they are all of one rater, {who!r}: agreement takes two (a file for each, or a column that names the rater)"


def as_ratings(data: Any, *, order: Sequence[Category] | None = None) -> Rated:
    """The ratings in what was given.

    A path: lines `topic rater document grade` as in TREC's qrels, or CSV or TSV with a header: a row a rating with
    columns such as item, rater and category (and topic), or a row an item with a column a rater. Several paths, or
    several qrels by name: one rater each. Frames with such columns; `{rater: {item: category}}`; rows
    `(item, rater, category)` or `(topic, item, rater, category)`.
    """
    found = _ratings(data, order)
    if len(found.raters) == 1:
        raise BadInput(_ONE.format(who=found.raters[0]))
    return found


def _ratings(data: Any, order: Sequence[Category] | None) -> Rated:
    if isinstance(data, Rated):
        return data
    if isinstance(data, Judgments):
        return _from_qrels({"": data}, order)
    if isinstance(data, str | os.PathLike):
        return _read(os.fspath(data), order)
    if is_frame(data):
        return _from_frame(data, order)
    if isinstance(data, Mapping):
        return _from_mapping(data, order)
    if isinstance(data, Iterable):
        return _from_items(list(data), order)
    raise BadInput(f"{type(data).__name__} holds no ratings; give a path, a data frame, a dict of raters, or rows")


def _from_items(items: list[Any], order: Sequence[Category] | None) -> Rated:
    if not items:
        raise BadInput("there is no rating")
    if all(isinstance(item, str | os.PathLike) for item in items):
        paths = [os.fspath(item) for item in items]
        if len(paths) == 1:
            return _read(paths[0], order)
        names = system_names(paths)
        return _from_qrels({n: read_qrels(p) for n, p in zip(names, paths, strict=True)}, order)
    widths = {len(row) for row in items if isinstance(row, tuple | list)}
    if widths not in ({3}, {4}):
        raise BadInput("rows of ratings are (item, rater, category) or (topic, item, rater, category)")
    columns = list(zip(*items, strict=True))
    unit = columns[0] if len(columns) == 4 else None
    item, rater, category = columns[-3:]
    return rated(_objects(category), item, list(map(str, rater)), unit, order=order)


def _objects(values: Iterable[Any]) -> np.ndarray[Any, np.dtype[np.object_]]:
    listed = list(values)
    column = np.empty(len(listed), object)
    column[:] = listed
    return column


def _from_mapping(data: Mapping[Any, Any], order: Sequence[Category] | None) -> Rated:
    rows = list(_mapped(data))
    if not rows:
        raise BadInput("there is no rating")
    unit, item, rater, category = zip(*rows, strict=True)
    topics = None if unit[0] is None else unit
    return rated(_objects(category), item, rater, topics, order=order)


def _mapped(data: Mapping[Any, Any]) -> Iterator[tuple[Any, str, str, Any]]:
    for rater, said in data.items():
        if not isinstance(said, Mapping):
            raise BadInput(f"rater {rater!r}: {type(said).__name__} where {{item: category}} is needed")
        for first, value in said.items():
            if isinstance(value, Mapping):
                yield from ((str(first), str(item), str(rater), category) for item, category in value.items())
            else:
                yield None, str(first), str(rater), value


def _from_qrels(several: Mapping[str, Judgments], order: Sequence[Category] | None) -> Rated:
    """Judgments, each of one rater; or with their iterations as raters, where there is one of them."""
    unit, item, rater, grade = [], [], [], []
    for name, each in several.items():
        texts = each.texts
        unit += [decode(each.queries[place]) for place in each.unit]
        item += [texts[place] for place in each.document]
        own = each.group.tolist() if not name and each.group is not None else None
        rater += [decode(group) for group in own] if own is not None else [name or "0"] * len(each.document)
        grade += each.grade.tolist()
    grades = np.array(grade, np.float64)
    known = np.where(grades < 0, np.nan, grades)  # below 0: pooled, not judged
    sources = tuple(Source(each.name, each.form, each.digest) for each in several.values())
    return replace(rated(known, item, rater, unit, order=order), sources=sources)


def _from_frame(data: Any, order: Sequence[Category] | None) -> Rated:
    import pyarrow as pa

    table = pa.table(data)
    roles = _roles(table.column_names)
    if roles is None:
        wide = [[str(name) for name in table.column_names]]
        wide += [
            ["" if v is None or v != v else str(v) for v in row]
            for row in zip(*table.to_pydict().values(), strict=True)
        ]
        return _wide(wide, "the frame", order)
    column = {role: table.column(place).to_pylist() for role, place in roles.items()}
    return rated(_objects(column["category"]), column["item"], column.get("rater"), column.get("unit"), order=order)


def _roles(columns: Sequence[str]) -> dict[str, int] | None:
    """The place of each role among the columns; None if no column says who rated."""
    plain = [column.strip().casefold().replace("-", "_") for column in columns]
    found = {role: next((plain.index(name) for name in names if name in plain), -1) for role, names in _ROLES.items()}
    if min(found["item"], found["rater"], found["category"]) < 0:
        return None
    return {role: place for role, place in found.items() if place >= 0}


def _read(path: str, order: Sequence[Category] | None) -> Rated:
    with opened(source(path)) as stream:
        start = stream.peek(1 << 16)
        first = next((line for line in start.decode("utf-8", "replace").splitlines() if line.strip()), "")
        delimiter = next((sign for sign in _DELIMITERS if sign in first.strip()), ",")
        header = [cell.strip() for cell in first.split(delimiter)]
        known = {name for names in _ROLES.values() for name in names}
        if not any(cell.casefold().replace("-", "_") in known for cell in header):
            judgments = _judged(stream)
            stream.drain()
            return _from_qrels({"": replace(judgments, digest=stream.digest)}, order)
        text = io.StringIO(stream.rest().decode("utf-8-sig", "surrogateescape"))
        rows = list(csv.reader(text, delimiter=delimiter, skipinitialspace=True))
        stream.drain()
    found = _from_cells([[cell.strip() for cell in row] for row in rows if row], path, order)
    return replace(found, sources=(Source(stream.name, "TSV" if delimiter == "\t" else "CSV", stream.digest),))


def _from_cells(rows: list[list[str]], name: str, order: Sequence[Category] | None) -> Rated:
    """A header, and below it a row a rating or a row an item."""
    roles = _roles(rows[0])
    if roles is None:
        return _wide(rows, name, order)
    _require_width(rows, name)
    column = {role: [row[place] for row in rows[1:]] for role, place in roles.items()}
    return rated(_objects(column["category"]), column["item"], column["rater"], column.get("unit"), order=order)


def _judged(stream: Stream) -> Judgments:
    content = recognised(stream, "qrels")
    if content.nested is not None:
        return judged_dictionary(content.nested, stream.name, content.form)
    return judged(content.pieces, stream.name, content.form)


def _wide(rows: list[list[str]], name: str, order: Sequence[Category] | None) -> Rated:
    """A row an item, and a column a rater."""
    header = [cell.casefold().replace("-", "_") for cell in rows[0]]
    unit = next((header.index(role) for role in _ROLES["unit"] if role in header), None)
    item = next((header.index(role) for role in _ROLES["item"] if role in header), None)
    raters = [place for place in range(len(header)) if place not in (unit, item)]
    if item is None or len(raters) < 2:
        wanted = "; ".join(f"{role}: {', '.join(names)}" for role, names in _ROLES.items() if role != "unit")
        raise BadInput(
            f"{name}: the columns {', '.join(map(repr, rows[0]))} are not those of ratings; a row a rating has columns "
            f"such as {wanted}; a row an item has one column for the item and one for each rater"
        )
    _require_width(rows, name)
    long = [(row[unit] if unit is not None else "", row[item], rows[0][r], row[r]) for row in rows[1:] for r in raters]
    units, items, names, categories = zip(*long, strict=True)
    return rated(_objects(categories), items, names, None if unit is None else units, order=order)


def _require_width(rows: list[list[str]], name: str) -> None:
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            raise BadInput(f"{name}, row {number}: {len(row)} fields where the header has {len(rows[0])}")
    if len(rows) < 2:
        raise BadInput(f"{name}: there is a header, but no row")
