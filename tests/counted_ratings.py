"""Ratings from tables of counts, as textbooks give them, and those of one topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.ratings import Ratings
from cranfield.tables.ratings import Category


def from_counts(counts: Sequence[Sequence[float]] | Floats, categories: Sequence[Category] | None = None) -> Ratings:
    """Ratings from the number of raters per item and category: `counts[item][category]`."""
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
    """Ratings of two raters from the number of items per pair of categories: `table[first's][second's]`."""
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


def of_topic(data: Ratings, topic: int) -> Ratings:
    """The ratings of one topic."""
    inside = data.unit == topic
    items, rows = np.flatnonzero(inside), inside[data.item]
    columns = {
        "item": np.searchsorted(items, data.item[rows]),
        "rater": data.rater[rows],
        "category": data.category[rows],
    }
    return replace(data, units=data.units[topic : topic + 1], unit=items * 0, weight=data.weight[items], **columns)
