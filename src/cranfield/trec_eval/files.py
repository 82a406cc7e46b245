"""Input files read line by line as in trec_eval, with its error messages."""

from __future__ import annotations

import mmap
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import IO, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.engines import local
from cranfield.engines.choice import engine
from cranfield.engines.protocol import Engine, TieOrder
from cranfield.errors import BadInput
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import frozen
from cranfield.tables.adapters.chunks import RunTable
from cranfield.tables.adapters.rows import RowChunk
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names
from cranfield.tables.rankings import RunSource
from cranfield.tables.readers.streams import limits
from cranfield.trec_eval.conventions import Quit, Version, decimal, whole
from cranfield.trec_eval.options import Options

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


# The run, read by the fast reader if the outcome is the same, otherwise line by line as in trec_eval


Ranking = list[tuple[float, bytes]]

_TAIL = 1 << 12


@frozen
class Ran:
    """The ranks of the judged documents, the run's name, and the first repeated document of each topic with one."""

    judged_ranks: JudgedRanks
    name: bytes
    repeated: dict[bytes, bytes]


def read_run(path: str, judged: Judgments, options: Options) -> Ran:
    """The ranks of the judged documents in a run."""
    if options.results_format != "trec_results":
        raise Quit(f"trec_eval: Illegal retrieval results format '{options.results_format}'\n", 2)
    if path.startswith("-") and options.version.newer:
        return _from_stdin(path, judged, options)
    try:
        return _runs_at_speed(path, judged, options) or _by_line(path, content(path), judged, options)
    except Quit as why:
        raise why.followed_by(f"trec_eval: Quit in file '{path}'\n") from None


def _from_stdin(path: str, judged: Judgments, options: Options) -> Ran:
    data = b"".join(parts(sys.stdin.buffer, "standard input"))
    if len(data) < LARGE:
        return _by_line(path, data, judged, options)
    from tempfile import NamedTemporaryFile  # slow to import, and only pipes need it

    with NamedTemporaryFile() as copy:
        copy.write(data)
        copy.flush()
        return read_run(copy.name, judged, options)


def _runs_at_speed(path: str, judged: Judgments, options: Options) -> Ran | None:
    """A large file read by the library's own reader; None if trec_eval might read it differently."""
    if not os.path.isfile(path) or os.path.getsize(path) < LARGE or not _regular(path, options.version.newer):
        return None
    from cranfield.tables.sources import as_run  # slow to import, and only large files need it

    try:
        return Ran(_judged_ranks(as_run(path, "run"), judged, options, engine()), _last_tag(path), {})
    except BadInput:
        return None


def _regular(path: str, comments: bool) -> bool:
    """Whether a file begins with the six fields of a run, and has no comments if none are allowed."""
    with open(path, "rb") as stream:
        fields = stream.readline(_TAIL).split()
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if not comments and (data[:1] == b"#" or data.find(b"\n#") >= 0):
                return False
    try:
        return len(fields) >= 6 and not fields[0].startswith(b"#") and float(fields[4]) == float(fields[4])
    except ValueError:
        return False


def _last_tag(path: str) -> bytes:
    """The sixth field of the last line."""
    size, length = os.path.getsize(path), _TAIL
    with open(path, "rb") as stream:
        while True:
            stream.seek(max(size - length, 0))
            lines = stream.read().split(b"\n")[1 if length < size else 0 :]
            for line in reversed(lines):
                fields = line.split(None, 6)
                if len(fields) >= 6 and not fields[0].startswith(b"#"):
                    return fields[5]
            length *= 2


def _by_line(path: str, data: bytes, judged: Judgments, options: Options) -> Ran:
    """The lines of a run, parsed as in trec_eval."""
    read = decimal if b"_" in data else _number  # Python reads 1_0 as 10
    topics = frozenset(judged.queries)
    rankings: dict[bytes, Ranking] = defaultdict(list)
    n_lines, name = 0, b""
    for line in data.split(b"\n"):
        fields = line.split(None, 6)
        if not fields or (options.version.newer and fields[0].startswith(b"#")):
            continue
        n_lines += 1
        score = read(fields[4]) if len(fields) > 5 else np.nan
        if score != score:  # too few fields, or a score that cannot be ranked
            raise Quit(f"trec_eval.get_results: Malformed line {n_lines}\n", 2)
        name = fields[5]
        if fields[0] in topics:
            rankings[fields[0]].append((score, fields[2]))
    if not n_lines:
        raise Quit(f"trec_eval.get_results: Cannot read results file '{path}'\n", 2)
    return _ranked(rankings, name, judged, options)


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return decimal(text)


def _ranked(rankings: dict[bytes, Ranking], name: bytes, judged: Judgments, options: Options) -> Ran:
    repeated: dict[bytes, bytes] = {}
    for topic, ranking in rankings.items():
        if len({document for _, document in ranking}) < len(ranking):
            rankings[topic] = _first(ranking, options)
            twice = _twice(rankings[topic])
            if twice is not None:
                repeated[topic] = twice
    unrepeated = [(topic, *row) for topic, ranking in rankings.items() if topic not in repeated for row in ranking]
    columns = {
        "query": Names.of(topic for topic, _, _ in unrepeated),
        "document": Names.of(document for _, _, document in unrepeated),
        "score": np.array([score for _, score, _ in unrepeated], np.float64),
    }
    judged_ranks = _judged_ranks(RunTable([RowChunk(columns, str)], "run", "table"), judged, options)
    answered = judged_ranks.answered | np.isin(np.arange(len(judged.queries)), judged.units(Names.of(repeated)))
    return Ran(replace(judged_ranks, answered=answered), name, repeated)


def _first(ranking: Ranking, options: Options) -> Ranking:
    """The ranked documents down to the evaluated depth; trec_eval checks only these for duplicates."""
    scores = local.rounded(np.array([score for score, _ in ranking], np.float64), options.version.precision)
    ranking = list(zip(scores.tolist(), (document for _, document in ranking), strict=True))
    if _ascending(options):
        ranked = sorted(ranking, key=lambda row: (-row[0], row[1]))
    else:
        ranked = sorted(ranking, reverse=True)
    return ranked if options.depth is None else ranked[: max(options.depth, 0)]


def _twice(ranking: Ranking) -> bytes | None:
    documents = sorted(document for _, document in ranking)
    return next((one for one, other in pairwise(documents) if one == other), None)


def _ascending(options: Options) -> bool:
    """Whether ties are broken by ascending document id, as with preferences."""
    return options.rel_format in ("prefs", "qrels_prefs")


def _judged_ranks(run: RunSource, judged: Judgments, options: Options, engine: Engine = local) -> JudgedRanks:
    order: TieOrder = "name ascending" if _ascending(options) else "name descending"
    return engine.judged_ranks(run, judged, order=order, precision=options.version.precision)
