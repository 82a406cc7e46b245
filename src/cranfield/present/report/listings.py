"""Listings: the first documents of each ranking, kept while a run goes by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import Batch, Part, RunSource

DEEPEST, SHALLOWEST = 20, 5
BUDGET = 200_000  # documents in one page


def depth_for(n_systems: int, n_queries: int) -> int:
    """How many documents of each ranking a page can hold."""
    return int(np.clip(BUDGET // max(1, n_systems * n_queries), SHALLOWEST, DEEPEST))


class Watched:
    """A run of which the first documents of each judged query are kept as it is read.

    So it is read only once, and may come from a pipe.
    """

    def __init__(self, source: RunSource, judged: Judgments, depth: int) -> None:
        self.first: dict[bytes, list[bytes]] = {}
        self._source, self._queries, self._depth = source, frozenset(judged.queries), depth

    @property
    def name(self) -> str:
        """As the run is called."""
        return self._source.name

    @property
    def form(self) -> str:
        """The form of the run."""
        return self._source.form

    @property
    def size(self) -> int | None:
        """How many bytes the run has, if that is known."""
        return self._source.size

    @property
    def digest(self) -> str | None:
        """The digest of the run."""
        return self._source.digest

    def parts(self) -> Iterator[Part]:
        """The batches of the run, each looked at when it is made."""
        return (_WatchedPart(part, self) for part in self._source.parts())

    def whole(self) -> Batch:
        """All of the run as one batch."""
        return self.seen(self._source.whole())

    def seen(self, batch: Batch) -> Batch:
        """The batch, its first documents kept."""
        for place, query in enumerate(batch.queries):
            if query in self._queries:
                self.first[query] = _top(batch, place, self._depth)
        return batch


@dataclass(frozen=True)
class _WatchedPart:
    part: Part
    run: Watched

    @property
    def size(self) -> int:
        return self.part.size

    def __call__(self) -> Batch:
        return self.run.seen(self.part())


def _top(batch: Batch, query: int, depth: int) -> list[bytes]:
    """The first documents of a ranking by score, equal ones by name descending, as trec_eval has them."""
    scores = batch.scores[batch.starts[query] : batch.starts[query + 1]]
    if len(scores) > depth:
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        place = np.flatnonzero(scores >= least)
    else:
        place = np.arange(len(scores))
    names = batch.names(query, place)
    ordered = sorted(zip(scores[place].tolist(), names, strict=True), reverse=True)
    return [name for _, name in ordered[:depth]]
