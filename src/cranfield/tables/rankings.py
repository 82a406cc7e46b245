"""Rankings as they stream by: batches of whole queries, which know how to find their judged documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.judgments import Judgments, grouped, paired
from cranfield.tables.names import Hashes, Ints, Names, concatenated, decode, encode

Floats = NDArray[np.float64]


class Batch(Protocol):
    """Some whole rankings: those of `queries[i]` have the scores `scores[starts[i]:starts[i + 1]]`."""

    @property
    def queries(self) -> list[bytes]: ...
    @property
    def starts(self) -> Ints: ...
    @property
    def scores(self) -> Floats: ...

    def judged(self, judgments: Judgments) -> tuple[Ints, Ints, Floats]:
        """The query in this batch, the place among the judged documents, and the score of each judged document."""

    def names(self, query: int, place: Ints) -> list[bytes]:
        """The documents that stand at these places of a query's ranking, as it was given."""


class RunSource(Protocol):
    """A run, wherever it lies."""

    @property
    def name(self) -> str: ...

    def parts(self) -> Iterator[Callable[[], Batch]]:
        """Its batches, each still to be read; they may be read in several threads."""

    def whole(self) -> Batch:
        """All of it as one batch, for a run whose queries are scattered over the parts."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rankings as a table: a row a document, grouped by query."""

    queries: list[bytes]
    starts: Ints
    documents: Names
    scores: Floats
    where: Callable[[int], str]

    @cached_property
    def key(self) -> Hashes:
        """A number for each pair of query and document."""
        return paired(self.documents.hash, np.repeat(Names.of(self.queries).hash, np.diff(self.starts)))

    def checked(self) -> Rows:
        """These rows, if every score is a number and no query has a document twice."""
        nan = np.isnan(self.scores)
        if nan.any():
            raise BadInput(
                f"{self.where(int(np.argmax(nan)))}: the score is not a number (NaN has no place in an order)"
            )
        ordered = np.sort(self.key)
        if (ordered[1:] == ordered[:-1]).any():
            self._refuse_duplicates()
        return self

    def _refuse_duplicates(self) -> None:
        for query, (start, end) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            seen: dict[bytes, int] = {}
            for row, name in enumerate(self.documents.take(np.arange(start, end)).tolist(), int(start)):
                if name in seen:
                    raise BadInput(
                        f"{self.where(row)}: document {decode(name)!r} appears again for query "
                        f"{decode(self.queries[query])!r} (first at {self.where(seen[name])})"
                    )
                seen[name] = row

    def judged(self, judgments: Judgments) -> tuple[Ints, Ints, Floats]:
        rows, place = judgments.lookup.find(self.documents, self.key)
        return np.searchsorted(self.starts, rows, side="right") - 1, place, self.scores[rows]

    def names(self, query: int, place: Ints) -> list[bytes]:
        return [self.documents[row] for row in self.starts[query] + place]


def rows(query: Names, document: Names, score: Floats, where: Callable[[int], str]) -> Rows:
    """The rows of a table, gathered by query; each query keeps the order its documents came in."""
    names, unit = grouped(query)
    if (np.diff(unit) < 0).any():
        order = np.argsort(unit, kind="stable")
        line, given = order, where
        unit, document, score = unit[order], document.take(order), score[order]
        where = lambda row: given(int(line[row]))  # noqa: E731
    return Rows(names, np.searchsorted(unit, np.arange(len(names) + 1)), document, score, where).checked()


def joined(parts: list[Rows]) -> Rows:
    """The rows of all parts, gathered by query."""
    before = np.cumsum([0] + [len(part.scores) for part in parts])

    def where(row: int) -> str:
        part = int(np.searchsorted(before, row, side="right")) - 1
        return parts[part].where(row - int(before[part]))

    query = [
        Names.of(part.queries).take(np.repeat(np.arange(len(part.queries)), np.diff(part.starts))) for part in parts
    ]
    return rows(
        concatenated(query),
        concatenated([part.documents for part in parts]),
        np.concatenate([part.scores for part in parts]),
        where,
    )


class Dictionary:
    """Rankings as a dict of dicts: the judged documents are looked up, the others only counted."""

    def __init__(self, run: Mapping[str, Mapping[str, float]]) -> None:
        self._run = run
        self._names = list(run)
        self.queries = [encode(name) for name in self._names]
        size = np.fromiter(map(len, run.values()), np.int64, len(run))
        self.starts = np.concatenate([[0], np.cumsum(size)])
        self.scores = self._numbers()

    def _numbers(self) -> Floats:
        every = chain.from_iterable(ranking.values() for ranking in self._run.values())
        try:
            scores = np.fromiter(every, np.float64, int(self.starts[-1]))
        except (TypeError, ValueError):
            scores = np.array([np.nan])
        if np.isnan(scores).any():
            self._refuse_scores()
        return scores

    def _refuse_scores(self) -> None:
        for query, ranking in self._run.items():
            for document, score in ranking.items():
                try:
                    usable = not np.isnan(float(score))
                except (TypeError, ValueError):
                    usable = False
                if not usable:
                    raise BadInput(f"query {query!r}, document {document!r}: score {score!r} is not a number")

    def judged(self, judgments: Judgments) -> tuple[Ints, Ints, Floats]:
        query: list[int] = []
        place: list[int] = []
        score: list[float] = []
        texts = judgments.texts
        for index, ranking in enumerate(self._run.values()):
            unit = judgments.lookup.unit(self.queries[index])
            if unit < 0:
                continue
            for at in range(judgments.starts[unit], judgments.starts[unit + 1]):
                found = ranking.get(texts[at])
                if found is not None:
                    query.append(index)
                    place.append(at)
                    score.append(found)
        return np.array(query, np.int64), np.array(place, np.int64), np.array(score, np.float64)

    def names(self, query: int, place: Ints) -> list[bytes]:
        names = list(self._run[self._names[query]])
        return [encode(names[index]) for index in place]
