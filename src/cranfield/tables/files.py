"""Files of any kind, recognised by what they begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cranfield.errors import BadInput
from cranfield.tables.arrow_files import arrow, is_arrow, is_parquet, parquet
from cranfield.tables.blocks import blocks
from cranfield.tables.dictionaries import Dictionary, judged_dictionary, nested
from cranfield.tables.items import items
from cranfield.tables.json_text import document, is_row, objects
from cranfield.tables.judgments import Judgments
from cranfield.tables.layouts import Head, Shape, layout
from cranfield.tables.pieces import Piece, Ranked, judged
from cranfield.tables.rankings import Batch, Part, Rows, joined
from cranfield.tables.roles import Kind
from cranfield.tables.streams import Stream, n_bytes, opened, source
from cranfield.tables.systems import ending, system_name
from cranfield.tables.text import holds, shown

_HEAD = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNREADABLE = {
    b"PK\x03\x04": "a ZIP archive; unpack it first",
    b"\xfd7zXZ": "packed by xz; unpack it first (gzip, zstd and bzip2 are read as they are)",
    b"\x04\x22\x4d\x18": "packed by LZ4; unpack it first (gzip, zstd and bzip2 are read as they are)",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive; unpack it first",
    b"SQLite format 3\0": "an SQLite database; export the table first",
    b"%PDF-": "a PDF document",
    b"\x80\x04\x95": "a Python pickle; give the object itself",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
}


class Content(NamedTuple):
    """What a file was recognised as: a table in pieces, or a dict of dicts."""

    form: str
    pieces: Iterator[Piece] = iter(())
    nested: Mapping[Any, Any] | None = None


class RunFile:
    """A run in a file; `-` is standard input."""

    def __init__(self, path: str, name: str = "") -> None:
        self._source = source(path)
        self.path = path
        self.name = name or system_name(path)
        self.form = "file"
        self.size = n_bytes(self._source)
        self.digest: str | None = None

    def parts(self) -> Iterator[Part]:
        with opened(self._source) as stream:
            content = recognised(stream, "run")
            self.form = content.form
            if content.nested is not None:
                yield Loaded(Dictionary(nested(content.nested, stream.name, "score"), stream.name), self.size or 0)
            yield from map(Ranked, content.pieces)
            self.digest = stream.digest

    def whole(self) -> Batch:
        batches = [part() for part in self.parts()]
        return batches[0] if len(batches) == 1 else joined([batch for batch in batches if isinstance(batch, Rows)])


class Loaded(NamedTuple):
    """A batch that is made already."""

    batch: Batch
    size: int

    def __call__(self) -> Batch:
        return self.batch


def read_qrels(path: str, form: Shape = "qrels") -> Judgments:
    """The judgments in a file; `-` is standard input."""
    with opened(source(path)) as stream:
        content = recognised(stream, form)
        name = stream.name
        if content.nested is not None:
            read = judged_dictionary(content.nested, name, content.form)
        else:
            read = judged(content.pieces, name, content.form)
        return replace(read, digest=stream.digest)


def recognised(stream: Stream, shape: Shape) -> Content:
    """What a file holds: told by its first bytes, and by the ending of its name where these leave a choice."""
    kind: Kind = "run" if shape == "run" else "qrels"
    start = stream.peek(_HEAD)
    if is_parquet(start):
        return Content("Parquet", parquet(stream, kind))
    if is_arrow(start):
        return Content("Arrow", arrow(stream, kind))
    _refuse_binary(start, stream.name)
    if start.startswith(_BYTE_ORDER_MARK):
        stream.read(len(_BYTE_ORDER_MARK))
    head = _head(stream)
    if _is_json(head.first):
        return _json(stream, head, kind)
    found, headed = layout(head, shape)
    line = _skip_header(stream, head) if headed else 1
    return Content(found.form, blocks(stream, found, whole_queries=kind == "run", line=line))


def _head(stream: Stream) -> Head:
    """The first lines of a file."""
    size = _HEAD
    while True:
        start = stream.peek(size)
        cut = len(start) >= size
        whole = start[: start.rfind(b"\n") + 1] if cut else start
        lines = [(number, line) for number, line in enumerate(whole.split(b"\n"), 1) if holds(line)]
        if lines or not cut:
            break
        size *= 2
    if not lines:
        raise BadInput(f"{stream.name}: the file is empty" + (" but for comments" if whole.strip() else ""))
    if b"\r" in lines[0][1].strip() and b"\n" not in whole:
        raise BadInput(f"{stream.name}: the lines end with CR alone; they must end with LF or CR LF")
    return Head(stream.name, ending(stream.name), lines, cut)


def _skip_header(stream: Stream, head: Head) -> int:
    """Read up to the line after the header, and say which it is."""
    if len(head.lines) == 1:
        raise BadInput(f"{head.where}: there is a header, but no row: {shown(head.first)}")
    line = head.lines[0][0]
    stream.read(sum(len(before) + 1 for before in stream.peek(0).split(b"\n", line)[:line]))
    return line + 1


def _refuse_binary(start: bytes, name: str) -> None:
    for magic, what in _UNREADABLE.items():
        if start.startswith(magic):
            raise BadInput(f"{name}: this is {what}")
    if b"\0" in start and start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{name}: this is text in UTF-16; save it as UTF-8")
    if b"\0" in start:
        raise BadInput(f"{name}: this is binary data of an unknown kind, beginning with {start[:8]!r}")


def _is_json(line: bytes) -> bool:
    """Whether a line begins JSON, and not a name with a bracket."""
    start, rest = line[:1], line[1:_HEAD].lstrip()[:1]
    return (start == b"{" and rest in (b'"', b"}", b"")) or (start == b"[" and rest in (b"{", b"[", b"]", b""))


def _json(stream: Stream, head: Head, kind: Kind) -> Content:
    if is_row(head.first):
        found = objects(head.first, kind, head.where)
        return Content("JSON Lines", blocks(stream, found, whole_queries=kind == "run"))
    value = document(stream.rest(), stream.name)
    if isinstance(value, dict):
        return Content("JSON", nested=value)
    if all(isinstance(row, dict) for row in value):
        return Content("JSON", iter([items(value, kind, stream.name, stream.position)]))
    raise BadInput(
        f"{stream.name}: JSON of this shape cannot be read ({shown(head.first)}); "
        "{query: {document: number}} or [{…}, …] is needed"
    )
