"""Thresholds: what a scorer answers at every threshold, from the scores of positives and negatives sorted apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.cells import Cells
from cranfield.evidence.hull import upper_hull
from cranfield.evidence.standing import Standing, beginnings, standing
from cranfield.evidence.sums import from_top, parted, up_to

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Counts = NDArray[Any]  # whole numbers, or sums of weights


class Steps(NamedTuple):
    """What is reached at thresholds, best first: the positives and the negatives that score at or above each."""

    score: Floats
    tp: Counts
    fp: Counts

    @property
    def from_nothing(self) -> Steps:
        """The same after an infinite threshold, which accepts nothing."""
        return Steps(np.append(np.inf, self.score), *(np.append(np.zeros(1, n.dtype), n) for n in (self.tp, self.fp)))


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The scores of the positives and of the negatives, each ascending; a score at the threshold is a yes."""

    kind: ClassVar[str] = "binary"

    positive: Floats
    negative: Floats
    positive_weight: Floats | None = None
    negative_weight: Floats | None = None

    def __add__(self, other: Thresholds) -> Thresholds:
        """The scores of both."""
        return pooled((self, other))

    @property
    def inverted(self) -> Thresholds:
        """The same scorer with its scores negated."""
        weights = (self.positive_weight, self.negative_weight)
        reversed_ = (None if weight is None else weight[::-1] for weight in weights)
        return Thresholds(-self.positive[::-1], -self.negative[::-1], *reversed_)

    @cached_property
    def n_positive(self) -> Any:
        """How many positives there are, or the sum of their weights."""
        return self._positive_from(np.zeros(1, np.int64))[0].item()

    @cached_property
    def n_negative(self) -> Any:
        """How many negatives there are, or the sum of their weights."""
        return self._negative_from(np.zeros(1, np.int64))[0].item()

    @property
    def one_class(self) -> bool:
        """Whether positives or negatives are missing."""
        return self.n_positive == 0 or self.n_negative == 0

    def _positive_from(self, place: Ints) -> Counts:
        """The positives from a place on to the highest score."""
        return len(self.positive) - place if self._positive_sum is None else self._positive_sum[place]

    def _negative_from(self, place: Ints) -> Counts:
        return len(self.negative) - place if self._negative_sum is None else self._negative_sum[place]

    @cached_property
    def _positive_sum(self) -> Floats | None:
        return None if self.positive_weight is None else from_top(self.positive_weight)

    @cached_property
    def _negative_sum(self) -> Floats | None:
        return None if self.negative_weight is None else from_top(self.negative_weight)

    @property
    def weighted(self) -> bool:
        """Whether items have weights."""
        return self.positive_weight is not None or self.negative_weight is not None

    @property
    def weights(self) -> Floats:
        """How much each positive counts, and then each negative."""
        sides = ((self.positive_weight, self.positive), (self.negative_weight, self.negative))
        return np.concatenate([np.ones(len(score)) if weight is None else weight for weight, score in sides])

    # what is reached at which threshold

    @cached_property
    def _first(self) -> Ints:
        """Where each distinct score of a positive begins."""
        return beginnings(self.positive)

    @cached_property
    def _distinct(self) -> Floats:
        """The distinct scores of positives."""
        return self.positive if len(self._first) == len(self.positive) else self.positive[self._first]

    @cached_property
    def _standing(self) -> Standing:
        """Where each distinct score of a positive stands among the negatives."""
        return standing(self._distinct, self.negative)

    @cached_property
    def from_nothing(self) -> Steps:
        """What is reached at each distinct score of a positive, after an infinite threshold that accepts nothing."""
        score = np.concatenate([[np.inf], self._distinct[::-1]])
        first = np.concatenate([[len(self.positive)], self._first[::-1]])
        below = np.concatenate([[len(self.negative)], self._standing.below[::-1]])
        return Steps(score, self._positive_from(first), self._negative_from(below))

    @cached_property
    def steps(self) -> Steps:
        """What is reached at each distinct score of a positive."""
        return Steps(*(column[1:] for column in self.from_nothing))

    @cached_property
    def above(self) -> Counts:
        """The negatives strictly above each distinct score of a positive, best first."""
        return self.steps.fp if self._untied else self._negative_from(self._standing.not_above[::-1])

    @property
    def _untied(self) -> bool:
        """Whether no negative scores as a positive does."""
        return self._standing.below is self._standing.not_above

    @cached_property
    def ordered(self) -> Any:
        """Twice the pairs of a positive and a negative that score in this order, those that tie counted once."""
        below, not_above = self._standing
        if self._each_once and self.negative_weight is None:
            return below.sum() + not_above.sum()  # whole, hence exact
        if self.negative_weight is None:
            return (self.found * (below + not_above)[::-1]).sum()
        beaten = up_to(self.negative_weight)
        return (self.found * (beaten[below] + beaten[not_above])[::-1]).sum()

    @cached_property
    def disordered(self) -> Any:
        """Twice the pairs that score the other way round, those that tie counted once."""
        if not self.weighted:
            return 2 * self.n_positive * self.n_negative - self.ordered
        return (self.found * (self.steps.fp + self.above)).sum()  # none where there are none, whatever rounding does

    @property
    def _each_once(self) -> bool:
        """Whether no two positives share a score, and each counts as one."""
        return self.positive_weight is None and len(self._first) == len(self.positive)

    @cached_property
    def found(self) -> Counts:
        """The positives at each distinct score of a positive, best first."""
        if self._each_once:
            return np.broadcast_to(np.int64(1), len(self.positive))
        if self.positive_weight is None:
            return np.diff(self.steps.tp, prepend=0)
        return np.add.reduceat(self.positive_weight, self._first)[::-1] if len(self._first) else np.zeros(0)

    @property
    def missed(self) -> Counts:
        """The positives below each distinct score of a positive, best first."""
        if self.positive_weight is None:
            return self.n_positive - self.steps.tp
        return up_to(self.positive_weight)[self._first[::-1]]

    @cached_property
    def every(self) -> Steps:
        """What is reached at each distinct score, of a positive or a negative."""
        n_positive, n_items = len(self.positive), len(self.positive) + len(self.negative)
        not_above = self._standing.not_above
        if len(not_above) < n_positive:
            not_above = np.repeat(not_above, np.diff(self._first, append=n_positive))
        place = (n_items - 1 - np.arange(n_positive) - not_above)[::-1]  # of each positive, all items best first
        edges = np.empty(n_positive + 2, np.int64)
        edges[0], edges[1:-1], edges[-1] = 0, place, n_items
        found = np.repeat(np.arange(n_positive + 1), edges[1:] - edges[:-1])
        negative = np.ones(n_items, np.bool_)
        negative[place] = False
        score = np.empty(n_items)
        score[place] = self.positive[::-1]
        score[negative] = self.negative[::-1]
        return self._reached(score, found)

    def _reached(self, score: Floats, found: Ints) -> Steps:
        """The steps of items in order, given how many positives are found up to each."""
        changes = score[1:] != score[:-1]
        if changes.all():
            alarmed = np.arange(1, len(score) + 1)
            alarmed -= found
        else:
            last = np.flatnonzero(np.append(changes, True))
            score, found = score[last], found[last]
            alarmed = last + 1 - found
        if not self.weighted:
            return Steps(score, found, alarmed)
        tp = self._positive_from(len(self.positive) - found)
        return Steps(score, tp, self._negative_from(len(self.negative) - alarmed))

    @cached_property
    def best(self) -> Steps:
        """What is reached at the thresholds that no other beats, with more true or fewer false positives and no loss.

        Where nothing is accepted, the threshold is infinite.
        """
        score, tp, fp = self.steps
        kept = np.flatnonzero(np.append(fp[1:] > fp[:-1], [True] * bool(len(fp))))
        score, tp, fp = score[kept], tp[kept], fp[kept]
        if len(fp) and fp[0] == 0:
            return Steps(score, tp, fp)
        return Steps(score, tp, fp).from_nothing

    @cached_property
    def path(self) -> Steps:
        """The corners of the ROC curve, from nothing accepted to all; straight ways lie between."""
        turns = self._level.copy()
        turns[[0, -1]] = True
        if not self._untied:  # where positives and negatives tie, the way is slanted
            slanted = self.steps.fp != self.above
            turns[1:] |= slanted
            turns[:-1] |= slanted
        return self._points(turns)

    @cached_property
    def rises(self) -> Steps:
        """What is reached at each distinct score of a positive, just before it, and where all is accepted."""
        kept = np.ones(len(self.from_nothing.tp), np.bool_)
        kept[0] = False
        return self._points(kept)

    @cached_property
    def _level(self) -> Mask:
        """Whether negatives alone follow nothing accepted, and each distinct score of a positive, best first."""
        fp = self.from_nothing.fp
        level = np.empty(len(fp), np.bool_)
        np.not_equal(self.above, fp[:-1], out=level[:-1])
        level[-1] = fp[-1] != self.n_negative
        return level

    def _points(self, kept: Mask) -> Steps:
        """What is reached from nothing on where it is kept, and where negatives that follow alone are all accepted."""
        marked = np.empty(2 * len(kept), np.bool_)
        marked[::2], marked[1::2] = kept, self._level
        place = np.flatnonzero(marked)
        level = np.flatnonzero((place & 1).astype(np.bool_))
        place >>= 1
        points = Steps(*(column[place] for column in self.from_nothing))
        points.fp[level], points.score[level] = self._levelled(place[level])
        return points

    def _levelled(self, places: Ints) -> tuple[Counts, Floats]:
        """The negatives accepted, and the threshold, when all negatives that follow a place alone are accepted."""
        n_steps = len(self.above)
        inner = places[: len(places) - bool(len(places) and places[-1] == n_steps)]  # all negatives follow the last
        fp = np.full(len(places), self.n_negative, self.from_nothing.fp.dtype)
        lowest = np.full(len(places), self.negative[:1].sum())
        fp[: len(inner)] = self.above[inner]
        lowest[: len(inner)] = self.negative[self._standing.not_above[n_steps - 1 - inner]]
        return fp, lowest

    @cached_property
    def hull(self) -> Steps:
        """The corners of the ROC convex hull, from nothing accepted to all."""
        score, tp, fp = self.path
        corner = upper_hull(fp, tp)
        return Steps(score[corner], tp[corner], fp[corner])

    # as cells

    @cached_property
    def best_cells(self) -> Cells:
        """The four cells at the thresholds that no other beats."""
        return self.cells(self.best)

    def cells(self, steps: Steps) -> Cells:
        """The four cells at each step."""
        if self.weighted:
            return self.at(steps.score)
        tp, fp = steps.tp.astype(np.float64), steps.fp.astype(np.float64)
        return Cells(tp=tp, fp=fp, fn=self.n_positive - tp, tn=self.n_negative - fp)

    def at(self, threshold: float | Floats) -> Cells:
        """The four cells at thresholds of one's choice."""
        where = np.atleast_1d(np.asarray(threshold, np.float64))
        fn, tp = parted(self.positive, self.positive_weight, where)
        tn, fp = parted(self.negative, self.negative_weight, where)
        return Cells(tp=tp, fp=fp, fn=fn, tn=tn)


