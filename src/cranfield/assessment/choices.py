"""Choosing a threshold for a goal: all that tie for the best, how flat the best is, and how sure one can be of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cranfield.assessment.goals import Goal, exact_values, parse_goal
from cranfield.assessment.resampling import resampled
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import NEAR, ROUNDING
from cranfield.evidence.standing import beginnings
from cranfield.evidence.thresholds import Floats, Ints, Steps, Thresholds
from cranfield.inference.distributions import require_confidence
from cranfield.registry import parse

HUNDREDTH = 0.01
_EXACT = 1 << 26  # shares of fewer items differ by more than rounding, if they differ


class Flat(NamedTuple):
    """The thresholds around the best, from `low` to `high`, that are worse by no more than `within`."""

    low: float
    high: float
    within: float
    share: float  # of the items whose answer differs between the two


class Sure(NamedTuple):
    """Where the threshold and its value lie in most of the resampled sets of items."""

    threshold: tuple[float, float]
    value: tuple[float, float]
    confidence: float
    samples: int
    without: int  # of the samples, those in which no threshold satisfies the goal


@dataclass(frozen=True, eq=False)
class Choice:
    """The best thresholds for a goal, highest first, with the cells and the value at each; none if none is allowed."""

    goal: Goal
    thresholds: tuple[float, ...]
    value: float
    scores: Thresholds

    @cached_property
    def cells(self) -> Cells:
        """The four cells at each of the best thresholds."""
        return self.scores.at(np.array(self.thresholds))

    @property
    def threshold(self) -> float:
        """The highest of the best thresholds: of those that tie, the one that accepts least."""
        if not self.thresholds:
            raise BadSetting(f"no threshold satisfies {self.goal}{self._reached()}")
        return self.thresholds[0]

    def _reached(self) -> str:
        """How far each limit can be met, one without the others."""
        _, cells = _candidates(self.scores, Goal(_GAP, self.goal.constraints))
        each = [limit.nearest(cells) for limit in self.goal.constraints]
        return "".join(f"; {said}" for said in each if said)

    @cached_property
    def flat(self) -> Flat:
        """How flat the best is: within a hundredth; of the value, where the measure has no upper bound."""
        unbounded = np.isinf(self.goal.measure.family.bounds[1])
        return self.flatness(HUNDREDTH * abs(self.value) if unbounded else HUNDREDTH)

    def flatness(self, within: float) -> Flat:
        """The stretch of thresholds around the best that are worse by no more than this."""
        steps = self.scores.every.from_nothing
        worth = self.goal.worth(self.scores.cells(steps))
        near = worth >= self.goal.sign * self.value - within - NEAR
        place = int(np.searchsorted(-steps.score, -self.threshold))  # the scores fall
        first = place - int(np.argmin(np.append(near[place::-1], False))) + 1
        last = place + int(np.argmin(np.append(near[place:], False))) - 1
        accepted = steps.tp + steps.fp
        share = (accepted[last] - accepted[first]) / (self.scores.n_positive + self.scores.n_negative)
        return Flat(float(steps.score[last]), float(steps.score[first]), within, float(share))

    def sure(self, *, confidence: float = 0.95, samples: int = 1000, seed: int = 0) -> Sure:
        """The threshold and its value chosen anew on resampled items, by bootstrap percentiles."""
        require_confidence(confidence)
        chosen = [choose(drawn, self.goal) for drawn in resampled(self.scores, samples, seed)]
        found = [(choice.threshold, choice.value) for choice in chosen if choice.thresholds]
        if not found:
            raise BadSetting(f"in no resample does a threshold satisfy {self.goal}")
        ends = (1 - confidence) / 2, (1 + confidence) / 2
        threshold, value = (np.quantile(column, ends, method="nearest").tolist() for column in zip(*found, strict=True))
        return Sure(tuple(threshold), tuple(value), confidence, samples, samples - len(found))


def choose(scores: Thresholds, goal: Goal | str) -> Choice:
    """The thresholds that serve a goal best; where values are close, they are compared as fractions."""
    wanted = parse_goal(goal) if isinstance(goal, str) else goal
    found = _best(wanted, *_candidates(scores, wanted))
    if wanted.monotone and found.thresholds and _may_tie_below(scores, wanted, found):
        found = _best(wanted, *_all(scores))
    return Choice(wanted, found.thresholds, found.value, scores)


class _Best(NamedTuple):
    """The thresholds that tie for the best, the cells at each, and the value."""

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
    """Those of the places whose values, without rounding, are the best."""
    if goal.measure.family.parts is not None and cells.total[0] < _EXACT:
        worth = goal.worth(cells.take(places))
        return places[worth == worth.max()]
    close = cells.take(places)
    if not close.whole:
        worth = goal.worth(close)
        return places[worth >= worth.max() - ROUNDING * max(1.0, abs(worth.max()))]
    exact = (exact_values(goal.measure, close) * goal.sign).tolist()
    best = max(exact)
    return places[[value == best for value in exact]]


def _may_tie_below(scores: Thresholds, goal: Goal, found: _Best) -> bool:
    """Whether a threshold may be as good that has fewer true or more false positives than one of the best.

    Precision without false positives, for one, is the same however many true ones there are. A measure that is worse
    for one true positive less, and for one false positive more, is worse for all that others beat on both counts.
    """
    if scores.positive_weight is not None or scores.negative_weight is not None:
        return True  # there is no such thing as one more
    if goal.strict:
        return False
    near = [
        (tp + less, fp + more, fn - less, tn - more)
        for tp, fp, fn, tn in zip(*(cell.tolist() for cell in found.cells.each), strict=True)
        for less, more in ((-1, 0), (0, 1))
        if tp + less >= 0 and tn - more >= 0
    ]
    worth = goal.worth(Cells(*np.array(near).reshape(-1, 4).T)).tolist()
    least = goal.sign * found.value - NEAR * max(1.0, abs(found.value))
    return any(value >= least for value in worth)


def _candidates(scores: Thresholds, goal: Goal) -> tuple[Steps, Cells]:
    """Thresholds among which are the best, though not all that tie with them where the goal is monotone."""
    if goal.monotone:
        return scores.best, scores.best_cells
    if goal.measure == _GAP and not goal.constraints:
        return _around_equal_errors(scores)
    return _all(scores)


def _all(scores: Thresholds) -> tuple[Steps, Cells]:
    """Every threshold, that which accepts nothing first."""
    steps = scores.every.from_nothing
    return steps, scores.cells(steps)


def _around_equal_errors(scores: Thresholds) -> tuple[Steps, Cells]:
    """The thresholds about the place where fall-out overtakes the miss rate: one rises, the other falls."""
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
