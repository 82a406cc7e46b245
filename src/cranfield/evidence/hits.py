"""Hits: the judged documents that a run retrieved, with rank and grade, for many queries at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

import cranfield.native as extension
from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.arithmetic import by_unit, changes, n_by_unit
from cranfield.evidence.items import ByQuery, concatenated
from cranfield.evidence.judged_ranks import LONGEST, JudgedRanks
from cranfield.frozen import cached_property, frozen
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Names

_WHOLE = ("n_retrieved", "unit", "rank", "pool_unit", "tie_start", "tie_size")  # columns of integers

Columns = tuple[Ints, Ints, Ints, Ints, Floats]  # query, rank, start and size of ties, grade

TOGETHER = 1 << 18  # queries computed at a time
_MANY = 16  # rows per query
_SPARSE = 4  # up to this many ranks per hit, a slot for every rank is faster than sorting


@frozen(eq=False)
class Hits(ByQuery):
    """One row per judged document that was retrieved, ordered by query and rank.

    A negative grade marks a document that was pooled but not judged. `pool_grade` holds the grades of all judged
    documents of each query, best first, retrieved or not. Unjudged documents count in `n_retrieved` and are not stored.
    """

    INDEX_OF: ClassVar[Mapping[str, str]] = {"unit": "queries", "pool_unit": "queries"}

    queries: Names | tuple[bytes, ...]
    n_retrieved: Ints
    unit: Ints
    rank: Ints
    grade: Floats
    pool_unit: Ints
    pool_grade: Floats
    tie_start: Ints
    tie_size: Ints
    size: Ints  # number of queries in a unit: 1 unless queries were pooled
    lengths: Ints | None = None  # of the pooled rankings

    # by hit

    def relevant(self, rel: float = 1) -> Mask:
        """Which hits have at least this grade."""
        return self.grade >= rel

    @cached_property
    def judged(self) -> Mask:
        """Which hits were judged rather than only pooled."""
        return self.grade >= 0

    def top(self, k: int | None) -> Mask:
        """Which hits are among the first k."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k

    def running(self, counted: Mask) -> Ints:
        """Number of counted hits at this rank or higher."""
        total = np.cumsum(counted, dtype=np.int64)
        return total - np.repeat(np.append(0, total)[self.bounds[:-1]], np.diff(self.bounds))

    def accumulated(self, value: Floats) -> Floats:
        """Sum of the values at this rank and higher, within the query."""
        return self._along(np.add, value)

    def product_above(self, value: Floats) -> Floats:
        """Product of the values at higher ranks, within the query."""
        product = np.concatenate([[1.0], self._along(np.multiply, value)])[:-1]
        product[self.running(np.ones(len(value), np.bool_)) == 1] = 1
        return product

    def greatest_below(self, value: Floats) -> Floats:
        """Maximum of the values at this rank and lower."""
        return self._along(np.maximum, value, upwards=True)

    def _along(self, function: np.ufunc, value: Floats, upwards: bool = False) -> Floats:
        """The running value of a function over the hits of each query, downwards or upwards."""
        result = np.empty(len(value))
        size = np.diff(self.bounds)
        sizes, _ = np.unique(size[size > 0], return_counts=True)  # without return_counts it would import numpy.ma
        for n in sizes:  # queries with the same number of hits form one table
            rows = self.bounds[:-1][size == n][:, None] + (np.arange(n)[::-1] if upwards else np.arange(n))
            result[rows] = function.accumulate(value[rows], axis=1)
        return result

    def at_rank(self, value: Floats, other: Hits) -> Floats:
        """The value of the last of these hits at or above the rank of each of the other hits; 0 if there is none."""
        deepest = np.append(self.rank, other.rank).max(initial=0)
        here, there = (_place(hits.unit, hits.rank, deepest) for hits in (self, other))
        reached = np.searchsorted(here, there, side="right") - 1
        inside = reached >= self.bounds[:-1][other.unit]
        return np.where(inside, value[reached] if len(value) else 0, 0)

    # by query

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """Sum of the values over the hits of each query, in rank order."""
        many = value.dtype == np.bool_ and _are_many(len(value), len(self))
        return n_by_unit(self.bounds, value) if many else by_unit(self.unit, value, len(self))

    def at_first(self, counted: Mask, value: Floats | Mask) -> Floats:
        """The value of the first counted hit of each query; 0 if there is none."""
        rows = np.flatnonzero(counted)
        first = rows[changes(self.unit.take(rows))]
        return by_unit(self.unit[first], value[first], len(self))

    def count(self, mask: Mask) -> Floats:
        """Number of hits of each query in the mask."""
        return self.sum(mask)

    def greatest(self, value: NDArray[np.generic]) -> Floats:
        """Maximum of the values over the hits of each query, at least 0."""
        best = np.zeros(len(self))
        np.maximum.at(best, self.unit, value)
        return best

    def n_relevant(self, rel: float = 1) -> Floats:
        """Number of documents with at least this grade per query, retrieved or not."""
        return self._n_pooled(self.pool_grade >= rel)

    def n_nonrelevant(self, rel: float = 1) -> Floats:
        """Number of documents judged below this grade per query."""
        return self._n_pooled((self.pool_grade >= 0) & (self.pool_grade < rel))

    def n_judged(self) -> Floats:
        """Number of judged documents per query."""
        return self._n_pooled(self.pool_grade >= 0)

    def _n_pooled(self, mask: Mask) -> Floats:
        many = _are_many(len(mask), len(self))
        return n_by_unit(self._pool_bounds, mask) if many else by_unit(self.pool_unit, mask, len(self))

    def positions(self, k: int | None) -> Ints:
        """Number of ranks considered: k, filled or not, or the number of documents retrieved."""
        return self.n_retrieved if k is None else k * self.size

    def depth(self, k: int | None) -> Ints:
        """Number of documents retrieved per query, at most k."""
        if k is None or self.lengths is None:
            return self.n_retrieved if k is None else np.minimum(self.n_retrieved, min(k, LONGEST))
        return np.minimum(self.lengths, min(k, LONGEST)).sum(keepdims=True)

    @cached_property
    def levels(self) -> list[tuple[Floats, Floats]]:
        """The distinct grades above 0 of each query, lowest first, and the step from the previous one.

        Queries with fewer levels than others have steps of 0.
        """
        order = np.lexsort((self.pool_grade, self.pool_unit))
        unit, grade = self.pool_unit[order], self.pool_grade[order]
        new = (grade > 0) & changes(unit, grade)
        unit, grade = unit[new], grade[new]
        number = np.arange(len(unit)) - np.searchsorted(unit, unit)
        table = np.full((int(number.max(initial=-1)) + 1, len(self)), np.inf)
        table[number, unit] = grade
        steps = np.diff(np.where(np.isinf(table), np.nan, table), axis=0, prepend=0)
        return list(zip(table, np.nan_to_num(steps), strict=True))

    # derived hits

    @cached_property
    def ideal(self) -> Hits:
        """The hits of the ideal ranking: all judged documents, best grade first."""
        bounds = self._pool_bounds
        rank = np.arange(len(self.pool_unit)) - bounds[:-1][self.pool_unit] + 1
        return self.ranked_anew(self.pool_unit, rank, self.pool_grade, np.diff(bounds))

    def ideal_top(self, k: int) -> Hits:
        """The hits of the first k documents of the ideal ranking, without those of the whole."""
        bounds = self._pool_bounds
        size = np.minimum(np.diff(bounds), k)
        above = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        grade = self.pool_grade[np.repeat(bounds[:-1], size) + above]
        return self.ranked_anew(np.repeat(np.arange(len(self)), size), above + 1, grade, size)

    @cached_property
    def resorted(self) -> Hits:
        """The hits of the best ranking of the judged documents that were retrieved."""
        order = np.lexsort((-self.grade, self.unit))
        rank = np.arange(len(self.unit)) - self.bounds[:-1][self.unit] + 1
        return self.ranked_anew(self.unit, rank, self.grade[order], self.n_retrieved)

    @cached_property
    def condensed(self) -> Hits:
        """The hits of the condensed ranking, without unjudged documents."""
        judged = self.judged
        rank = self.running(judged)[judged]
        shorter = self.ranked_anew(self.unit[judged], rank, self.grade[judged], self.count(judged).astype(np.int64))
        group = np.cumsum(changes(self.unit[judged], self.tie_start[judged])) - 1
        size = np.bincount(group)[group]
        return replace(shorter, tie_start=rank[np.searchsorted(group, group)], tie_size=size)

    @cached_property
    def pooled(self) -> Hits:
        """All queries as one unit, for micro-averages."""
        return replace(
            self,
            queries=(b"all",),
            n_retrieved=self.n_retrieved.sum(keepdims=True),
            unit=np.zeros(len(self.unit), np.int64),  # unlike zeros_like, this takes no memory before it is written
            pool_unit=np.zeros(len(self.pool_unit), np.int64),
            size=self.size.sum(keepdims=True),
            lengths=self.n_retrieved,
        )

    def truncated(self, k: int) -> Hits:
        """The hits of the first k documents of each ranking."""
        k = min(k, LONGEST - 1)
        rows = np.flatnonzero(self.rank <= k)
        tie_start = self.tie_start[rows]
        return replace(
            self,
            unit=self.unit[rows],
            rank=self.rank[rows],
            grade=self.grade[rows],
            n_retrieved=self.depth(k),
            tie_start=tie_start,
            tie_size=np.minimum(self.tie_size[rows], k + 1 - tie_start),
        )

    def ranked_anew(self, unit: Ints, rank: Ints, grade: Floats, n_retrieved: Ints) -> Hits:
        """The hits of other rankings for the same queries, without ties."""
        ones = np.ones_like(rank)
        return replace(self, unit=unit, rank=rank, grade=grade, n_retrieved=n_retrieved, tie_start=rank, tie_size=ones)

    def sorted_by(self, value: Floats) -> Hits:
        """The hits of the ranking by descending value."""
        order = np.lexsort((-value, self.unit))
        return replace(self, grade=self.grade[order])

    def widened(self) -> Hits:
        """The hits with 64-bit numbers, whose products do not overflow."""
        return replace(self, **{name: getattr(self, name).astype(np.int64, copy=False) for name in _WHOLE})

    @cached_property
    def bounds(self) -> Ints:
        """The index of the first hit of each query, and the number of hits."""
        return _bounds(self.unit, len(self))

    @cached_property
    def _pool_bounds(self) -> Ints:
        """The index of the first judged document of each query, and the number of judged documents."""
        return _bounds(self.pool_unit, len(self))


