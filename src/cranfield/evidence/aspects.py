"""Aspects: which documents are relevant to which subtopics of a query, and their ranks in a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.addition import ByQuery
from cranfield.evidence.groups import numbered, require_once
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.sums import by_unit
from cranfield.frozen import cached_property, frozen
from cranfield.tables.judgments import Judgments


@frozen(eq=False)
class Coverage:
    """One row each time a ranked document is relevant to an aspect, ordered by aspect and rank."""

    unit: Ints
    aspect: Ints
    rank: Ints
    n_units: int

    @cached_property
    def before(self) -> Ints:
        """Number of higher-ranked documents that are relevant to the same aspect."""
        return np.arange(len(self.aspect)) - np.searchsorted(self.aspect, self.aspect)

    def sum(self, value: Floats | Mask) -> Floats:
        """Sum of the values over the rows of each query."""
        return by_unit(self.unit, value, self.n_units)

    def top(self, k: int | None) -> Mask:
        """Which rows are among the first k ranks."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k


@frozen(eq=False)
class Aspects(ByQuery):
    """One row for each judgment of a document for an aspect of a query.

    The judged documents are grouped by query and ordered by name, the last first: `unit[d]` is the query of document
    d and `rank[d]` its rank, 0 if it was not retrieved. The judgments are ordered by document and aspect.
    """

    INDEX_OF: ClassVar[Mapping[str, str]] = {
        "unit": "queries",
        "aspect_unit": "queries",
        "document": "unit",
        "aspect": "aspect_unit",
    }

    queries: tuple[bytes, ...]
    n_retrieved: Ints
    unit: Ints
    rank: Ints
    aspect_unit: Ints  # the query of each aspect
    document: Ints
    aspect: Ints
    grade: Floats

    def n_relevant(self, rel: float = 1) -> Floats:
        """Number of documents with at least this grade per aspect, retrieved or not."""
        return by_unit(self.aspect, self.grade >= rel, len(self.aspect_unit))

    def n_aspects(self, rel: float = 1) -> Floats:
        """Number of aspects per query that have a relevant document."""
        return by_unit(self.aspect_unit, self.n_relevant(rel) > 0, len(self))

    def coverage(self, rel: float = 1) -> Coverage:
        """The coverage of the ranking."""
        return self._covered(self.rank, rel)

    def ideal(self, rel: float = 1, *, alpha: float, k: int | None = None) -> Coverage:
        """The coverage of the ranking that is built greedily, by the largest gain at each of the first k ranks.

        A document gains (1 - alpha)^c for each aspect it is relevant to, where c is the number of earlier documents
        relevant to the same aspect; ties are broken by name, descending, as in ndeval. The greedy ranking need not be
        the best one, which is NP-complete to find.
        """
        return self._covered(_greedy(self, rel, alpha, k), rel)

    def _covered(self, rank: Ints, rel: float) -> Coverage:
        rows = np.flatnonzero((self.grade >= rel) & (rank[self.document] > 0))
        rows = rows[np.lexsort((rank[self.document[rows]], self.aspect[rows]))]
        aspect = self.aspect[rows]
        return Coverage(self.aspect_unit[aspect], aspect, rank[self.document[rows]], len(self))

    @cached_property
    def condensed(self) -> Aspects:
        """The aspects of the ranking without its unjudged documents."""
        judged = np.zeros(len(self.unit), np.bool_)
        judged[self.document[self.grade >= 0]] = True
        retrieved = np.flatnonzero(judged & (self.rank > 0))
        retrieved = retrieved[np.lexsort((self.rank[retrieved], self.unit[retrieved]))]
        rank = np.zeros_like(self.rank)
        rank[retrieved] = np.arange(len(retrieved)) - np.searchsorted(self.unit[retrieved], self.unit[retrieved]) + 1
        return replace(self, rank=rank, n_retrieved=np.bincount(self.unit[retrieved], minlength=len(self)))


def _greedy(aspects: Aspects, rel: float, alpha: float, k: int | None) -> Ints:
    """The rank of each document in the greedy ranking, 0 beyond rank k."""
    rank = np.zeros(len(aspects.unit), np.int64)
    gain = np.ones(len(aspects.aspect_unit))
    rows = np.flatnonzero(aspects.grade >= rel)
    place = 0
    while len(rows) and (k is None or place < k):
        place += 1
        document, aspect = aspects.document[rows], aspects.aspect[rows]
        chosen = _greatest(aspects.unit, document, gain[aspect])
        rank[chosen] = place
        taken = rank[document] == place
        gain[aspect[taken]] *= 1 - alpha
        rows = rows[~taken]
    return rank


def _greatest(unit: Ints, document: Ints, gain: Floats) -> Ints:
    """The document of each query with the largest sum of gains; the first one if tied."""
    first = np.flatnonzero(np.diff(document, prepend=-1))
    candidate = document[first]
    total = np.bincount(np.cumsum(np.diff(document, prepend=-1) != 0) - 1, weights=gain)
    start = np.flatnonzero(np.diff(unit[candidate], prepend=-1))
    best = np.maximum.reduceat(total, start)
    query = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(candidate))))
    leading = np.flatnonzero(total == best[query])
    return candidate[leading[np.unique(query[leading], return_index=True)[1]]]


def aspects(judgments: Judgments, judged_ranks: JudgedRanks) -> Aspects:
    """The aspects of a run's rankings: the groups of the judgments are the subtopics of each query."""
    aspect, aspect_unit, _ = numbered(judgments)
    require_once(judgments, aspect, "subtopic")
    names = judgments.documents.tolist()
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), np.int64)
    order = by_name[np.argsort(judgments.document_unit[by_name], kind="stable")]
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    rows = np.lexsort((aspect, place[judgments.document]))
    return Aspects(
        queries=tuple(judgments.queries),
        n_retrieved=judged_ranks.n_retrieved,
        unit=judgments.document_unit[order],
        rank=judged_ranks.rank[order],
        aspect_unit=aspect_unit,
        document=place[judgments.document[rows]],
        aspect=aspect[rows],
        grade=judgments.grade[rows],
    )
