"""Large files in batches of rows, so that they need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cranfield.errors import BadInput
from cranfield.tables.arrow_validity import damaged, validated
from cranfield.tables.readers.recognition import Batches, recognised
from cranfield.tables.readers.sheets import DAMAGED, Sheet
from cranfield.tables.readers.streams import Stream, opened


class Batch(NamedTuple):
    """Some rows of a file: the number of the first one, and the number of bytes read so far."""

    sheet: Sheet
    first: int
    n_read: int


@dataclass
class LargeFile:
    """Some columns of a file that is read in batches; the digest is known once all were read."""

    path: str
    columns: tuple[str, ...]
    form: str = ""
    digest: str | None = None

    def batches(self) -> Iterator[Batch]:
        """The rows in batches; none if the file is small, or must be read as a whole."""
        with opened(self.path) as stream:
            batches = self._recognised(stream)
            if batches is None:
                return
            self.form = batches.form
            first = 0
            for sheet, n_read in _undamaged(batches, stream):
                validated(sheet.table, sheet.name)
                yield Batch(sheet, first, n_read)
                first += len(sheet.table)
            stream.drain()
            self.digest = stream.digest

    def _recognised(self, stream: Stream) -> Batches | None:
        if not stream.peek(1):
            return None
        try:
            return recognised(stream).batches(stream, self.columns)
        except DAMAGED as error:
            raise _unreadable(stream, error) from None

    def where(self, place: int) -> str:
        """How errors name a row; the file is read again up to it."""
        batch = next(batch for batch in self.batches() if place < batch.first + len(batch.sheet.table))
        return batch.sheet.where(place - batch.first)


def _undamaged(batches: Batches, stream: Stream) -> Iterator[tuple[Sheet, int]]:
    try:
        yield from batches.sheets
    except DAMAGED as error:
        raise _unreadable(stream, error) from None


def _unreadable(stream: Stream, error: Exception) -> BadInput:
    return error if isinstance(error, BadInput) else damaged(f"{stream.name}: the data cannot be read", error)