def _are_many(n_rows: int, n_queries: int) -> bool:
    """Whether there are so many rows per query that finding where queries begin is faster than adding row by row."""
    return n_rows > _MANY * n_queries


def _bounds(unit: Ints, n_queries: int) -> Ints:
    """The first of the rows of each query, which are by query, and the number of rows."""
    if _are_many(len(unit), n_queries):
        return np.searchsorted(unit, np.arange(n_queries + 1))
    return np.append(0, np.cumsum(np.bincount(unit, minlength=n_queries)))


def _place(unit: Ints, rank: Ints, deepest: int) -> Ints:
    """A number that orders hits by query, then by rank."""
    return unit * deepest + rank


def _in_order(rows: Ints, unit: Ints, rank: Ints, once: bool) -> Ints:
    """The rows by query, then by rank; rows are by query already, and no two share a rank if judged once."""
    deepest = int(rank.max(initial=0))
    last = int(unit[-1]) + 1 if len(unit) else 0
    if once and deepest * last <= _SPARSE * len(rows) and (unit[1:] >= unit[:-1]).all():  # a slot for every rank
        slot = np.full(deepest * last, -1)
        slot[unit * deepest + rank - 1] = rows
        return slot[slot >= 0]
    place = _place(unit, rank, deepest)
    return rows if (place[1:] >= place[:-1]).all() else rows[np.argsort(place, kind="stable")]


