"""Runs that are watched while they are read: the top documents of each judged query are kept."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.engines.protocol import Ties
from cranfield.engines.tie_breaking import top_documents
from cranfield.frozen import frozen
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import Batch, Part, RunSource
from cranfield.tables.run_tags import Tags


class Watched:
    """A run that keeps the top documents of each judged query while it is read.

    It is read only once, so it may be a pipe.
    """

    def __init__(self, source: RunSource, judged: Judgments, depth: int, ties: Ties = "trec") -> None:
        self.first: dict[bytes, list[bytes]] = {}
        self._source, self._queries, self._depth, self._ties = source, frozenset(judged.queries), depth, ties

    @property
    def name(self) -> str:
        """The name of the run."""
        return self._source.name

    @property
    def form(self) -> str:
        """The form of the run."""
        return self._source.form

    @property
    def size(self) -> int | None:
        """The size of the run in bytes, if known."""
        return self._source.size

    @property
    def digest(self) -> str | None:
        """The digest of the run."""
        return self._source.digest

    @property
    def tags(self) -> Tags:
        """The tags of the run."""
        return self._source.tags

    def parts(self) -> Iterator[Part]:
        """The batches of the run; their top documents are kept."""
        return (_WatchedPart(part, self) for part in self._source.parts())

    def whole(self) -> Batch:
        """The whole run as one batch."""
        return self.seen(self._source.whole())

    def seen(self, batch: Batch) -> Batch:
        """The batch, after keeping its top documents."""
        for place, query in enumerate(batch.queries):
            if query in self._queries:
                self.first[query] = top_documents(batch, place, self._depth, self._ties)
        return batch


@frozen
class _WatchedPart:
    part: Part
    run: Watched

    @property
    def size(self) -> int:
        return self.part.size

    def __call__(self) -> Batch:
        return self.run.seen(self.part())
