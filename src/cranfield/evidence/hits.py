"""Hits: the judged documents a run found, with rank and grade, for many queries at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.exact import ratio as ratio
from cranfield.evidence.found import Found
from cranfield.tables.judgments import Judgments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Hits:
    """One row for each judged document that was retrieved, ordered by query and rank.

    A negative grade is a document that was pooled but not judged. `pool` holds the grades of all judged documents
    of each query, best first, retrieved or not. Unjudged documents are counted in `n_retrieved` and not stored.
    """

    queries: tuple[bytes, ...]
    n_retrieved: Ints
    unit: Ints
    rank: Ints
    grade: Floats
    pool_unit: Ints
    pool_grade: Floats
    tie: Ints
    tied: Ints
    size: Ints  # how many queries a unit is made of: one, unless queries were pooled
    lengths: Ints | None = None  # of the rankings that were pooled

    def __len__(self) -> int:
        return len(self.queries)

    def __add__(self, other: Hits) -> Hits:
        """The hits of both, whose queries must differ: theirs come after ours."""
        return sum_of([self, other])

    # what a measure asks of its rows

    def relevant(self, rel: float = 1) -> Mask:
        """Which hits have at least this grade."""
        return self.grade >= rel

    @cached_property
    def judged(self) -> Mask:
        """Which hits were judged, not only pooled."""
        return self.grade >= 0

    def top(self, k: int | None) -> Mask:
        """Which hits are among the first k."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k

    def running(self, counted: Mask) -> Ints:
        """How many of the counted hits stand at this rank or above it."""
        total = np.cumsum(counted, dtype=np.int64)
        return total - (total - counted)[self._first][self.unit] if len(total) else total

    def first(self, counted: Mask) -> Mask:
        """Which of the counted hits is the first of its query."""
        return counted & (self.running(counted) == 1)

    def accumulated(self, value: Floats) -> Floats:
        """The sum of the values at this rank and above it, each query added up on its own."""
        return self._along(np.add, value)

    def product_above(self, value: Floats) -> Floats:
        """The product of the values at the ranks above this one, each query on its own."""
        product = np.concatenate([[1.0], self._along(np.multiply, value)])[:-1]
        product[self.running(np.ones(len(value), np.bool_)) == 1] = 1
        return product

    def greatest_below(self, value: Floats) -> Floats:
        """The greatest of the values at this rank and below it."""
        return self._along(np.maximum, value, upwards=True)

    def _along(self, function: np.ufunc, value: Floats, upwards: bool = False) -> Floats:
        """What a function has come to at each hit of a query, going down or up its hits."""
        result = np.empty(len(value))
        size = np.diff(self.bounds)
        for n in np.unique(size[size > 0]):  # queries with as many hits go together, a row each, hence each alone
            rows = self.bounds[:-1][size == n][:, None] + (np.arange(n)[::-1] if upwards else np.arange(n))
            result[rows] = function.accumulate(value[rows], axis=1)
        return result

    def at_rank(self, value: Floats, other: Hits) -> Floats:
        """The value that these hits have reached at the rank of each of the others: that of the last hit so far."""
        reached = (
            np.searchsorted(self._place(self.unit, self.rank), self._place(other.unit, other.rank), side="right") - 1
        )
        inside = reached >= self.bounds[:-1][other.unit]
        return np.where(inside, value[reached] if len(value) else 0, 0)

    # and of its queries

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """The sum of the values of each query's hits, in the order of rank."""
        return _summed(self.unit, value, len(self))

    def count(self, mask: Mask) -> Floats:
        """How many of each query's hits are in the mask."""
        return self.sum(mask)

    def greatest(self, value: NDArray[np.generic]) -> Floats:
        """The greatest value among each query's hits, 0 where there is none."""
        best = np.zeros(len(self))
        np.maximum.at(best, self.unit, value)
        return best

    def n_relevant(self, rel: float = 1) -> Floats:
        """How many documents of at least this grade each query has, retrieved or not."""
        return _summed(self.pool_unit, self.pool_grade >= rel, len(self))

    def n_nonrelevant(self, rel: float = 1) -> Floats:
        """How many documents were judged below this grade."""
        below = (self.pool_grade >= 0) & (self.pool_grade < rel)
        return _summed(self.pool_unit, below, len(self))

    def n_judged(self) -> Floats:
        """How many documents of each query were judged."""
        return _summed(self.pool_unit, self.pool_grade >= 0, len(self))

    def positions(self, k: int | None) -> Ints:
        """How many ranks are looked at: k of them, filled or not, or as many as were retrieved."""
        return self.n_retrieved if k is None else k * self.size

    def depth(self, k: int | None) -> Ints:
        """How many documents each query retrieved, at most k of them."""
        if k is None or self.lengths is None:
            return self.n_retrieved if k is None else np.minimum(self.n_retrieved, k)
        return np.minimum(self.lengths, k).sum(keepdims=True)

    @cached_property
    def levels(self) -> list[tuple[Floats, Floats]]:
        """The distinct grades above 0 of each query, lowest first, and how far each is above the one before.

        Queries with fewer levels than others get steps of 0.
        """
        order = np.lexsort((self.pool_grade, self.pool_unit))
        unit, grade = self.pool_unit[order], self.pool_grade[order]
        new = (grade > 0) & np.concatenate([[True], (np.diff(unit) != 0) | (np.diff(grade) != 0)])[: len(unit)]
        unit, grade = unit[new], grade[new]
        number = np.arange(len(unit)) - np.searchsorted(unit, unit)
        table = np.full((int(number.max(initial=-1)) + 1, len(self)), np.inf)
        table[number, unit] = grade
        steps = np.diff(np.where(np.isinf(table), np.nan, table), axis=0, prepend=0)
        return list(zip(table, np.nan_to_num(steps), strict=True))

    # other hits made from these

    @cached_property
    def ideal(self) -> Hits:
        """The hits of the best ranking: every judged document, best grade first."""
        bounds = np.searchsorted(self.pool_unit, np.arange(len(self) + 1))
        rank = np.arange(len(self.pool_unit)) - bounds[:-1][self.pool_unit] + 1
        return self.ranked_anew(self.pool_unit, rank, self.pool_grade, np.diff(bounds))

    @cached_property
    def resorted(self) -> Hits:
        """The hits of the best ranking of the judged documents that were retrieved."""
        order = np.lexsort((-self.grade, self.unit))
        rank = np.arange(len(self.unit)) - self.bounds[:-1][self.unit] + 1
        return self.ranked_anew(self.unit, rank, self.grade[order], self.n_retrieved)

    @cached_property
    def condensed(self) -> Hits:
        """The hits of the ranking without its unjudged documents."""
        kept = self.judged
        rank = self.running(kept)[kept]
        shorter = self.ranked_anew(self.unit[kept], rank, self.grade[kept], self.count(kept).astype(np.int64))
        group = stretches(self.unit[kept], self.tie[kept])
        size = np.bincount(group, minlength=1)[group]
        return replace(shorter, tie=rank[np.searchsorted(group, group)], tied=size)

    @cached_property
    def pooled(self) -> Hits:
        """All queries as one, for micro-averages of what is counted in sets."""
        return Hits(
            queries=(b"all",),
            n_retrieved=self.n_retrieved.sum(keepdims=True),
            unit=np.zeros_like(self.unit),
            rank=self.rank,
            grade=self.grade,
            pool_unit=np.zeros_like(self.pool_unit),
            pool_grade=self.pool_grade,
            tie=self.tie,
            tied=self.tied,
            size=self.size.sum(keepdims=True),
            lengths=self.n_retrieved,
        )

    def truncated(self, k: int) -> Hits:
        """The hits of the first k documents of each ranking."""
        kept = self.rank <= k
        cut = self.ranked_anew(self.unit[kept], self.rank[kept], self.grade[kept], self.depth(k))
        return replace(cut, tie=self.tie[kept], tied=np.minimum(self.tied[kept], k + 1 - self.tie[kept]))

    def ranked_anew(self, unit: Ints, rank: Ints, grade: Floats, n_retrieved: Ints) -> Hits:
        """The hits of other rankings of the same queries, without ties."""
        ones = np.ones_like(rank)
        return replace(self, unit=unit, rank=rank, grade=grade, n_retrieved=n_retrieved, tie=rank, tied=ones)

    def sorted_by(self, value: Floats) -> Hits:
        """The hits of the ranking by descending value."""
        order = np.lexsort((-value, self.unit))
        return replace(self, grade=self.grade[order])

    @staticmethod
    def _place(unit: Ints, rank: Ints) -> Ints:
        """A number that orders hits by query, then rank."""
        return unit * (1 << 40) + rank

    @cached_property
    def bounds(self) -> Ints:
        """Where the hits of each query begin, and where the last one's end."""
        return np.searchsorted(self.unit, np.arange(len(self) + 1))

    @cached_property
    def _first(self) -> Ints:
        return np.minimum(self.bounds[:-1], max(len(self.unit) - 1, 0))


