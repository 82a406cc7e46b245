"""Averaged ROC curves of several test sets, such as folds: at equal false positive rates, or at equal thresholds.

Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27, algorithms 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.curves.roc import roc
from cranfield.evidence.exact import ratio
from cranfield.evidence.thresholds import Thresholds

Averaging = Literal["vertical", "threshold"]


class FoldRates(NamedTuple):
    """The rates of each fold in a row; `threshold` is NaN where columns are common false positive rates."""

    threshold: Floats
    fallout: Floats
    recall: Floats


def at_fallouts(folds: Sequence[Thresholds], fallout: Floats) -> FoldRates:
    """The recall of each fold at these false positive rates, interpolated linearly (vertical averaging).

    Where a curve rises vertically, its highest recall counts.
    """
    recall = np.array([_recall_at(fold, fallout) for fold in folds])
    return FoldRates(np.full(len(fallout), np.nan), np.broadcast_to(fallout, recall.shape), recall)


def _recall_at(fold: Thresholds, fallout: Floats) -> Floats:
    _, x, y = roc(fold, every=True)
    left = np.searchsorted(x, fallout, side="right") - 1
    right = np.minimum(left + 1, len(x) - 1)
    step = np.where(right > left, x[right] - x[left], 1.0)
    return np.asarray(y[left] + (y[right] - y[left]) * (fallout - x[left]) / step)


def at_thresholds(folds: Sequence[Thresholds], threshold: Floats) -> FoldRates:
    """Both rates of each fold at these thresholds (threshold averaging)."""
    cells = [fold.at(threshold) for fold in folds]
    fallout = [ratio(cell.fp, fold.n_negative) for cell, fold in zip(cells, folds, strict=True)]
    recall = [ratio(cell.tp, fold.n_positive) for cell, fold in zip(cells, folds, strict=True)]
    return FoldRates(threshold, np.array(fallout), np.array(recall))


def common_thresholds(folds: Sequence[Thresholds], n: int) -> Floats:
    """At most n of the scores of all folds, evenly spaced by rank, highest first and preceded by infinity."""
    scores = np.unique(np.concatenate([side for fold in folds for side in (fold.positive, fold.negative)]))[::-1]
    places = np.unique(np.linspace(0, len(scores) - 1, min(n, len(scores))).round().astype(np.int64))
    return np.append(np.inf, scores[places])
