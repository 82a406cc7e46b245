"""Thresholds: the predictions of a scorer at every threshold, from the sorted scores of positives and negatives.

Decided here: how large the blocks are in which thresholds are processed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.arithmetic import from_top, parted, summed_exactly, up_to, upper_hull
from cranfield.evidence.cells import Cells
from cranfield.evidence.scores import ScoreRanks, beginnings, counted_scores, merged_scores, score_ranks
from cranfield.frozen import cached_property, frozen
from cranfield.tables.disk import array_beside, blocks, in_blocks, on_disk, release_pages
from cranfield.tables.readers.streams import limits

# Steps: true and false positives at thresholds, highest first


Counts = NDArray[Any]  # integers, or sums of weights


class Steps(NamedTuple):
    """True and false positives at thresholds, highest first: scores at or above a threshold are predicted positive."""

    score: Floats
    tp: Counts
    fp: Counts

    @property
    def from_nothing(self) -> Steps:
        """The same, preceded by an infinite threshold, at which nothing is predicted positive."""
        return Steps(np.append(np.inf, self.score), *(np.append(np.zeros(1, n.dtype), n) for n in (self.tp, self.fp)))


_BYTES = 16  # memory of a score and its counts


@frozen(eq=False)
class Thresholds:
    """The scores of the positives and of the negatives, each ascending.

    With counts, which exclude weights, the scores of a class are distinct, and each is that of `count[i]` items.
    """

    kind: ClassVar[str] = "binary"

    positive: Floats
    negative: Floats
    positive_weight: Floats | None = None
    negative_weight: Floats | None = None
    positive_count: Ints | None = None
    negative_count: Ints | None = None

    def __add__(self, other: Thresholds) -> Thresholds:
        """The scores of both."""
        return pooled((self, other))

    @property
    def inverted(self) -> Thresholds:
        """The same scorer with its scores negated."""
        times: tuple[Counts | None, ...] = (self.positive_weight, self.negative_weight)
        times += (self.positive_count, self.negative_count)
        reversed_ = (None if column is None else column[::-1] for column in times)
        return Thresholds(-self.positive[::-1], -self.negative[::-1], *reversed_)

    @property
    def counted(self) -> bool:
        """Whether a score stands for several items."""
        return self.positive_count is not None

    @property
    def n_items(self) -> tuple[int, int]:
        """Number of positives and number of negatives, whatever their weights."""
        if self.counted:
            return self.n_positive, self.n_negative
        return len(self.positive), len(self.negative)

    @property
    def each_item(self) -> Thresholds:
        """The same with one score per item."""
        if self.positive_count is None or self.negative_count is None:
            return self
        self._require_memory()
        return Thresholds(np.repeat(self.positive, self.positive_count), np.repeat(self.negative, self.negative_count))

    @cached_property
    def n_positive(self) -> Any:
        """Number of positives, or the sum of their weights."""
        return self._positive_from(np.zeros(1, np.int64))[0].item()

    @cached_property
    def n_negative(self) -> Any:
        """Number of negatives, or the sum of their weights."""
        return self.n_negative_from(0)

    @property
    def prevalence(self) -> float:
        """Proportion of positives."""
        return float(self.n_positive / (self.n_positive + self.n_negative))

    @property
    def one_class(self) -> bool:
        """Whether there are no positives or no negatives."""
        return self.n_positive == 0 or self.n_negative == 0

    def _positive_from(self, place: Ints) -> Counts:
        """The number of positives from an index to the highest score."""
        return len(self.positive) - place if self._positive_sum is None else self._positive_sum[place]

    def _negative_from(self, place: Ints) -> Counts:
        return len(self.negative) - place if self._negative_sum is None else self._negative_sum[place]

    @cached_property
    def _positive_sum(self) -> Counts | None:
        return None if self._positive_times is None else from_top(self._positive_times)

    @cached_property
    def _negative_sum(self) -> Counts | None:
        return None if self._negative_times is None else from_top(self._negative_times)

    @property
    def _positive_times(self) -> Counts | None:
        """The weight or the number of items of each score; None if both are 1."""
        return self.positive_weight if self.positive_count is None else self.positive_count

    @property
    def _negative_times(self) -> Counts | None:
        return self.negative_weight if self.negative_count is None else self.negative_count

    @property
    def weighted(self) -> bool:
        """Whether items have weights."""
        return self.positive_weight is not None or self.negative_weight is not None

    @property
    def weights(self) -> Floats:
        """The weights of the positives, then of the negatives."""
        sides = ((self.positive_weight, self.positive), (self.negative_weight, self.negative))
        return np.concatenate([np.ones(len(score)) if weight is None else weight for weight, score in sides])

    # true and false positives by threshold

    @cached_property
    def _first(self) -> Ints:
        """The index of each distinct score of a positive."""
        return beginnings(self.positive)

    @cached_property
    def _distinct(self) -> Floats:
        """The distinct scores of positives."""
        if self.counted:
            return self.positive
        return self.positive if len(self._first) == len(self.positive) else self.positive[self._first]

    @cached_property
    def _score_ranks(self) -> ScoreRanks:
        """The rank of each distinct score of a positive among the negatives."""
        return score_ranks(self._distinct, self.negative, each_once=self.counted)

    @cached_property
    def from_nothing(self) -> Steps:
        """The steps at the distinct scores of positives, preceded by an infinite threshold."""
        score = in_blocks(partial(np.asarray, dtype=np.float64), self._distinct[::-1], before=1)
        fp = in_blocks(self._negative_from, self._score_ranks.below[::-1], before=1, beside=len(self.negative))
        score[0], fp[0] = np.inf, 0
        if self._positive_sum is not None and self.counted:
            return Steps(score, self._positive_sum[::-1], fp)
        first = np.concatenate([[len(self.positive)], self._first[::-1]])
        return Steps(score, self._positive_from(first), fp)

    @cached_property
    def steps(self) -> Steps:
        """The steps at the distinct scores of positives."""
        return Steps(*(column[1:] for column in self.from_nothing))

    @cached_property
    def above(self) -> Counts:
        """Number of negatives strictly above each distinct score of a positive, highest first."""
        if self._untied:
            return self.steps.fp
        return in_blocks(self._negative_from, self._score_ranks.not_above[::-1], beside=len(self.negative))

    @property
    def _untied(self) -> bool:
        """Whether no negative has the score of a positive."""
        return self._score_ranks.below is self._score_ranks.not_above

    @cached_property
    def ordered(self) -> Any:
        """Twice the number of pairs in which the positive scores higher, plus the number of ties."""
        if self.counted:
            pairs = 2 * self.n_negative
            return summed_exactly(
                lambda n, fp, above: n * (pairs - fp - above), self.at_score, self.steps.fp, self.above
            )
        below, not_above = self._score_ranks
        if self._each_once and self.negative_weight is None:
            return below.sum() + not_above.sum()  # integers, hence exact
        if self.negative_weight is None:
            return (self.at_score * (below + not_above)[::-1]).sum()
        beaten = up_to(self.negative_weight)
        return (self.at_score * (beaten[below] + beaten[not_above])[::-1]).sum()

    @cached_property
    def disordered(self) -> Any:
        """Twice the number of pairs in which the negative scores higher, plus the number of ties."""
        if not self.weighted:
            return 2 * self.n_positive * self.n_negative - self.ordered
        return (self.at_score * (self.steps.fp + self.above)).sum()  # exactly 0 if there are none

    @property
    def _each_once(self) -> bool:
        """Whether all positives have distinct scores and no weights."""
        return self._positive_times is None and len(self._first) == len(self.positive)

    @cached_property
    def at_score(self) -> Counts:
        """Number of positives at each distinct score of a positive, highest first."""
        if self.positive_count is not None:
            return self.positive_count[::-1]
        if self._each_once:
            return np.broadcast_to(np.int64(1), len(self.positive))
        if self.positive_weight is None:
            return np.diff(self.steps.tp, prepend=0)
        return np.add.reduceat(self.positive_weight, self._first)[::-1] if len(self._first) else np.zeros(0)

    @property
    def missed(self) -> Counts:
        """Number of positives below each distinct score of a positive, highest first."""
        if self.positive_weight is None:
            return in_blocks(partial(np.subtract, self.n_positive), self.steps.tp)
        return up_to(self.positive_weight)[self._first[::-1]]

    @cached_property
    def every(self) -> Steps:
        """The steps at all distinct scores; `threshold_blocks` has them in blocks."""
        self._require_memory()
        n_positive, n_items = len(self.positive), len(self.positive) + len(self.negative)
        not_above = self._score_ranks.not_above
        if len(not_above) < n_positive:
            not_above = np.repeat(not_above, np.diff(self._first, append=n_positive))
        place = (n_items - 1 - np.arange(n_positive) - not_above)[::-1]  # of each positive, highest first
        edges = np.empty(n_positive + 2, np.int64)
        edges[0], edges[1:-1], edges[-1] = 0, place, n_items
        n_above = np.repeat(np.arange(n_positive + 1), edges[1:] - edges[:-1])
        negative = np.ones(n_items, np.bool_)
        negative[place] = False
        score = np.empty(n_items)
        score[place] = self.positive[::-1]
        score[negative] = self.negative[::-1]
        return self._reached(score, n_above)

    def between(self, positive: slice, negative: slice) -> Steps:
        """The steps at the scores in these rows of the positives and negatives: all scores in some range."""
        part = Thresholds(
            np.array(self.positive[positive]),  # in memory
            np.array(self.negative[negative]),
            positive_count=None if self.positive_count is None else np.array(self.positive_count[positive]),
            negative_count=None if self.negative_count is None else np.array(self.negative_count[negative]),
        )
        score, tp, fp = part.every
        tp += self._positive_from(np.array([positive.stop]))
        fp += self._negative_from(np.array([negative.stop]))
        return Steps(score, tp, fp)

    def n_negative_from(self, place: int) -> Any:
        """Number of negatives from a row to the highest score, or the sum of their weights."""
        return self._negative_from(np.array([place]))[0].item()

    def _reached(self, score: Floats, tp: Ints) -> Steps:
        """The steps of items in descending order of score, from the number of positives up to each."""
        changes = score[1:] != score[:-1]
        if changes.all():
            fp = np.arange(1, len(score) + 1)
            fp -= tp
        else:
            last = np.flatnonzero(np.append(changes, True))
            score, tp = score[last], tp[last]
            fp = last + 1 - tp
        if not self.weighted and not self.counted:
            return Steps(score, tp, fp)
        n_below = len(self.positive) - tp, len(self.negative) - fp
        return Steps(score, self._positive_from(n_below[0]), self._negative_from(n_below[1]))

    @cached_property
    def best(self) -> Steps:
        """The steps that no other dominates, by more true positives or fewer false ones.

        The threshold at which nothing is predicted positive is infinite.
        """
        fp = self.from_nothing.fp
        columns = Steps(*(array_beside(self.positive, len(fp), column.dtype) for column in self.from_nothing))
        end = 0
        for rows in blocks(len(fp) - 1):
            last_of_level = np.flatnonzero(fp[rows.start + 1 : rows.stop + 1] > fp[rows]) + rows.start
            for column, values in zip(columns, self.from_nothing, strict=True):
                column[end : end + len(last_of_level)] = values[last_of_level]
            end += len(last_of_level)
        for column, values in zip(columns, self.from_nothing, strict=True):
            column[end] = values[-1]
        return Steps(*(column[: end + 1] for column in columns))

    @cached_property
    def path(self) -> Steps:
        """The corners of the ROC curve, from nothing predicted positive to everything."""
        turns = self._level.copy()
        turns[[0, -1]] = True
        if not self._untied:  # ties of positives and negatives give slanted segments
            slanted = self.steps.fp != self.above
            turns[1:] |= slanted
            turns[:-1] |= slanted
        return self._points(turns)

    @cached_property
    def rises(self) -> Steps:
        """The steps at and just before each distinct score of a positive, and at the lowest threshold."""
        but_first = np.ones(len(self.from_nothing.tp), np.bool_)
        but_first[0] = False
        return self._points(but_first)

    @cached_property
    def _level(self) -> Mask:
        """Whether only negatives follow the infinite threshold and each distinct score of a positive, highest first."""
        fp = self.from_nothing.fp
        level = np.empty(len(fp), np.bool_)
        np.not_equal(self.above, fp[:-1], out=level[:-1])
        level[-1] = fp[-1] != self.n_negative
        return level

    def _points(self, chosen: Mask) -> Steps:
        """The chosen steps, and after each level stretch the step where its negatives are all predicted positive."""
        self._require_memory()
        marked = np.empty(2 * len(chosen), np.bool_)
        marked[::2], marked[1::2] = chosen, self._level
        place = np.flatnonzero(marked)
        level = np.flatnonzero((place & 1).astype(np.bool_))
        place >>= 1
        points = Steps(*(column[place] for column in self.from_nothing))
        points.fp[level], points.score[level] = self._levelled(place[level])
        return points

    def _levelled(self, places: Ints) -> tuple[Counts, Floats]:
        """False positives and threshold at the end of the level stretches after these steps."""
        n_steps = len(self.above)
        inner = places[: len(places) - bool(len(places) and places[-1] == n_steps)]  # the last has all negatives
        fp = np.full(len(places), self.n_negative, self.from_nothing.fp.dtype)
        lowest = np.full(len(places), self.negative[:1].sum())
        fp[: len(inner)] = self.above[inner]
        lowest[: len(inner)] = self.negative[self._score_ranks.not_above[n_steps - 1 - inner]]
        return fp, lowest

    def _require_memory(self) -> None:
        """Refuse to hold all thresholds in memory if the scores are on disk and too many."""
        if on_disk(self.positive):
            n_scores = len(self.positive) + len(self.negative)
            limits.require_memory(n_scores * _BYTES, f"all thresholds of {n_scores:,} distinct scores")

    @cached_property
    def hull(self) -> Steps:
        """The corners of the ROC convex hull."""
        score, tp, fp = self.path
        corner = upper_hull(fp, tp)
        return Steps(score[corner], tp[corner], fp[corner])

    # as cells

    def cells(self, steps: Steps) -> Cells:
        """The cells at each step."""
        if self.weighted:
            return self.at(steps.score)
        tp, fp = steps.tp.astype(np.float64), steps.fp.astype(np.float64)
        return Cells(tp=tp, fp=fp, fn=self.n_positive - tp, tn=self.n_negative - fp)

    def at(self, threshold: float | Floats) -> Cells:
        """The cells at any thresholds."""
        where = np.atleast_1d(np.asarray(threshold, np.float64))
        if self.counted:
            tp = self._positive_from(np.searchsorted(self.positive, where))
            fp = self._negative_from(np.searchsorted(self.negative, where))
            return self.cells(Steps(where, tp, fp))
        fn, tp = parted(self.positive, self.positive_weight, where)
        tn, fp = parted(self.negative, self.negative_weight, where)
        return Cells(tp=tp, fp=fp, fn=fn, tn=tn)


def thresholds(actual: Mask, score: Floats, weight: Floats | None = None, count: Ints | None = None) -> Thresholds:
    """The scores of positives and negatives; zero-weight items are omitted.

    A row stands for as many items as its count, unless rows have weights.
    """
    if count is not None:
        (positive, n_positive), (negative, n_negative) = (counted_scores(score, count, of) for of in (actual, ~actual))
        return Thresholds(positive, negative, positive_count=n_positive, negative_count=n_negative)
    if weight is None:
        positive, negative = np.compress(actual, score), np.compress(~actual, score)  # much faster than a mask
        positive.sort()  # a copy: the argument is not changed
        negative.sort()
        return Thresholds(positive, negative)
    order = np.argsort(score, kind="stable")
    order = order[weight[order] > 0]
    yes = actual[order]
    score, weight = score[order], weight[order]
    return Thresholds(score[yes], score[~yes], weight[yes], weight[~yes])


def pooled(several: Sequence[Thresholds]) -> Thresholds:
    """The scores of all of them."""
    if any(scores.counted for scores in several):
        several = [scores.each_item for scores in several]
    positive, positive_weight = merged_scores([(scores.positive, scores.positive_weight) for scores in several])
    negative, negative_weight = merged_scores([(scores.negative, scores.negative_weight) for scores in several])
    return Thresholds(positive, negative, positive_weight, negative_weight)


# The steps at all thresholds in blocks, down or up from one of them: there may be more than fit in memory


_FEW = 1 << 20  # scores whose steps are computed once, and kept
_BLOCK = 1 << 16  # scores of a class


def steps_down(scores: Thresholds, threshold: float = np.inf) -> Iterator[Steps]:
    """The steps at the scores up to a threshold, highest first."""
    if _computed_once(scores):
        yield from in_steps(_taken(scores.every, slice(_n_above(scores, threshold), None)))
        return
    sides = scores.positive, scores.negative
    stops = [int(np.searchsorted(side, threshold, side="right")) for side in sides]
    while any(stops):
        lowest = max((side[stop - _BLOCK] for side, stop in zip(sides, stops) if stop > _BLOCK), default=-np.inf)
        starts = [int(np.searchsorted(side, lowest)) for side in sides]
        yield scores.between(slice(starts[0], stops[0]), slice(starts[1], stops[1]))
        stops = starts
        release_pages()


def steps_up(scores: Thresholds, threshold: float) -> Iterator[Steps]:
    """The steps at the scores above a threshold: the lowest block first, and the highest score of each block first."""
    if _computed_once(scores):
        yield from reversed([*in_steps(_taken(scores.every, slice(_n_above(scores, threshold))))])
        return
    sides = scores.positive, scores.negative
    starts = [int(np.searchsorted(side, threshold, side="right")) for side in sides]
    while any(start < len(side) for side, start in zip(sides, starts)):
        ends = (side[start + _BLOCK] for side, start in zip(sides, starts) if start + _BLOCK < len(side))
        highest = min(ends, default=np.inf)
        stops = [int(np.searchsorted(side, highest, side="right")) for side in sides]
        yield scores.between(slice(starts[0], stops[0]), slice(starts[1], stops[1]))
        starts = stops
        release_pages()


def in_steps(steps: Steps) -> Iterator[Steps]:
    """Steps in blocks."""
    return (_taken(steps, rows) for rows in blocks(len(steps.score), _BLOCK))


def neighbours(scores: Thresholds, threshold: float, n: int) -> tuple[list[float], list[float]]:
    """The n scores above a threshold, and the n + 1 scores up to it; fewer at the ends. Both begin with the highest."""
    above: list[float] = []
    for steps in steps_up(scores, threshold):
        above = [*steps.score.tolist(), *above][-n:]
        if len(above) == n:
            break
    rest: list[float] = []
    for steps in steps_down(scores, threshold):
        rest += steps.score[: n + 1 - len(rest)].tolist()
        if len(rest) > n:
            break
    return above, rest


def _computed_once(scores: Thresholds) -> bool:
    """Whether the steps at all thresholds are computed once; sums of weights must be."""
    return scores.weighted or len(scores.positive) + len(scores.negative) <= _FEW


def _n_above(scores: Thresholds, threshold: float) -> int:
    score = scores.every.score
    return len(score) - int(np.searchsorted(score[::-1], threshold, side="right"))


def _taken(steps: Steps, rows: slice) -> Steps:
    return Steps(*(column[rows] for column in steps))
