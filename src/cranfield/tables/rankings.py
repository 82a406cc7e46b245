"""Rankings streamed in batches of whole queries, with lookup of judged documents.

Decided here: when a document that a run repeats is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, constant
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.tables.columns import Where, located, refuse_rows
from cranfield.tables.judgments import Judgments, grouped, paired, starts_of
from cranfield.tables.names import Hashes, Lengths, Names, Offsets, decode, length_width, offset_width

if TYPE_CHECKING:
    import pyarrow as pa


# Columns that grow as a file is read. Their buffers are extended in place, so no row is stored twice


class GrowingNumbers:
    """A column of numbers; while all numbers are equal, the number is stored once."""

    def __init__(self) -> None:
        self._only = constant(0, 0)  # so far
        self._numbers = bytearray()

    def add(self, numbers: Floats) -> None:
        """Append a column."""
        if not len(numbers):
            return
        only, self._only = self._only, constant(0, 0)
        if not self._numbers and _same(numbers, only):
            self._only = constant(numbers[0], len(only) + len(numbers))
        else:
            for column in (only, numbers):
                self._numbers += np.ascontiguousarray(column, np.float64).data

    def column(self) -> Floats:
        """All numbers, in order."""
        return np.frombuffer(self._numbers) if self._numbers else self._only


def _same(numbers: Floats, only: Floats) -> bool:
    """Whether all numbers are the same, bit for bit, as those of a constant column before them, if there are any."""
    first = np.append(only[:1], numbers[:1])[:1].view(np.int64)
    return bool((np.asarray(numbers, np.float64).view(np.int64) == first).all())


class GrowingNames:
    """A column of names; while all names are equal, the name is stored once."""

    def __init__(self) -> None:
        self._only: Names | None = None  # so far
        self._data, self._start, self._length = bytearray(), bytearray(), bytearray()
        self._widths: list[np.dtype[Any]] = [np.dtype(offset_width(0)), np.dtype(length_width(np.empty(0, np.uint16)))]

    def add(self, names: Names) -> None:
        """Append a column."""
        only, self._only = self._only, None
        if only is None and not self._data:
            self._only = names
        elif only is not None and only.is_repeated and names.is_repeated and only[0] == names[0]:
            self._only = Names.repeated(only[0], len(only) + len(names))
        else:
            if only is not None:
                self._append(only)
            self._append(names)

    def column(self) -> Names:
        """All names, in order."""
        if self._data:
            return Names(np.frombuffer(self._data, np.uint8), *self._offsets())
        return Names.of([]) if self._only is None else self._only

    def _append(self, names: Names) -> None:
        needed = np.dtype(offset_width(len(self._data) + len(names.data))), names.length.dtype
        widths = [np.promote_types(*pair) for pair in zip(self._widths, needed, strict=True)]
        if widths != self._widths:
            self._start, self._length = map(bytearray, map(np.ndarray.astype, self._offsets(), widths))
            self._widths = widths
        start = names.start.astype(widths[0]) + len(self._data)
        for column, numbers, width in zip((self._start, self._length), (start, names.length), widths, strict=True):
            column += np.ascontiguousarray(numbers, width).data
        self._data += np.ascontiguousarray(names.data).data

    def _offsets(self) -> tuple[Offsets, Lengths]:
        return np.frombuffer(self._start, self._widths[0]), np.frombuffer(self._length, self._widths[1])


def concatenated(columns: Iterable[Names]) -> Names:
    """One column of all names, in order."""
    whole = GrowingNames()
    for names in columns:
        whole.add(names)
    return whole.column()


# The tags of a run: the systems that its rows name; there should be only one.
#
# Tags do not affect an evaluation, so not every row is read for them: all rows of a small part of a run are checked,
# and evenly spaced rows of a large one.


TAG = "tag"  # the role of the column
_SPACED = 64  # rows of a large part
FEW_ROWS = 1 << 10  # of a small part
_FEW_BYTES = 1 << 16

Tags = tuple[str, ...]  # distinct, in the order in which they occur


def tags(cells: Iterable[object]) -> Tags:
    """The distinct tags among some cells; missing ones do not count."""
    return tuple(dict.fromkeys(str(cell) for cell in cells if cell not in (None, "")))


def tags_in_column(column: pa.Array) -> Tags:
    """The distinct tags in some rows of a column."""
    n = len(column)
    rows = range(n) if n <= FEW_ROWS else (*range(0, n, n // _SPACED), n - 1)
    return tags(column[row].as_py() for row in rows)


def some_lines(data: bytearray) -> bytes:
    """Some lines, among them the first and the last."""
    if len(data) <= _FEW_BYTES:
        return bytes(data)
    places = range(0, len(data), len(data) // _SPACED)
    starts = [data.find(b"\n", place) + 1 if place else 0 for place in places]
    last = data.rfind(b"\n", 0, len(data) - data[-2:].count(b"\n")) + 1
    return b"".join(data[start : data.find(b"\n", start) + 1 or None] for start in sorted({*starts, last}))


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
