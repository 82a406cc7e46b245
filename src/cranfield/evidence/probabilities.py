"""Predicted probabilities of a binary decision, in bins.

Decided here: how probabilities are divided into bins for calibration, and the default number of bins.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import quantiles, quantiles_of_counts, ratio, summed_items, total
from cranfield.evidence.thresholds import Counts, Thresholds

Binning = Literal["width", "count"]
BINS = 10  # by default
_MANY = 1 << 14  # items whose sums are taken in blocks


class Bins(NamedTuple):
    """Items by predicted probability: above `lower`, up to and including `upper`."""

    lower: Floats
    upper: Floats
    n: Floats  # number of items, or the sum of their weights
    positive: Floats  # number of positive items
    predicted: Floats  # sum of the predicted probabilities


def binned(scores: Thresholds, bins: int, by: Binning = "width") -> Bins:
    """The items in bins of equal width from 0 to 1, or of equal count."""
    edges = _even(bins)
    if by == "count" and len(scores.positive) + len(scores.negative):
        score = np.concatenate([scores.positive, scores.negative])
        if scores.positive_count is not None and scores.negative_count is not None:
            count = np.concatenate([scores.positive_count, scores.negative_count])
            edges = quantiles_of_counts(score, count, edges)
        else:
            edges = quantiles(score, scores.weights if scores.weighted else None, edges)
    n_positive, sum_positive = _gathered(scores.positive, scores.positive_weight, scores.positive_count, edges)
    n_negative, sum_negative = _gathered(scores.negative, scores.negative_weight, scores.negative_count, edges)
    return Bins(edges[:-1], edges[1:], n_positive + n_negative, n_positive, sum_positive + sum_negative)


def effective_sizes(scores: Thresholds, by_bin: Bins) -> Floats:
    """The number of items in each bin or, if they are weighted, Kish's effective sample size."""
    if not scores.weighted:
        return by_bin.n
    edges = np.append(by_bin.lower, by_bin.upper[-1])
    weights = ((scores.positive, scores.positive_weight), (scores.negative, scores.negative_weight))
    heaviest = float(scores.weights.max(initial=0.0)) or 1.0  # squares do not underflow
    squared = [
        _gathered(side, (np.ones(len(side)) if weight is None else weight / heaviest) ** 2, None, edges)[0]
        for side, weight in weights
    ]
    return ratio((by_bin.n / heaviest) ** 2, squared[0] + squared[1])


@cache
def _even(bins: int) -> Floats:
    return np.linspace(0.0, 1.0, bins + 1)


def _gathered(ascending: Floats, weight: Floats | None, count: Ints | None, edges: Floats) -> tuple[Floats, Floats]:
    """The number of scores in each bin, and their sum."""
    between = np.zeros(len(edges), np.int64)
    between[1:-1], between[-1] = np.searchsorted(ascending, edges[1:-1], side="right"), len(ascending)
    starts, ends = between[:-1], between[1:]
    if count is not None:
        n = np.array([total(count[start:end]) for start, end in zip(starts, ends, strict=True)])
        if n.sum() > _MANY:
            return n.astype(np.float64), _summed_in_blocks(ascending, count, starts, ends)
        return _gathered(np.repeat(ascending, count), None, None, edges)
    if weight is None and len(ascending) > _MANY:
        return (ends - starts).astype(np.float64), _summed_in_blocks(ascending, None, starts, ends)
    if weight is None:
        return (ends - starts).astype(np.float64), _summed(ascending, starts, ends)
    return _summed(weight, starts, ends), _summed(weight * ascending, starts, ends)


def _summed_in_blocks(ascending: Floats, count: Ints | None, starts: Ints, ends: Ints) -> Floats:
    """The sum of the scores in each bin, the same whether equal scores are repeated or counted."""
    bins = map(slice, starts.tolist(), ends.tolist())
    return np.array(
        [summed_items(np.asarray, None if count is None else count[bin_], ascending[bin_]) for bin_ in bins]
    )


def _summed(values: Counts, starts: Ints, ends: Ints) -> Floats:
    sums = np.zeros(len(starts))
    filled = ends > starts
    if filled.any():
        sums[filled] = np.add.reduceat(values, starts[filled], dtype=np.float64)
    return sums
