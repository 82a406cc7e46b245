"""The compression and format of a file, recognised by its first bytes, and whether it is large. All readers use this.

A module in `formats` declares the formats it reads in `FORMATS`; they need not be listed anywhere else.

Decided here: which compression and format a file has, and which file is large.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cranfield.errors import BadInput
from cranfield.frozen import frozen

if TYPE_CHECKING:
    from cranfield.tables.adapters.chunks import Chunk
    from cranfield.tables.readers.sheets import Sheet
    from cranfield.tables.readers.streams import Stream

Shape = Literal["run", "qrels", "prefs"]

HEAD = 1 << 16  # number of bytes used to recognise a format
MANY_ROWS = 1 << 24  # Parquet and Arrow files with as many rows may be read in batches
MANY_BYTES = 1 << 28  # so may text files of this size; compressed ones are assumed to be four times larger
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_COMPRESSED = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "bz2": re.compile(rb"BZh[1-9]1AY&SY"),
}
_UNREADABLE = {  # the first that matches
    rb"PK\x03\x04.*(\[Content_Types\]|docProps/|xl/|opendocument)|\xd0\xcf\x11\xe0": "an Office document, such as an "
    "Excel workbook; save the sheet as CSV",
    rb"PK\x03\x04": "a ZIP archive; extract it first",
    rb"\xfd7zXZ": "compressed with xz; extract it first (gzip, zstd and bzip2 are read directly)",
    rb"\x04\x22\x4d\x18": "compressed with LZ4; extract it first (gzip, zstd and bzip2 are read directly)",
    rb"7z\xbc\xaf\x27\x1c": "a 7-Zip archive; extract it first",
    rb"SQLite format 3\0": "an SQLite database; export the table first",
    rb"%PDF-": "a PDF document",
    rb"\x80\x04\x95": "a Python pickle; pass the object itself",
    rb"\x93NUMPY": "a NumPy array",
    rb"\x89HDF": "an HDF5 file",
}


class NeedsWhole(Exception):
    """Raised where a file must be read as a whole after all."""


class Batches(NamedTuple):
    """Sheets of consecutive rows, each with the number of bytes read so far."""

    form: str
    sheets: Iterator[tuple[Sheet, int]]


def may_be_large(stream: Stream) -> bool:
    """Whether text may be too large to be held in memory."""
    from cranfield.tables.readers.streams import n_bytes

    size = n_bytes(stream.path) if stream.path is not None else None
    return size is not None and size * (4 if stream.packed else 1) >= MANY_BYTES


class Content(NamedTuple):
    """A run or judgments in a file: a table in chunks, or a dict of dicts."""

    form: str
    chunks: Iterator[Chunk] = iter(())
    nested: Mapping[Any, Any] | None = None


@frozen
class Format:
    """A file format: how to recognise it, and how to read a run, judgments or any table with named columns."""

    name: str
    begins: Callable[[bytes], bool]
    content: Callable[[Stream, Shape], Content]
    sheet: Callable[[Stream], Sheet]
    text: bool = False  # tried after the binary formats, and only on text
    batches: Callable[[Stream, Sequence[str]], Batches | None] = lambda *_: None  # of some columns of a large file


def anything(start: bytes) -> bool:  # noqa: ARG001
    """Always true, for the format that is tried last."""
    return True


@cache
def formats() -> tuple[Format, ...]:
    """All formats in the order in which they are tried; delimited text, which matches anything, comes last."""
    package = importlib.import_module("cranfield.tables.readers.formats")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    declared = [importlib.import_module(f"{package.__name__}.{name}").FORMATS for name in names]
    return tuple(sorted(itertools.chain(*declared), key=lambda format_: (format_.text, format_.begins is anything)))


def compression(start: bytes) -> str | None:
    """The compression of a file that begins with these bytes, if it is compressed."""
    return next((codec for codec, magic in _COMPRESSED.items() if magic.match(start)), None)


def recognised(stream: Stream) -> Format:
    """The format of a file; a byte order mark is skipped."""
    start = stream.peek(HEAD)
    binary = next((format_ for format_ in formats() if not format_.text and format_.begins(start)), None)
    if binary is not None:
        return binary
    refuse_binary(start, stream.name)
    if start.startswith(BYTE_ORDER_MARK):
        stream.read(len(BYTE_ORDER_MARK))
        start = stream.peek(HEAD)
    return next(format_ for format_ in formats() if format_.text and format_.begins(start))


def refuse_binary(start: bytes, name: str) -> None:
    """Refuse a file that does not begin like text."""
    for magic, what in _UNREADABLE.items():
        if re.match(magic, start, re.DOTALL):
            raise BadInput(f"{name}: this is {what}")
    if b"\0" in start and start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{name}: this is text in UTF-16; save it as UTF-8")
    if b"\0" in start:
        raise BadInput(f"{name}: this is binary data of an unknown kind, beginning with {start[:8]!r}")
