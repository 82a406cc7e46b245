"""The evaluated topics, with their judgments and the ranks of their judged documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.arrays import Ints, Mask
from cranfield.evidence.hits import Hits, hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import cached_property, frozen
from cranfield.tables.judgments import Judgments

if TYPE_CHECKING:
    from cranfield.evidence.preferences import Preferences
    from cranfield.evidence.subtopics import Groups


@frozen(eq=False)
class Topics:
    """Judged topics, sorted by id, with the ranks of their judged documents in a run."""

    judged: Judgments
    judged_ranks: JudgedRanks
    judged_only: bool

    def __len__(self) -> int:
        return len(self.judged.queries)

    def evidence(self, kind: type) -> Any:
        """The evidence that measures of a kind are computed from."""
        return getattr(self, kind.__name__.lower())

    @cached_property
    def hits(self) -> Hits:
        """The hits, condensed if only judged documents count."""
        every = hits(self.judged, self.judged_ranks)
        return every.condensed if self.judged_only else every

    @cached_property
    def groups(self) -> Groups:
        """The hits for each judgment group."""
        from cranfield.evidence.subtopics import groups  # here, because few measures need it

        every = groups(self.judged, self.judged_ranks)
        return every.condensed if self.judged_only else every

    @cached_property
    def preferences(self) -> Preferences:
        """The preferences, and which of them the ranking satisfies."""
        from cranfield.evidence.preferences import preferences  # here, because few measures need it

        return preferences(self.judged, self.judged_ranks)

    @cached_property
    def traced(self) -> Hits:
        """The hits with one row per retrieved document, with grade -1 if it was not pooled.

        Neither these nor documents with grade -2 (pooled but not judged) are part of the ideal ranking.
        """
        known = self.hits
        start = np.cumsum(known.n_retrieved) - known.n_retrieved
        unit = np.repeat(np.arange(len(known)), known.n_retrieved)
        rank = np.arange(len(unit)) - start[unit] + 1
        grade = np.full(len(unit), -1.0)
        grade[start[known.unit] + known.rank - 1] = known.grade
        pool = known.pool_grade >= 0
        return replace(
            known,
            unit=unit,
            rank=rank,
            grade=grade,
            tie_start=rank,
            tie_size=np.ones_like(rank),
            pool_unit=known.pool_unit[pool],
            pool_grade=known.pool_grade[pool],
        )

    def chosen(self, places: Ints) -> Topics:
        """The topics at these indices."""
        if len(places) == len(self):
            return self
        some = np.isin(self.judged.document_unit, places)
        judged = self.judged.only(some)
        starts = np.append(judged.starts[places], judged.starts[-1])
        judged = replace(judged, queries=judged.queries.take(places), starts=starts)
        return Topics(judged, self._judged_ranks(places, some), self.judged_only)

    def _judged_ranks(self, places: Ints, documents: Mask) -> JudgedRanks:
        ranks = self.judged_ranks
        by_topic = {name: getattr(ranks, name)[places] for name in ("n_retrieved", "answered")}
        by_document = {name: getattr(ranks, name)[documents] for name in ("rank", "tie_start", "tie_size")}
        return replace(ranks, **by_topic, **by_document)

    def truncated(self, depth: int) -> Topics:
        """The same topics with rankings truncated at a depth."""
        ranks = self.judged_ranks
        n_retrieved, rank = np.minimum(ranks.n_retrieved, depth), np.where(ranks.rank <= depth, ranks.rank, 0)
        return replace(self, judged_ranks=replace(ranks, n_retrieved=n_retrieved, rank=rank))

    def answered(self) -> Topics:
        """The same topics, with one unjudged document as the ranking of each missing topic."""
        ranks = self.judged_ranks
        return replace(self, judged_ranks=replace(ranks, n_retrieved=np.where(ranks.answered, ranks.n_retrieved, 1)))
