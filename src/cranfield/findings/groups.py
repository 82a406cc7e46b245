"""Rules about groups: groups, such as folds, that differ from the others, and values that hold in none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.sums import by_unit
from cranfield.evidence.thresholds import Thresholds
from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import listed, number, numbers, value, verb
from cranfield.frozen import frozen
from cranfield.inference.delong import area_interval
from cranfield.inference.distributions import t_tail
from cranfield.inference.intervals import wilson
from cranfield.results.evaluated import Evaluated
from cranfield.tables.labels import Codes

_GUESSING = 0.5
_FEWEST = 5  # items of a group for a mean error


class _Estimate(NamedTuple):
    """A value with the distances to the bounds of its confidence interval."""

    value: float
    below: float
    above: float

    @classmethod
    def of(cls, figure: float, low: float, high: float) -> _Estimate:
        return cls(figure, figure - low, high - figure)

    @property
    def bounds(self) -> tuple[float, float]:
        return self.value - self.below, self.value + self.above

    def exceeds(self, other: _Estimate) -> bool:
        """Whether the interval of the difference of two independent values lies above 0 (Zou and Donner 2008)."""
        return self.value - other.value > np.hypot(self.below, other.above)


def _weighted(estimates: list[_Estimate], weight: Floats) -> _Estimate:
    """The weighted mean of independent values; distances add as standard errors do."""
    columns, parts = np.array(estimates).T, weight / weight.sum()
    return _Estimate(float(parts @ columns[0]), *(float(np.sqrt(parts**2 @ side**2)) for side in columns[1:]))


@frozen(eq=False)
class Grouped:
    """A system with groups of items."""

    evaluated: Evaluated

    @cached_property
    def scores(self) -> dict[str, Thresholds]:
        """The scores in each group that has items of both classes; empty if there is not one score per item."""
        by_group = scores_by_group(self.evaluated)
        return {name: scores for name, scores in by_group.items() if not scores.one_class}

    @property
    def n_pairs(self) -> Floats:
        """Number of pairs of a positive and a negative in each group."""
        return np.array([scores.n_positive * scores.n_negative for scores in self.scores.values()], np.float64)

    def areas(self, confidence: float) -> dict[str, _Estimate]:
        """The AUC of each group."""
        return {name: self.area(scores, confidence) for name, scores in self.scores.items()}

    def area(self, scores: Thresholds, confidence: float) -> _Estimate:
        """The AUC of some scores, with the interval of the result tables."""
        interval = area_interval(scores, confidence=confidence, method=self.evaluated.auc_interval)
        return _Estimate.of(interval.value, interval.low, interval.high)

    def recalls(self, confidence: float) -> dict[str, dict[int, _Estimate]]:
        """The recall of each class in each group, with Wilson's intervals."""
        predictions = self.evaluated.predictions
        scores = self.evaluated.class_scores
        predicted = scores.predicted if predictions.predicted is None and scores is not None else predictions.predicted
        if predicted is None or predictions.group is None:
            return {}
        weight = predictions.weight if predictions.count is None else predictions.count
        weight = np.ones(len(predicted)) if weight is None else weight.astype(np.float64)
        n_classes, n_groups = len(predictions.labels), len(predictions.groups)
        cell = predictions.group.astype(np.int64) * n_classes + predictions.actual

        def total(amount: Floats) -> Floats:
            return by_unit(cell, amount, n_groups * n_classes).reshape(n_groups, n_classes)

        size, right = total(weight), total(weight * (predicted == predictions.actual))
        square = size if predictions.weight is None else total(weight**2)
        known: dict[str, dict[int, _Estimate]] = {name: {} for name in predictions.groups}
        for g, k in np.argwhere(size > 0).tolist():
            recall, effective = right[g, k] / size[g, k], size[g, k] ** 2 / square[g, k]
            bounds = wilson(recall * effective, effective, confidence)
            known[predictions.groups[g]][k] = _Estimate.of(float(recall), float(bounds.low), float(bounds.high))
        return known


