"""Tables in chunks: all input arrives as columns, some rows at a time, and becomes rankings or judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.frozen import frozen
from cranfield.memory import give_back_freed_memory
from cranfield.tables.columns import Where, located, refuse_rows
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names
from cranfield.tables.rankings import GrowingNames, GrowingNumbers, Part, Rows, Tags, joined, rows, tags

if TYPE_CHECKING:
    import pyarrow as pa

Columns = dict[str, Any]  # by role: Names or Arrow bytes, and numbers; "written" are scores that floats would round

_NAMED = ("query", "document", "group", "subgroup")  # columns of names in judgments
_FEW = 100_000  # fewer rows take less time than importing Arrow's functions


class Chunk(Protocol):
    """Some rows of a table: names, maybe as Arrow bytes, and numbers as NumPy."""

    @property
    def size(self) -> int:
        """Their size in bytes in the file."""

    @property
    def tags(self) -> Tags:
        """The tags of some of the rows of a run."""

    def columns(self) -> Columns:
        """The columns by their roles."""

    def where(self, row: int) -> str:
        """How errors name a row."""

    def located(self, n_rows: int) -> Where:
        """The same for a known number of rows, without holding the chunk."""


@frozen
class RunChunk:
    """A chunk of a run, parsed when called."""

    chunk: Chunk

    @property
    def size(self) -> int:
        """Its size in bytes in the file."""
        return self.chunk.size

    def __call__(self) -> Rows:
        columns = self.chunk.columns()
        queries, starts = _stretches(columns["query"])
        score = columns["score"] if "score" in columns else -columns["rank"]
        document = _names(columns["document"])
        hashes = np.sort(queries.hash)
        if (hashes[1:] == hashes[:-1]).any():
            return rows(_names(columns["query"]), document, score, self.chunk.where, columns.get("written"))
        return Rows(queries, starts, document, score, self.chunk.where, columns.get("written")).checked()


def _names(column: pa.Array | Names) -> Names:
    return column if isinstance(column, Names) else Names.from_arrow(column)


def _stretches(column: pa.Array | Names) -> tuple[Names, NDArray[np.int64]]:
    """The queries in the order of the rows, the first row of each, and finally the number of rows."""
    if len(column) < _FEW or isinstance(column, Names):
        names = _names(column)
        starts = np.flatnonzero(names.changes())
        return names.take(starts), np.append(starts, len(names))
    import pyarrow as pa
    from pyarrow.compute import run_end_encode

    runs = run_end_encode(column, run_end_type=pa.int64())
    return Names.from_arrow(runs.values), np.concatenate([[0], np.from_dlpack(runs.run_ends)])


@frozen
class RunTable:
    """A run as a table in memory."""

    chunks: list[Chunk]
    name: str
    form: str
    size: int | None = None
    digest: str | None = None

    @property
    def tags(self) -> Tags:
        """The tags of its rows."""
        return tags(tag for chunk in self.chunks for tag in chunk.tags)

    def parts(self) -> Iterator[Part]:
        return map(RunChunk, self.chunks)

    def whole(self) -> Rows:
        return joined([RunChunk(chunk)() for chunk in self.chunks])


def judged(chunks: Iterable[Chunk], name: str, form: str) -> Judgments:
    """The judgments in the chunks of a table."""
    grade, names, where = _collected(chunks)
    refuse_rows(~np.isfinite(grade), where, lambda row: f"grade {grade[row]} is not a finite number")
    return judgments(grade=grade, **names, where=where, name=name, form=form)


def _collected(chunks: Iterable[Chunk]) -> tuple[Floats, dict[str, Names], Where]:
    """The grades, the names by role, and how to locate a row; the text they were parsed from is released."""
    grade = GrowingNumbers()
    names: dict[str, GrowingNames] = {}
    places: list[Where] = []
    n_rows: list[int] = []
    for chunk in chunks:
        columns = chunk.columns()
        n_rows.append(len(columns["grade"]))
        places.append(chunk.located(n_rows[-1]))
        grade.add(columns["grade"])
        for role in filter(columns.__contains__, _NAMED):
            names.setdefault(role, GrowingNames()).add(_names(columns[role]))
    give_back_freed_memory(sum(n_rows))
    return grade.column(), {role: column.column() for role, column in names.items()}, located(places, n_rows)


def arrow_names(names: Sequence[bytes]) -> pa.Array:
    """The names as an Arrow column; built from buffers because `pa.array` would import pandas."""
    import pyarrow as pa  # slow to import and not needed for every run

    end = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, names), np.int64, len(names)), out=end[1:])
    return pa.Array.from_buffers(
        pa.large_binary(), len(names), [None, pa.py_buffer(end), pa.py_buffer(b"".join(names))]
    )
