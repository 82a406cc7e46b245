"""Bootstrap resamples of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.resampling import draws


class Sorted(NamedTuple):
    """The scores of positives and negatives, and their row numbers."""

    scores: Thresholds
    positive: Ints
    negative: Ints


def times_drawn(n_items: int, resamples: int, seed: int) -> Iterator[Ints]:
    """How often each item is drawn, for each resample."""
    return (times for batch in draws(n_items, resamples, seed) for times in batch.astype(np.int64))


def resampled_rows(n_items: int, resamples: int, seed: int) -> Iterator[Ints]:
    """The rows that are drawn, for each resample."""
    return (np.repeat(np.arange(n_items), times) for times in times_drawn(n_items, resamples, seed))


def rows_without_group(n_items: int, n_groups: int) -> Iterator[Ints]:
    """The rows with each of several groups left out in turn."""
    return (np.flatnonzero(np.arange(n_items) % n_groups != group) for group in range(n_groups))


def resampled(scores: Thresholds, resamples: int, seed: int) -> Iterator[Thresholds]:
    """The scores of each bootstrap resample."""
    n_positive, n_items = len(scores.positive), len(scores.positive) + len(scores.negative)
    in_rows = Sorted(scores, np.arange(n_positive), np.arange(n_positive, n_items))
    return (scores for (scores,) in resampled_together([in_rows], n_items, resamples, seed))


def resampled_together(
    by_class: Sequence[Sorted], n_items: int, resamples: int, seed: int
) -> Iterator[tuple[Thresholds, ...]]:
    """The scores of several classes on the same resamples; sorted scores stay sorted."""
    for times in times_drawn(n_items, resamples, seed):
        yield tuple(_repeated(one.scores, times[one.positive], times[one.negative]) for one in by_class)


def sorted_by_score(actual: Mask, score: Floats, weight: Floats | None) -> Sorted:
    """The scores of positives and negatives, and their row numbers."""
    order = np.argsort(score, kind="stable")
    order = order if weight is None else order[weight[order] > 0]
    yes, no = order[actual[order]], order[~actual[order]]
    weights = (None, None) if weight is None else (weight[yes], weight[no])
    return Sorted(Thresholds(score[yes], score[no], *weights), yes, no)


def _repeated(scores: Thresholds, yes: Ints, no: Ints) -> Thresholds:
    return Thresholds(
        np.repeat(scores.positive, yes),
        np.repeat(scores.negative, no),
        None if scores.positive_weight is None else np.repeat(scores.positive_weight, yes),
        None if scores.negative_weight is None else np.repeat(scores.negative_weight, no),
    )
