"""Files of run lines as careless programs write them: odd blanks, ends of lines, comments, bytes and numbers."""

from __future__ import annotations

import random
from dataclasses import dataclass

from generators.ids import encoded
from generators.rankings import Collection, collections

BLANKS = (b" ", b"\t", b"  ", b" \t ", b"\x0b", b"\x0c ", b"\r ")
ENDS = (b"\n", b"\n", b"\r\n", b" \n", b"\t\r\n", b"\n\n", b"\n# a comment\n", b"\n  \n")
ODD = (b"", b"#", b"\0", b"nan", b"1 000", b"0x10", b"1_0", b"1e", b"-", b"\xff\xfe", b"1e5000000", b"9" * 400)


@dataclass(frozen=True)
class Untidy:
    """Judgments, the bytes of a run, and how many of them are read at a time."""

    qrels: bytes
    run: bytes
    block: int


def untidy(source: random.Random) -> Untidy:
    """A collection whose run has untidy lines, some of them wrong."""
    made = collections(source)
    lines = [_line(source, made, row) for row in range(len(made.run))]
    if source.random() < 0.2:
        lines.insert(source.randrange(len(lines)), source.choice(lines))  # a document that comes twice
    if source.random() < 0.3:
        source.shuffle(lines)
    return Untidy(made.qrels_file(), _damaged(source, lines), source.choice((64, 200, 1 << 20)))


def untidy_judgments(source: random.Random) -> Untidy:
    """Judgments with untidy lines, some of them wrong, and no run."""
    rows = [list(map(encoded, map(str, row))) for row in collections(source).qrels]
    lines = [_written(source, [query, source.choice((b"0", b"0", b"1")), *rest]) for query, *rest in rows]
    if source.random() < 0.2:
        lines.append(source.choice(lines))
    return Untidy(_damaged(source, lines), b"", source.choice((64, 200, 1 << 20)))


def _damaged(source: random.Random, lines: list[bytes]) -> bytes:
    """The lines as a file, perhaps without an end, and with something odd in it."""
    data = b"".join(lines)
    if source.random() < 0.3:
        data = data.rstrip()
    if source.random() < 0.2:
        place = source.randrange(len(data))
        data = data[:place] + source.choice(ODD) + data[place + source.randrange(3) :]
    return data


def _line(source: random.Random, made: Collection, row: int) -> bytes:
    query, document, score = map(encoded, made.run[row])
    fields = [query, b"Q0", document, str(row).encode(), score, b"tag"]
    if source.random() < 0.05:
        fields = source.choice((fields[:-1], [*fields, b"more"], [*fields[:5], b"000", b"tag"], fields[:4]))
    return _written(source, fields)


def _written(source: random.Random, fields: list[bytes]) -> bytes:
    tidy = source.random() < 0.8
    line = (b" " if tidy else source.choice(BLANKS)).join(fields)
    return line + b"\n" if tidy else source.choice((b"", b" ")) + line + source.choice(ENDS)
