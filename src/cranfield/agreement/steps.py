"""The working of kappa and of Fleiss' kappa: observed and expected agreement, and how they are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import POWER, ratio
from cranfield.evidence.ratings import Ratings
from cranfield.frozen import frozen
from cranfield.measures.agreement import Weights, beyond_chance
from cranfield.measures.naming import parse
from cranfield.results.verb_result import number
from cranfield.statistics.agreement import Association, KappaErrors, association, kappa_errors
from cranfield.tables.ratings import Category


@frozen(eq=False)
class Contingency:
    """Two raters: `counts[i, j]` items that the first put in category i and the second in category j."""

    raters: tuple[str, str]
    categories: tuple[Category, ...]
    counts: Floats
    weights: Weights = "none"

    @property
    def name(self) -> str:
        """The measure."""
        return "Kappa" if self.weights == "none" else f"Kappa(weights={self.weights!r})"

    @property
    def credit(self) -> Floats:
        """The weight of two categories by their distance in places: 1 for equal ones, decreasing with distance."""
        place = np.arange(len(self.categories), dtype=np.float64)
        if self.weights == "none":
            return (place == 0).astype(np.float64)
        return 1 - (place / max(len(place) - 1, 1)) ** POWER[self.weights]

    def by_distance(self, table: Floats) -> Floats:
        """The sum of the cells of a table by the distance of their categories."""
        place = np.arange(len(self.categories))
        sums = np.bincount(np.abs(place[:, None] - place).ravel(), table.ravel(), len(place))
        return np.asarray(sums, np.float64)

    @property
    def observed(self) -> float:
        """P(A): the (weighted) proportion of items on which they agree."""
        return float(self.credit @ self.by_distance(self.counts) / self.counts.sum())

    @property
    def expected(self) -> float:
        """P(E): the same by chance, from the margins."""
        return float(self.credit @ self.by_distance(np.outer(*self.margins)))

    @property
    def margins(self) -> tuple[Floats, Floats]:
        """The proportion of items that each rater put in each category."""
        total = self.counts.sum()
        return self.counts.sum(axis=1) / total, self.counts.sum(axis=0) / total

    @property
    def by_chance(self) -> Floats:
        """P(c, c): the probability that both choose category c by chance."""
        first, second = self.margins
        return first * second

    @property
    def kappa(self) -> float:
        """Cohen's kappa."""
        return _beyond(self.observed, self.expected)

    @property
    def errors(self) -> KappaErrors:
        """The standard errors of kappa, and its test against chance."""
        place = np.arange(len(self.categories))
        return kappa_errors(self.counts, self.credit[np.abs(place[:, None] - place)])

    @property
    def association(self) -> Association:
        """Chi-square of independence and Cramér's V."""
        return association(self.counts)


@frozen(eq=False)
class ManyRaters:
    """Any number of raters: `counts[i, j]` raters put item i in category j."""

    items: Sequence[str]
    categories: tuple[Category, ...]
    counts: Floats
    topic: Ints  # of each item

    @property
    def listed(self) -> list[int]:
        """The order in which items are listed: by topic, and numerically if all items are integers."""
        places = range(len(self.items))
        if not all(item.isascii() and item.isdecimal() for item in self.items):
            return [*places]
        return sorted(places, key=lambda place: (self.topic[place], int(self.items[place])))

    @property
    def proportions(self) -> Floats:
        """p_j: the proportion of all ratings that are in each category."""
        return self.counts.sum(axis=0) / self.counts.sum()

    @property
    def agreement(self) -> Floats:
        """P_i: the proportion of the pairs of ratings of each item that agree; NaN with a single rating."""
        n = self.counts.sum(axis=1)
        return ratio((self.counts * (self.counts - 1)).sum(axis=1), n * (n - 1))

    @property
    def observed(self) -> float:
        """P(A): the mean of P_i."""
        return float(np.nanmean(self.agreement))

    @property
    def expected(self) -> float:
        """P(E): the sum of the squares of p_j."""
        return float((self.proportions**2).sum())

    @property
    def kappa(self) -> float:
        """Fleiss' kappa."""
        return _beyond(self.observed, self.expected)


