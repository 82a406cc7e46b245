"""Runs and judgments as dicts of dicts: `{query: {document: number}}`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cranfield.native as extension
from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.memory import keep_freed_memory
from cranfield.tables.adapters.changes import not_changed
from cranfield.tables.judgments import Judgments, by_grade
from cranfield.tables.names import Names, TextNames, decode, encode, named
from cranfield.tables.numbers import as_written, plain_floats
from cranfield.tables.numbers import number as as_number
from cranfield.tables.rankings import LoadedBatch, Part, Tags

Nested = dict[str, dict[str, float]]


@frozen
class RunDictionary:
    """A run as a dict of dicts."""

    run: Mapping[Any, Any]
    name: str
    form: str = "dict"
    size: int | None = None
    digest: str | None = None
    tags: Tags = ()

    def parts(self) -> Iterator[Part]:
        yield LoadedBatch(self.whole())

    def whole(self) -> Dictionary:
        return self._dictionary

    @cached_property
    def _dictionary(self) -> Dictionary:
        return Dictionary(nested(self.run, self.name, "score"), self.name)


class Dictionary:
    """Rankings as a dict of dicts: the judged documents are looked up, the others only counted.

    The rankings are the user's own dicts, which another thread may change at any time. The extension reads all of them
    in one step, and tells how large they were; every other reader reads copies.
    """

    def __init__(self, run: Nested, name: str) -> None:
        self._name = name
        self._queries, self.rankings = list(run), list(run.values())
        self.queries = Names.of(run)
        self.starts = np.concatenate([[0], np.cumsum(_sizes(self.rankings))])
        self._listed: tuple[int, list[str]] = (-1, [])  # the documents of the last requested query

    def refuse_changes(self, size: NDArray[np.integer[Any]]) -> None:
        """Refuse rankings that were read with other sizes than they had at first."""
        before = np.diff(self.starts)
        for query in np.flatnonzero(size != before)[:1].tolist():
            raise BadInput(
                f"{self._name}: the dict changed while it was read: query {self._queries[query]!r} had {before[query]} "
                f"documents, and later {size[query]}; pass a copy of it"
            )

    @cached_property
    def _copies(self) -> list[dict[Any, Any]]:
        """Copies of the rankings."""
        with not_changed(self._name):
            copies: list[dict[Any, Any]] = list(map(dict, self.rankings))
        self.refuse_changes(_sizes(copies))
        return copies

    @cached_property
    def scores(self) -> Floats:
        """The scores of all rankings."""
        return numbers(dict(zip(self._queries, self._copies, strict=True)), self._name, "score")

    @cached_property
    def written(self) -> NDArray[Any] | None:
        """The scores before rounding to floats; None if rounding cannot have merged any."""
        return as_written(chain.from_iterable(ranking.values() for ranking in self._copies), self.scores)

    def judged(self, judgments: Judgments, unit: Ints) -> tuple[Ints, Ints, Floats]:
        known = np.flatnonzero(unit >= 0)
        start, end = judgments.starts[unit[known]], judgments.starts[unit[known] + 1]
        size = end - start
        query = np.repeat(known, size)
        score = _looked_up(self._copies, judgments.texts, known, start, end)
        unfound = np.unique(query[np.isnan(score)]).tolist()
        if sum(map(self._rename, unfound)):
            score = _looked_up(self._copies, judgments.texts, known, start, end)
        place = np.arange(len(score)) + np.repeat(start - (np.cumsum(size) - size), size)
        retrieved = np.flatnonzero(~np.isnan(score))  # no score of a run is NaN
        return query[retrieved], place[retrieved], score[retrieved]

    def _rename(self, query: int) -> bool:
        """Turn a query's numeric or bytes documents into text; whether there were any.

        Done only where needed: checking every key of a large run would take as long as evaluating it.
        """
        if _all_text(self._copies[query]):
            return False
        self._copies[query] = _renamed(self._copies[query], self._name)
        return True

    def names(self, query: int, place: Ints) -> list[bytes]:
        if self._listed[0] != query:
            self._rename(query)
            self._listed = query, list(self._copies[query])
        return [encode(self._listed[1][index]) for index in place]


def _looked_up(rankings: list[Any], texts: list[str], query: Ints, start: Ints, end: Ints) -> Floats:
    """The scores of the judged documents of each query, NaN if not retrieved."""
    looked_up = chain.from_iterable(
        map(rankings[index].get, texts[first:last], repeat(np.nan))
        for index, first, last in zip(query.tolist(), start.tolist(), end.tolist(), strict=True)
    )
    return np.fromiter(looked_up, np.float64, int((end - start).sum()))


def _all_text(mapping: Mapping[Any, Any]) -> bool:
    """Whether a dict has only text keys."""
    return set(map(type, mapping)) <= {str}


def judged_dictionary(data: Mapping[Any, Any], name: str, form: str = "dict") -> Judgments:
    """The judgments in a dict of dicts."""
    keep_freed_memory()
    by_query = {encode(query): documents for query, documents in nested(data, name, "grade").items()}
    by_query = dict(sorted(by_query.items()))
    texts, grade, size = _best_first(list(by_query.values())) or _sorted_by_grade(by_query, name)
    return Judgments(
        queries=Names.of(by_query),
        starts=np.concatenate([[0], np.cumsum(size)]),
        documents=TextNames(texts),
        document=np.arange(len(texts)),
        grade=grade,
        name=name,
        form=form,
    )


def _best_first(rankings: list[dict[str, float]]) -> tuple[list[str], Floats, Ints] | None:
    """The documents of each query by descending grade, the grades, and the number of documents of each query.

    They are sorted in C; None if they are not plain.
    """
    sorted_ = None if extension.native is None else extension.native.judged_dicts(rankings)
    return None if sorted_ is None else (sorted_[0], np.frombuffer(sorted_[1]), np.frombuffer(sorted_[2], np.int64))


def _sorted_by_grade(by_query: dict[bytes, Any], name: str) -> tuple[list[str], Floats, Ints]:
    """The same for any keys and numbers."""
    with not_changed(name):
        read = {decode(query): dict(documents) for query, documents in by_query.items()}
    grade = numbers(read, name, "grade")
    if not np.isfinite(grade).all():
        _refuse_numbers(read, name, "grade")
    texts = list(
        chain.from_iterable(
            documents if _all_text(documents) else _renamed(documents, name) for documents in read.values()
        )
    )
    size = _sizes(read.values())
    rows = by_grade(np.repeat(np.arange(len(read)), size), grade)
    return [texts[row] for row in rows.tolist()], grade[rows], size


def nested(data: Mapping[Any, Any], name: str, value: str) -> Nested:
    """The dict of dicts with text keys; the same inner dicts if their keys are already text."""
    with not_changed(name):
        return _nested(dict(data if type(data) is dict else data.items()), name, value)


def _nested(data: dict[Any, Any], name: str, value: str) -> Nested:
    if not data:
        raise BadInput(f"{name}: the dict is empty; expected {{query: {{document: {value}}}}}")
    for query, documents in data.items():
        if not isinstance(documents, Mapping):
            raise BadInput(f"{name}: query {query!r}: expected {{document: {value}}}, got {documents!r:.60}")
    if all(isinstance(query, str) for query in data) and all(map(_by_text, data.values())):
        return data
    return _renamed({query: _renamed(documents, name) for query, documents in data.items()}, name)


def _by_text(mapping: Any) -> bool:
    """Whether a dict has text keys, judging by its first and last."""
    if not isinstance(mapping, dict):
        return False
    return isinstance(next(iter(mapping), ""), str) and isinstance(next(reversed(mapping), ""), str)


def _renamed(mapping: Mapping[Any, Any], name: str) -> dict[Any, Any]:
    """The mapping with text keys."""
    renamed: dict[str, Any] = {}
    for key, value in mapping.items():
        try:
            text = decode(named(key))
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        if text in renamed:
            raise BadInput(f"{name}: duplicate key {text!r}, as {key!r} and as a key of another type")
        renamed[text] = value
    return renamed


def numbers(data: Nested, name: str, value: str) -> Floats:
    """All numbers of a dict of dicts, none of them NaN."""
    floats = plain_floats(chain.from_iterable(documents.values() for documents in data.values()))
    if floats is None:
        _refuse_numbers(data, name, value)
        floats = np.array([as_number(number) for documents in data.values() for number in documents.values()])
    return floats


def _refuse_numbers(data: Nested, name: str, value: str) -> None:
    for query, documents in data.items():
        for document, number in documents.items():
            if flaw := _flaw(number, value):
                raise BadInput(f"{name}: query {query!r}, document {document!r}: {value} {number!r:.60} {flaw}")


def _flaw(number: Any, value: str) -> str:
    """A description of what is wrong with a score or grade; empty if it is valid."""
    try:
        figure = as_number(number)
    except ValueError as reason:
        return str(reason)
    if value == "score":
        return "is not a number" if np.isnan(figure) else ""
    return "" if np.isfinite(figure) else "is not a finite number"


def _sizes(rankings: Collection[Any]) -> Ints:
    return np.fromiter(map(len, rankings), np.int64, len(rankings))
