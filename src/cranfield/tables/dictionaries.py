"""Runs and judgments as dicts of dicts: `{query: {document: number}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Ints, Spelled, encode, named
from cranfield.tables.rankings import Part

Floats = NDArray[np.float64]
Nested = dict[str, dict[str, float]]


@dataclass(frozen=True)
class RunDictionary:
    """A run as a dict of dicts."""

    run: Mapping[Any, Any]
    name: str
    form: str = "dict"
    size: int | None = None
    digest: str | None = None

    def parts(self) -> Iterator[Part]:
        yield Whole(self)

    def whole(self) -> Dictionary:
        return Dictionary(nested(self.run, self.name, "score"), self.name)


@dataclass(frozen=True)
class Whole:
    """All of a dict as one batch still to be made."""

    source: RunDictionary
    size: int = 0

    def __call__(self) -> Dictionary:
        return self.source.whole()


class Dictionary:
    """Rankings as a dict of dicts: the judged documents are looked up, the others only counted."""

    def __init__(self, run: Nested, name: str) -> None:
        self._run = run
        self._names = list(run)
        self.queries = [encode(query) for query in self._names]
        self.starts = np.concatenate([[0], np.cumsum(_sizes(run))])
        self.scores = numbers(run, name, "score")
        self._listed: tuple[int, list[str]] = (-1, [])  # the documents of the query that was asked for last

    def judged(self, judgments: Judgments) -> tuple[Ints, Ints, Floats]:
        unit = np.fromiter(map(judgments.number.get, self.queries, repeat(-1)), np.int64, len(self.queries))
        known = np.flatnonzero(unit >= 0)
        start, end = judgments.starts[unit[known]], judgments.starts[unit[known] + 1]
        rankings, texts = list(self._run.values()), judgments.texts
        looked_up = chain.from_iterable(
            map(rankings[index].get, texts[first:last], repeat(np.nan))
            for index, first, last in zip(known.tolist(), start.tolist(), end.tolist(), strict=True)
        )
        size = end - start
        score = np.fromiter(looked_up, np.float64, int(size.sum()))
        place = np.arange(len(score)) + np.repeat(start - (np.cumsum(size) - size), size)
        found = np.flatnonzero(~np.isnan(score))  # no score of a run is NaN
        return np.repeat(known, size)[found], place[found], score[found]

    def names(self, query: int, place: Ints) -> list[bytes]:
        if self._listed[0] != query:
            self._listed = query, list(self._run[self._names[query]])
        return [encode(self._listed[1][index]) for index in place]


def judged_dictionary(data: Mapping[Any, Any], name: str, form: str = "dict") -> Judgments:
    """The judgments in a dict of dicts."""
    given = nested(data, name, "grade")
    grade = numbers(given, name, "grade")
    if not np.isfinite(grade).all():
        _refuse_numbers(given, name, "grade")
    queries = {encode(query): documents for query, documents in given.items()}
    order = sorted(queries)
    grade, size = _in_order(grade, list(queries), order, _sizes(given))
    unit = np.repeat(np.arange(len(order)), size)
    rows = np.lexsort((-grade, unit))
    return Judgments(
        queries=order,
        starts=np.concatenate([[0], np.cumsum(size)]),
        documents=Spelled(list(chain.from_iterable(queries[query] for query in order))),
        document=rows,
        grade=grade[rows],
        name=name,
        form=form,
    )


def _in_order(grade: Floats, given: list[bytes], order: list[bytes], size: Ints) -> tuple[Floats, Ints]:
    """The grades and the number of documents of each query, with the queries in order."""
    if given == order:
        return grade, size
    place = {query: index for index, query in enumerate(given)}
    moved = np.fromiter(map(place.__getitem__, order), np.int64, len(order))
    start = np.cumsum(size) - size
    rows = np.repeat(start[moved] - (np.cumsum(size[moved]) - size[moved]), size[moved]) + np.arange(len(grade))
    return grade[rows], size[moved]


def nested(data: Mapping[Any, Any], name: str, value: str) -> Nested:
    """The dict of dicts with names as keys; the very same one if it has them already."""
    if not data:
        raise BadInput(f"{name}: the dict is empty; {{query: {{document: {value}}}}} is needed")
    for query, documents in data.items():
        if not isinstance(documents, Mapping):
            raise BadInput(f"{name}: query {query!r} has {_shown(documents)}, where {{document: {value}}} is needed")
    if isinstance(data, dict) and all(isinstance(query, str) for query in data) and all(map(_by_text, data.values())):
        return data
    return _renamed({query: _renamed(documents, name) for query, documents in data.items()}, name)


def _by_text(mapping: Any) -> bool:
    """Whether a dict has texts for keys, as far as its first and last show."""
    if not isinstance(mapping, dict):
        return False
    return not mapping or (isinstance(next(iter(mapping)), str) and isinstance(next(reversed(mapping)), str))


def _renamed(mapping: Mapping[Any, Any], name: str) -> dict[Any, Any]:
    """The mapping with texts for keys."""
    renamed: dict[str, Any] = {}
    for key, value in mapping.items():
        try:
            given = named(key)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
        if text in renamed:
            raise BadInput(f"{name}: {text!r} is there twice, as {key!r} and as another kind of key")
        renamed[text] = value
    return renamed


def numbers(data: Nested, name: str, value: str) -> Floats:
    """All numbers of a dict of dicts, none of them NaN."""
    every = chain.from_iterable(documents.values() for documents in data.values())
    try:
        found = np.fromiter(every, np.float64, int(_sizes(data).sum()))
    except (TypeError, ValueError, OverflowError):
        found = np.array([np.nan])
    if np.isnan(found).any():
        _refuse_numbers(data, name, value)
    return found


def _refuse_numbers(data: Nested, name: str, value: str) -> None:
    for query, documents in data.items():
        for document, number in documents.items():
            try:
                usable = np.isfinite(float(number)) or (value == "score" and not np.isnan(float(number)))
            except (TypeError, ValueError, OverflowError):
                usable = False
            if not usable:
                raise BadInput(
                    f"{name}: query {query!r}, document {document!r}: {value} {_shown(number)} is not a "
                    f"{'number' if value == 'score' else 'finite number'}"
                )


def _sizes(data: Nested) -> Ints:
    return np.fromiter(map(len, data.values()), np.int64, len(data))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