def _beyond(observed: float, expected: float) -> float:
    return float(beyond_chance(np.array([observed]), np.array([expected]))[0])


def contingencies(ratings: Ratings, measures: Sequence[str]) -> Iterator[Contingency]:
    """The contingency table of every pair of raters with common items, for every kappa among the measures."""
    kappas = [
        measure for measure in (parse(name, "ratings") for name in measures) if measure.declaration.name == "Kappa"
    ]
    for measure in kappas:
        weights: Any = measure.options.get("weights", "none")
        yield from (replace(two, weights=weights) for two in _tables(ratings))


def _tables(ratings: Ratings) -> Iterator[Contingency]:
    for first, second in ratings.pairs:
        two = ratings.pooled.between(first, second)
        both = (two.by_rater >= 0).all(axis=1)  # items that one of them did not rate have -1 there
        if both.any():
            counts = np.zeros((two.n_categories, two.n_categories))
            np.add.at(counts, (two.by_rater[both, 0], two.by_rater[both, 1]), two.weight[both])
            yield Contingency((two.raters[0], two.raters[1]), two.categories, counts)


def many_raters(ratings: Ratings, items: Sequence[str]) -> ManyRaters:
    """The number of raters by item and category."""
    named = items if len(items) == len(ratings.unit) else [str(n) for n in range(1, len(ratings.unit) + 1)]
    return ManyRaters(named, ratings.categories, ratings.counts(), ratings.unit)


def working(ratings: Ratings, items: Sequence[str], measures: Sequence[str]) -> list[dict[str, Any]]:
    """One row per quantity: the measure and raters it belongs to, its item or categories, its name and value."""
    rows = [row for two in contingencies(ratings, measures) for row in _of_two(two)]
    return rows + (list(_of_many(many_raters(ratings, items))) if "Fleiss" in measures else [])


def _of_two(two: Contingency) -> Iterator[dict[str, Any]]:
    row = {"measure": two.name, "raters": " & ".join(two.raters)}
    names = [category_text(category) for category in two.categories]
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            yield _row(row, "n", two.counts[i, j], category=one, other=other)
    for rater, margin in zip(two.raters, two.margins, strict=True):
        yield from (_row(row, f"P of {rater}", value, category=c) for c, value in zip(names, margin, strict=True))
    if two.weights == "none":
        yield from (_row(row, "P(c, c)", value, category=c) for c, value in zip(names, two.by_chance, strict=True))
    else:
        yield from (_row(row, "weight", value, category=names[0], other=c) for c, value in zip(names, two.credit))
    yield from (_row(row, name, value) for name, value in (
        ("P(A)", two.observed), ("P(E)", two.expected), ("kappa", two.kappa), ("standard error", two.errors.error),
        ("standard error by chance", two.errors.error_by_chance), ("z", two.errors.z), ("p", two.errors.p),
        ("chi-square", two.association.chi_square), ("p of chi-square", two.association.p),
        ("Cramér's V", two.association.cramer_v)))  # fmt: skip


def _of_many(many: ManyRaters) -> Iterator[dict[str, Any]]:
    row = {"measure": "Fleiss", "raters": "all"}
    names = [category_text(category) for category in many.categories]
    agreement = many.agreement
    yield from (_row(row, "p_j", value, category=c) for c, value in zip(names, many.proportions, strict=True))
    yield from (_row(row, "P_i", agreement[place], item=many.items[place]) for place in many.listed)
    yield from (_row(row, name, value) for name, value in (
        ("P(A)", many.observed), ("P(E)", many.expected), ("kappa", many.kappa)))  # fmt: skip


def _row(row: dict[str, str], quantity: str, value: float, **places: str) -> dict[str, Any]:
    named = {name: places.get(name) for name in ("item", "category", "other")}
    return {**row, **named, "quantity": quantity, "value": number(value)}


def category_text(category: Category) -> str:
    """The name of a category."""
    return f"{category:g}" if isinstance(category, float) else category
