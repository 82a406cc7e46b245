"""Judgments in canonical form: for each query its judged documents and their grades.

Decided here: when a document that is judged repeatedly is refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import cranfield.native as extension
from cranfield.arrays import Floats, Ints, Mask, constant, is_constant
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.tables.columns import Where
from cranfield.tables.names import Hashes, Lookup, Names, decode, mixed, offset_width

MOST_GRADES = 20  # more distinct values are probably scores
_SALT = np.uint64(0xD6E8FEB86659FD93)


@frozen(eq=False)
class Judgments:
    """One row per judgment, grouped by query (sorted by name), with descending grades.

    `document[i]` is the place of row i's document among the distinct `documents`, which are grouped by query
    too: those of query q are `documents[starts[q]:starts[q + 1]]`. Most qrels judge a document once, so rows and
    documents are the same; those with subtopics or judgment groups judge it once for each. `digest` is the SHA-256 of
    the decompressed file.
    """

    queries: Names
    starts: Ints
    documents: Names
    document: Ints
    grade: Floats
    group: Names | None = None
    subgroup: Names | None = None
    name: str = "judgments"
    form: str = "table"
    digest: str | None = None

    @cached_property
    def unit(self) -> Ints:
        """The query of each row."""
        return self.document_unit if self.one_to_one else self.document_unit[self.document]

    @cached_property
    def one_to_one(self) -> bool:
        """Whether row i judges document i, as in most qrels."""
        return self.once and bool((self.document[1:] > self.document[:-1]).all())

    @cached_property
    def document_unit(self) -> Ints:
        """The query of each distinct document."""
        size = np.diff(self.starts)
        return self.starts[:-1] if (size == 1).all() else np.repeat(np.arange(len(self.queries)), size)

    def units(self, names: Names) -> Ints:
        """The index of each of these queries among the judged ones, -1 for unjudged queries."""
        unit = np.full(len(names), -1)
        row, place = self._queries.find(names, names.hash)
        unit[row] = place
        return unit

    @cached_property
    def _queries(self) -> Lookup:
        return Lookup(self.queries, self.queries.hash)

    @cached_property
    def lookup(self) -> Lookup:
        """The index in which a ranking looks up its judged documents, by the hashes of pairs."""
        return Lookup(self.documents, paired(self.documents.hash, self.queries.hash[self.document_unit]))

    @cached_property
    def texts(self) -> list[str]:
        """The distinct documents as text."""
        return self.documents.texts()

    def documents_of(self, place: int) -> list[bytes]:
        """The judged documents of a query."""
        return self.documents.take(np.arange(self.starts[place], self.starts[place + 1])).tolist()

    def grades_of(self, place: int) -> dict[bytes, float]:
        """The grade of each judged document of a query; the last one if there are several."""
        grades = self.document_grade[self.starts[place] : self.starts[place + 1]].tolist()
        return dict(zip(self.documents_of(place), grades, strict=True))

    @cached_property
    def document_grade(self) -> Floats:
        """The grade of each distinct document; the last one if there are several."""
        grade = np.empty(len(self.documents))
        grade[self.document] = self.grade
        return grade

    def only(self, some: Mask) -> Judgments:
        """The judgments of some of the distinct documents; queries without any of them remain."""
        rows = np.flatnonzero(some[self.document])
        return replace(
            self,
            starts=starts_of(self.document_unit[some], len(self.queries)),
            documents=self.documents.take(np.flatnonzero(some)),
            document=(np.cumsum(some) - 1)[self.document[rows]],
            grade=self.grade[rows],
            group=None if self.group is None else self.group.take(rows),
            subgroup=None if self.subgroup is None else self.subgroup.take(rows),
        )

    @cached_property
    def odd_grade(self) -> float | None:
        """A grade that looks like a score: not whole, or larger than on any scale."""
        grade = self._different_grades
        fractional = grade != np.rint(grade)
        if fractional.any():
            return float(grade[np.argmax(fractional)])
        farthest = grade[np.argmax(np.abs(grade))] if len(grade) else 0
        return float(farthest) if abs(farthest) > MOST_GRADES else None

    @cached_property
    def n_grades(self) -> int:
        """The number of different grades."""
        return len(np.unique(self._different_grades, return_counts=True)[0])  # without counts, it would import numpy.ma

    @property
    def _different_grades(self) -> Floats:
        """All grades that occur."""
        return self.grade[:1] if is_constant(self.grade) else self.grade

    @property
    def once(self) -> bool:
        """Whether no document is judged twice for a query."""
        return len(self.document) == len(self.documents)

    def require_once(self, source: str) -> None:
        """Refuse judgments with several grades for one document."""
        if not self.once:
            count = np.bincount(self.document, minlength=len(self.documents))
            twice = int(np.argmax(count > 1))
            query = decode(self.queries[self.document_unit[twice]])
            raise BadInput(
                f"{source}: document {decode(self.documents[twice])!r} is judged {count[twice]} times "
                f"for query {query!r}; "
                "one judgment per document is needed (only diversity and preference measures allow several)"
            )


def judgments(
    query: Names,
    document: Names,
    grade: Floats,
    group: Names | None = None,
    subgroup: Names | None = None,
    *,
    where: Where = "row {} (counting from 0)".format,
    name: str = "judgments",
    form: str = "table",
) -> Judgments:
    """Judgments in canonical form, from rows in any order; `where` locates a row in errors."""
    queries, unit = grouped(query)
    if len(queries) == len(unit):  # one judgment per query: rows, documents and queries have the same indices
        starts = np.arange(len(unit) + 1, dtype=offset_width(len(unit)))
        place = starts[:-1]
        order = distinct = np.empty_like(place)
        order[unit] = place
    else:
        once = _order_of_distinct(unit, document, grade)
        if once is None:
            groups = [column for column in (group, subgroup) if column is not None]
            order, distinct, place = _judged_again(unit, query, document, grade, groups, where)
        else:
            order = distinct = once
            place = np.arange(len(order), dtype=offset_width(len(order)))
        starts = starts_of(unit[distinct], len(queries)).astype(offset_width(len(order)))
    del unit  # of millions of rows
    return Judgments(
        queries=queries,
        starts=starts,
        documents=document.take(distinct),
        document=place,
        grade=constant(grade[0], len(order)) if is_constant(grade) else grade[order],
        group=None if group is None else group.take(order),
        subgroup=None if subgroup is None else subgroup.take(order),
        name=name,
        form=form,
    )


def _order_of_distinct(unit: Ints, document: Names, grade: Floats) -> Ints | None:
    """The order of the rows by query and descending grade; None if two may have the same query and document."""
    if extension.native is not None and document.start.dtype == np.int32 and document.length.dtype == np.uint16:
        columns = unit.astype(np.int64, copy=False), grade, document.data, document.start, document.length
        order = extension.native.judged_order(int.from_bytes(os.urandom(8)), *map(np.ascontiguousarray, columns))
        return None if order is None else np.frombuffer(order, np.int64)
    return None if _repeated(unit, document) else by_grade(unit, grade)


def _judged_again(
    unit: Ints, query: Names, document: Names, grade: Floats, groups: list[Names], where: Where
) -> tuple[Ints, Ints, Ints]:
    """The order of the rows if some judge a document again, one row per document, and the document of each row."""
    names, place = _distinct(unit, document)
    _refuse_duplicates(place, query, document, groups, where)
    order = np.lexsort((place, -grade, unit))
    first = np.full(len(names), -1)
    first[place[order][::-1]] = order[::-1]  # documents in the order of their rows: query, then best grade first
    by_row = np.argsort(np.argsort(order)[first], kind="stable")
    renumbered = np.empty(len(names), np.int64)
    renumbered[by_row] = np.arange(len(names))
    return order, names[by_row], renumbered[place[order]]


def _refuse_duplicates(place: Ints, query: Names, document: Names, groups: list[Names], where: Where) -> None:
    """Refuse rows with the same query, document and group."""
    key = place
    for group in groups:
        names, number = grouped(group)
        _, key = np.unique(key * len(names) + number, return_inverse=True)
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order[1:]] == key[order[:-1]]]
    if len(again):
        row = int(again.min())
        first = int(np.argmax(key == key[row]))
        raise BadInput(
            f"{where(row)}: duplicate judgment of document {decode(document[row])!r} for query {decode(query[row])!r} "
            f"(first at {where(first)})"
        )


def by_grade(unit: Ints, grade: Floats) -> Ints:
    """The order of the rows by query, and within a query by descending grade."""
    order: Ints = np.argsort(unit, kind="stable")
    unit, grade = unit[order], grade[order]
    rising = (unit[1:] == unit[:-1]) & (grade[1:] > grade[:-1])
    if not rising.any():
        return order
    low, high = grade.min(), grade.max()
    if high - low <= MOST_GRADES and (grade == np.rint(grade)).all():
        return order[_sorted_by_level(unit, (high - grade).astype(np.int8))]
    rows = np.flatnonzero(np.isin(unit, unit[1:][rising]))  # of queries that are not in order yet
    order[rows] = order[rows[np.lexsort((-grade[rows], unit[rows]))]]
    return order


def _sorted_by_level(unit: Ints, level: NDArray[np.int8]) -> Ints:
    """The order of rows, already sorted by unit, by level within each unit; a counting sort, as levels are few."""
    n_units = int(unit[-1]) + 1
    size = np.bincount(unit, minlength=n_units)
    begin = np.cumsum(size) - size  # where the next level of each unit begins
    order = np.empty(len(unit), np.int64)
    for value in range(int(level.max()) + 1):
        rows = np.flatnonzero(level == value)
        n = np.bincount(unit[rows], minlength=n_units)
        order[np.repeat(begin - (np.cumsum(n) - n), n) + np.arange(len(rows))] = rows
        begin += n
    return order


def starts_of(unit: Ints, n_units: int) -> Ints:
    """The first row of each unit after sorting, and the end of the last unit."""
    return np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=n_units))])


def grouped(query: Names) -> tuple[Names, Ints]:
    """The distinct names in byte order, and the index of each row's name."""
    changed = query.changes()
    change = None if changed.all() else np.flatnonzero(changed)
    runs = query if change is None else query.take(change)
    order, new = runs.ordered()
    unit = np.empty(len(runs), np.int64 if change is not None else order.dtype)
    every = bool(new.all())
    unit[order] = np.arange(len(order)) if every else np.cumsum(new) - 1
    names = runs.take(order if every else order[new])
    del order
    if len(names) < len(query) // 2:
        names = Names.of(names.tolist())  # without the bytes of all rows
    return names, unit if change is None else np.repeat(unit, np.diff(np.append(change, len(query))))


