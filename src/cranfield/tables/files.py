"""Files of any kind: opened, unpacked and recognised by what they begin with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute

from cranfield.errors import BadInput
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names, concatenated
from cranfield.tables.rankings import Batch, Rows, joined
from cranfield.tables.text import Block, Layout, blocks, parsed

Kind = Literal["run", "qrels"]

_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}

RUN = Layout(("query", "", "document", "", "score", ""), spare=True, more="query Q0 document rank score tag")
RUN_RANKED = Layout(("query", "document", "rank"), more="query document rank")
RUN_SCORED = Layout(("query", "document", "", "score"), more="query document rank score")
RUN_SHORT = Layout(("query", "document", "score"), more="query document score")
QRELS = Layout(("query", "group", "document", "grade"), more="query iteration document grade")
QRELS_SHORT = Layout(("query", "document", "grade"), more="query document grade")


def opened(path: str) -> BinaryIO:
    """The bytes of a file, unpacked if it is compressed; `-` is standard input."""
    raw = sys.stdin.buffer if path == "-" else _file(path)
    return cast(BinaryIO, raw)


def _file(path: str) -> BinaryIO:
    try:
        with open(path, "rb") as stream:
            start = stream.read(4)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    codec = next((codec for magic, codec in _PACKED.items() if start.startswith(magic)), None)
    return cast(BinaryIO, pa.input_stream(path, compression=codec) if codec else open(path, "rb", buffering=0))


@dataclass(frozen=True)
class RunFile:
    """A run in a file of lines."""

    path: str
    name: str

    def parts(self) -> Iterator[Callable[[], Batch]]:
        first, rest = _peeked(self.path, whole_queries=True)
        layout = run_layout(first)
        return (lambda block=block: _rows(block, layout) for block in chain([first], rest))  # type: ignore[misc]

    def whole(self) -> Batch:
        return joined([cast(Rows, part()) for part in self.parts()])


def _rows(block: Block, layout: Layout) -> Rows:
    columns = parsed(block, layout)
    runs = pa.compute.run_end_encode(columns["query"])
    starts = np.concatenate([[0], np.from_dlpack(runs.run_ends)]).astype(np.int64)
    score = columns["score"] if "score" in columns else -columns["rank"]
    return Rows(
        queries=runs.values.to_pylist(),
        starts=starts,
        documents=Names.from_arrow(columns["document"]),
        scores=score,
        where=block.where,
    ).checked()


def read_qrels(path: str) -> Judgments:
    """The judgments in a file of lines."""
    first, rest = _peeked(path, whole_queries=False)
    layout = qrels_layout(first)
    tables = [parsed(block, layout) for block in chain([first], rest)]
    names = {
        column: concatenated([Names.from_arrow(table[column]) for table in tables])
        for column in ("query", "document", "group")
        if column in tables[0]
    }
    return judgments(
        names["query"], names["document"], np.concatenate([t["grade"] for t in tables]), names.get("group")
    )


def _peeked(path: str, *, whole_queries: bool) -> tuple[Block, Iterator[Block]]:
    stream = blocks(opened(path), path, whole_queries=whole_queries)
    first = next(stream, None)
    if first is None or not any(_lines(first)):
        raise BadInput(f"{path}: the file is empty")
    return first, stream


def _lines(block: Block) -> Iterator[tuple[int, bytes]]:
    """The lines of a block that hold something, with their numbers."""
    for number, line in enumerate(block.data[: 1 << 16].split(b"\n"), block.line):
        if line.strip() and not line.startswith(b"#"):
            yield number, line


def run_layout(block: Block) -> Layout:
    """What the columns of a run are, told from its first lines."""
    _, line = next(_lines(block))
    fields = line.split()
    delimiter = "\t" if b"\t" in line and b" " not in line.strip() else " "
    layout = {3: RUN_SHORT, 4: RUN_SCORED}.get(len(fields), RUN)
    return Layout(layout.columns, delimiter, spare=layout.spare, more=layout.more)


def qrels_layout(block: Block) -> Layout:
    """What the columns of qrels are, told from their first lines."""
    _, line = next(_lines(block))
    fields = line.split()
    delimiter = "\t" if b"\t" in line and b" " not in line.strip() else " "
    layout = {3: QRELS_SHORT}.get(len(fields), QRELS)
    return Layout(layout.columns, delimiter, more=layout.more)
