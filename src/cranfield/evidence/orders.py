"""Ties: the orders that tied documents could stand in, and what to expect over all of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import combinations, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.altered import only
from cranfield.evidence.hits import Floats, Hits, Ints, Mask, sum_of


class Spread:
    """Hits with each tied document spread over the ranks it could stand at.

    A group of n tied documents, c of them with some grade, gives a row of that grade to each of its n ranks, of weight
    c/n. What a measure adds up over such rows is its expected value over all orders of the tied documents, as long as
    it is linear in what it asks for here.
    """

    _OF_QUERIES = (
        *("queries", "size", "n_retrieved", "pool_unit", "pool_grade", "n_relevant", "n_nonrelevant", "n_judged"),
        *("positions", "depth", "ideal", "resorted", "levels"),
    )

    def __init__(self, hits: Hits) -> None:
        classes = _classes(hits)
        row = np.repeat(np.arange(len(classes.size)), classes.n)
        place = np.arange(len(row)) - np.repeat(np.cumsum(classes.n) - classes.n, classes.n)
        order = np.lexsort((row, classes.tie[row] + place, classes.unit[row]))
        self._hits = hits
        self._kind, self._above = row[order], place[order]
        self._group = classes.group[self._kind]
        self._share, self._n = classes.size[self._kind], classes.n[self._kind]
        self.unit, self.grade = classes.unit[self._kind], classes.grade[self._kind]
        self.rank = classes.tie[self._kind] + self._above
        self.judged = self.grade >= 0

    def __len__(self) -> int:
        return len(self._hits)

    def __getattr__(self, name: str) -> Any:
        """What concerns whole queries is as in the hits."""
        if name not in self._OF_QUERIES:
            raise AttributeError(f"{name} has no expected value over the orders of tied documents")
        return getattr(self._hits, name)

    @property
    def pooled(self) -> Spread:
        """All queries as one, for micro-averages."""
        one = copy(self)
        one._hits, one.unit = self._hits.pooled, np.zeros_like(self.unit)
        return one

    def relevant(self, rel: float = 1) -> Mask:
        """Which rows have at least this grade."""
        return self.grade >= rel

    def top(self, k: int | None) -> Mask:
        """Which rows are among the first k."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """The expected sum of the values of each query's hits."""
        weights: Floats = np.asarray(value, np.float64) * self._share / self._n
        return np.bincount(self.unit, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    def count(self, mask: Mask) -> Floats:
        """How many of each query's hits are expected in the mask."""
        return self.sum(mask)

    def running(self, counted: Mask) -> Floats:
        """How many counted hits to expect at this rank or above, given that a document of this row stands here."""
        others = _since(self._group, _before_rank(self.unit, self.rank, counted * self._share)) - self._same(counted)
        within = np.where(self._n > 1, others / np.maximum(self._n - 1, 1), 0)
        return self._earlier(counted) + within + counted

    def first(self, counted: Mask) -> Floats:
        """The probability that no counted hit stands above, given that a document of this row stands here."""
        from scipy.special import gammaln  # a tenth of a second that only ties cost

        here = _at_rank(self.unit, self.rank, counted * self._share)
        free = self._n - here  # documents of the group that may stand above
        possible = counted & (free >= self._above) & (self._earlier(counted) == 0)
        above, free, rest = self._above[possible], free[possible], self._n[possible] - 1
        chance = np.zeros(len(counted))
        chance[possible] = np.exp(
            gammaln(free + 1) - gammaln(free - above + 1) - gammaln(rest + 1) + gammaln(rest - above + 1)
        )
        return chance

    def _same(self, counted: Mask) -> Ints:
        """How often this row's grade is counted at the ranks of its group above."""
        order = np.argsort(self._kind, kind="stable")
        total: Ints = np.cumsum(counted[order]) - counted[order]
        same = np.empty(len(counted), np.int64)
        same[order] = _since(self._kind[order], total)
        return same

    def _earlier(self, counted: Mask) -> Floats:
        """How many counted hits to expect in the groups above this row's."""
        group, first = np.unique(self._group, return_index=True)
        expected = np.bincount(self._group, weights=counted * self._share) / self._n[first]
        earlier = np.zeros(len(group))
        for groups in np.split(group, np.flatnonzero(np.diff(self.unit[first])) + 1):
            earlier[groups[1:]] = np.cumsum(expected[groups[:-1]])
        return earlier[self._group]


def _before_rank(unit: Ints, rank: Ints, count: Ints) -> Ints:
    """The sum of the counts of all rows before this rank, those of other queries included."""
    return (np.cumsum(count) - count)[_start(_changes(unit, rank))]


def _at_rank(unit: Ints, rank: Ints, count: Ints) -> Ints:
    """The sum of the counts of the rows at this rank."""
    place = np.cumsum(_changes(unit, rank)) - 1
    return np.bincount(place, weights=count).astype(np.int64)[place]


def _since(group: Ints, total: Ints) -> Ints:
    """What a running total has gained since the group began."""
    return total - total[_start(_changes(group))]


def _start(new: Mask) -> Ints:
    """The row at which the stretch of each row began."""
    return np.flatnonzero(new)[np.cumsum(new) - 1]


class _Classes(NamedTuple):
    """The hits of one grade in one group of tied documents, counted."""

    unit: Ints
    tie: Ints
    grade: Floats
    size: Ints
    n: Ints
    group: Ints


def _classes(hits: Hits) -> _Classes:
    order = np.lexsort((hits.grade, hits.tie, hits.unit))
    unit, tie, grade, tied = hits.unit[order], hits.tie[order], hits.grade[order], hits.tied[order]
    new_group = _changes(unit, tie)
    new_class = new_group | _changes(grade)
    first = np.flatnonzero(new_class)
    return _Classes(
        unit=unit[first],
        tie=tie[first],
        grade=grade[first],
        size=np.diff(np.append(first, len(unit))),
        n=tied[first],
        group=np.cumsum(new_group)[first] - 1,
    )


def _changes(*columns: Ints | Floats) -> Mask:
    """Where any column differs from the row before; the first row counts as a change."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


def orders(hits: Hits, limit: int, seed: int) -> tuple[Hits, Ints, Mask]:
    """Hits with a unit for every order of each query's tied documents, the query of each, and which are all orders.

    A query with more than `limit` orders that differ gives so many drawn at random instead; the draw depends on the
    seed and the query alone.
    """
    units: list[Hits] = []
    origin: list[int] = []
    complete = np.ones(len(hits), np.bool_)
    for query in range(len(hits)):
        own = only(hits, np.arange(len(hits)) == query)
        complete[query] = n_orders(own) <= limit
        ranks = _every(own) if complete[query] else _drawn(own, limit, seed)
        for rank in ranks:
            order = np.argsort(rank, kind="stable")
            units.append(
                replace(own, rank=rank[order], grade=own.grade[order], tie=rank[order], tied=np.ones_like(rank))
            )
            origin.append(query)
    return sum_of(units), np.array(origin, np.int64), complete


def n_orders(hits: Hits) -> int:
    """How many orders of the tied documents differ in where the grades stand."""
    return prod(
        prod(comb(n - before, size) for size, before in zip(sizes, np.cumsum([0, *sizes]).tolist(), strict=False))
        for n, sizes in _groups(hits)
    )


def _groups(hits: Hits) -> Iterator[tuple[int, list[int]]]:
    classes = _classes(hits)
    for group in range(int(classes.group.max(initial=-1)) + 1):
        own = classes.group == group
        yield int(classes.n[own][0]), classes.size[own].tolist()


def _every(hits: Hits) -> Iterator[Ints]:
    """The ranks of the hits, in the order of tie and grade, under each order of the tied documents."""
    classes = _classes(hits)
    starts = classes.tie[np.unique(classes.group, return_index=True)[1]]
    ways = [list(_placings(list(range(n)), sizes)) for n, sizes in _groups(hits)]
    back = np.argsort(np.lexsort((hits.grade, hits.tie)))
    for chosen in product(*ways):
        places = [start + place for start, group in zip(starts, chosen, strict=True) for place in group]
        yield np.array(places, np.int64)[back]


def _placings(free: list[int], sizes: list[int]) -> Iterator[list[int]]:
    """Every way to place the classes of a group on its free places."""
    if not sizes:
        yield []
        return
    for chosen in combinations(free, sizes[0]):
        rest = [place for place in free if place not in chosen]
        for others in _placings(rest, sizes[1:]):
            yield [*chosen, *others]


def _drawn(hits: Hits, limit: int, seed: int) -> Iterator[Ints]:
    """The ranks of the hits under orders of the tied documents drawn at random."""
    random = np.random.default_rng([seed, zlib.crc32(hits.queries[0])])
    _, group = np.unique(hits.tie, return_inverse=True)
    for _ in range(limit):
        rank = np.empty_like(hits.rank)
        for number in range(int(group.max(initial=-1)) + 1):
            own = np.flatnonzero(group == number)
            rank[own] = hits.tie[own] + random.permutation(int(hits.tied[own[0]]))[: len(own)]
        yield rank
