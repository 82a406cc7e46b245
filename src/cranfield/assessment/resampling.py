"""Items drawn again: samples of as many items, each drawn from all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.thresholds import Floats, Ints, Thresholds
from cranfield.inference.resampling import require_draws


class Sorted(NamedTuple):
    """The scores of positives and negatives, and which items they are of."""

    scores: Thresholds
    positive: Ints
    negative: Ints


def times_drawn(n_items: int, samples: int, seed: int) -> Iterator[Ints]:
    """How often each item is drawn, for each of the samples."""
    require_draws(samples, "resamples")
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        yield np.bincount(rng.integers(0, n_items, n_items), minlength=n_items)


def rows_again(n_items: int, samples: int, seed: int) -> Iterator[Ints]:
    """The items that are drawn, for each of the samples."""
    return (np.repeat(np.arange(n_items), times) for times in times_drawn(n_items, samples, seed))


def parted(n_items: int, n_groups: int) -> Iterator[Ints]:
    """The items without each of the groups that they are dealt to."""
    return (np.flatnonzero(np.arange(n_items) % n_groups != group) for group in range(n_groups))


def resampled(scores: Thresholds, samples: int, seed: int) -> Iterator[Thresholds]:
    """The scores of sets of as many items, drawn with replacement."""
    n_positive, n_items = len(scores.positive), len(scores.positive) + len(scores.negative)
    own = Sorted(scores, np.arange(n_positive), np.arange(n_positive, n_items))
    return (scores for (scores,) in resampled_together([own], n_items, samples, seed))


def resampled_together(
    each: Sequence[Sorted], n_items: int, samples: int, seed: int
) -> Iterator[tuple[Thresholds, ...]]:
    """The scores of several classes, all of the same items drawn; what is sorted stays so, however often drawn."""
    for times in times_drawn(n_items, samples, seed):
        yield tuple(_repeated(own.scores, times[own.positive], times[own.negative]) for own in each)


def in_order(actual: NDArray[np.bool_], score: Floats, weight: Floats | None) -> Sorted:
    """The scores of positives and negatives, and which items they are of."""
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
