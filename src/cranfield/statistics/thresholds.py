"""Goals for which a threshold is chosen: parsed from text, and evaluated on counts.

Decided here: which threshold is best for a goal, and which of several equally good ones is used.

Decided here: what is predicted if the threshold was chosen on the same items.
"""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import Numbers, decimal
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Steps, Thresholds, in_steps, steps_down, steps_up
from cranfield.frozen import cached_property, frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.rounding import LONG_SUMS, NEAR
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import require_confidence
from cranfield.statistics.item_resampling import ONE_BY_ONE, recounted, resampled
from cranfield.statistics.resampling import COSTLY_RESAMPLES, generator
from cranfield.tables.disk import on_disk
from cranfield.tables.readers.streams import limits
from cranfield.text import counted

STANDARD = ("Accuracy", "Informedness", "CornerDistance", "F", "FGain", "RateGap")

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"(?P<measure>.+?)(?:\s+(?:where|with)\s+(?P<constraints>.+))?", re.DOTALL)
_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]+)?"
_CONSTRAINT = re.compile(rf"(?P<measure>.+?)\s*(?P<relation>>=|<=|≥|≤|>|<)\s*(?P<bound>{_NUMBER})")


@frozen
class Constraint:
    """A lower or upper limit of a measure."""

    measure: Measure
    relation: str
    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {self.relation} {self.bound:g}"

    @property
    def monotone(self) -> bool:
        """Whether more true positives or fewer false positives never violate it."""
        upwards = self.relation.startswith(">")
        return self.measure.declaration.monotone and bool(self.measure.declaration.higher_is_better) == upwards

    def met(self, cells: Cells) -> Mask:
        """Which units satisfy it; an undefined value does not."""
        value = self.measure.values(cells)
        met: Mask = _RELATIONS[self.relation](value, self.bound)
        if not cells.whole:  # values that differ only by rounding are equal
            return np.where(np.abs(value - self.bound) < LONG_SUMS, "=" in self.relation, met)
        if self.measure.declaration.parts is not None:  # one division, rounded like the bound
            return met
        close = np.flatnonzero(np.abs(value - self.bound) < NEAR)
        if len(close):
            exact = exact_values(self.measure, cells.take(close))
            met[close] = [_RELATIONS[self.relation](number, decimal(self.bound)) for number in exact]
        return met

    def nearest(self, cells: Cells) -> str:
        """A description of how close units come to it; empty if some satisfy it."""
        value = self.measure.values(cells)
        value = value[~np.isnan(value)]
        if not len(value):
            return f"{self.measure} is undefined at all of them"
        if self.met(cells).any():
            return ""
        upwards = self.relation.startswith(">")
        best = f"at most {value.max():.4g}" if upwards else f"at least {value.min():.4g}"
        return f"{self.measure} is {best}"


