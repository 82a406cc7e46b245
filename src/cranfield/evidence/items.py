"""Evidence on items: every column has one row per item, which may have a weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import fields, replace
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.frozen import cached_property, frozen

# Addition of evidence: the columns of the parts concatenated, one after another


Part = TypeVar("Part", bound=Any)


class ByQuery:
    """What all evidence by query has in common; a dataclass adds the columns, `queries` among them.

    `INDEX_OF` names the columns of indices and what each refers to: `queries[unit[i]]` is the query of row i.
    """

    INDEX_OF: ClassVar[Mapping[str, str]] = {"unit": "queries"}
    NEEDS_ITEMS: ClassVar[bool] = False  # whether it is built from a table of items
    queries: Sized

    def __len__(self) -> int:
        return len(self.queries)

    def __add__(self, other: Self) -> Self:
        """The evidence of both, which must have different queries."""
        return concatenated([self, other], self.INDEX_OF)


def concatenated(parts: Sequence[Part], index_of: Mapping[str, str]) -> Part:
    """The parts one after another: their arrays concatenated, and the names of their queries or units.

    Indices are increased by the number of rows that the parts before have. Parts without weights count 1 per item if
    others have some.
    """
    columns: dict[str, Any] = {}
    for name in (field.name for field in fields(parts[0])):
        values = [getattr(part, name) for part in parts]
        if name in ("queries", "units"):
            columns[name] = tuple(chain.from_iterable(values))
        elif isinstance(values[0], ByQuery):
            columns[name] = concatenated(values, values[0].INDEX_OF)
        elif name in index_of:
            before = np.cumsum([0, *(len(getattr(part, index_of[name])) for part in parts[:-1])])
            columns[name] = np.concatenate([value + n for value, n in zip(values, before, strict=True)])
        elif all(isinstance(value, np.ndarray) for value in values):
            columns[name] = np.concatenate(values)
        elif name == "weight" and any(value is not None for value in values):
            columns[name] = np.concatenate([part.weights for part in parts])
    return replace(parts[0], **columns)


class WeightedItems:
    """What all evidence on items has in common; a dataclass adds the columns, `weight` among them."""

    weight: Floats | None

    def __add__(self, other: Self) -> Self:
        """The items of both."""
        return concatenated([self, other], {})

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        columns = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}

    def take(self, rows: Ints) -> Self:
        """The items in these rows, which may repeat."""
        columns = {name: column[rows] for name, column in self._columns.items()}
        return replace(self, **columns)  # type: ignore[type-var]

    @property
    def weights(self) -> Floats:
        """The weight of each item."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def total(self) -> float:
        """Number of items, or the sum of their weights."""
        return float(len(self)) if self.weight is None else float(self.weight.sum())

    @property
    def effective(self) -> float:
        """Number of items or, if they are weighted, Kish's effective sample size."""
        return float(len(self)) if self.weight is None else self.total**2 / float((self.weight**2).sum())

    def mean(self, value: Floats | Mask) -> Floats:
        """Weighted mean of a value of each item; NaN without items."""
        return mean_over_items(value, self.weight)


def mean_over_items(value: Floats | Mask, weight: Floats | None) -> Floats:
    """Weighted mean of a value of each item; NaN without items, or if their weights are 0."""
    total = len(value) if weight is None else weight.sum()
    if not total:
        return np.asarray(np.nan)
    with np.errstate(over="ignore"):  # overflow gives infinity
        return np.asarray(value.mean() if weight is None else (value * weight).sum() / total)


# Label rankings: multilabel items, which of their labels are true, and how all labels are ranked by score


@frozen(eq=False)
class LabelRankings(WeightedItems):
    """One row per item and one column per label: whether the label is true, and its score."""

    kind: ClassVar[str] = "binary"

    true: Mask
    score: Floats
    weight: Floats | None = None

    @property
    def n_true(self) -> Ints:
        """The number of true labels of each item."""
        return self.true.sum(axis=1)

    @cached_property
    def rank(self) -> Ints:
        """The number of labels of the item that have at least the score of each label."""
        from scipy.stats import rankdata  # slow to import and rarely needed

        return rankdata(-self.score, method="max", axis=1).astype(np.int64).reshape(self.score.shape)

    @cached_property
    def true_rank(self) -> Ints:
        """The number of true labels of the item that have at least the score of each label."""
        descending = np.argsort(-self.score, axis=1, kind="stable")
        n_true = np.cumsum(np.take_along_axis(self.true.astype(np.int64), descending, axis=1), axis=1)
        return np.take_along_axis(n_true, self.rank - 1, axis=1)


# Label sets: multilabel items, and the number of wrong labels of each


Counts = NDArray[Any]


@frozen(eq=False)
class LabelSets(WeightedItems):
    """The number of labels of each item that are wrongly predicted or missing."""

    kind: ClassVar[str] = "binary"

    wrong: Counts
    weight: Floats | None = None

    @property
    def right(self) -> Counts:
        """Number of items without a wrong label, or the sum of their weights."""
        return np.asarray(self.weights[self.wrong == 0].sum())
