"""Confusion: the number of items by actual and predicted class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.cells import Cells
from cranfield.frozen import cached_property, frozen
from cranfield.tables.labels import Codes, Label, coded

_BLOCK = 1 << 15  # rows counted at a time: fits in the cache
_WIDE = 256  # classes whose matrix fits too
_FAR = 1 << 48  # labels beyond this times the classes would overflow 64 bits


class Confused(NamedTuple):
    """A pair of confused classes, with the number of items."""

    actual: Label
    predicted: Label
    n: float
    proportion: float  # of the actual class


@frozen(eq=False)
class Confusion:
    """The number of items, or the sum of their weights, by actual and predicted class.

    Only pairs that occur are stored, so memory is linear in the items rather than quadratic in the classes:
    `count[i]` items of class `row[i]` were predicted as class `column[i]`.
    """

    kind: ClassVar[str] = "classes"

    labels: tuple[Label, ...]
    row: Ints
    column: Ints
    count: NDArray[Any]

    @classmethod
    def of(cls, labels: Sequence[Label], counts: NDArray[Any]) -> Confusion:
        """The confusion with this matrix: `counts[i, j]` items of class i were predicted as class j."""
        row, column = np.nonzero(counts)
        return cls(tuple(labels), row, column, counts[row, column])

    def __add__(self, other: Confusion) -> Confusion:
        """The counts of both, over the classes of both."""
        known = set(self.labels)
        labels = self.labels + tuple(label for label in other.labels if label not in known)
        first, second = self.widened(labels), other.widened(labels)
        row, column = np.append(first.row, second.row), np.append(first.column, second.column)
        return Confusion(labels, *_gathered(row, column, np.append(first.count, second.count), len(labels)))

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The matrix: `counts[i, j]` items of class i were predicted as class j."""
        counts = np.zeros((len(self.labels), len(self.labels)), self.count.dtype)
        counts[self.row, self.column] = self.count
        return counts

    @cached_property
    def total(self) -> float:
        """Number of items."""
        return self.count.sum().item()

    @cached_property
    def actual(self) -> NDArray[Any]:
        """Number of items by actual class."""
        return self._sum(self.row, self.count)

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """Number of items by predicted class."""
        return self._sum(self.column, self.count)

    @cached_property
    def right(self) -> NDArray[Any]:
        """Number of correctly predicted items by class."""
        same = self.row == self.column
        return self._sum(self.row[same], self.count[same])

    @cached_property
    def wrong(self) -> tuple[Ints, Ints, NDArray[Any]]:
        """The pairs of actual and predicted class that differ, with their number of items."""
        apart = (self.row != self.column) & (self.count > 0)
        return self.row[apart], self.column[apart], self.count[apart]

    def _sum(self, place: Ints, count: NDArray[Any]) -> NDArray[Any]:
        """Sum of the counts by class; integers stay integers."""
        return np.bincount(place, count, len(self.labels)).astype(count.dtype, copy=False)

    @cached_property
    def cells(self) -> Cells:
        """Each class against the rest."""
        row, column, count = self.wrong
        counts = (self.right, self._sum(column, count), self._sum(row, count), self._elsewhere)
        return Cells(*(cell.astype(np.float64) for cell in counts))

    @property
    def _elsewhere(self) -> NDArray[Any]:
        """True negatives by class: items neither of the class nor predicted as it."""
        if self.count.dtype.kind in "iu":
            return self.total - self.actual - self.predicted + self.right  # integers, hence exact
        return _outside(
            np.minimum(self.row, self.column), np.maximum(self.row, self.column), self.count, len(self.labels)
        )

    def place(self, label: Label) -> int:
        """The index of a class."""
        if label not in self.labels:
            raise BadSetting(f"there is no class {label!r}; the classes are {', '.join(map(repr, self.labels))}")
        return self.labels.index(label)

    def collapsed(self, label: Label) -> Confusion:
        """One class against the rest, as a matrix of two classes."""
        place = self.place(label)
        tp, fp, fn, tn = (cell[place] for cell in self.cells.counts)
        return Confusion.of((f"not {label}", label), np.array([[tn, fp], [fn, tp]]).astype(self.count.dtype))

    def widened(self, labels: Sequence[Label]) -> Confusion:
        """The same counts over these classes, in this order; classes that do not occur get zeros."""
        place = {label: code for code, label in enumerate(labels)}
        lost = [label for label in self.labels if label not in place]
        if lost:
            raise BadSetting(f"the class {lost[0]!r} occurs but is not one of {', '.join(map(repr, labels))}")
        code = np.array([place[label] for label in self.labels], np.int64)
        return Confusion(tuple(labels), code[self.row], code[self.column], self.count)

    def largest(self, n: int) -> Ints:
        """The indices of the `n` classes with the most items, actual and predicted, in the order of the matrix."""
        return np.sort(np.argsort(-(self.actual + self.predicted), kind="stable")[:n])

    def within(self, places: Ints) -> Confusion:
        """The confusion between these classes only, in this order."""
        code = np.full(len(self.labels), -1)
        code[places] = np.arange(len(places))
        row, column = code[self.row], code[self.column]
        in_both = (row >= 0) & (column >= 0)
        labels = tuple(self.labels[place] for place in places.tolist())
        return Confusion(labels, row[in_both], column[in_both], self.count[in_both])

    @property
    def seriated_order(self) -> Ints:
        """The indices of the classes in an order that puts often confused ones side by side.

        The order of the leaves of an average-linkage tree with optimal leaf ordering; two classes are closer the higher
        the proportion of their items predicted as each other.
        """
        if len(self.labels) < 3:
            return np.arange(len(self.labels))
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        proportion = np.nan_to_num(ratio(self.counts, self.actual[:, None]))
        distance = 2 - proportion - proportion.T
        np.fill_diagonal(distance, 0)
        tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
        return leaves_list(tree).astype(np.int64)

    @property
    def seriated(self) -> Confusion:
        """The same confusion with often confused classes side by side."""
        return self.within(self.seriated_order)

    def most_confused(self, n: int = 10) -> list[Confused]:
        """The most frequent errors."""
        row, column, count = self.wrong
        pairs = ((row[k], column[k], count[k]) for k in np.lexsort((column, row, -count))[:n])
        return [Confused(self.labels[i], self.labels[j], k.item(), float(k / self.actual[i])) for i, j, k in pairs]


