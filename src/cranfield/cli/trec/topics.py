"""The topics that are evaluated, and what there is to evaluate of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.evidence.found import Found
from cranfield.evidence.groups import Groups, groups
from cranfield.evidence.hits import Hits, Ints, hits
from cranfield.evidence.preferences import Preferences, preferences
from cranfield.tables.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Topics:
    """Some judged topics, in the order of their names, with what a run found of them."""

    judged: Judgments
    found: Found
    judged_only: bool

    def __len__(self) -> int:
        return len(self.judged.queries)

    def evidence(self, kind: type) -> Any:
        """What measures of a kind are computed from."""
        if kind is Preferences:
            return self.preferences
        return self.groups if kind is Groups else self.hits

    @cached_property
    def hits(self) -> Hits:
        """The hits, without the unjudged documents if only judged ones are to count."""
        every = hits(self.judged, self.found)
        return every.condensed if self.judged_only else every

    @cached_property
    def groups(self) -> Groups:
        """The hits for each judgment group."""
        every = groups(self.judged, self.found)
        return every.condensed if self.judged_only else every

    @cached_property
    def preferences(self) -> Preferences:
        """The preferences, and which of them are met."""
        return preferences(self.judged, self.found)

    @cached_property
    def traced(self) -> Hits:
        """The hits with a row for every document retrieved, graded -1 where it was not in the pool.

        These have no part in the ideal ranking, nor have those graded -2, which were pooled and not judged.
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
            tie=rank,
            tied=np.ones_like(rank),
            pool_unit=known.pool_unit[pool],
            pool_grade=known.pool_grade[pool],
        )

    def chosen(self, places: Ints) -> Topics:
        """Only the topics at these places."""
        if len(places) == len(self):
            return self
        old = self.judged
        place = np.full(len(old.queries), -1)
        place[places] = np.arange(len(places))
        documents = np.flatnonzero(place[old.document_unit] >= 0)
        renumbered = np.full(len(old.documents), -1)
        renumbered[documents] = np.arange(len(documents))
        rows = np.flatnonzero(place[old.unit] >= 0)
        judged = replace(
            old,
            queries=[old.queries[index] for index in places],
            starts=np.searchsorted(place[old.document_unit[documents]], np.arange(len(places) + 1)),
            documents=old.documents.take(documents),
            document=renumbered[old.document[rows]],
            grade=old.grade[rows],
            group=None if old.group is None else old.group.take(rows),
            subgroup=None if old.subgroup is None else old.subgroup.take(rows),
        )
        return Topics(judged, self._found(places, documents), self.judged_only)

    def _found(self, places: Ints, documents: Ints) -> Found:
        found = self.found
        return replace(
            found,
            n_retrieved=found.n_retrieved[places],
            rank=found.rank[documents],
            tie=found.tie[documents],
            tied=found.tied[documents],
            answered=found.answered[places],
        )

    def truncated(self, depth: int) -> Topics:
        """The topics as they are with only the first so many documents of each ranking."""
        found = self.found
        cut = replace(
            found,
            n_retrieved=np.minimum(found.n_retrieved, depth),
            rank=np.where(found.rank <= depth, found.rank, 0),
        )
        return replace(self, found=cut)

    def answered(self) -> Topics:
        """The topics with a document that nobody looked at for an answer where there is none."""
        found = self.found
        return replace(self, found=replace(found, n_retrieved=np.where(found.answered, found.n_retrieved, 1)))
