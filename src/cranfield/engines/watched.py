"""Runs that are watched while they are read: the top documents of each judged query are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cranfield.engines.protocol import Ties
from cranfield.engines.tie_breaking import top_documents
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.preferences import Preferences, preferences
from cranfield.evidence.ranked_items import RankedItems, ranked_items
from cranfield.evidence.subtopics import Aspects, Groups, aspects, groups
from cranfield.frozen import frozen
from cranfield.tables.items import Items
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import Batch, Part, RunSource, Tags


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


# Evidence of kinds that few measures need, and that is therefore imported only for them


_BUILDERS: dict[type, Callable[[Judgments, JudgedRanks], Any]] = {Aspects: aspects, Groups: groups}


def rarer_evidence(
    kind: type, judged: Judgments, judged_ranks: JudgedRanks, run: RunSource, items: Items | None, ties: Ties
) -> Any:
    """Evidence of a kind other than hits."""
    if kind is RankedItems and isinstance(run, Watched) and items is not None:
        return ranked_items(run.first, judged, items)
    if kind is Preferences:  # trec_eval breaks ties by ascending name only here
        return preferences(judged, judged_ranks, ties="name" if ties == "trec" else "ranked")
    return _BUILDERS[kind](judged, judged_ranks)
