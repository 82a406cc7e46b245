"""Input files read line by line as in trec_eval, with its error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import IO, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.compat.trec_eval.c_numbers import decimal, whole
from cranfield.compat.trec_eval.quit import Quit
from cranfield.compat.trec_eval.versions import Version
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names
from cranfield.tables.readers.limits import limits

Row = list[bytes]
Means = dict[tuple[bytes, bytes], tuple[float, float]]

LARGE = 1 << 18  # bytes; larger files are read by the fast reader
UNJUDGED = -2.0  # any negative grade means pooled but not judged
_REGULAR = re.compile(rb"(?:[^\s#]\S*[ \t]+\S+[ \t]+\S+[ \t]+-?[0-9]{1,9}[ \t\r]*\n)++")
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh")
_MAGIC = 4


class Layout(NamedTuple):
    """The number of fields in the lines of a format, and the procedure that errors name."""

    procedure: str
    what: str
    n_fields: int


_LAYOUTS = {
    "qrels": Layout("get_qrels", "qrels", 4),
    "qrels_jg": Layout("get_qrels_jg", "qrels", 4),
    "prefs": Layout("get_prefs", "prefs", 5),
    "qrels_prefs": Layout("get_qrels_prefs", "prefs", 4),
    "zscores": Layout("get_zscores", "zscores", 4),
}


@frozen
class Read:
    """Judgments, and for each topic with documents judged twice, the first of them."""

    judged: Judgments
    repeated: dict[bytes, bytes]


def content(path: str) -> bytes:
    """All bytes of a file, decompressed if necessary; empty if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(_MAGIC)
            if not start.startswith(_PACKED):
                return start + b"".join(parts(stream, path))
    except OSError:
        return b""
    return _unpacked(path)


def parts(stream: IO[bytes], path: str) -> Iterator[bytes]:
    """The bytes of a file in parts; a line beyond the limit is refused."""
    n_open = 0
    while part := stream.read(LARGE):
        end = part.rfind(b"\n") + 1
        n_open = len(part) - end if end else n_open + len(part)
        if n_open > limits.line:
            limits.refuse_line(path)
        yield part


def _unpacked(path: str) -> bytes:
    from cranfield.tables.readers.streams import opened, source  # slow to import and rarely needed

    with opened(source(path)) as stream:
        return stream.rest()


def read_judgments(path: str, form: str, version: Version) -> Read:
    """The judgments in a file of one of trec_eval's formats."""
    if form not in _LAYOUTS or form == "zscores":
        raise Quit(f"trec_eval: Illegal rel_format '{form}'\n", 2)
    try:
        data = content(path)
        quick = _at_speed(path, data) if form == "qrels" and len(data) >= LARGE else None
        return quick or _READERS[form](_table(path, data, _LAYOUTS[form], comments=version.newer))
    except Quit as why:
        raise why.followed_by(f"trec_eval: Quit in file '{path}'\n") from None


def read_means(path: str) -> Means:
    """The mean and the standard deviation for each topic and measure, from the file of -Z."""
    try:
        table = _table(path, content(path), _LAYOUTS["zscores"], comments=False)
    except Quit as why:
        raise Quit(why.message, 255) from None
    return {(row[0], row[1]): (decimal(row[2]), decimal(row[3])) for row in reversed(table)}


def _at_speed(path: str, data: bytes) -> Read | None:
    """A large, regular file of qrels read by the library's own reader; None if it is irregular."""
    from cranfield.tables.sources import as_judgments  # slow to import, and only large files need it

    if not os.path.isfile(path) or not _REGULAR.fullmatch(data):
        return None
    try:
        read = as_judgments(path)
    except BadInput:
        return None
    grade = np.where(read.grade < 0, UNJUDGED, read.grade)
    return Read(replace(read, grade=grade, group=None), {}) if read.once else None


def _table(path: str, data: bytes, layout: Layout, *, comments: bool) -> list[Row]:
    """The fields of every line, whose number must match the layout; blank lines do not."""
    table: list[Row] = []
    for line in _lines(data, comments):
        fields = line.split()
        if len(fields) != layout.n_fields:
            raise Quit(f"trec_eval.{layout.procedure}: Malformed line {len(table) + 1}\n", 2)
        table.append(fields)
    if not table:
        procedure = layout.procedure.replace("get_qrels_prefs", "get_prefs")
        raise Quit(f"trec_eval.{procedure}: Cannot read {layout.what} file '{path}'\n", 2)
    return table


def _lines(data: bytes, comments: bool) -> Iterator[bytes]:
    """The lines without comments; the line after a comment is never treated as one."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    commented = False
    for line in lines:
        commented = comments and line.startswith(b"#") and not commented
        if not commented:
            yield line


def _qrels(table: list[Row]) -> Read:
    """Judgments regardless of the second field; the first of repeated judgments is kept."""
    once = {(row[0], row[2]): row[3] for row in reversed(table)}
    repeated: dict[bytes, bytes] = {}
    if len(once) < len(table):
        repeated = _first_repeated([(row[0], row[2]) for row in table])
    grade = _grades(list(once.values()))
    return Read(judgments(Names.of(q for q, _ in once), Names.of(d for _, d in once), grade), repeated)


def _first_repeated(pairs: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The first document, by id, that is repeated in each topic."""
    pairs.sort()
    repeated: dict[bytes, bytes] = {}
    for pair, following in pairwise(pairs):
        if pair == following:
            repeated.setdefault(*pair)
    return repeated


def _grades(texts: list[bytes]) -> Floats:
    grade = np.fromiter(map(whole, texts), np.float64, len(texts))
    return np.where(grade < 0, UNJUDGED, grade)


def _qrels_jg(table: list[Row]) -> Read:
    """Judgments of several groups; each group must judge a document only once."""
    repeated = _first_repeated([(row[0] + b" " + row[1], row[2]) for row in table])
    if repeated:
        raise Quit(b"trec_eval.get_qrels: duplicate docs %s\n" % repeated[min(repeated)], 2)
    query, group, document = (Names.of(row[place] for row in table) for place in range(3))
    return Read(judgments(query, document, _grades([row[3] for row in table]), group), {})


def _prefs(table: list[Row]) -> Read:
    """Preferences; a repeated one has no effect, a contradictory one is an error in that topic."""
    once: dict[tuple[bytes, ...], float] = {}
    repeated: dict[bytes, bytes] = {}
    for *key, level in sorted(table, key=lambda row: (row[0], row[3])):
        if once.setdefault(tuple(key), decimal(level)) != decimal(level):
            repeated.setdefault(key[0], key[3])
    query, group, subgroup, document = (Names.of(column) for column in zip(*once, strict=True))
    levels = np.fromiter(once.values(), np.float64, len(once))
    return Read(judgments(query, document, levels, group, subgroup), repeated)


def _qrels_prefs(table: list[Row]) -> Read:
    return _prefs([[query, group, b"0", document, level] for query, group, document, level in table])


_READERS = {"qrels": _qrels, "qrels_jg": _qrels_jg, "prefs": _prefs, "qrels_prefs": _qrels_prefs}