def confusion(
    actual: Any, predicted: Any, *, labels: Sequence[Label] | None = None, weight: Floats | None = None
) -> Confusion:
    """The confusion matrix of two columns of labels.

    Parameters
    ----------
    actual, predicted
        The true and the predicted label of each item.
    labels
        All classes, in order; by default, those that occur.
    weight
        The weight of each item.

    Returns
    -------
    Confusion
        The number of items by actual and predicted class.

    Examples
    --------
    >>> confusion(["cat", "cat", "dog"], ["cat", "dog", "dog"]).labels
    ('cat', 'dog')
    """
    if labels is None and weight is None and _whole(actual) and _whole(predicted) and len(actual) == len(predicted):
        quick = _in_one_pass(actual, predicted)
        if quick is not None:
            return quick
    known = coded({"actual": actual, "predicted": predicted}, labels)
    if len(known.columns[0]) != len(known.columns[1]):
        raise BadInput(f"got {len(known.columns[0])} actual but {len(known.columns[1])} predicted labels")
    matrix = counted(known.columns[0], known.columns[1], known.labels, weight)
    return matrix if labels is not None or weight is None else _occurring(matrix)


def _occurring(matrix: Confusion) -> Confusion:
    """Without the classes that do not occur."""
    return matrix.within(np.union1d(matrix.row, matrix.column))