def scores_by_group(evaluated: Evaluated) -> dict[str, Thresholds]:
    """The scores of each group, for a binary decision."""
    predictions = evaluated.predictions
    if predictions.score is None or not predictions.binary:
        return {}
    parts = (replace(evaluated, predictions=predictions.part(g)).thresholds for g in range(len(predictions.groups)))
    return {name: part for name, part in zip(predictions.groups, parts, strict=True) if part is not None}


@rule(
    "pooled-groups",
    title="The pooled AUC does not hold within groups",
    severity="serious",
    why="The pooled AUC also compares items of different groups. If groups differ in prevalence, or their scores in "
    "scale (as those of folds with a model each), it can be high although no group is ranked well, or low although "
    "each is: Simpson's paradox.",
    action="Report the AUC of each group, or its mean over groups; bring scores to one scale before pooling.",
    covers=("below-diagonal", "chance-level"),
)
def pooled_groups(grouped: Grouped, *, difference: float = 0.1, level: float = 0.01) -> Observations:
    """The pooled AUC and the AUC within groups (the mean, weighted by the number of pairs of a positive and a negative)
    differ by `difference` or lie on different sides of 0.5.

    The interval of their difference at confidence 1 - `level` must exclude 0 or, for different sides, each interval
    0.5.
    """
    scores = grouped.scores
    if len(scores) < 2 or grouped.evaluated.thresholds is None:
        return
    areas = grouped.areas(1 - level)
    pooled, within = (
        grouped.area(grouped.evaluated.thresholds, 1 - level),
        _weighted([*areas.values()], grouped.n_pairs),
    )
    lower, higher = sorted((pooled, within))
    opposed = lower.bounds[1] < _GUESSING < higher.bounds[0]
    if opposed or (reaches(higher.value - lower.value, difference) and higher.exceeds(lower)):
        one, other = numbers(pooled.value, within.value)
        each = listed([f"{number(area.value)} in {name}" for name, area in areas.items()])
        paradox = ": Simpson's paradox" if opposed else ""
        yield observation(
            f"The pooled AUC is {one}, but the mean AUC within groups is {other} ({each}){paradox}.",
            {"pooled": pooled.value, "within": within.value, "n_groups": len(areas)},
        )


@rule(
    "weak-group",
    title="One group does much worse than the others",
    severity="caution",
    why="A value over all items hides a group on which the system fails: a fold whose training went wrong, a site, a "
    "language, or people who are treated worse.",
    action="Report the values of each group (by=, --by), and look for the cause: labels, features, and how well the "
    "group is represented in the training data.",
)
def weak_group(grouped: Grouped, *, difference: float = 0.1, level: float = 0.01) -> Observations:
    """The AUC of a group is lower by `difference` than within the other groups; without scores, the mean recall of its
    classes.

    The interval of the difference must exclude 0 at confidence 1 - `level` divided by the number of groups.
    """
    confidence = 1 - level / max(len(grouped.evaluated.predictions.groups), 1)
    scored = bool(grouped.scores)
    pairs = _against_others(grouped, confidence) if scored else _recall_against_others(grouped, confidence)
    weak = {
        name: (own, others)
        for name, (own, others) in pairs.items()
        if reaches(others.value - own.value, difference) and others.exceeds(own)
    }
    if not weak:
        return
    worst = max(weak, key=lambda name: weak[name][1].value - weak[name][0].value)
    own, others = weak[worst]
    what, guess = "AUC" if scored else "Balanced accuracy", ""
    if scored:
        low, high = grouped.areas(0.95)[worst].bounds
        guess = f" (95 % CI [{number(low)}, {number(high)}])"
        guess += ", no better than random guessing," if low <= _GUESSING <= high else ""
    rest = [name for name in weak if name != worst]
    also = f"; {listed(rest)} {verb(len(rest), 'is', 'are')} weak too" if rest else ""
    one, other = numbers(own.value, others.value)
    yield observation(
        f"{what} is {one} in {worst}{guess} but {other} in the other groups{also}.",
        {"value": own.value, "others": others.value, "groups": [worst, *rest]},
        group=worst,
    )