def stretches(*columns: Ints) -> Ints:
    """A number for each stretch of rows that are alike in all columns, counted from 0."""
    new = np.zeros(len(columns[0]), np.bool_)
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.cumsum(new)


def _summed(unit: Ints, value: NDArray[np.generic], n_units: int) -> Floats:
    return np.bincount(unit, weights=np.asarray(value, np.float64), minlength=n_units).astype(np.float64, copy=False)


def hits(judgments: Judgments, found: Found, queries: Ints | None = None) -> Hits:
    """The hits of a run, for all judged queries or for those chosen."""
    chosen = np.arange(len(judgments.queries)) if queries is None else queries
    place = np.full(len(judgments.queries), -1)
    place[chosen] = np.arange(len(chosen))
    unit = place[judgments.unit]
    pool = np.flatnonzero(unit >= 0)
    rank = found.rank[judgments.document]
    rows = np.flatnonzero((rank > 0) & (unit >= 0))
    rows = rows[np.argsort(Hits._place(unit[rows], rank[rows]), kind="stable")]
    return Hits(
        queries=tuple(judgments.queries[index] for index in chosen),
        n_retrieved=found.n_retrieved[chosen],
        unit=unit[rows],
        rank=rank[rows],
        grade=judgments.grade[rows],
        pool_unit=judgments.unit if queries is None else unit[pool],  # one pool that all systems share
        pool_grade=judgments.grade if queries is None else judgments.grade[pool],
        tie=found.tie[judgments.document[rows]],
        tied=found.tied[judgments.document[rows]],
        size=np.ones(len(chosen), np.int64),
    )


def sum_of(parts: Sequence[Hits]) -> Hits:
    """The hits of all parts, one after another."""
    before = np.cumsum([0] + [len(part) for part in parts])

    def whole(name: str, shift: bool = False) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) + n * shift for part, n in zip(parts, before, strict=False)])

    return Hits(
        queries=tuple(query for part in parts for query in part.queries),
        n_retrieved=whole("n_retrieved"),
        unit=whole("unit", shift=True),
        rank=whole("rank"),
        grade=whole("grade"),
        pool_unit=whole("pool_unit", shift=True),
        pool_grade=whole("pool_grade"),
        tie=whole("tie"),
        tied=whole("tied"),
        size=whole("size"),
    )
