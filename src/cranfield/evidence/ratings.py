"""Ratings: which rater put which item in which category, for many topics at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.tables.ratings import Category, Rated

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_MANY = 64  # with more raters or categories than this, hardly two items are rated alike


@dataclass(frozen=True, eq=False)
class Ratings:
    """One row for each rating; a rating not given has none.

    `weight[i]` says how many items item i stands for. Categories are `ordered` where they are numbers, or where their
    order was given. There are no `raters` where it is not known who rated: then every rating is another's.
    """

    kind: ClassVar[Literal["ratings"]] = "ratings"

    categories: tuple[Category, ...]
    ordered: bool
    raters: tuple[str, ...]
    units: tuple[str, ...]
    unit: Ints  # of each item, as is its weight
    weight: Floats
    item: Ints  # of each rating, as are its rater and its category
    rater: Ints
    category: Ints

    def __len__(self) -> int:
        return len(self.units)

    def __add__(self, other: Ratings) -> Ratings:
        """The ratings of both, whose units must differ: theirs come after ours."""
        if (self.categories, self.raters) != (other.categories, other.raters):
            raise BadInput("ratings in other categories, or by other raters, cannot be added")
        return replace(
            self,
            units=self.units + other.units,
            unit=np.concatenate([self.unit, other.unit + len(self)]),
            weight=np.concatenate([self.weight, other.weight]),
            item=np.concatenate([self.item, other.item + len(self.unit)]),
            rater=np.concatenate([self.rater, other.rater]),
            category=np.concatenate([self.category, other.category]),
        )

    # what a coefficient asks of the items

    @property
    def n_categories(self) -> int:
        """How many categories there are to choose from."""
        return len(self.categories)

    @property
    def numeric(self) -> bool:
        """Whether the categories are numbers."""
        return all(isinstance(category, float) for category in self.categories)

    def require_order(self) -> None:
        """Refuse categories of which none is known to be higher than another."""
        if not self.ordered:
            raise BadInput(
                f"the categories {', '.join(map(str, self.categories))} are texts without an order: weights, levels "
                "and relevance need numbers, or the order from lowest to highest (order=…, --order)"
            )

    @property
    def scale(self) -> Floats:
        """The number behind each category: its place, where they are texts."""
        self.require_order()
        return np.array(self.categories if self.numeric else range(self.n_categories), np.float64)

    @cached_property
    def n_ratings(self) -> Floats:
        """How many ratings each item has."""
        return np.bincount(self.item, minlength=len(self.unit)).astype(np.float64)

    @cached_property
    def pairable(self) -> Mask:
        """Which items have two ratings or more, so that raters can agree on them."""
        return self.n_ratings >= 2

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Floats]:
        """The categories that each item was put in: item, category, and by how many."""
        key, count = np.unique(self.item * self.n_categories + self.category, return_counts=True)
        return key // self.n_categories, key % self.n_categories, count.astype(np.float64)

    def counts(self) -> Floats:
        """How many raters put each item in each category, as a table."""
        cell_item, cell_category, count = self.cells
        table = np.zeros((len(self.unit), self.n_categories))
        table[cell_item, cell_category] = count
        return table

    # and of the topics

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """The sum of the values of each topic's items."""
        weighted = np.asarray(value, np.float64) * self.weight
        return np.bincount(self.unit, weights=weighted, minlength=len(self)).astype(np.float64)

    def shares(self, per_item: Floats) -> Floats:
        """For each topic and category, the sum over its ratings of what each counts: `per_item` of its item."""
        key = self.unit[self.item] * self.n_categories + self.category
        weights = (per_item * self.weight)[self.item]
        table = np.bincount(key, weights=weights, minlength=len(self) * self.n_categories)
        return table.reshape(len(self), self.n_categories).astype(np.float64)

    def n_items(self) -> Ints:
        """How many items of each topic have two ratings or more."""
        return np.rint(self.sum(self.pairable)).astype(np.int64)

    # the raters two by two

    @cached_property
    def by_rater(self) -> Ints:
        """The category that each rater put each item in, -1 where there is no rating."""
        table = np.full((len(self.unit), len(self.raters)), -1)
        table[self.item, self.rater] = self.category
        return table

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two raters."""
        return list(combinations(range(len(self.raters)), 2))

    def table(self, first: int, second: int) -> Floats:
        """How many items the two raters put in each two categories: `table[u, a, b]`."""
        a, b = self.by_rater[:, first], self.by_rater[:, second]
        both = (a >= 0) & (b >= 0)
        size = self.n_categories
        key = (self.unit[both] * size + a[both]) * size + b[both]
        table = np.bincount(key, weights=self.weight[both], minlength=len(self) * size * size)
        return table.reshape(len(self), size, size).astype(np.float64)

    # other ratings made from these

    @cached_property
    def pooled(self) -> Ratings:
        """All topics as one."""
        return replace(self, units=("all",), unit=np.zeros_like(self.unit))

    def between(self, first: int, second: int) -> Ratings:
        """What two raters said of the items that both rated."""
        both: Mask = (self.by_rater[:, first] >= 0) & (self.by_rater[:, second] >= 0)
        kept = both[self.item] & np.isin(self.rater, (first, second))
        return replace(
            self._taken(both, kept),
            raters=(self.raters[first], self.raters[second]),
            rater=(self.rater[kept] == second).astype(np.int64),
        )

    def of_unit(self, unit: int) -> Ratings:
        """The ratings of one topic."""
        inside = self.unit == unit
        return replace(
            self._taken(inside, inside[self.item]),
            units=(self.units[unit],),
            unit=np.zeros(int(inside.sum()), np.int64),
        )

    def _taken(self, items: Mask, rows: Mask) -> Ratings:
        place = np.cumsum(items) - 1
        return replace(
            self,
            unit=self.unit[items],
            weight=self.weight[items],
            item=place[self.item[rows]],
            rater=self.rater[rows],
            category=self.category[rows],
        )

    def reweighted(self, weights: Floats) -> Ratings:
        """The ratings once for each row of weights, which say how often each item counts: the topics of all rows."""
        n_rows, n_items = weights.shape
        rows = np.arange(n_rows)
        return replace(
            self,
            units=self.units * n_rows,
            unit=(rows[:, None] * len(self) + self.unit).ravel(),
            weight=weights.ravel(),
            item=(rows[:, None] * n_items + self.item).ravel(),
            rater=np.tile(self.rater, n_rows),
            category=np.tile(self.category, n_rows),
        )

    @cached_property
    def condensed_items(self) -> Ratings:
        """The same with the items of a topic that were rated alike put together: few stand for many."""
        if len(self.raters) > _MANY or self.n_categories > _MANY:
            return self
        seen = np.column_stack([self.unit, self.by_rater if self.raters else self.counts()])
        _, first, place = np.unique(seen, axis=0, return_index=True, return_inverse=True)
        kept = np.zeros(len(self.unit), np.bool_)
        kept[first] = True
        total = np.bincount(place.ravel(), weights=self.weight).astype(np.float64)
        return replace(self._taken(kept, kept[self.item]), weight=total[np.argsort(first)])

    def per_unit(self) -> Iterator[Ratings]:
        """The ratings of each topic."""
        return map(self.of_unit, range(len(self)))


def ratings(rated: Rated) -> Ratings:
    """The ratings in a table of them."""
    return Ratings(
        categories=rated.categories,
        ordered=rated.ordered,
        raters=rated.raters,
        units=rated.units,
        unit=rated.unit,
        weight=np.ones(len(rated.unit)),
        item=rated.item,
        rater=rated.rater,
        category=rated.category,
    )


def from_counts(counts: Sequence[Sequence[float]] | Floats, categories: Sequence[Category] | None = None) -> Ratings:
    """Ratings from how many raters put each item in each category: `counts[item][category]`."""
    table = np.asarray(counts, np.int64)
    item, category = np.nonzero(table)
    times = table[item, category]
    labels = tuple(map(float, range(table.shape[1]))) if categories is None else tuple(categories)
    n_items, n_rows = len(table), int(times.sum())
    return Ratings(
        categories=labels,
        ordered=categories is None or isinstance(labels[0], float),
        raters=(),
        units=("all",),
        unit=np.zeros(n_items, np.int64),
        weight=np.ones(n_items),
        item=np.repeat(item, times),
        rater=np.full(n_rows, -1),
        category=np.repeat(category, times),
    )


def from_table(
    table: Sequence[Sequence[float]] | Floats,
    raters: tuple[str, str] = ("first", "second"),
    categories: Sequence[Category] | None = None,
) -> Ratings:
    """Ratings from how many items two raters put in each two categories: `table[first's][second's]`."""
    counts = np.asarray(table, np.float64)
    first, second = np.nonzero(counts)
    labels = tuple(map(float, range(len(counts)))) if categories is None else tuple(categories)
    n_items = len(first)
    return Ratings(
        categories=labels,
        ordered=categories is None or isinstance(labels[0], float),
        raters=raters,
        units=("all",),
        unit=np.zeros(n_items, np.int64),
        weight=counts[first, second],
        item=np.repeat(np.arange(n_items), 2),
        rater=np.tile([0, 1], n_items),
        category=np.stack([first, second], axis=1).ravel(),
    )