def _against_others(grouped: Grouped, confidence: float) -> dict[str, tuple[_Estimate, _Estimate]]:
    """The AUC of each group, and within all others."""
    areas, weight = grouped.areas(confidence), grouped.n_pairs
    if len(areas) < 2:
        return {}
    estimates, places = [*areas.values()], np.arange(len(areas))
    return {
        name: (own, _weighted([one for at, one in enumerate(estimates) if at != place], weight[places != place]))
        for place, (name, own) in enumerate(areas.items())
    }


def _recall_against_others(grouped: Grouped, confidence: float) -> dict[str, tuple[_Estimate, _Estimate]]:
    """The mean recall of the classes that a group shares with others, in the group and on average in the others."""
    known, pairs = grouped.recalls(confidence), {}
    for name, own in known.items():
        others = {k: [one[k] for g, one in known.items() if g != name and k in one] for k in own}
        shared = [k for k, recalls in others.items() if recalls]
        if shared:
            of_others = [_weighted(others[k], _precision(others[k])) for k in shared]
            equal = np.ones(len(shared))
            pairs[name] = _weighted([own[k] for k in shared], equal), _weighted(of_others, equal)
    return pairs


def _precision(estimates: list[_Estimate]) -> Floats:
    """Weights for estimates: the larger, the shorter their intervals."""
    return np.array([1 / (one.below + one.above) ** 2 for one in estimates])


class GroupedResiduals(NamedTuple):
    """The residuals of a system, and the group of each item."""

    residuals: Residuals
    group: Codes
    groups: tuple[str, ...]

    def parts(self) -> Mapping[str, tuple[Residuals, Residuals]]:
        """The residuals in each group and in all others, if both have enough items."""
        masks = {name: np.asarray(self.group == g) for g, name in enumerate(self.groups)}
        return {
            name: (self.residuals.take(np.flatnonzero(mask)), self.residuals.take(np.flatnonzero(~mask)))
            for name, mask in masks.items()
            if min(mask.sum(), (~mask).sum()) >= _FEWEST
        }


@rule(
    "biased-group",
    title="Predictions are biased in one group",
    severity="caution",
    why="A bias in one group, such as a fold or a site, disappears in the mean error of all items.",
    action="Report the bias of each group (by=, --by), and look for its cause: units, missing features, or other "
    "training data.",
)
def biased_group(grouped: GroupedResiduals, *, proportion: float = 0.1, level: float = 0.01) -> Observations:
    """The mean error of a group differs from that of the other items, and the square of the difference is at least
    `proportion` of the group's squared error.

    Welch's t-test must be significant at `level` divided by the number of groups.
    """
    biased: list[tuple[float, str, float, float]] = []
    for name, (own, others) in grouped.parts().items():
        (bias, error, freedom), (rest, rest_error, rest_freedom) = map(_mean_error, (own, others))
        difference, squared = bias - rest, error**2 + rest_error**2
        if not squared > 0 or not reaches(difference**2, proportion * float(own.mean(own.error**2))):
            continue
        freedom = squared**2 / (error**4 / freedom + rest_error**4 / rest_freedom)
        if float(t_tail(np.asarray(difference / np.sqrt(squared)), freedom)) < level / len(grouped.groups):
            biased.append((abs(difference), name, bias, rest))
    if biased:
        (_, worst, bias, others_bias), *further = sorted(biased, reverse=True)
        names, side = [name for _, name, *_ in further], "high" if bias > 0 else "low"
        also = f"; {listed(names)} {verb(len(names), 'differs', 'differ')} too" if names else ""
        yield observation(
            f"In {worst}, predictions are too {side} by {value(abs(bias))} on average; the mean error of the other "
            f"items is {value(others_bias)}{also}.",
            {"bias": bias, "others": others_bias, "groups": [worst, *names]},
            group=worst,
        )


def _mean_error(residuals: Residuals) -> tuple[float, float, float]:
    """The mean error, its standard error and the degrees of freedom, for the effective sample size."""
    freedom = max(residuals.effective - 1, 1.0)
    mean, variance = float(residuals.mean(residuals.error)), float(residuals.variance(residuals.error))
    return mean, float(np.sqrt(variance / freedom)), freedom
