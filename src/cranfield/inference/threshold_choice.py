"""Choosing a threshold for a goal: all optimal thresholds, how flat the optimum is, and its bootstrap interval.

Decided here: which threshold is best for a goal, and which of several equally good ones is used.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.rounding import LONG_SUMS, NEAR
from cranfield.evidence.threshold_blocks import in_steps, steps_down, steps_up
from cranfield.evidence.threshold_steps import Steps
from cranfield.evidence.thresholds import Thresholds
from cranfield.frozen import cached_property, frozen
from cranfield.inference.distributions import require_confidence
from cranfield.inference.goals import Goal, exact_values, parse_goal
from cranfield.inference.item_resampling import resampled
from cranfield.inference.resampling import COSTLY_RESAMPLES
from cranfield.measures.naming import parse
from cranfield.measures.settings import CONFIDENCE

HUNDREDTH = 0.01
_EXACT = 1 << 26  # proportions of fewer items differ by more than rounding, if they differ


class Flat(NamedTuple):
    """The thresholds around the optimum, from `low` to `high`, whose value is worse by at most `within`."""

    low: float
    high: float
    within: float
    proportion: float  # proportion of items whose prediction differs between the two


class ChoiceIntervals(NamedTuple):
    """The bootstrap interval of the threshold."""

    threshold: tuple[float, float]
    confidence: float
    resamples: int
    without: int  # number of resamples in which no threshold satisfies the goal


@frozen(eq=False)
class Choice:
    """The optimal thresholds for a goal, highest first, and their value; empty if none satisfies the goal."""

    goal: Goal
    thresholds: tuple[float, ...]
    value: float
    scores: Thresholds

    @cached_property
    def cells(self) -> Cells:
        """The four cells at each optimal threshold."""
        return self.scores.at(np.array(self.thresholds))

    @property
    def threshold(self) -> float:
        """The highest optimal threshold: among ties, the one with the fewest predicted positives."""
        if not self.thresholds:
            raise BadSetting(f"no threshold satisfies {self.goal}{self._reached()}")
        return self.thresholds[0]

    def _reached(self) -> str:
        """How closely each constraint can be met on its own."""
        cells = self.scores.cells(self.scores.every.from_nothing)
        nearest = [constraint.nearest(cells) for constraint in self.goal.constraints]
        return "".join(f"; {text}" for text in nearest if text)

    @cached_property
    def flat(self) -> Flat:
        """How flat the optimum is: within 0.01, or within 1 % of the value if the measure has no upper bound."""
        unbounded = np.isinf(self.goal.measure.declaration.bounds[1])
        return self.flatness(HUNDREDTH * abs(self.value) if unbounded else HUNDREDTH)

    def flatness(self, within: float) -> Flat:
        """The range of thresholds around the optimum whose value is worse by at most this."""
        least = self.goal.sign * self.value - within - NEAR
        highest, lowest = self._highest_near(least), self._lowest_near(least)
        changed = (lowest.tp + lowest.fp - highest.tp - highest.fp).item()
        proportion = changed / (self.scores.n_positive + self.scores.n_negative)
        return Flat(lowest.score.item(), highest.score.item(), within, proportion)

    def _highest_near(self, least: float) -> Steps:
        """The end of the unbroken run of thresholds worth at least `least` from the chosen one upwards."""
        near = self._at(self.threshold)
        for steps in chain(steps_up(self.scores, self.threshold), [self._at(np.inf)]):
            worse = self._worse(steps, least)
            if len(worse):
                return _one(steps, worse[-1] + 1) if worse[-1] + 1 < len(steps.score) else near
            near = _one(steps, 0)
        return near

    def _lowest_near(self, least: float) -> Steps:
        """The same downwards."""
        near = self._at(self.threshold)
        for steps in steps_down(self.scores, self.threshold):
            worse = self._worse(steps, least)
            if len(worse):
                return _one(steps, worse[0] - 1) if worse[0] else near
            near = _one(steps, -1)
        return near

    def _at(self, threshold: float) -> Steps:
        cells = self.scores.at(threshold)
        return Steps(np.array([threshold]), cells.tp, cells.fp)

    def _worse(self, steps: Steps, least: float) -> Ints:
        """The places of the steps that are worth less."""
        return np.flatnonzero(~(self.goal.worth(self.scores.cells(steps)) >= least))

    def intervals(
        self, *, confidence: float = CONFIDENCE, resamples: int = COSTLY_RESAMPLES, seed: int = 0
    ) -> ChoiceIntervals:
        """The bootstrap percentile interval of the threshold, chosen anew on each resample.

        There is none of its value, which is too optimistic on every resample; `held_out` has a value to report.
        """
        require_confidence(confidence)
        chosen = [choose(drawn, self.goal) for drawn in resampled(self.scores, resamples, seed)]
        best = [choice.threshold for choice in chosen if choice.thresholds]
        if not best:
            raise BadSetting(f"no resample has a threshold that satisfies {self.goal}")
        ends = (1 - confidence) / 2, (1 + confidence) / 2
        low, high = np.quantile(best, ends, method="nearest").tolist()
        return ChoiceIntervals((low, high), confidence, resamples, resamples - len(best))


def choose(scores: Thresholds, goal: Goal | str) -> Choice:
    """The optimal thresholds for a goal; values that are close are compared as exact fractions."""
    parsed = parse_goal(goal) if isinstance(goal, str) else goal
    best = _best(scores, parsed, _candidates(scores, parsed))
    if parsed.monotone and best.thresholds and _may_tie_below(scores, parsed, best):
        best = _best(scores, parsed, _all(scores))
    return Choice(parsed, best.thresholds, best.value, scores)


class _Best(NamedTuple):
    """The optimal thresholds, the cells at each, and the value."""

    thresholds: tuple[float, ...]
    cells: Cells
    value: float


class _Close(NamedTuple):
    """Thresholds whose worth is close to the highest so far."""

    score: Floats
    worth: Floats
    cells: Cells

    def taken(self, which: Mask | Ints) -> _Close:
        return _Close(self.score[which], self.worth[which], self.cells.take(which))


def _best(scores: Thresholds, goal: Goal, candidates: Iterable[Steps]) -> _Best:
    """The best of all candidates, which come in blocks."""
    close, best = [_Close(np.zeros(0), np.zeros(0), Cells(*np.zeros((4, 0))))], -np.inf
    for steps in candidates:
        cells = scores.cells(steps)
        worth = goal.worth(cells)
        best = max(best, float(worth.max(initial=-np.inf)))
        close.append(_Close(steps.score, worth, cells).taken(np.flatnonzero(worth >= _least(best))))
    if np.isneginf(best):
        return _Best((), close[0].cells, float("nan"))
    score, worths, every = zip(*close, strict=True)
    counts = zip(*(cells.counts for cells in every), strict=True)
    optimal = _Close(np.concatenate(score), np.concatenate(worths), Cells(*map(np.concatenate, counts)))
    optimal = optimal.taken(optimal.worth >= _least(best))
    if len(optimal.score) > 1:
        optimal = optimal.taken(_tied(goal, optimal.cells))
    return _Best(tuple(optimal.score.tolist()), optimal.cells, goal.sign * float(optimal.worth[0]))


def _least(best: float) -> float:
    """The least worth that may be equal to the best, but for rounding."""
    return best if np.isneginf(best) else best - NEAR * max(1.0, abs(best))


def _one(steps: Steps, place: int) -> Steps:
    return Steps(*(column[place : place + 1 or None] for column in steps))


def _tied(goal: Goal, close: Cells) -> Mask:
    """Which of the cells have the best exact value."""
    worth = goal.worth(close)
    if close.whole and goal.measure.declaration.parts is not None and close.total[0] < _EXACT:
        return np.asarray(worth == worth.max())  # a single division, so equal fractions are equal
    if not close.whole:
        return np.asarray(worth >= worth.max() - LONG_SUMS * max(1.0, abs(worth.max())))
    exact = (exact_values(goal.measure, close) * goal.sign).tolist()
    best = max(exact)
    return np.array([value == best for value in exact])


def _may_tie_below(scores: Thresholds, goal: Goal, best: _Best) -> bool:
    """Whether a threshold with fewer true or more false positives may be as good as an optimal one.

    Precision without false positives, for example, does not depend on the number of true positives. If one true
    positive fewer and one false positive more both make a measure worse, every dominated threshold is worse.
    """
    if scores.weighted:
        return True  # counts do not increase by one
    if goal.strict:
        return False
    near = [
        (tp + less, fp + more, fn - less, tn - more)
        for tp, fp, fn, tn in zip(*(cell.tolist() for cell in best.cells.counts), strict=True)
        for less, more in ((-1, 0), (0, 1))
        if tp + less >= 0 and tn - more >= 0
    ]
    worth = goal.worth(Cells(*np.array(near).reshape(-1, 4).T)).tolist()
    least = goal.sign * best.value - NEAR * max(1.0, abs(best.value))
    return any(value >= least for value in worth)


def _candidates(scores: Thresholds, goal: Goal) -> Iterable[Steps]:
    """Thresholds that include an optimal one; for a monotone goal not necessarily all that tie with it."""
    if goal.monotone:
        return [scores.best] if scores.weighted else in_steps(scores.best)
    if goal.measure == _GAP and not goal.constraints and not scores.weighted:
        return [_around_equal_errors(scores)]
    return _all(scores)


def _all(scores: Thresholds) -> Iterable[Steps]:
    """Every threshold, starting with the one that predicts no positives; with weights, in one block."""
    if scores.weighted:
        return [scores.every.from_nothing]
    return chain([Steps(np.array([np.inf]), *np.zeros((2, 1), np.int64))], steps_down(scores))


def _around_equal_errors(scores: Thresholds) -> Steps:
    """The first threshold at which the false positive rate is at least the false negative rate, and the one above it.

    The difference of the rates increases with every step, so no other threshold can be as good.
    """
    score, tp, fp = scores.from_nothing
    n_positive, n_negative = scores.n_positive, scores.n_negative
    both = n_positive * n_negative
    place = max(
        bisect_left(range(len(tp)), both, key=lambda at: int(tp[at]) * n_negative + int(fp[at]) * n_positive), 1
    )
    high, low = score[place - 1], score[place] if place < len(score) else -np.inf
    start, stop = int(np.searchsorted(scores.negative, low, side="right")), int(np.searchsorted(scores.negative, high))
    between = range(stop - 1, start - 1, -1)  # the negatives between these two, highest first
    needed = both - int(tp[place - 1]) * n_negative
    first = bisect_left(between, needed, key=lambda at: scores.n_negative_from(at) * n_positive)
    least = scores.negative[between[first]] if first < len(between) else low
    above = int(np.searchsorted(scores.negative, least, side="right"))
    at = np.array([scores.negative[above] if above < stop else high, least])
    cells = scores.at(at[at > -np.inf])
    return Steps(at[at > -np.inf], cells.tp, cells.fp)


_GAP = parse("RateGap", "binary")
