"""Cross-validation of a threshold: each item is decided at the best threshold of the other folds.

Decided here: what is predicted if the threshold was chosen on the same items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.goals import Goal
from cranfield.inference.item_resampling import ONE_BY_ONE, recounted
from cranfield.inference.resampling import generator
from cranfield.inference.threshold_choice import choose
from cranfield.tables.disk_arrays import on_disk
from cranfield.tables.readers.limits import limits
from cranfield.text import counted

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
