"""Confusion: how often each class was taken for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import ratio
from cranfield.tables.labels import Codes, Label, coded

_BLOCK = 1 << 15  # rows counted at a time: what fits in a cache
_WIDE = 256  # classes whose matrix does too
_FAR = 1 << 48  # from 0, that a number times those classes still is a whole one of 64 bits


class Confused(NamedTuple):
    """One class taken for another, and how many times."""

    actual: Label
    predicted: Label
    times: float
    share: float  # of the items of the actual class


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of items, or sums of their weights: `counts[i, j]` are of class i and were predicted to be of class j."""

    kind: ClassVar[str] = "classes"

    labels: tuple[Label, ...]
    counts: NDArray[Any]

    def __add__(self, other: Confusion) -> Confusion:
        """The counts of both, over the classes of both."""
        labels = self.labels + tuple(label for label in other.labels if label not in self.labels)
        return Confusion(labels, self.widened(labels).counts + other.widened(labels).counts)

    @property
    def actual(self) -> NDArray[Any]:
        """How many items each class has."""
        return self.counts.sum(axis=1)

    @property
    def predicted(self) -> NDArray[Any]:
        """How many items were taken for each class."""
        return self.counts.sum(axis=0)

    @property
    def right(self) -> NDArray[Any]:
        """How many items of each class were recognised."""
        return np.diagonal(self.counts)

    @property
    def cells(self) -> Cells:
        """Each class against the rest."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        each = (self.right, wrong.sum(axis=0), wrong.sum(axis=1), _elsewhere(self.counts))
        return Cells(*(cell.astype(np.float64) for cell in each))

    def place(self, label: Label) -> int:
        """The place of a class."""
        if label not in self.labels:
            raise BadSetting(f"there is no class {label!r}; there are {', '.join(map(repr, self.labels))}")
        return self.labels.index(label)

    def collapsed(self, label: Label) -> Confusion:
        """One class against the rest, as a matrix of two classes."""
        own = self.place(label)
        tp, fp, fn, tn = (cell[own] for cell in self.cells.each)
        return Confusion((f"not {label}", label), np.array([[tn, fp], [fn, tp]]).astype(self.counts.dtype))

    def widened(self, labels: Sequence[Label]) -> Confusion:
        """The same counts over these classes, in this order; classes that did not occur get zeros."""
        lost = [label for label in self.labels if label not in labels]
        if lost:
            raise BadSetting(f"the class {lost[0]!r} has counts, and is none of {', '.join(map(repr, labels))}")
        counts = np.zeros((len(labels), len(labels)), self.counts.dtype)
        place = [list(labels).index(label) for label in self.labels]
        counts[np.ix_(place, place)] = self.counts
        return Confusion(tuple(labels), counts)

    @property
    def seriated(self) -> Confusion:
        """The classes in an order that puts those often confused with each other side by side.

        The order of the leaves of an average-linkage tree that keeps neighbours closest; the nearer two classes,
        the greater the share of their items that was taken for the other.
        """
        if len(self.labels) < 3:
            return self
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        share = np.nan_to_num(ratio(self.counts, self.actual[:, None]))
        distance = 2 - share - share.T
        np.fill_diagonal(distance, 0)
        order = leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True))
        return Confusion(tuple(self.labels[place] for place in order), self.counts[np.ix_(order, order)])

    def most_confused(self, n: int = 10) -> list[Confused]:
        """The pairs of classes that were mistaken most often."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        places = np.argsort(-wrong, axis=None, kind="stable")[:n]
        rows, columns = np.unravel_index(places, wrong.shape)
        return [
            Confused(self.labels[i], self.labels[j], wrong[i, j].item(), float(wrong[i, j] / self.actual[i]))
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
            if wrong[i, j]
        ]


def confusion(
    actual: Any, predicted: Any, *, labels: Sequence[Label] | None = None, weight: NDArray[np.float64] | None = None
) -> Confusion:
    """The confusion matrix of two columns of labels."""
    if labels is None and weight is None and _whole(actual) and _whole(predicted) and len(actual) == len(predicted):
        found = _in_one_pass(actual, predicted)
        if found is not None:
            return found
    known = coded({"actual": actual, "predicted": predicted}, labels)
    if len(known.columns[0]) != len(known.columns[1]):
        raise BadInput(f"there are {len(known.columns[0])} actual labels and {len(known.columns[1])} predicted ones")
    counts = counted(known.columns[0], known.columns[1], len(known.labels), weight)
    if labels is not None or weight is None:
        return Confusion(known.labels, counts)
    occurs = np.flatnonzero(counts.any(axis=0) | counts.any(axis=1))  # an item that counts nothing is none
    return Confusion(tuple(known.labels[place] for place in occurs.tolist()), counts[np.ix_(occurs, occurs)])


def _elsewhere(counts: NDArray[Any]) -> NDArray[Any]:
    """The sum of what is neither in the row nor in the column of each class.

    The four corners about its place are added up: all less row and column leaves rounding where weights leave nothing.
    """
    before = np.arange(len(counts))
    after = before[::-1]
    corners = (
        _corner(counts)[before, before],
        _corner(counts[:, ::-1])[before, after],
        _corner(counts[::-1])[after, before],
        _corner(counts[::-1, ::-1])[after, after],
    )
    return np.sum(corners, axis=0)


def _corner(counts: NDArray[Any]) -> NDArray[Any]:
    """The sum of as many of the first rows and columns."""
    return np.pad(counts.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))


def _whole(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "ui"


def _in_one_pass(actual: Codes, predicted: Codes) -> Confusion | None:
    """The matrix of whole numbers that lie close together, each row looked at once while it is in the cache."""
    low = high = int(actual[0]) if len(actual) else 0
    counts = np.zeros((1, 1), np.int64)
    cell = np.empty(min(_BLOCK, len(actual)), np.int64)
    for start in range(0, len(actual), _BLOCK):
        one, other = actual[start : start + _BLOCK], predicted[start : start + _BLOCK]
        least, most = min(low, int(one.min()), int(other.min())), max(high, int(one.max()), int(other.max()))
        if most - least >= _WIDE or max(most, -least) >= _FAR:
            return None
        if least < low or most > high:
            counts = np.pad(counts, (low - least, most - high))
            low, high = least, most
        n_classes, here = high - low + 1, cell[: len(one)]
        np.multiply(one, n_classes, out=here, dtype=np.int64, casting="unsafe")
        np.add(here, other, out=here, dtype=np.int64, casting="unsafe")
        here -= low * (n_classes + 1)
        counts += np.bincount(here, minlength=n_classes**2).reshape(n_classes, n_classes)
    occurs = np.flatnonzero(counts.any(axis=0) | counts.any(axis=1))
    return Confusion(tuple((occurs + low).tolist()), counts[np.ix_(occurs, occurs)])


def counted(actual: Codes, predicted: Codes, n_classes: int, weight: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """How often each code met each."""
    if weight is not None:
        cell = actual.astype(np.int64) * n_classes + predicted
        return np.bincount(cell, weight, minlength=n_classes**2).reshape(n_classes, n_classes)
    counts = np.zeros(n_classes**2, np.int64)
    step = max(_BLOCK, n_classes**2)
    cell = np.empty(min(step, len(actual)), np.int64)
    for start in range(0, len(actual), step):
        block = actual[start : start + step]
        here = cell[: len(block)]
        np.multiply(block, n_classes, out=here, dtype=np.int64)
        here += predicted[start : start + step].astype(np.int64, copy=False)
        counts += np.bincount(here, minlength=n_classes**2)
    return counts.reshape(n_classes, n_classes)