def _outside(low: Ints, high: Ints, count: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """For each class, the sum over the pairs of classes that do not include it.

    Weights are only added: subtracting row and column from the total would leave rounding errors instead of 0. Pairs
    entirely below or above a class are cumulative sums; a pair around it, low < class < high, is added to the nodes of
    a binary tree that cover the classes between.
    """
    above = np.bincount(low, count, n_classes)[::-1].cumsum()[::-1]
    below = np.bincount(high, count, n_classes).cumsum()
    between = _between(low + 1, high, count, n_classes)
    return np.append(0, below[:-1]) + np.append(above[1:], 0) + between


def _between(start: Ints, end: Ints, count: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """For each class, the sum of the counts whose range [start, end) contains it."""
    levels = max(n_classes - 1, 1).bit_length()
    nodes = np.zeros(2 << levels)
    start, end = start + (1 << levels), end + (1 << levels)
    for _ in range(levels + 1):
        start_odd, end_odd = (start < end) & (start & 1 == 1), (start < end) & (end & 1 == 1)
        nodes += np.bincount(start[start_odd], count[start_odd], len(nodes))
        nodes += np.bincount(end[end_odd] - 1, count[end_odd], len(nodes))
        start, end = (start + start_odd) >> 1, (end - end_odd) >> 1
    for level in range(levels):
        parents = slice(1 << level, 2 << level)
        nodes[2 << level : 4 << level] += np.repeat(nodes[parents], 2)
    return nodes[1 << levels :][:n_classes]


def _whole(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "ui"


def _in_one_pass(actual: Codes, predicted: Codes) -> Confusion | None:
    """The matrix of integer labels with a small range, in one pass over the data; None if the range is too large."""
    low = high = int(actual[0]) if len(actual) else 0
    counts = np.zeros((1, 1), np.int64)
    cell = np.empty(min(_BLOCK, len(actual)), np.int64)
    for start in range(0, len(actual), _BLOCK):
        rows, columns = actual[start : start + _BLOCK], predicted[start : start + _BLOCK]
        least, most = min(low, int(rows.min()), int(columns.min())), max(high, int(rows.max()), int(columns.max()))
        if most - least >= _WIDE or max(most, -least) >= _FAR:
            return None
        if least < low or most > high:
            counts = np.pad(counts, (low - least, most - high))
            low, high = least, most
        n_classes, here = high - low + 1, cell[: len(rows)]
        np.multiply(rows, n_classes, out=here, dtype=np.int64, casting="unsafe")
        np.add(here, columns, out=here, dtype=np.int64, casting="unsafe")
        here -= low * (n_classes + 1)
        counts += np.bincount(here, minlength=n_classes**2).reshape(n_classes, n_classes)
    return _occurring(Confusion.of(range(low, high + 1), counts))


def counted(
    actual: Codes, predicted: Codes, labels: tuple[Label, ...], weight: NDArray[Any] | None = None
) -> Confusion:
    """The confusion of two columns of codes; weights may be integers, the number of items in each row."""
    if weight is not None or len(labels) > _WIDE:
        return Confusion(labels, *_gathered(actual, predicted, weight, len(labels)))
    n_classes = len(labels)
    counts = np.zeros(n_classes**2, np.int64)
    step = max(_BLOCK, n_classes**2)
    cell = np.empty(min(step, len(actual)), np.int64)
    for start in range(0, len(actual), step):
        block = actual[start : start + step]
        here = cell[: len(block)]
        np.multiply(block, n_classes, out=here, dtype=np.int64)
        here += predicted[start : start + step].astype(np.int64, copy=False)
        counts += np.bincount(here, minlength=n_classes**2)
    return Confusion.of(labels, counts.reshape(n_classes, n_classes))


def _gathered(row: Codes, column: Codes, count: NDArray[Any] | None, n_classes: int) -> tuple[Ints, Ints, NDArray[Any]]:
    """The distinct pairs of classes, with the number of items or sum of weights of each, if positive."""
    pair = row.astype(np.int64) * n_classes + column
    if count is None:
        occurs, total = np.unique(pair, return_counts=True)
    else:
        occurs, place = np.unique(pair, return_inverse=True)
        total = np.bincount(place.ravel(), count, len(occurs)).astype(count.dtype, copy=False)
    occupied = total > 0
    return occurs[occupied] // n_classes, occurs[occupied] % n_classes, total[occupied]
