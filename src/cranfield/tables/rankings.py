"""Rankings streamed in batches of whole queries, with lookup of judged documents.

Decided here: when a document that a run repeats is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.tables.growing_columns import concatenated
from cranfield.tables.judgments import Judgments, grouped, paired, starts_of
from cranfield.tables.locations import Where, located, refuse_rows
from cranfield.tables.names import Hashes, Names, decode
from cranfield.tables.run_tags import Tags

_FEW = 4  # comparisons per query
_AT_ONCE = 1 << 16  # rows searched for duplicates at a time


class Batch(Protocol):
    """Some whole rankings: those of `queries[i]` have the scores `scores[starts[i]:starts[i + 1]]`."""

    @property
    def queries(self) -> Names: ...
    @property
    def starts(self) -> Ints: ...
    @property
    def scores(self) -> Floats: ...
    @property
    def written(self) -> NDArray[Any] | None:
        """The scores before rounding to floats; None if rounding cannot have merged any."""

    def judged(self, judgments: Judgments, unit: Ints) -> tuple[Ints, Ints, Floats]:
        """The query in this batch, the index among the judged documents, and the score of each judged document.

        `unit` is the index of each query of the batch among the judged ones, -1 for unjudged queries.
        """

    def names(self, query: int, place: Ints) -> list[bytes]:
        """The documents at these places of a query's ranking, in its original order."""


class Part(Protocol):
    """A batch that is parsed when called, and its size in bytes in the file."""

    @property
    def size(self) -> int: ...

    def __call__(self) -> Batch: ...


class RunSource(Protocol):
    """A run from any source: its name, its form and, for a file, its size in bytes and its digest.

    The form, tags and digest (SHA-256 of the decompressed content) of a file are known once it was read to the end.
    """

    @property
    def name(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def size(self) -> int | None: ...
    @property
    def digest(self) -> str | None: ...
    @property
    def tags(self) -> Tags: ...

    def parts(self) -> Iterator[Part]:
        """Its batches, each built when called, perhaps in several threads."""

    def whole(self) -> Batch:
        """The whole run as one batch, for a run whose queries are scattered over the parts."""


class LoadedBatch(NamedTuple):
    """A batch that is already built."""

    batch: Batch
    size: int = 0

    def __call__(self) -> Batch:
        return self.batch


@frozen(eq=False)
class Rows:
    """Rankings as a table: one row per document, grouped by query."""

    queries: Names
    starts: Ints
    documents: Names
    scores: Floats
    where: Where
    written: NDArray[Any] | None = None

    @cached_property
    def key(self) -> Hashes:
        """A number for each pair of query and document."""
        return paired(self.documents.hash, np.repeat(self.queries.hash, np.diff(self.starts)))

    def checked(self) -> Rows:
        """These rows, after checking that every score is a number and no query has a duplicate document."""
        refuse_rows(np.isnan(self.scores), self.where, lambda _: "the score is NaN, which cannot be ranked")
        if len(self.scores) > len(self.queries):
            ordered = np.sort(self.key)
            if (ordered[1:] == ordered[:-1]).any():
                self._refuse_duplicates()
        return self

    def _refuse_duplicates(self) -> None:
        first: dict[tuple[int, bytes], int] = {}
        for row, query, name in self._suspects():
            seen = first.setdefault((query, name), row)
            if seen != row:
                raise BadInput(
                    f"{self.where(row)}: duplicate document {decode(name)!r} for query "
                    f"{decode(self.queries[query])!r} (first at {self.where(seen)})"
                )

    def _suspects(self) -> Iterator[tuple[int, int, bytes]]:
        """The rows that share their number with another one: row, query and document."""
        order = np.argsort(self.key, kind="stable")
        same = self.key[order[1:]] == self.key[order[:-1]]
        suspects = np.sort(order[np.append(same, False) | np.append(False, same)])
        for at in range(0, len(suspects), _AT_ONCE):  # a duplicate is often among the first
            rows = suspects[at : at + _AT_ONCE]
            query = np.searchsorted(self.starts, rows, side="right") - 1
            yield from zip(rows.tolist(), query.tolist(), self.documents.take(rows).tolist(), strict=True)

    def judged(self, judgments: Judgments, unit: Ints) -> tuple[Ints, Ints, Floats]:
        n_judged = np.where(unit < 0, 0, judgments.starts[unit + 1] - judgments.starts[unit])
        n_ranked = np.diff(self.starts)
        if (n_judged * n_ranked).sum() <= _FEW * len(unit):
            return self._compared(judgments, unit, n_judged, n_ranked)
        rows, place = judgments.lookup.find(self.documents, self.key)
        query = np.searchsorted(self.starts, rows, side="right") - 1
        same = unit[query] == judgments.document_unit[place]
        return query[same], place[same], self.scores[rows[same]]

    def _compared(self, judgments: Judgments, unit: Ints, n_judged: Ints, n_ranked: Ints) -> tuple[Ints, Ints, Floats]:
        """The same for short rankings: each document is compared with all judged ones."""
        query = np.repeat(np.arange(len(unit)), n_ranked)
        times = n_judged[query]
        rows = np.repeat(np.arange(len(query)), times)
        within = np.arange(len(rows)) - (np.cumsum(times) - times)[rows]
        place = judgments.starts[unit[query[rows]]] + within
        same = self.documents.equal(rows, judgments.documents, place)
        return query[rows[same]], place[same], self.scores[rows[same]]

    def names(self, query: int, place: Ints) -> list[bytes]:
        return self.documents.take(self.starts[query] + place).tolist()


def rows(query: Names, document: Names, score: Floats, where: Where, written: NDArray[Any] | None = None) -> Rows:
    """The rows of a table, gathered by query; each query keeps the original order of its documents."""
    names, unit = grouped(query)
    if (np.diff(unit) < 0).any():
        order = np.argsort(unit, kind="stable")
        line, place_of = order, where
        unit, document, score = unit[order], document.take(order), score[order]
        written = None if written is None else written[order]
        where = lambda row: place_of(int(line[row]))  # noqa: E731
    return Rows(names, starts_of(unit, len(names)), document, score, where, written).checked()


def joined(parts: list[Rows]) -> Rows:
    """The rows of all parts, gathered by query."""
    query = [part.queries.take(np.repeat(np.arange(len(part.queries)), np.diff(part.starts))) for part in parts]
    return rows(
        concatenated(query),
        concatenated([part.documents for part in parts]),
        np.concatenate([part.scores for part in parts]),
        located([part.where for part in parts], [len(part.scores) for part in parts]),
        _all_written(parts),
    )


def _all_written(parts: list[Rows]) -> NDArray[Any] | None:
    """The scores of all parts before rounding; as objects, since NumPy would turn mixed integers into floats."""
    if all(part.written is None for part in parts):
        return None
    written = [part.scores if part.written is None else part.written for part in parts]
    return np.concatenate([scores.astype(object) for scores in written])
