"""Ties: the possible orders of tied documents, and expected values over all of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from copy import copy
from itertools import combinations, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.arithmetic import by_unit, changes
from cranfield.evidence.counterfactual import only
from cranfield.evidence.hits import Hits, sum_of


class Spread:
    """Hits with each tied document spread over the ranks of its tie group.

    If c of a group of n tied documents have some grade, each of its n ranks gets a row of that grade with weight c/n.
    The sum of a measure over these rows is its expected value over all orders of the tied documents, provided that the
    measure is linear in these quantities.
    """

    _OF_QUERIES = (
        *("queries", "size", "n_retrieved", "pool_unit", "pool_grade", "n_relevant", "n_nonrelevant", "n_judged"),
        *("positions", "depth", "ideal", "ideal_top", "resorted", "levels"),
    )

    def __init__(self, hits: Hits) -> None:
        classes = _classes(hits)
        row = np.repeat(np.arange(len(classes.size)), classes.n)
        place = np.arange(len(row)) - np.repeat(np.cumsum(classes.n) - classes.n, classes.n)
        order = np.lexsort((row, classes.tie_start[row] + place, classes.unit[row]))
        self._hits = hits
        self._kind, self._above = row[order], place[order]
        self._group = classes.group[self._kind]
        self._count, self._n = classes.size[self._kind], classes.n[self._kind]
        self.unit, self.grade = classes.unit[self._kind], classes.grade[self._kind]
        self.rank = classes.tie_start[self._kind] + self._above
        self.judged = self.grade >= 0

    def __len__(self) -> int:
        return len(self._hits)

    def __getattr__(self, name: str) -> Any:
        """Query-level attributes are those of the hits."""
        if name not in self._OF_QUERIES:
            raise AttributeError(f"{name} has no expected value over the orders of tied documents")
        return getattr(self._hits, name)

    @property
    def pooled(self) -> Spread:
        """All queries as one unit, for micro-averages."""
        pooled = copy(self)
        pooled._hits, pooled.unit = self._hits.pooled, np.zeros_like(self.unit)
        return pooled

    def relevant(self, rel: float = 1) -> Mask:
        """Which rows have at least this grade."""
        return self.grade >= rel

    def top(self, k: int | None) -> Mask:
        """Which rows are among the first k."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """Expected sum of the values over the hits of each query."""
        return by_unit(self.unit, np.asarray(value, np.float64) * self._count / self._n, len(self))

    def count(self, mask: Mask) -> Floats:
        """Expected number of hits of each query in the mask."""
        return self.sum(mask)

    def running(self, counted: Mask) -> Floats:
        """Expected number of counted hits at this rank or higher, given a document of this row at this rank."""
        others = _since(self._group, _before_rank(self.unit, self.rank, counted * self._count)) - self._same(counted)
        within = np.where(self._n > 1, others / np.maximum(self._n - 1, 1), 0)
        return self._earlier(counted) + within + counted

    def at_first(self, counted: Mask, value: Floats | Mask) -> Floats:
        """Expected value of the first counted hit of each query; 0 if there is none."""
        return self.sum(self._first(counted) * value)

    def _first(self, counted: Mask) -> Floats:
        """Probability of no counted hit at a higher rank, given a document of this row at this rank."""
        from scipy.special import gammaln  # imported only for ties: it takes a tenth of a second

        here = _at_rank(self.unit, self.rank, counted * self._count)
        free = self._n - here  # documents of the group that may rank higher
        possible = counted & (free >= self._above) & (self._earlier(counted) == 0)
        above, free, rest = self._above[possible], free[possible], self._n[possible] - 1
        chance = np.zeros(len(counted))
        chance[possible] = np.exp(
            gammaln(free + 1) - gammaln(free - above + 1) - gammaln(rest + 1) + gammaln(rest - above + 1)
        )
        return chance

    def _same(self, counted: Mask) -> Ints:
        """Number of rows of the same grade counted at higher ranks of the group."""
        order = np.argsort(self._kind, kind="stable")
        total: Ints = np.cumsum(counted[order]) - counted[order]
        same = np.empty(len(counted), np.int64)
        same[order] = _since(self._kind[order], total)
        return same

    def _earlier(self, counted: Mask) -> Floats:
        """Expected number of counted hits in higher-ranked groups."""
        group, first = np.unique(self._group, return_index=True)
        expected = np.bincount(self._group, weights=counted * self._count) / self._n[first]
        earlier = np.zeros(len(group))
        for groups in np.split(group, np.flatnonzero(np.diff(self.unit[first])) + 1):
            earlier[groups[1:]] = np.cumsum(expected[groups[:-1]])
        return earlier[self._group]


def _before_rank(unit: Ints, rank: Ints, count: Ints) -> Ints:
    """Sum of the counts of all rows before this rank, including those of other queries."""
    return (np.cumsum(count) - count)[_start(changes(unit, rank))]


def _at_rank(unit: Ints, rank: Ints, count: Ints) -> Ints:
    """Sum of the counts of the rows at this rank."""
    place = np.cumsum(changes(unit, rank)) - 1
    return np.bincount(place, weights=count).astype(np.int64)[place]


def _since(group: Ints, total: Ints) -> Ints:
    """Increase of a running total since the start of the group."""
    return total - total[_start(changes(group))]


def _start(new: Mask) -> Ints:
    """The first row of the group of each row."""
    return np.flatnonzero(new)[np.cumsum(new) - 1]


class _Classes(NamedTuple):
    """The number of hits by tie group and grade."""

    unit: Ints
    tie_start: Ints
    grade: Floats
    size: Ints
    n: Ints
    group: Ints


def _classes(hits: Hits) -> _Classes:
    order = np.lexsort((hits.grade, hits.tie_start, hits.unit))
    unit, tie_start, grade, tie_size = hits.unit[order], hits.tie_start[order], hits.grade[order], hits.tie_size[order]
    new_group = changes(unit, tie_start)
    new_class = new_group | changes(grade)
    first = np.flatnonzero(new_class)
    return _Classes(
        unit=unit[first],
        tie_start=tie_start[first],
        grade=grade[first],
        size=np.diff(np.append(first, len(unit))),
        n=tie_size[first],
        group=np.cumsum(new_group)[first] - 1,
    )


def orders(hits: Hits, limit: int, seed: int) -> tuple[Hits, Ints, Mask]:
    """Hits with one unit per order of each query's tied documents, the query of each unit, and which are complete.

    For queries with more than `limit` different orders, that many are sampled, depending only on the seed and query.
    """
    units: list[Hits] = []
    origin: list[int] = []
    complete = np.ones(len(hits), np.bool_)
    for query in range(len(hits)):
        single = only(hits, np.arange(len(hits)) == query)
        complete[query] = n_orders(single) <= limit
        ranks = _every(single) if complete[query] else _sampled(single, limit, seed)
        for rank in ranks:
            order = np.argsort(rank, kind="stable")
            units.append(single.ranked_anew(single.unit, rank[order], single.grade[order], single.n_retrieved))
            origin.append(query)
    return sum_of(units), np.array(origin, np.int64), complete


def n_orders(hits: Hits) -> int:
    """Number of orders of the tied documents that differ in the grade at some rank."""
    return prod(
        prod(comb(n - before, size) for size, before in zip(sizes, np.cumsum([0, *sizes]).tolist(), strict=False))
        for n, sizes in _groups(hits)
    )


def _groups(hits: Hits) -> Iterator[tuple[int, list[int]]]:
    classes = _classes(hits)
    for group in np.unique(classes.group):
        members = classes.group == group
        yield int(classes.n[members][0]), classes.size[members].tolist()


def _every(hits: Hits) -> Iterator[Ints]:
    """The ranks of the hits in each order of the tied documents."""
    classes = _classes(hits)
    starts = classes.tie_start[np.unique(classes.group, return_index=True)[1]]
    ways = [list(_placings(list(range(n)), sizes)) for n, sizes in _groups(hits)]
    back = np.argsort(np.lexsort((hits.grade, hits.tie_start)))
    for chosen in product(*ways):
        places = [start + place for start, group in zip(starts, chosen, strict=True) for place in group]
        yield np.array(places, np.int64)[back]


def _placings(free: list[int], sizes: list[int]) -> Iterator[list[int]]:
    """Every assignment of the grades of a group to its free places."""
    if not sizes:
        yield []
        return
    for chosen in combinations(free, sizes[0]):
        rest = [place for place in free if place not in chosen]
        for others in _placings(rest, sizes[1:]):
            yield [*chosen, *others]


def _sampled(hits: Hits, limit: int, seed: int) -> Iterator[Ints]:
    """The ranks of the hits in random orders of the tied documents."""
    random = np.random.default_rng([seed, zlib.crc32(hits.queries[0])])
    for _ in range(limit):
        rank = np.empty_like(hits.rank)
        for first in np.unique(hits.tie_start):
            tied = np.flatnonzero(hits.tie_start == first)
            rank[tied] = first + random.permutation(int(hits.tie_size[tied[0]]))[: len(tied)]
        yield rank
