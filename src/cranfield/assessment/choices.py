"""Choosing a threshold for a goal: all that tie for the best, how flat the best is, and how sure one can be of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cranfield.assessment.goals import NEAR, Goal, exact_values, parse_goal
from cranfield.assessment.resampling import resampled
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.standing import beginnings
from cranfield.evidence.thresholds import Floats, Ints, Steps, Thresholds
from cranfield.inference.distributions import require_confidence
from cranfield.registry import parse


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
        """How flat the best is: within a hundredth of the value."""
        return self.flatness(0.01)

    def flatness(self, within: float) -> Flat:
        """The stretch of thresholds around the best that are worse by no more than this."""
        steps = self.scores.every
        worth = self.goal.worth(self.scores.cells(steps))
        near = worth >= self.goal.sign * self.value - within - NEAR
        place = int(np.searchsorted(-steps.score, -self.threshold))  # the scores fall
        if place >= len(near) or not near[place] or steps.score[place] != self.threshold:
            return Flat(self.threshold, self.threshold, within, 0.0)
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
        return Sure(tuple(threshold), tuple(value), confidence, samples)


def choose(scores: Thresholds, goal: Goal | str) -> Choice:
    """The thresholds that serve a goal best; where values are close, they are compared as fractions."""
    wanted = parse_goal(goal) if isinstance(goal, str) else goal
    steps, cells = _candidates(scores, wanted)
    worth = wanted.worth(cells)
    best = worth.max(initial=-np.inf)
    if np.isneginf(best):
        return Choice(wanted, (), float("nan"), scores)
    places = np.flatnonzero(worth >= best - NEAR * max(1.0, abs(best)))
    if len(places) > 1:
        places = _tied(wanted, cells, places)
    value = wanted.sign * worth[places[0]]
    return Choice(wanted, tuple(steps.score[places].tolist()), float(value), scores)


def _tied(goal: Goal, cells: Cells, places: Ints) -> Ints:
    """Those of the places whose values, without rounding, are the best."""
    exact = (exact_values(goal.measure, cells.take(places)) * goal.sign).tolist()
    best = max(exact)
    return places[[value == best for value in exact]]


def _candidates(scores: Thresholds, goal: Goal) -> tuple[Steps, Cells]:
    """Thresholds among which the best are."""
    if goal.monotone:
        return scores.best, scores.best_cells
    if goal.measure == _GAP and not goal.constraints:
        return _around_equal_errors(scores)
    score, tp, fp = scores.every
    none = np.zeros(1, np.int64)
    steps = Steps(np.append(np.inf, score), np.append(none, tp), np.append(none, fp))
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