@frozen
class Goal:
    """A measure to optimise, subject to constraints."""

    measure: Measure
    constraints: tuple[Constraint, ...] = ()

    def __str__(self) -> str:
        within = " and ".join(map(str, self.constraints))
        return f"{self.measure} where {within}" if within else str(self.measure)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is better."""
        return -1 if self.measure.declaration.higher_is_better is False else 1

    @cached_property
    def monotone(self) -> bool:
        """Whether some optimal threshold is not dominated in true and false positives by another one."""
        return self.measure.declaration.monotone and all(constraint.monotone for constraint in self.constraints)

    @cached_property
    def strict(self) -> bool:
        """Whether one true positive fewer or one false positive more always makes it worse, on all small counts."""
        if self.constraints:
            return False  # a violated constraint cannot get worse
        tp, fp, fn, tn = np.indices((3, 3, 3, 3), float).reshape(4, -1)
        here, less, more = map(
            self.worth, (Cells(tp + 1, fp, fn, tn + 1), Cells(tp, fp, fn + 1, tn + 1), Cells(tp + 1, fp + 1, fn, tn))
        )
        return bool(((less < here) & (more < here)).all())

    @cached_property
    def _function(self) -> Callable[[Cells], Numbers]:
        return partial(self.measure.declaration.function, **self.measure.options)

    def worth(self, cells: Cells) -> Numbers:
        """The measure with its sign such that higher is better; minus infinity if undefined or not allowed."""
        worth = self.sign * self._function(cells)
        allowed = ~np.isnan(worth)
        for constraint in self.constraints:
            allowed &= constraint.met(cells)
        return worth if allowed.all() else np.where(allowed, worth, -np.inf)


def exact_values(measure: Measure, cells: Cells) -> Numbers:
    """The exact values of a measure."""
    settings = {name: _exact(value) for name, value in measure.options.items()}
    return measure.declaration.function(cells.exact, **settings)


def _exact(value: Any) -> Any:
    exact = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return decimal(value) if exact else value


@cache
def parse_goal(text: str) -> Goal:
    """The goal in a text: a measure, optionally with constraints, such as `Recall where Specificity >= 0.9`."""
    form = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if form is None:
        raise BadSetting("a goal is required, such as 'Accuracy' or 'Recall where Specificity >= 0.9'")
    constraints = re.split(r"\s+and\s+|\s*,\s*(?![^()]*\))", form["constraints"]) if form["constraints"] else []
    return Goal(_measure(form["measure"]), tuple(map(_constraint, constraints)))


def _constraint(text: str) -> Constraint:
    form = _CONSTRAINT.fullmatch(text.strip())
    if form is None:
        raise BadSetting(f"{text!r} is not a constraint; write, for example, Specificity >= 0.9")
    relation = {"≥": ">=", "≤": "<="}.get(form["relation"], form["relation"])
    return Constraint(_measure(form["measure"]), relation, float(form["bound"]))


def _measure(text: str) -> Measure:
    measure = parse(text, "binary")
    if measure.name == "EER":
        measure = parse("RateGap", "binary")  # which is 0 at the equal error rate
    if measure.declaration.evidence is not Cells:
        raise BadSetting(f"{measure} depends on all thresholds and cannot be used to choose one")
    measure.require_settings()
    return measure


# Choosing a threshold for a goal: all optimal thresholds, how flat the optimum is, and its bootstrap interval


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


# Cross-validation of a threshold: each item is decided at the best threshold of the other folds


FOLDS = 10
_BYTES = 32  # memory of a score, its count and its decisions
_Sides = tuple[Ints, Ints]  # of the positives and of the negatives


class HeldOut(NamedTuple):
    """The decisions of cross-validation; there are none if there is a `reason`.

    `accepted` says how many items of each score of the positives, and of the negatives, were predicted positive.
    """

    goal: Goal
    cells: Cells
    accepted: _Sides
    reason: str = ""

    @property
    def value(self) -> float:
        """The value of the measure of the goal, over the pooled decisions of all folds."""
        return float("nan") if self.reason else float(self.goal.measure.values(self.cells)[0])


def held_out(scores: Thresholds, goals: Sequence[Goal], *, folds: int = FOLDS, seed: int = 0) -> list[HeldOut]:
    """The decisions of stratified cross-validation for each goal, all with the same folds.

    The best threshold of the other folds is applied to each fold, the highest one if several are equally good. The
    folds depend on the scores and the seed, not on the order of the items. Constraints apply to the choice alone.
    """
    accepted = [(np.zeros(len(scores.positive), np.int64), np.zeros(len(scores.negative), np.int64)) for _ in goals]
    reasons = [_too_few(scores, folds)] * len(goals)
    for rest, inside in () if any(reasons) else _folds(scores, folds, seed):
        for place, goal in enumerate(goals):
            chosen = choose(rest, goal)
            if not chosen.thresholds:
                reasons[place] = f"no threshold satisfies {goal} on the other items of a fold"
                continue
            for score, n_inside, n_accepted in zip((scores.positive, scores.negative), inside, accepted[place]):
                first = np.searchsorted(score, chosen.threshold)
                n_accepted[first:] += n_inside[first:]
    return [
        HeldOut(goal, _cells(scores, sides), sides, reason)
        for goal, sides, reason in zip(goals, accepted, reasons, strict=True)
    ]


def _too_few(scores: Thresholds, folds: int) -> str:
    """Why there is no cross-validation; empty if there is one."""
    n_scores = len(scores.positive) + len(scores.negative)
    try:
        limits.require_memory(n_scores * _BYTES if on_disk(scores.positive) else 0, f"{n_scores:,} distinct scores")
    except BadInput as error:
        return str(error)
    rarer, n_rarer = min(zip(("positive", "negative"), scores.n_items, strict=True), key=lambda side: side[1])
    if n_rarer >= folds:
        return ""
    return f"{folds}-fold cross-validation needs {folds} items of each class, and there are {counted(n_rarer, rarer)}"


def _cells(scores: Thresholds, accepted: _Sides) -> Cells:
    """The four cells of these decisions."""
    sides = (
        (scores.positive, scores.positive_weight, scores.positive_count, accepted[0]),
        (scores.negative, scores.negative_weight, scores.negative_count, accepted[1]),
    )
    (tp, fn), (fp, tn) = (_both(score, weight, count, of_side) for score, weight, count, of_side in sides)
    return Cells(tp=tp, fp=fp, fn=fn, tn=tn)


def _both(score: Floats, weight: Floats | None, count: Ints | None, accepted: Ints) -> tuple[Floats, Floats]:
    """The number of accepted and of rejected items, or the sums of their weights."""
    rejected = (1 if count is None else count) - accepted
    weight = np.ones(len(score)) if weight is None else weight
    return np.array([accepted @ weight]), np.array([rejected @ weight])


def _folds(scores: Thresholds, folds: int, seed: int) -> Iterator[tuple[Thresholds, _Sides]]:
    """The scores without each fold, and the number of its items with each score."""
    random = generator(seed)
    if scores.positive_count is not None and scores.negative_count is not None:
        counts = scores.positive_count, scores.negative_count
        parts = zip(*(_counts_by_fold(count, folds, random) for count in counts), strict=True)
        for positive, negative in parts:
            yield recounted(scores, counts[0] - positive, counts[1] - negative), (positive, negative)
        return
    fold = [random.permutation(len(side)) % folds for side in (scores.positive, scores.negative)]
    weights = scores.positive_weight, scores.negative_weight
    for place in range(folds):
        positive, negative = (of_item == place for of_item in fold)
        rest = scores.positive[~positive], scores.negative[~negative]
        weight = [None if w is None else w[~inside] for w, inside in zip(weights, (positive, negative), strict=True)]
        yield Thresholds(*rest, *weight), (positive.astype(np.int64), negative.astype(np.int64))


def _counts_by_fold(count: Ints, folds: int, random: np.random.Generator) -> Iterator[Ints]:
    """How many items of each score are in each fold.

    Of very many items the counts are drawn, so that the sizes of the folds vary slightly.
    """
    n_items = int(count.sum())
    if n_items <= ONE_BY_ONE:
        fold, first = random.permutation(n_items) % folds, np.cumsum(count) - count
        return iter([np.add.reduceat(fold == place, first, dtype=np.int64) for place in range(folds)])
    return iter(random.multinomial(count, np.full(folds, 1 / folds)).T)
