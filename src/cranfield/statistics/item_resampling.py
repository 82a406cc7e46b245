"""Bootstrap resamples of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.thresholds import Thresholds
from cranfield.statistics.resampling import draws, generator, require_draws

GROUPS = 50  # of items, each left out in turn
ONE_BY_ONE = 1 << 20  # most counted items that are drawn one by one, as if they were not counted


class Sorted(NamedTuple):
    """The scores of positives and negatives, and their row numbers."""

    scores: Thresholds
    positive: Ints
    negative: Ints


def times_drawn(n_items: int, resamples: int, seed: int) -> Iterator[Ints]:
    """How often each item is drawn, for each resample."""
    return (times for batch in draws(n_items, resamples, seed) for times in batch.astype(np.int64))


def sorted_by_score(actual: Mask, score: Floats, weight: Floats | None) -> Sorted:
    """The scores of positives and negatives, and their row numbers."""
    order = np.argsort(score, kind="stable")
    order = order if weight is None else order[weight[order] > 0]
    yes, no = order[actual[order]], order[~actual[order]]
    weights = (None, None) if weight is None else (weight[yes], weight[no])
    return Sorted(Thresholds(score[yes], score[no], *weights), yes, no)


def rows_without_group(n_items: int, n_groups: int) -> Iterator[Ints]:
    """The rows with each of several random groups left out in turn; every n-th row might be no random sample."""
    group_of = np.arange(n_items) % n_groups
    group_of = group_of if n_groups == n_items else generator(0).permutation(group_of)
    return (np.flatnonzero(group_of != group) for group in range(n_groups))


def resampled(scores: Thresholds, resamples: int, seed: int) -> Iterator[Thresholds]:
    """The scores of each bootstrap resample.

    Of many items that are counted by score, the counts are drawn: the same distribution with fewer random numbers.
    """
    if scores.positive_count is not None and scores.negative_count is not None:
        if sum(scores.n_items) > ONE_BY_ONE:
            return _counts_again(scores, scores.positive_count, scores.negative_count, resamples, seed)
        scores = scores.each_item
    n_positive, n_items = len(scores.positive), len(scores.positive) + len(scores.negative)
    in_rows = Sorted(scores, np.arange(n_positive), np.arange(n_positive, n_items))
    return (scores for (scores,) in resampled_together([in_rows], n_items, resamples, seed))


def _counts_again(
    scores: Thresholds, positive: Ints, negative: Ints, resamples: int, seed: int
) -> Iterator[Thresholds]:
    """The scores of each resample of counted items."""
    require_draws(resamples, "resamples")
    rng, count = generator(seed), np.concatenate([positive, negative])
    n_items = int(count.sum())
    for _ in range(resamples):
        yes, no = np.split(rng.multinomial(n_items, count / n_items), [len(positive)])
        yield recounted(scores, yes, no)


def recounted(scores: Thresholds, yes: Ints, no: Ints) -> Thresholds:
    """The same scores with other numbers of items; those without items are left out."""
    some_yes, some_no = yes > 0, no > 0
    positive, negative = scores.positive[some_yes], scores.negative[some_no]
    return Thresholds(positive, negative, positive_count=yes[some_yes], negative_count=no[some_no])


def resampled_together(
    by_class: Sequence[Sorted], n_items: int, resamples: int, seed: int
) -> Iterator[tuple[Thresholds, ...]]:
    """The scores of several classes on the same resamples; sorted scores stay sorted."""
    for times in times_drawn(n_items, resamples, seed):
        yield tuple(_repeated(one.scores, times[one.positive], times[one.negative]) for one in by_class)


def _repeated(scores: Thresholds, yes: Ints, no: Ints) -> Thresholds:
    return Thresholds(
        np.repeat(scores.positive, yes),
        np.repeat(scores.negative, no),
        None if scores.positive_weight is None else np.repeat(scores.positive_weight, yes),
        None if scores.negative_weight is None else np.repeat(scores.negative_weight, no),
    )
