"""Ratings: the category that each rater assigned to each item, for many topics at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.evidence.arithmetic import by_unit, ratio
from cranfield.evidence.items import concatenated
from cranfield.frozen import cached_property, frozen
from cranfield.tables.ratings import Category, Rated

_MANY = 64  # with more raters or categories, identically rated items are rare


@frozen(eq=False)
class Ratings:
    """One row per rating; missing ratings have none.

    `weight[i]` is the number of items that item i stands for. Categories are `ordered` if they are numbers or were
    passed in order. If raters are unknown, `raters` is empty and every rating counts as one by a different rater.
    """

    kind: ClassVar[Literal["ratings"]] = "ratings"

    categories: tuple[Category, ...]
    ordered: bool
    raters: tuple[str, ...]
    units: tuple[str, ...]
    unit: Ints  # of each item
    weight: Floats
    item: Ints  # of each rating, as are rater and category
    rater: Ints
    category: Ints

    def __len__(self) -> int:
        return len(self.units)

    def __add__(self, other: Ratings) -> Ratings:
        """The ratings of both, which must have different units."""
        if (self.categories, self.raters) != (other.categories, other.raters):
            raise BadInput("ratings with different categories or raters cannot be added")
        return concatenated([self, other], {"unit": "units", "item": "unit"})

    # by item

    @property
    def n_categories(self) -> int:
        """Number of categories, used or not."""
        return len(self.categories)

    @property
    def numeric(self) -> bool:
        """Whether the categories are numbers."""
        return all(isinstance(category, float) for category in self.categories)

    @property
    def unused(self) -> tuple[Category, ...]:
        """The categories without ratings."""
        used = np.bincount(self.category, minlength=self.n_categories) > 0
        return tuple(category for category, some in zip(self.categories, used, strict=True) if not some)

    @property
    def skipped(self) -> tuple[float, ...]:
        """The integers missing between the categories, if these are integers in order over a small range."""
        if not self.numeric or list(self.categories) != sorted(self.categories) or any(c % 1 for c in self.categories):
            return ()
        low, high = int(self.categories[0]), int(self.categories[-1])
        if high - low > _MANY:
            return ()
        return tuple(float(number) for number in range(low, high + 1) if number not in self.categories)

    def on_scale(self, categories: tuple[Category, ...]) -> Ratings:
        """The same ratings on another scale, which includes all categories used."""
        at = {category: place for place, category in enumerate(categories)}
        place = np.array([at.get(category, -1) for category in self.categories], np.int64)
        return replace(self, categories=categories, category=place[self.category])

    def require_order(self) -> None:
        """Refuse categories without a known order."""
        if not self.ordered:
            raise BadInput(
                f"the categories {', '.join(map(str, self.categories))} are texts without an order: weights, levels "
                "and relevance need numbers, or the order from lowest to highest (order=…, --order)"
            )

    def require_amounts(self) -> None:
        """Refuse categories that are not on a ratio scale."""
        if not self.numeric or min(float(category) for category in self.categories) < 0:
            shown = ", ".join(
                f"{category:g}" if isinstance(category, float) else category for category in self.categories[:8]
            )
            raise BadInput(f"the level ratio needs non-negative numbers with a true zero; the categories are {shown}")

    @property
    def scale(self) -> Floats:
        """The number of each category; for text, its position in the order."""
        self.require_order()
        return np.array(self.categories if self.numeric else range(self.n_categories), np.float64)

    @cached_property
    def n_ratings(self) -> Floats:
        """Number of ratings per item."""
        return np.bincount(self.item, minlength=len(self.unit)).astype(np.float64)

    @cached_property
    def pairable(self) -> Mask:
        """Which items have at least two ratings."""
        return self.n_ratings >= 2

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Floats]:
        """The categories assigned to each item: item, category and number of ratings."""
        key, count = np.unique(self.item * self.n_categories + self.category, return_counts=True)
        return key // self.n_categories, key % self.n_categories, count.astype(np.float64)

    def counts(self) -> Floats:
        """Table of the number of ratings by item and category."""
        cell_item, cell_category, count = self.cells
        table = np.zeros((len(self.unit), self.n_categories))
        table[cell_item, cell_category] = count
        return table

    # by topic

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """Weighted sum of the values over the items of each topic."""
        return by_unit(self.unit, np.asarray(value, np.float64) * self.weight, len(self))

    def category_totals(self, per_item: Floats) -> Floats:
        """Sum over the ratings of each topic and category, where a rating of item i counts `per_item[i]`."""
        return self._by_category(self.unit[self.item], self.category, (per_item * self.weight)[self.item])

    def _by_category(self, unit: Ints, category: Ints, weight: Floats) -> Floats:
        """Sum of the weights by topic and category."""
        total = by_unit(unit * self.n_categories + category, weight, len(self) * self.n_categories)
        return total.reshape(len(self), self.n_categories)

    def mean_of_pairs(self, agreeing: Floats) -> Floats:
        """Mean over the items of each topic of the proportion of their pairs of ratings that agree."""
        n = self.n_ratings
        pairs = np.where(self.pairable, n * (n - 1), 1)
        return ratio(self.sum(self.pairable * agreeing / pairs), self.sum(self.pairable))

    @cached_property
    def observed(self) -> Floats:
        """The same, if only ratings of the same category agree."""
        return self.mean_of_pairs(self.n_agreeing)

    @cached_property
    def n_agreeing(self) -> Floats:
        """Number of ordered pairs of ratings per item with the same category."""
        item, _, count = self.cells
        return by_unit(item, count * (count - 1), len(self.unit))

    def n_items(self) -> Ints:
        """Number of items per topic with at least two ratings."""
        return np.rint(self.sum(self.pairable)).astype(np.int64)

    # by pair of raters

    @cached_property
    def by_rater(self) -> Ints:
        """Table of categories by item and rater, -1 for a missing rating."""
        table = np.full((len(self.unit), len(self.raters)), -1)
        table[self.item, self.rater] = self.category
        return table

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of raters."""
        return list(combinations(range(len(self.raters)), 2))

    def chosen(self, category: Ints, counting: Mask) -> Floats:
        """Number of the counting items by topic and category: `chosen[u, c]`."""
        return self._by_category(self.unit[counting], category[counting], self.weight[counting])

    # derived ratings

    @cached_property
    def pooled(self) -> Ratings:
        """All topics as one."""
        return replace(self, units=("all",), unit=np.zeros_like(self.unit))

    def between(self, first: int, second: int) -> Ratings:
        """The ratings of two raters: of the items that either rated, as if there were no other raters."""
        either: Mask = (self.by_rater[:, first] >= 0) | (self.by_rater[:, second] >= 0)
        theirs = np.isin(self.rater, (first, second))
        return replace(
            self._taken(either, theirs),
            raters=(self.raters[first], self.raters[second]),
            rater=(self.rater[theirs] == second).astype(np.int64),
        )

    def _taken(self, items: Mask, rows: Mask) -> Ratings:
        """The ratings of some of the items, whose rows are marked."""
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
        """The ratings repeated for each row of item weights; the topics of every row are separate units."""
        n_rows, n_items = weights.shape
        rows = np.arange(n_rows)
        again = replace(
            self,
            units=self.units * n_rows,
            unit=(rows[:, None] * len(self) + self.unit).ravel(),
            weight=weights.ravel(),
            item=(rows[:, None] * n_items + self.item).ravel(),
            rater=np.tile(self.rater, n_rows),
            category=np.tile(self.category, n_rows),
        )
        item, category, count = self.cells  # independent of the weights
        again.__dict__["cells"] = (
            (rows[:, None] * n_items + item).ravel(),
            np.tile(category, n_rows),
            np.tile(count, n_rows),
        )
        for name in ("n_ratings", "n_agreeing"):
            again.__dict__[name] = np.tile(getattr(self, name), n_rows)
        if self.raters:
            again.__dict__["by_rater"] = np.tile(self.by_rater, (n_rows, 1))
        return again

    @cached_property
    def condensed_items(self) -> Ratings:
        """The same ratings with identically rated items of a topic merged into one weighted item."""
        if len(self.raters) > _MANY or self.n_categories > _MANY:
            return self
        seen = np.column_stack([self.unit, self.by_rater if self.raters else self.counts()])
        _, first, place = np.unique(seen, axis=0, return_index=True, return_inverse=True)
        is_first = np.zeros(len(self.unit), np.bool_)
        is_first[first] = True
        total = np.bincount(place.ravel(), weights=self.weight).astype(np.float64)
        return replace(self._taken(is_first, is_first[self.item]), weight=total[np.argsort(first)])


def ratings(rated: Rated) -> Ratings:
    """The ratings of a table."""
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
