"""Aspects: which documents are relevant to which subtopics of a query, and their ranks in a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.evidence.arithmetic import by_unit, ratio
from cranfield.evidence.hits import Hits
from cranfield.evidence.items import ByQuery
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import cached_property, frozen
from cranfield.tables.judgments import Judgments, grouped
from cranfield.tables.names import Names, decode

# Groups: the hits of each judgment group, for queries judged independently by several people


@frozen(eq=False)
class Groups(ByQuery):
    """Hits in which every judgment group is a unit; `unit` is the query of each group."""

    queries: tuple[bytes, ...]
    unit: Ints
    hits: Hits

    @cached_property
    def condensed(self) -> Groups:
        """The groups with rankings that omit the documents each group did not judge."""
        return replace(self, hits=self.hits.condensed)

    def mean(self, value: Floats) -> Floats:
        """Mean over the groups of each query; undefined values count as 0 unless all are undefined, as in trec_eval."""
        known = np.bincount(self.unit, weights=~np.isnan(value), minlength=len(self))
        total = np.bincount(self.unit, weights=np.nan_to_num(value), minlength=len(self))
        return np.where(known > 0, ratio(total, np.bincount(self.unit, minlength=len(self))), np.nan)


def groups(judgments: Judgments, judged_ranks: JudgedRanks) -> Groups:
    """The hits of a run for each judgment group of each query."""
    group, unit, names = numbered(judgments)
    require_once(judgments, group, "judgment group")
    rank = judged_ranks.rank[judgments.document]
    pool = np.lexsort((-judgments.grade, group))
    rows = np.lexsort((rank, group))
    rows = rows[rank[rows] > 0]
    return Groups(
        queries=tuple(judgments.queries),
        unit=unit,
        hits=Hits(
            queries=tuple(judgments.queries[query] + b" " + name for query, name in zip(unit, names, strict=True)),
            n_retrieved=judged_ranks.n_retrieved[unit],
            unit=group[rows],
            rank=rank[rows],
            grade=judgments.grade[rows],
            pool_unit=group[pool],
            pool_grade=judgments.grade[pool],
            tie_start=judged_ranks.tie_start[judgments.document[rows]],
            tie_size=judged_ranks.tie_size[judgments.document[rows]],
            size=np.ones(len(unit), np.int64),
        ),
    )


def numbered(judgments: Judgments) -> tuple[Ints, Ints, list[bytes]]:
    """The number of each judgment's group, and the query and name of each group, ordered by query and name."""
    names, place = _names(judgments.group, len(judgments.document))
    key, group = np.unique(judgments.unit.astype(np.int64) * len(names) + place, return_inverse=True)
    return group, key // len(names), [names[index] for index in key % len(names)]


def subgroups(judgments: Judgments, group: Ints) -> tuple[Ints, Ints]:
    """The number of each judgment's subgroup, and the group of each subgroup, ordered by group and name."""
    names, place = _names(judgments.subgroup, len(judgments.document))
    key, subgroup = np.unique(group * len(names) + place, return_inverse=True)
    return subgroup, key // len(names)


def _names(column: Names | None, length: int) -> tuple[Names, Ints]:
    """The distinct names of a column and the index of each row's name; without a column, one name for all rows."""
    if column is None or not length:
        return Names.of([b"0"]), np.zeros(length, np.int64)
    return grouped(column)


def require_once(judgments: Judgments, group: Ints, what: str) -> None:
    """Refuse more than one judgment of a document in a group."""
    order = np.lexsort((judgments.document, group))
    same = (np.diff(group[order]) == 0) & (np.diff(judgments.document[order]) == 0)
    if same.any():
        row = order[np.argmax(same)]
        document, query = judgments.documents[judgments.document[row]], judgments.queries[judgments.unit[row]]
        name = "" if judgments.group is None else f" {decode(judgments.group[row])!r}"
        raise BadInput(
            f"query {decode(query)!r}, {what}{name}: document {decode(document)!r} is judged more than once; "
            "only one judgment per document is allowed there"
        )


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
