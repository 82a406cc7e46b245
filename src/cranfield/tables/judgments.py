"""Judgments in canonical form: for each query its judged documents, and what was said of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.names import Hashes, Ints, Names, decode, mixed

Floats = NDArray[np.float64]
Where = Callable[[int], str]

_SALT = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, eq=False)
class Judgments:
    """Who judged what how: a row a judgment, grouped by query (sorted by name), the best grade first.

    `document[i]` is the place of row i's document among the distinct `documents`, which are grouped by query
    too: those of query q are `documents[starts[q]:starts[q + 1]]`. Most qrels judge a document once, so that
    rows and documents are the same; those with subtopics or judgment groups judge it once for each. `digest` is the
    SHA-256 of the unpacked file they came from.
    """

    queries: list[bytes]
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
        return self.document_unit[self.document]

    @cached_property
    def document_unit(self) -> Ints:
        """The query of each distinct document."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.starts))

    @cached_property
    def number(self) -> dict[bytes, int]:
        """The place of each query among the judged ones."""
        return {name: index for index, name in enumerate(self.queries)}

    @cached_property
    def lookup(self) -> Lookup:
        """The index by which a ranking finds its judged documents."""
        return Lookup(self)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct documents as texts."""
        return self.documents.texts()

    @property
    def once(self) -> bool:
        """Whether no document was judged twice for a query."""
        return len(self.document) == len(self.documents)

    def require_once(self, source: str) -> None:
        """Refuse judgments that say two things of one document."""
        if not self.once:
            count = np.bincount(self.document, minlength=len(self.documents))
            twice = int(np.argmax(count > 1))
            query = decode(self.queries[self.document_unit[twice]])
            raise BadInput(
                f"{source}: document {decode(self.documents[twice])!r} is judged {count[twice]} times "
                f"for query {query!r}; "
                "one judgment a document is needed (measures of diversity and of preference take several)"
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
    """The canonical form of judgments given row by row in any order; `where` says the place of a row in an error."""
    queries, unit = grouped(query)
    if not _repeated(unit, document):
        order = np.lexsort((-grade, unit))
        return Judgments(
            queries=queries,
            starts=np.searchsorted(unit[order], np.arange(len(queries) + 1)),
            documents=document.take(order),
            document=np.arange(len(order)),
            grade=grade[order],
            group=None if group is None else group.take(order),
            subgroup=None if subgroup is None else subgroup.take(order),
            name=name,
            form=form,
        )
    names, place = _distinct(unit, document)
    _refuse_duplicates(place, query, document, [column for column in (group, subgroup) if column is not None], where)
    order = np.lexsort((place, -grade, unit))
    first = np.full(len(names), -1)
    first[place[order][::-1]] = order[::-1]  # documents in the order of their rows: query, then best grade first
    by_row = np.argsort(np.argsort(order)[first], kind="stable")
    renumbered = np.empty(len(names), np.int64)
    renumbered[by_row] = np.arange(len(names))
    documents = document.take(names[by_row])
    return Judgments(
        queries=queries,
        starts=np.searchsorted(unit[names[by_row]], np.arange(len(queries) + 1)),
        documents=documents,
        document=renumbered[place[order]],
        grade=grade[order],
        group=None if group is None else group.take(order),
        subgroup=None if subgroup is None else subgroup.take(order),
        name=name,
        form=form,
    )


def _refuse_duplicates(place: Ints, query: Names, document: Names, groups: list[Names], where: Where) -> None:
    """Refuse rows that are alike in query, document and group."""
    key = place.astype(np.uint64)
    for group in groups:
        key = paired(group.hash, key)
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order[1:]] == key[order[:-1]]]
    if len(again):
        row = int(again.min())
        first = int(np.argmax(key == key[row]))
        raise BadInput(
            f"{where(row)}: document {decode(document[row])!r} is judged again for query {decode(query[row])!r} "
            f"(first at {where(first)})"
        )


def grouped(query: Names) -> tuple[list[bytes], Ints]:
    """The distinct names in the order of their bytes, and for each row the place of its name among them."""
    later = np.arange(1, len(query))
    change = np.flatnonzero(np.concatenate([[True], ~query.equal(later, query, later - 1)])[: len(query)])
    runs = query.take(change).tolist()
    queries = sorted(set(runs))
    place = {name: index for index, name in enumerate(queries)}
    unit = np.fromiter((place[name] for name in runs), np.int64, len(runs))
    return queries, np.repeat(unit, np.diff(np.append(change, len(query))))


def _repeated(unit: Ints, document: Names) -> bool:
    """Whether two rows may be of one query and document."""
    key = np.sort(paired(document.hash, mixed(unit.astype(np.uint64))))
    return bool((key[1:] == key[:-1]).any())


def _distinct(unit: Ints, document: Names) -> tuple[Ints, Ints]:
    """A row for each distinct document of each query, and for every row its place among those."""
    _, first, place = np.unique(
        paired(document.hash, mixed(unit.astype(np.uint64))), return_index=True, return_inverse=True
    )
    every = np.arange(len(place))
    if not document.equal(every, document, first[place]).all():
        raise BadInput("two document names share a 64-bit hash; rename one of them")
    return first, place


def paired(document: Hashes, query: Hashes) -> Hashes:
    """A number for each pair of a document and a query."""
    return mixed(document ^ (query * _SALT))


class Lookup:
    """Finds which of many (query, document) pairs are judged, most often by one look at a small table of bits."""

    def __init__(self, judged: Judgments) -> None:
        self._judged = judged
        self.salt = Names.of(judged.queries).hash
        key = paired(judged.documents.hash, self.salt[judged.document_unit])
        self._order = np.argsort(key)
        self._key = key[self._order]
        bits = max(10, len(key).bit_length() + 5)
        self._shift = np.uint64(64 - bits)
        self._seen = np.zeros(1 << bits, np.bool_)
        self._seen[key >> self._shift] = True

    def find(self, documents: Names, key: Hashes) -> tuple[Ints, Ints]:
        """Rows that are judged, and the place of each among the judged documents."""
        rows = np.flatnonzero(self._seen[key >> self._shift])
        place = np.minimum(np.searchsorted(self._key, key[rows]), len(self._key) - 1)
        same = self._key[place] == key[rows]
        rows, place = rows[same], self._order[place[same]]
        same = documents.equal(rows, self._judged.documents, place)
        return rows[same], place[same]
