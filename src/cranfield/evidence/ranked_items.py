"""Ranked items: all documents that a run ranks, judged or not, with data on each from a table of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.arithmetic import by_unit, ratio
from cranfield.evidence.items import ByQuery
from cranfield.frozen import cached_property, frozen
from cranfield.tables.items import Items
from cranfield.tables.judgments import Judgments, paired
from cranfield.tables.names import Names


@frozen(eq=False)
class RankedItems(ByQuery):
    """One row per ranked document that is in the table of items, ordered by query and rank.

    `item` is its place in the table, and `grade` its grade, NaN if it is not judged. The rows of the pool are the
    judged documents of each query that are in the table, ranked or not.
    """

    INDEX_OF: ClassVar[Mapping[str, str]] = {"unit": "queries", "pool_unit": "queries"}
    NEEDS_ITEMS: ClassVar[bool] = True

    queries: tuple[bytes, ...]
    unit: Ints
    rank: Ints
    item: Ints
    grade: Floats
    pool_unit: Ints
    pool_item: Ints
    pool_grade: Floats
    items: Items
    n_unknown: int = 0  # ranked documents that are not in the table

    def __add__(self, other: RankedItems) -> RankedItems:
        """The rankings of both, which must have different queries and the same table of items."""
        return replace(super().__add__(other), n_unknown=self.n_unknown + other.n_unknown)

    @property
    def notes(self) -> tuple[str, ...]:
        """A warning that ranked documents are not in the table of items."""
        if not self.n_unknown:
            return ()
        return (f"{self.n_unknown:,} ranked documents are not in {self.items.source[0]} and are left out",)

    @cached_property
    def pooled(self) -> RankedItems:
        """All queries as one unit."""
        unit, pool_unit = np.zeros_like(self.unit), np.zeros_like(self.pool_unit)
        return replace(self, queries=(b"all",), unit=unit, pool_unit=pool_unit)

    def top(self, k: int | None) -> Mask:
        """Which rows are among the first k documents."""
        return np.ones(len(self.rank), np.bool_) if k is None else self.rank <= k

    def mean(self, value: Floats | Mask, counted: Mask) -> Floats:
        """Mean of the values over the counted rows of each unit; NaN without any."""
        unit = self.unit[counted]
        return ratio(by_unit(unit, value[counted], len(self)), by_unit(unit, np.ones(len(unit)), len(self)))

    def times(self, counted: Mask) -> Floats:
        """How often each item of the table is among the counted rows of each unit: `times[unit, item]`."""
        place = self.unit[counted] * len(self.items) + self.item[counted]
        n = np.bincount(place, minlength=len(self) * len(self.items))
        return n.reshape(len(self), len(self.items)).astype(np.float64)

    def by_group(self, weight: Floats, counted: Mask) -> Floats:
        """Sum of the weights of the counted rows by unit and group of the item: `sum[unit, group]`."""
        return _by_group(self.unit[counted], self.items.group[self.item[counted]], weight[counted], self)

    def relevant_by_group(self, rel: float) -> Floats:
        """Number of relevant documents by unit and group, ranked or not."""
        relevant = self.pool_grade >= rel
        group = self.items.group[self.pool_item[relevant]]
        return _by_group(self.pool_unit[relevant], group, np.ones(len(group)), self)

    def pairs(self, counted: Mask) -> Iterator[tuple[Ints, Ints, Ints]]:
        """The items of each pair of counted rows of the same unit, and the unit; first those next to each other."""
        unit, item = self.unit[counted], self.item[counted]
        for step in range(1, int(np.bincount(unit).max(initial=0))):
            same = unit[step:] == unit[:-step]
            yield item[:-step][same], item[step:][same], unit[step:][same]


def _by_group(unit: Ints, group: Ints, weight: Floats, ranked: RankedItems) -> Floats:
    """Sum of the weights by unit and group; items without a group are left out."""
    n_groups = len(ranked.items.groups)
    inside = group >= 0
    total = by_unit(unit[inside] * n_groups + group[inside], weight[inside], len(ranked) * n_groups)
    return total.reshape(len(ranked), n_groups)


def ranked_items(top: Mapping[bytes, list[bytes]], judgments: Judgments, items: Items) -> RankedItems:
    """The items among the documents that a run ranks for each judged query: `top[query]`, best first."""
    lists = [top.get(query, []) for query in judgments.queries]
    length = np.array([len(ranking) for ranking in lists], np.int64)
    unit = np.repeat(np.arange(len(lists)), length)
    rank = np.arange(len(unit)) - np.repeat(np.cumsum(length) - length, length) + 1
    documents = Names.of([name for ranking in lists for name in ranking])
    item = _places(items, documents)
    grade = np.full(len(unit), np.nan)
    key = paired(documents.hash, judgments.queries.hash[unit])
    row, place = judgments.lookup.find(documents, key)
    same = judgments.document_unit[place] == unit[row]
    grade[row[same]] = judgments.document_grade[place[same]]
    pool_item = _places(items, judgments.documents)
    listed, pooled = item >= 0, pool_item >= 0
    return RankedItems(
        queries=tuple(judgments.queries),
        unit=unit[listed],
        rank=rank[listed],
        item=item[listed],
        grade=grade[listed],
        pool_unit=judgments.document_unit[pooled],
        pool_item=pool_item[pooled],
        pool_grade=judgments.document_grade[pooled],
        items=items,
        n_unknown=int((~listed).sum()),
    )


def _places(items: Items, names: Names) -> Ints:
    """The place of each name in the table of items, -1 for those that are not in it."""
    place = np.full(len(names), -1)
    if len(names):
        rows, places = items.lookup.find(names, names.hash)
        place[rows] = places
    return place
