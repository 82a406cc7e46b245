"""The run: read at speed where that is the same, and line by line as trec_eval reads it where it may not be."""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from cranfield.cli.trec.files import LARGE, content
from cranfield.cli.trec.numbers import decimal
from cranfield.cli.trec.options import Options
from cranfield.cli.trec.quit import Quit
from cranfield.engines import local
from cranfield.errors import BadInput
from cranfield.evidence.found import Found
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Names
from cranfield.tables.rankings import Rows, RunSource, rows

Ranking = list[tuple[float, bytes]]

_TAIL = 1 << 12


@dataclass(frozen=True)
class Ran:
    """What a run found, its name, and the topics that have a document twice, with the first such document."""

    found: Found
    name: bytes
    repeated: dict[bytes, bytes]


@dataclass(frozen=True)
class Table:
    """A run that has been read, all in one part."""

    rows: Rows
    name: str = "run"
    form: str = "table"
    size: int = 0
    digest: str | None = None

    def __call__(self) -> Rows:
        return self.rows

    def parts(self) -> Iterator[Table]:
        yield self

    def whole(self) -> Rows:
        return self.rows


def read_run(path: str, judged: Judgments, options: Options) -> Ran:
    """What a run found of the judged documents."""
    if options.results_format != "trec_results":
        raise Quit(f"trec_eval: Illegal retrieval results format '{options.results_format}'\n", 2)
    if path.startswith("-") and options.version.newer:
        return _from_stdin(path, judged, options)
    try:
        return _at_speed(path, judged, options) or _by_line(path, content(path), judged, options)
    except Quit as why:
        raise why.followed_by(f"trec_eval: Quit in file '{path}'\n") from None


def _from_stdin(path: str, judged: Judgments, options: Options) -> Ran:
    data = sys.stdin.buffer.read()
    if len(data) < LARGE:
        return _by_line(path, data, judged, options)
    with tempfile.NamedTemporaryFile() as copy:
        copy.write(data)
        copy.flush()
        return read_run(copy.name, judged, options)


def _at_speed(path: str, judged: Judgments, options: Options) -> Ran | None:
    """What the library's own reader makes of a large file, if trec_eval would make the same of it."""
    if not os.path.isfile(path) or os.path.getsize(path) < LARGE or not _regular(path, options.version.newer):
        return None
    from cranfield.tables.sources import as_run  # here, since what reads large files takes time to start

    try:
        return Ran(_found(as_run(path, "run"), judged, options), _last_tag(path), {})
    except BadInput:
        return None


def _regular(path: str, comments: bool) -> bool:
    """Whether a file begins with the six fields of a run, and has no comments where there are none."""
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
    """What trec_eval makes of the lines of a run."""
    read = decimal if b"_" in data else _number  # Python reads 1_0 as 10
    wanted = frozenset(judged.queries)
    rankings: dict[bytes, Ranking] = defaultdict(list)
    n_lines, name = 0, b""
    for line in data.split(b"\n"):
        fields = line.split(None, 6)
        if not fields or (options.version.newer and fields[0].startswith(b"#")):
            continue
        n_lines += 1
        score = read(fields[4]) if len(fields) > 5 else np.nan
        if score != score:  # too few fields, or a score that has no place in an order
            raise Quit(f"trec_eval.get_results: Malformed line {n_lines}\n", 2)
        name = fields[5]
        if fields[0] in wanted:
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
    kept = [(topic, *row) for topic, ranking in rankings.items() if topic not in repeated for row in ranking]
    table = rows(
        Names.of(topic for topic, _, _ in kept),
        Names.of(document for _, _, document in kept),
        np.array([score for _, score, _ in kept], np.float64),
        str,
    )
    found = _found(Table(table), judged, options)
    answered = found.answered | np.isin(
        np.arange(len(judged.queries)), [judged.number.get(topic, -1) for topic in repeated]
    )
    return Ran(replace(found, answered=answered), name, repeated)


def _first(ranking: Ranking, options: Options) -> Ranking:
    """The documents that count, ranked: trec_eval looks for repeated ones only among these."""
    if options.version.precision == "single":
        ranking = [(float(np.float32(score)), document) for score, document in ranking]
    if _ascending(options):
        ranked = sorted(ranking, key=lambda row: (-row[0], row[1]))
    else:
        ranked = sorted(ranking, reverse=True)
    return ranked if options.depth is None else ranked[: max(options.depth, 0)]


def _twice(ranking: Ranking) -> bytes | None:
    documents = sorted(document for _, document in ranking)
    return next((one for one, other in pairwise(documents) if one == other), None)


def _ascending(options: Options) -> bool:
    """Whether documents with one score are ranked by name upwards: with preferences, and there only."""
    return options.rel_format in ("prefs", "qrels_prefs")


def _found(run: RunSource, judged: Judgments, options: Options) -> Found:
    order: local.TieOrder = "name ascending" if _ascending(options) else "name descending"
    return local.found(run, judged, order=order, precision=options.version.precision)
