"""Tables in pieces: whatever is read comes as columns, some rows at a time, and becomes rankings or judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names, concatenated
from cranfield.tables.rankings import Part, Rows, joined, located, rows

Columns = dict[str, pa.Array | NDArray[np.float64]]


class Piece(Protocol):
    """Some rows of a table: names as Arrow bytes, numbers as NumPy."""

    @property
    def size(self) -> int:
        """How many bytes of the file they took."""

    def columns(self) -> Columns:
        """The columns by their roles."""

    def where(self, row: int) -> str:
        """The place of a row, as one would say it."""


@dataclass(frozen=True)
class Ranked:
    """A piece of a run, as a batch still to be made."""

    piece: Piece

    @property
    def size(self) -> int:
        """How many bytes of the file it took."""
        return self.piece.size

    def __call__(self) -> Rows:
        columns = self.piece.columns()
        runs = pa.compute.run_end_encode(columns["query"], run_end_type=pa.int64())
        queries = runs.values.to_pylist()
        score = columns["score"] if "score" in columns else -columns["rank"]
        document = Names.from_arrow(columns["document"])
        if len(set(queries)) < len(queries):
            return rows(Names.from_arrow(columns["query"]), document, score, self.piece.where)
        starts = np.concatenate([[0], np.from_dlpack(runs.run_ends)])
        return Rows(queries, starts, document, score, self.piece.where).checked()


@dataclass(frozen=True)
class RunTable:
    """A run as a table in memory."""

    pieces: list[Piece]
    name: str
    form: str
    size: int | None = None
    digest: str | None = None

    def parts(self) -> Iterator[Part]:
        return map(Ranked, self.pieces)

    def whole(self) -> Rows:
        return joined([Ranked(piece)() for piece in self.pieces])


def judged(pieces: Iterable[Piece], name: str, form: str) -> Judgments:
    """The judgments in the pieces of a table."""
    kept = list(pieces)
    tables = [piece.columns() for piece in kept]
    grade = np.concatenate([table["grade"] for table in tables])
    where = located([piece.where for piece in kept], [len(table["grade"]) for table in tables])
    unusable = ~np.isfinite(grade)
    if unusable.any():
        row = int(np.argmax(unusable))
        raise BadInput(f"{where(row)}: grade {grade[row]} is not a finite number")
    names = {
        column: concatenated([Names.from_arrow(table[column]) for table in tables])
        for column in ("query", "document", "group", "subgroup")
        if column in tables[0]
    }
    return judgments(grade=grade, **names, where=where, name=name, form=form)


def arrow_names(names: Sequence[bytes]) -> pa.Array:
    """The names as an Arrow column; made by hand, because `pa.array` would import pandas."""
    end = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, names), np.int64, len(names)), out=end[1:])
    return pa.Array.from_buffers(
        pa.large_binary(), len(names), [None, pa.py_buffer(end), pa.py_buffer(b"".join(names))]
    )
