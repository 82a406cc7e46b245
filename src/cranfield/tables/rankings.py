"""Rankings as they stream by: batches of whole queries, which know how to find their judged documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.judgments import Judgments, Where, grouped, paired
from cranfield.tables.names import Hashes, Ints, Names, concatenated, decode

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


class Part(Protocol):
    """A batch that is still to be made, and how many bytes of its file it took."""

    @property
    def size(self) -> int: ...

    def __call__(self) -> Batch: ...


class RunSource(Protocol):
    """A run, wherever it lies: what it is called, what form it has and, of a file, the bytes and their digest.

    The form and the digest (SHA-256 of the unpacked content) of a file are known once it was read to its end.
    """

    @property
    def name(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def size(self) -> int | None: ...
    @property
    def digest(self) -> str | None: ...

    def parts(self) -> Iterator[Part]:
        """Its batches, each still to be made; they may be made in several threads."""

    def whole(self) -> Batch:
        """All of it as one batch, for a run whose queries are scattered over the parts."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rankings as a table: a row a document, grouped by query."""

    queries: list[bytes]
    starts: Ints
    documents: Names
    scores: Floats
    where: Where

    @cached_property
    def key(self) -> Hashes:
        """A number for each pair of query and document."""
        return paired(self.documents.hash, np.repeat(Names.of(self.queries).hash, np.diff(self.starts)))

    def checked(self) -> Rows:
        """These rows, if every score is a number and no query has a document twice."""
        nan = np.isnan(self.scores)
        if nan.any():
            raise BadInput(f"{self.where(int(np.argmax(nan)))}: the score is NaN, which has no place in an order")
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
        return self.documents.take(self.starts[query] + place).tolist()


def rows(query: Names, document: Names, score: Floats, where: Where) -> Rows:
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
    query = [
        Names.of(part.queries).take(np.repeat(np.arange(len(part.queries)), np.diff(part.starts))) for part in parts
    ]
    return rows(
        concatenated(query),
        concatenated([part.documents for part in parts]),
        np.concatenate([part.scores for part in parts]),
        located([part.where for part in parts], [len(part.scores) for part in parts]),
    )


def located(where: Sequence[Where], n_rows: Sequence[int]) -> Where:
    """The place of a row of many tables taken together."""
    before = np.cumsum([0, *n_rows])

    def place(row: int) -> str:
        table = int(np.searchsorted(before, row, side="right")) - 1
        return where[table](row - int(before[table]))

    return place
