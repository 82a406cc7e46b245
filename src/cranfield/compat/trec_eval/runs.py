"""The run, read by the fast reader if the outcome is the same, otherwise line by line as in trec_eval."""

from __future__ import annotations

import mmap
import os
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cranfield.compat.trec_eval.c_numbers import decimal
from cranfield.compat.trec_eval.getopt import Options
from cranfield.compat.trec_eval.input_files import LARGE, content, parts
from cranfield.compat.trec_eval.quit import Quit
from cranfield.engines import local
from cranfield.engines.choice import engine
from cranfield.engines.protocol import Engine, TieOrder
from cranfield.errors import BadInput
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import frozen
from cranfield.tables.adapters.chunks import RunTable
from cranfield.tables.adapters.rows import RowChunk
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Names
from cranfield.tables.rankings import RunSource

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
        return _at_speed(path, judged, options) or _by_line(path, content(path), judged, options)
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


def _at_speed(path: str, judged: Judgments, options: Options) -> Ran | None:
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
