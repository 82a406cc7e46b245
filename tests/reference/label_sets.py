"""Multilabel answers: which labels each item has and which it was given, in fractions, item by item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from reference.labels import MEASURES, Cells

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


def over_items(actual: Rows, predicted: Rows, name: str) -> Fraction | float | None:
    """The mean over items of a rate over the labels of each; those without one are left out."""
    turned = [[list(own), list(given)] for own, given in zip(actual, predicted, strict=True)]
    values = [MEASURES[name](cells_of([[a] for a in own], [[p] for p in given])[0]) for own, given in turned]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


# scores of the labels


def coverage_error(own: Sequence[int], score: Sequence[Fraction]) -> Fraction:
    """How many labels have at least the lowest score of a true one."""
    true = [s for yes, s in zip(own, score, strict=True) if yes]
    return Fraction(sum(s >= min(true) for s in score) if true else 0)


def average_precision(own: Sequence[int], score: Sequence[Fraction]) -> Fraction:
    """The mean over true labels of the proportion of true ones among those as high."""
    true = [s for yes, s in zip(own, score, strict=True) if yes]
    parts = [Fraction(sum(t >= s for t in true), sum(t >= s for t in score)) for s in true]
    return sum(parts, Fraction(0)) / len(parts) if parts else Fraction(1)


def ranking_loss(own: Sequence[int], score: Sequence[Fraction]) -> Fraction:
    """The proportion of pairs of a true and a false label in which the true one is not higher."""
    pairs = [(s, t) for yes, s in zip(own, score, strict=True) for no, t in zip(own, score, strict=True) if yes > no]
    return Fraction(sum(s <= t for s, t in pairs), len(pairs)) if pairs else Fraction(0)


OF_RANKINGS: dict[str, Callable[[Sequence[int], Sequence[Fraction]], Fraction]] = {
    "CoverageError": coverage_error,
    "LRAP": average_precision,
    "LabelRankingLoss": ranking_loss,
}