def _repeated(unit: Ints, document: Names) -> bool:
    """Whether two rows may have the same query and document."""
    several = np.flatnonzero(np.bincount(unit)[unit] > 1)  # rows of queries that have others
    if len(several) < len(unit):
        unit, document = unit[several], document.take(several)
    key = np.sort(paired(document.hash, mixed(unit.astype(np.uint64))))
    return bool((key[1:] == key[:-1]).any())


def _distinct(unit: Ints, document: Names) -> tuple[Ints, Ints]:
    """One row per distinct document of each query, and the place of every row among those."""
    _, first, place = np.unique(
        paired(document.hash, mixed(unit.astype(np.uint64))), return_index=True, return_inverse=True
    )
    every = np.arange(len(place))
    if not (document.equal(every, document, first[place]) & (unit == unit[first[place]])).all():  # hash collisions
        names, number = grouped(document)
        _, first, place = np.unique(unit * len(names) + number, return_index=True, return_inverse=True)
    return first, place


def paired(document: Hashes, query: Hashes) -> Hashes:
    """A hash for each pair of a document and a query."""
    return mixed(document ^ (query * _SALT))


def qrels_text(grades: Mapping[tuple[str, str], int]) -> str:
    """Lines `topic 0 document grade`, in a fixed order."""
    return "".join(f"{topic} 0 {document} {grades[topic, document]}\n" for topic, document in sorted(grades))