def hits(judgments: Judgments, judged_ranks: JudgedRanks) -> Hits:
    """The hits of a run, for all judged queries."""
    columns = _all_retrieved(judgments, judged_ranks) or _ranked(judgments, judged_ranks)
    unit, rank, tie_start, tie_size, grade = columns or _in_rank_order(judgments, judged_ranks)
    narrow = Hits(
        queries=judgments.queries,
        n_retrieved=judged_ranks.n_retrieved,
        unit=unit,
        rank=rank,
        grade=grade,
        pool_unit=judgments.unit,  # one pool for all systems
        pool_grade=judgments.grade,
        tie_start=tie_start,
        tie_size=tie_size,
        size=_ones(len(judgments.queries)),
    )
    return narrow.widened() if len(narrow) <= TOGETHER else narrow


def _all_retrieved(judgments: Judgments, judged_ranks: JudgedRanks) -> Columns | None:
    """The columns of the hits if every query has one judged document, and it was retrieved: those of the judgments."""
    unit, rank = judgments.unit, judged_ranks.rank
    one_each = len(unit) == len(judgments.documents) == len(judgments.queries) and (unit[1:] > unit[:-1]).all()
    if not (one_each and judged_ranks.untied and rank.all()):
        return None
    return unit, rank, rank, _ones(len(rank)), judgments.grade


def _ones(n: int) -> Ints:
    """A column of ones, stored once."""
    return np.broadcast_to(np.int64(1), n)


def _ranked(judgments: Judgments, judged_ranks: JudgedRanks) -> Columns | None:
    """The columns of the hits, sorted in C if it was built and every document was judged once."""
    if extension.native is None or not judgments.one_to_one:
        return None
    ties = () if judged_ranks.untied else (judged_ranks.tie_start, judged_ranks.tie_size)
    columns = [np.ascontiguousarray(column, np.int32) for column in (judgments.starts, judged_ranks.rank, *ties)]
    sorted_ = extension.native.ranked(*columns[:2], np.ascontiguousarray(judgments.grade), *columns[2:])
    if sorted_ is None:
        return None
    grade = np.frombuffer(sorted_[2])
    unit, rank, *tied = (np.frombuffer(column, np.int64) for column in (*sorted_[:2], *sorted_[3:]))
    return unit, rank, *(tied or (rank, _ones(len(rank)))), grade


def _in_rank_order(judgments: Judgments, judged_ranks: JudgedRanks) -> Columns:
    """The columns of the hits: query, rank, tie group and grade."""
    rank = judged_ranks.rank if judgments.one_to_one else judged_ranks.rank[judgments.document]
    rows = np.flatnonzero(rank > 0)
    rows = _in_order(rows, judgments.unit[rows], rank[rows], judgments.once)
    document = rows if judgments.one_to_one else judgments.document[rows]
    ties = judged_ranks.tie_start[document], judged_ranks.tie_size[document]
    return judgments.unit[rows], rank[rows], *ties, judgments.grade[rows]


def sum_of(parts: Sequence[Hits]) -> Hits:
    """The hits of all parts, one after another."""
    return concatenated(parts, Hits.INDEX_OF)