def thresholds(actual: NDArray[np.bool_], score: Floats, weight: Floats | None = None) -> Thresholds:
    """The scores of those that are positive and of those that are not."""
    if weight is None:
        positive, negative = np.compress(actual, score), np.compress(~actual, score)  # far faster than by a mask
        positive.sort()  # a copy, so nobody else's order changes
        negative.sort()
        return Thresholds(positive, negative)
    order = np.argsort(score, kind="stable")
    order = order[weight[order] > 0]  # an item that counts nothing is none
    yes = actual[order]
    score, weight = score[order], weight[order]
    return Thresholds(score[yes], score[~yes], weight[yes], weight[~yes])


def pooled(several: Sequence[Thresholds]) -> Thresholds:
    """The scores of all of them."""
    positive, positive_weight = _merged([(each.positive, each.positive_weight) for each in several])
    negative, negative_weight = _merged([(each.negative, each.negative_weight) for each in several])
    return Thresholds(positive, negative, positive_weight, negative_weight)


def _merged(columns: Sequence[tuple[Floats, Floats | None]]) -> tuple[Floats, Floats | None]:
    score = np.concatenate([score for score, _ in columns])
    order = np.argsort(score, kind="stable")  # sorted runs: merely merged
    if all(weight is None for _, weight in columns):
        return score[order], None
    weights = [np.ones(len(score)) if weight is None else weight for score, weight in columns]
    return score[order], np.concatenate(weights)[order]
