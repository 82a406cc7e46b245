"""The tags of a run: the systems that its rows name; there should be only one.

Tags do not affect an evaluation, so not every row is read for them: all rows of a small part of a run are checked, and
evenly spaced rows of a large one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

TAG = "tag"  # the role of the column
_SPACED = 64  # rows of a large part
FEW_ROWS = 1 << 10  # of a small part
_FEW_BYTES = 1 << 16

Tags = tuple[str, ...]  # distinct, in the order in which they occur


def tags(cells: Iterable[object]) -> Tags:
    """The distinct tags among some cells; missing ones do not count."""
    return tuple(dict.fromkeys(str(cell) for cell in cells if cell not in (None, "")))


def tags_in_column(column: pa.Array) -> Tags:
    """The distinct tags in some rows of a column."""
    n = len(column)
    rows = range(n) if n <= FEW_ROWS else (*range(0, n, n // _SPACED), n - 1)
    return tags(column[row].as_py() for row in rows)


def some_lines(data: bytearray) -> bytes:
    """Some lines, among them the first and the last."""
    if len(data) <= _FEW_BYTES:
        return bytes(data)
    places = range(0, len(data), len(data) // _SPACED)
    starts = [data.find(b"\n", place) + 1 if place else 0 for place in places]
    last = data.rfind(b"\n", 0, len(data) - data[-2:].count(b"\n")) + 1
    return b"".join(data[start : data.find(b"\n", start) + 1 or None] for start in sorted({*starts, last}))
