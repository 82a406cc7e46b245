"""Multilabel answers: which labels each item has and which it was given, in fractions, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from reference.labels import Cells

Rows = Sequence[Sequence[int]]  # one list of 0 and 1 per item, one number per label


def subset_accuracy(actual: Rows, predicted: Rows) -> Fraction:
    """The proportion of items whose labels are all right."""
    return Fraction(sum(list(own) == list(given) for own, given in zip(actual, predicted, strict=True)), len(actual))


def cells_of(actual: Rows, predicted: Rows) -> list[Cells]:
    """The cells of each label."""
    found = []
    for label in range(len(actual[0])):
        pairs = [(own[label], given[label]) for own, given in zip(actual, predicted, strict=True)]
        found.append(Cells(*(Fraction(pairs.count(pair)) for pair in ((1, 1), (0, 1), (1, 0), (0, 0)))))
    return found
