"""Aspects: which documents are relevant to which subtopics of a query, and where a run put them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cranfield.evidence.found import Found
from cranfield.evidence.groups import numbered, require_once
from cranfield.evidence.hits import Floats, Ints, Mask
from cranfield.tables.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Coverage:
    """One row each time a ranked document is relevant to an aspect, ordered by aspect and rank."""

    unit: Ints
    aspect: Ints
    rank: Ints
    n_units: int

    @cached_property
    def before(self) -> Ints:
        """How many documents above are relevant to the same aspect."""
        return np.arange(len(self.aspect)) - np.searchsorted(self.aspect, self.aspect)

    def sum(self, value: Floats | Mask) -> Floats:
        """The sum of the values of each query's rows."""
        return _summed(self.unit, value, self.n_units)

    def top(self, k: int | None) -> Mask:
        """Which rows are among the first k ranks."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k


@dataclass(frozen=True, eq=False)
class Aspects:
    """One row for each judgment of a document for an aspect of a query.

    The judged documents are grouped by query and ordered by name, the last first: `unit[d]` is the query of document
    d and `rank[d]` its rank, 0 if it was not retrieved. The judgments are ordered by document and aspect.
    """

    queries: tuple[bytes, ...]
    n_retrieved: Ints
    unit: Ints
    rank: Ints
    aspect_unit: Ints  # the query of each aspect
    document: Ints
    aspect: Ints
    grade: Floats

    def __len__(self) -> int:
        return len(self.queries)

    def __add__(self, other: Aspects) -> Aspects:
        """The aspects of both, whose queries must differ: theirs come after ours."""
        return Aspects(
            queries=self.queries + other.queries,
            n_retrieved=np.concatenate([self.n_retrieved, other.n_retrieved]),
            unit=np.concatenate([self.unit, other.unit + len(self)]),
            rank=np.concatenate([self.rank, other.rank]),
            aspect_unit=np.concatenate([self.aspect_unit, other.aspect_unit + len(self)]),
            document=np.concatenate([self.document, other.document + len(self.unit)]),
            aspect=np.concatenate([self.aspect, other.aspect + len(self.aspect_unit)]),
            grade=np.concatenate([self.grade, other.grade]),
        )

    def n_relevant(self, rel: float = 1) -> Floats:
        """How many documents of at least this grade each aspect has, retrieved or not."""
        return _summed(self.aspect, self.grade >= rel, len(self.aspect_unit))

    def n_aspects(self, rel: float = 1) -> Floats:
        """How many aspects of each query have a relevant document."""
        return _summed(self.aspect_unit, self.n_relevant(rel) > 0, len(self))

    def coverage(self, rel: float = 1) -> Coverage:
        """What the ranking covers."""
        return self._covered(self.rank, rel)

    def ideal(self, rel: float = 1, *, alpha: float, k: int | None = None) -> Coverage:
        """What a ranking covers that takes the greatest gain at each of the first k ranks.

        A document gains (1 - alpha)^c for each aspect it is relevant to, c documents before it being so too; of
        documents that gain the same, the last by name is taken, as in ndeval. The best ranking may be another:
        to find it is NP-complete.
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
        kept = np.flatnonzero(judged & (self.rank > 0))
        kept = kept[np.lexsort((self.rank[kept], self.unit[kept]))]
        rank = np.zeros_like(self.rank)
        rank[kept] = np.arange(len(kept)) - np.searchsorted(self.unit[kept], self.unit[kept]) + 1
        return replace(self, rank=rank, n_retrieved=np.bincount(self.unit[kept], minlength=len(self)))


def _summed(unit: Ints, value: Floats | Mask, n_units: int) -> Floats:
    return np.bincount(unit, weights=value, minlength=n_units).astype(np.float64, copy=False)


def _greedy(aspects: Aspects, rel: float, alpha: float, k: int | None) -> Ints:
    """The rank of each document if always the one with the greatest gain comes next, 0 beyond rank k."""
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
    """The document of each query whose gains come to most; the first of several."""
    first = np.flatnonzero(np.diff(document, prepend=-1))
    candidate = document[first]
    total = np.bincount(np.cumsum(np.diff(document, prepend=-1) != 0) - 1, weights=gain)
    start = np.flatnonzero(np.diff(unit[candidate], prepend=-1))
    best = np.maximum.reduceat(total, start)
    query = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(candidate))))
    leading = np.flatnonzero(total == best[query])
    return candidate[leading[np.unique(query[leading], return_index=True)[1]]]


def aspects(judgments: Judgments, found: Found) -> Aspects:
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
        n_retrieved=found.n_retrieved,
        unit=judgments.document_unit[order],
        rank=found.rank[order],
        aspect_unit=aspect_unit,
        document=place[judgments.document[rows]],
        aspect=aspect[rows],
        grade=judgments.grade[rows],
    )
