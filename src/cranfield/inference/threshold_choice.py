"""Choosing a threshold for a goal: all optimal thresholds, how flat the optimum is, and its bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.rounding import LONG_SUMS, NEAR
from cranfield.evidence.sorted_scores import beginnings
from cranfield.evidence.thresholds import Steps, Thresholds
from cranfield.inference.distributions import require_confidence
from cranfield.inference.goals import Goal, exact_values, parse_goal
from cranfield.inference.item_resampling import resampled
from cranfield.inference.resampling import COSTLY_RESAMPLES
from cranfield.measures.naming import parse

HUNDREDTH = 0.01
_BLOCK = 1 << 16  # thresholds whose worth is computed at a time
_EXACT = 1 << 26  # proportions of fewer items differ by more than rounding, if they differ


class Flat(NamedTuple):
    """The thresholds around the optimum, from `low` to `high`, whose value is worse by at most `within`."""

    low: float
    high: float
    within: float
    proportion: float  # proportion of items whose prediction differs between the two


class ChoiceIntervals(NamedTuple):
    """Bootstrap intervals of the threshold and of its value."""

    threshold: tuple[float, float]
    value: tuple[float, float]
    confidence: float
    resamples: int
    without: int  # number of resamples in which no threshold satisfies the goal


@dataclass(frozen=True, eq=False)
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
        _, cells = _candidates(self.scores, Goal(_GAP, self.goal.constraints))
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
        score = self.scores.every.score  # descending, after the infinite threshold
        n_above = len(score) - int(np.searchsorted(score[::-1], self.threshold, side="right"))
        place = 0 if np.isinf(self.threshold) else n_above + 1
        first, last = self._first_near(place, least), self._last_near(place, least)
        highest, lowest = self._steps(first, first + 1), self._steps(last, last + 1)
        changed = (lowest.tp + lowest.fp - highest.tp - highest.fp).item()
        proportion = changed / (self.scores.n_positive + self.scores.n_negative)
        return Flat(lowest.score.item(), highest.score.item(), within, proportion)

    def _steps(self, start: int, stop: int) -> Steps:
        """Some of the steps at all thresholds, beginning with the infinite one."""
        part = Steps(*(column[max(start - 1, 0) : stop - 1] for column in self.scores.every))
        return part if start else part.from_nothing

    def _near(self, start: int, stop: int, least: float) -> Mask:
        """Whether each threshold of a block is worth at least `least`."""
        return self.goal.worth(self.scores.cells(self._steps(start, stop))) >= least

    def _first_near(self, place: int, least: float) -> int:
        """Start of the unbroken run of thresholds worth at least `least` that ends at `place`."""
        stop = place + 1
        while stop > 0:  # in blocks: there may be millions
            start = max(stop - _BLOCK, 0)
            worse = np.flatnonzero(~self._near(start, stop, least))
            if len(worse):
                return start + int(worse[-1]) + 1
            stop = start
        return 0

    def _last_near(self, place: int, least: float) -> int:
        """End of the unbroken run of thresholds worth at least `least` that starts at `place`."""
        n_steps = len(self.scores.every.score) + 1
        for start in range(place, n_steps, _BLOCK):
            worse = np.flatnonzero(~self._near(start, min(start + _BLOCK, n_steps), least))
            if len(worse):
                return start + int(worse[0]) - 1
        return n_steps - 1

    def intervals(
        self, *, confidence: float = 0.95, resamples: int = COSTLY_RESAMPLES, seed: int = 0
    ) -> ChoiceIntervals:
        """Bootstrap percentile intervals of the threshold, chosen anew on each resample, and of its value."""
        require_confidence(confidence)
        chosen = [choose(drawn, self.goal) for drawn in resampled(self.scores, resamples, seed)]
        optima = [(choice.threshold, choice.value) for choice in chosen if choice.thresholds]
        if not optima:
            raise BadSetting(f"no resample has a threshold that satisfies {self.goal}")
        ends = (1 - confidence) / 2, (1 + confidence) / 2
        columns = zip(*optima, strict=True)
        threshold, value = (np.quantile(column, ends, method="nearest").tolist() for column in columns)
        return ChoiceIntervals(tuple(threshold), tuple(value), confidence, resamples, resamples - len(optima))


def choose(scores: Thresholds, goal: Goal | str) -> Choice:
    """The optimal thresholds for a goal; values that are close are compared as exact fractions."""
    parsed = parse_goal(goal) if isinstance(goal, str) else goal
    best = _best(parsed, *_candidates(scores, parsed))
    if parsed.monotone and best.thresholds and _may_tie_below(scores, parsed, best):
        best = _best(parsed, *_all(scores))
    return Choice(parsed, best.thresholds, best.value, scores)


class _Best(NamedTuple):
    """The optimal thresholds, the cells at each, and the value."""

    thresholds: tuple[float, ...]
    cells: Cells
    value: float


def _best(goal: Goal, steps: Steps, cells: Cells) -> _Best:
    worth = goal.worth(cells)
    best = worth.max(initial=-np.inf)
    if np.isneginf(best):
        return _Best((), cells, float("nan"))
    places = np.flatnonzero(worth >= best - NEAR * max(1.0, abs(best)))
    if len(places) > 1:
        places = _tied(goal, cells, places)
    value = goal.sign * float(worth[places[0]])
    return _Best(tuple(steps.score[places].tolist()), cells.take(places), value)


def _tied(goal: Goal, cells: Cells, places: Ints) -> Ints:
    """The places whose exact values are the best."""
    close = cells.take(places)
    if close.whole and goal.measure.declaration.parts is not None and cells.total[0] < _EXACT:
        worth = goal.worth(close)  # a single division, so equal fractions are equal
        return places[worth == worth.max()]
    if not close.whole:
        worth = goal.worth(close)
        return places[worth >= worth.max() - LONG_SUMS * max(1.0, abs(worth.max()))]
    exact = (exact_values(goal.measure, close) * goal.sign).tolist()
    best = max(exact)
    return places[[value == best for value in exact]]


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


def _candidates(scores: Thresholds, goal: Goal) -> tuple[Steps, Cells]:
    """Thresholds that include an optimal one; for a monotone goal not necessarily all that tie with it."""
    if goal.monotone:
        return scores.best, scores.best_cells
    if goal.measure == _GAP and not goal.constraints:
        return _around_equal_errors(scores)
    return _all(scores)


def _all(scores: Thresholds) -> tuple[Steps, Cells]:
    """Every threshold, starting with the one that predicts no positives."""
    steps = scores.every.from_nothing
    return steps, scores.cells(steps)


def _around_equal_errors(scores: Thresholds) -> tuple[Steps, Cells]:
    """The thresholds around the point where the false positive rate exceeds the false negative rate."""
    score, tp, fp = scores.path
    balance = fp * scores.n_positive + tp * scores.n_negative - scores.n_positive * scores.n_negative
    after = max(int(np.argmax(balance >= 0)), 1)
    low, high = score[after], score[after - 1]
    between = np.sort(np.concatenate([_within(side, low, high) for side in (scores.positive, scores.negative)]))
    at = np.concatenate([[high], between[beginnings(between)][::-1], [low]])
    cells = scores.at(at)
    return Steps(at, cells.tp, cells.fp), cells


def _within(ascending: Floats, low: float, high: float) -> Floats:
    return ascending[np.searchsorted(ascending, low, side="right") : np.searchsorted(ascending, high)]


_GAP = parse("RateGap", "binary")
