"""Results as trec_eval prints them: one line per measure and topic, then one per measure over all topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import copysign, isnan

from cranfield.frozen import frozen

ALL = b"all"


@frozen
class Line:
    """The printed values of a measure: for each topic, and over all.

    Text is printed unchanged, integers without decimals, other numbers with four decimals.
    """

    name: bytes
    values: Sequence[float | bytes] = ()  # empty if only the summary is printed
    total: float | bytes | None = None  # None if only the topics are printed
    whole: bool = False
    prefix: bytes = b""


def per_topic(topics: Sequence[bytes], lines: Sequence[Line]) -> Iterator[bytes]:
    """The lines of each topic."""
    columns = [
        (b"%s%-22s\t" % (line.prefix, line.name), [_cell(value, line.whole) for value in line.values])
        for line in lines
        if len(line.values)
    ]
    for place, topic in enumerate(topics):
        for head, cells in columns:
            yield b"%s%s\t%s\n" % (head, topic, cells[place])


def summary(lines: Sequence[Line]) -> Iterator[bytes]:
    """The lines for all topics."""
    for line in lines:
        if line.total is not None:
            yield b"%s%-22s\t%s\t%s\n" % (line.prefix, line.name, ALL, _cell(line.total, line.whole))


def _cell(value: float | bytes, whole: bool) -> bytes:
    if isinstance(value, bytes):
        return value
    if isnan(value):
        return b"  -nan" if copysign(1, value) < 0 else b"   nan"  # as the GNU C library prints it
    return b"%d" % int(value) if whole else b"%6.4f" % value
