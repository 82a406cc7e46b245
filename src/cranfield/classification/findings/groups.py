"""Estimates from independent samples: values with confidence intervals, compared and averaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.classification.evaluated import Evaluated
from cranfield.evidence.arithmetic import by_unit, ratio
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.thresholds import Thresholds
from cranfield.frozen import cached_property, frozen
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.rounding import LONG_SUMS
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import supported_interval
from cranfield.statistics.distributions import t_tail
from cranfield.statistics.intervals import wilson
from cranfield.tables.labels import Codes
from cranfield.text import listed, number, numbers, percent, value, verb


class Estimate(NamedTuple):
    """A value with the distances to the bounds of its confidence interval."""

    value: float
    below: float
    above: float

    @classmethod
    def of(cls, figure: float, low: float, high: float) -> Estimate:
        """A value with these bounds."""
        return cls(figure, figure - low, high - figure)

    @property
    def bounds(self) -> tuple[float, float]:
        """The confidence interval."""
        return self.value - self.below, self.value + self.above

    def exceeds(self, other: Estimate) -> bool:
        """Whether the interval of the difference of two independent values lies above 0 (Zou and Donner 2008)."""
        return self.value - other.value > np.hypot(self.below, other.above)


def weighted_mean(estimates: Sequence[Estimate], weight: Floats) -> Estimate:
    """The weighted mean of independent values; distances add as standard errors do."""
    columns, parts = np.array(estimates).T, weight / weight.sum()
    return Estimate(float(parts @ columns[0]), *(float(np.sqrt(parts**2 @ side**2)) for side in columns[1:]))


# Rules about groups: groups, such as folds, that differ from the others, and values that hold in none of them


_GUESSING = 0.5
_FEWEST = 5  # items of a group for a mean error
_MOST_CELLS = 10**6  # groups times classes: with more, hardly any has enough items


@frozen(eq=False)
class Grouped:
    """A system with groups of items."""

    evaluated: Evaluated

    @cached_property
    def scores(self) -> dict[str, Thresholds]:
        """The scores in each group that has items of both classes; empty if there is not one score per item."""
        by_group = scores_by_group(self.evaluated)
        return {name: scores for name, scores in by_group.items() if not scores.one_class}

    def n_pairs(self, groups: Iterable[str]) -> Floats:
        """Number of pairs of a positive and a negative in each of these groups."""
        scores = [self.scores[name] for name in groups]
        return np.array([one.n_positive * one.n_negative for one in scores], np.float64)

    def areas(self, confidence: float) -> dict[str, Estimate]:
        """The AUC of each group that has an interval."""
        areas = {name: self.area(scores, confidence) for name, scores in self.scores.items()}
        return {name: area for name, area in areas.items() if not np.isnan(area.below)}

    def areas_and_others(self, confidence: float) -> Iterator[tuple[str, Estimate, Estimate]]:
        """The AUC of each group, and the mean AUC within all others."""
        areas = self.areas(confidence)
        weight = self.n_pairs(areas)
        for place, (name, inner) in enumerate(areas.items()):
            others = [one for other, one in areas.items() if other != name]
            if others:
                yield name, inner, weighted_mean(others, np.delete(weight, place))

    def area(self, scores: Thresholds, confidence: float) -> Estimate:
        """The AUC of some scores, with the interval of the result tables."""
        interval = supported_interval(scores, confidence=confidence, method=self.evaluated.auc_interval)
        return Estimate.of(interval.value, interval.low, interval.high)

    def recalls(self, confidence: float) -> Iterator[tuple[str, Estimate, Estimate]]:
        """The mean recall of the classes that a group shares with other groups, in the group and in all others."""
        predictions, scores = self.evaluated.predictions, self.evaluated.class_scores
        predicted = scores.predicted if predictions.predicted is None and scores is not None else predictions.predicted
        if predicted is None or predictions.group is None:
            return
        weight = predictions.weight if predictions.count is None else predictions.count
        weight = np.ones(len(predicted)) if weight is None else weight.astype(np.float64)
        n_classes, n_groups = len(predictions.labels), len(predictions.groups)
        if n_classes * n_groups > _MOST_CELLS:
            return
        cell = predictions.group.astype(np.int64) * n_classes + predictions.actual

        def total(amount: Floats) -> Floats:
            return by_unit(cell, amount, n_groups * n_classes).reshape(n_groups, n_classes)

        size, right = total(weight), total(weight * (predicted == predictions.actual))
        square = size if predictions.weight is None else total(weight**2)
        columns = np.array([right, size, square])
        for g, name in enumerate(predictions.groups):
            inner, others = columns[:, g], columns.sum(axis=1) - columns[:, g]
            shared = (inner[1] > 0) & (others[1] > 0)
            if shared.any():
                yield name, _mean_recall(inner[:, shared], confidence), _mean_recall(others[:, shared], confidence)


def _mean_recall(columns: Floats, confidence: float) -> Estimate:
    """The mean over classes of the recall, from what was right, all items, and the squares of their weights."""
    right, size, square = columns
    effective = size**2 / square
    interval = wilson(right / size * effective, effective, confidence)
    return weighted_mean([*map(Estimate.of, right / size, interval.low, interval.high)], np.ones(len(size)))


def scores_by_group(evaluated: Evaluated) -> dict[str, Thresholds]:
    """The scores of each group, for a binary decision."""
    predictions = evaluated.predictions
    if predictions.score is None or not predictions.binary:
        return {}
    parts = (replace(evaluated, predictions=predictions.part(g)).thresholds for g in range(len(predictions.groups)))
    return {name: part for name, part in zip(predictions.groups, parts, strict=True) if part is not None}


@rule(
    "pooled-groups",
    about="groups",
    title="The pooled AUC does not hold within groups",
    severity="serious",
    why="The pooled AUC also compares items of different groups. If groups differ in prevalence, or their scores in "
    "scale (as those of folds with a model each), it can be high although no group is ranked well, or low although "
    "each is: Simpson's paradox.",
    action="Report the AUC of each group, or its mean over groups; bring scores to one scale before pooling.",
    covers=("below-diagonal", "chance-level"),
    explains=("precision-baseline", "accuracy-below-constant", "one-sided", "low-precision", "favoured-class"),
)
def pooled_groups(grouped: Grouped, *, difference: float = 0.1, level: float = 0.01) -> Observations:
    """The pooled AUC and the AUC within groups (the mean, weighted by the number of pairs of a positive and a negative)
    differ by `difference` or lie on different sides of 0.5.

    The interval of their difference at confidence 1 - `level` must exclude 0 or, for different sides, each interval
    0.5.
    """
    areas = grouped.areas(1 - level)
    if len(areas) < 2 or grouped.evaluated.thresholds is None:
        return
    pooled, within = (
        grouped.area(grouped.evaluated.thresholds, 1 - level),
        weighted_mean([*areas.values()], grouped.n_pairs(areas)),
    )
    lower, higher = sorted((pooled, within))
    opposed = lower.bounds[1] < _GUESSING < higher.bounds[0]
    if opposed or (reaches(higher.value - lower.value, difference) and higher.exceeds(lower)):
        one, other = numbers(pooled.value, within.value)
        by_group = listed([f"{number(area.value)} in group {name}" for name, area in areas.items()])
        paradox = ": Simpson's paradox" if opposed else ""
        yield observation(
            f"The pooled AUC is {one}, but the mean AUC within groups is {other} ({by_group}){paradox}.",
            {"pooled": pooled.value, "within": within.value, "n_groups": len(areas)},
        )


@rule(
    "weak-group",
    about="groups",
    title="One group does much worse than the others",
    severity="caution",
    why="A value over all items hides a group on which the system fails: a fold whose training went wrong, a site, a "
    "language, or people who are treated worse.",
    action="Report the values of each group (by=, --by), and look for the cause: labels, features, and how well the "
    "group is represented in the training data.",
    explains=("chance-level", "accuracy-below-constant"),
)
def weak_group(grouped: Grouped, *, difference: float = 0.1, level: float = 0.01) -> Observations:
    """The AUC of a group is lower by `difference` than within the other groups; without scores, the mean recall of its
    classes.

    The interval of the difference must exclude 0 at confidence 1 - `level` divided by the number of groups.
    """
    confidence = 1 - level / max(len(grouped.evaluated.predictions.groups), 1)
    scored = bool(grouped.scores)
    weak = {
        name: (inner, others)
        for name, inner, others in (grouped.areas_and_others(confidence) if scored else grouped.recalls(confidence))
        if reaches(others.value - inner.value, difference) and others.exceeds(inner)
    }
    if not weak:
        return
    worst = max(weak, key=lambda name: weak[name][1].value - weak[name][0].value)
    inner, others = weak[worst]
    what, guess = "AUC" if scored else "Balanced accuracy", ""
    if scored:
        low, high = grouped.areas(CONFIDENCE)[worst].bounds
        guess = f" ({percent(CONFIDENCE)} CI [{number(low)}, {number(high)}])"
        guess += ", no better than random guessing," if low <= _GUESSING <= high else ""
    rest = [name for name in weak if name != worst]
    also = f"; {listed(rest)} {verb(len(rest), 'is', 'are')} weak too" if rest else ""
    one, other = numbers(inner.value, others.value)
    yield observation(
        f"{what} is {one} in group {worst}{guess} but {other} in the other groups{also}.",
        {"value": inner.value, "others": others.value, "groups": [worst, *rest]},
        group=worst,
    )


class _ErrorSums(NamedTuple):
    """Sums over the items of groups, or of other items: their number, weights, squared weights, errors and squared
    errors; errors minus the mean error of all."""

    n: Floats
    weight: Floats
    square: Floats
    error: Floats
    squared_error: Floats

    @property
    def mean(self) -> Floats:
        """The mean error."""
        return ratio(self.error, self.weight)

    @property
    def freedom(self) -> Floats:
        """The degrees of freedom of the mean: the effective sample size minus 1."""
        return np.maximum(ratio(self.weight**2, self.square) - 1, 1.0)

    @property
    def variance(self) -> Floats:
        """The squared standard error of the mean."""
        return np.maximum(ratio(self.squared_error, self.weight) - self.mean**2, 0.0) / self.freedom


@frozen(eq=False)
class GroupedResiduals:
    """The residuals of a system, and the group of each item."""

    residuals: Residuals
    group: Codes
    groups: tuple[str, ...]

    @property
    def mean(self) -> float:
        """The mean error of all items."""
        return float(self.residuals.mean(self.residuals.error))

    @property
    def largest(self) -> float:
        """The largest absolute error."""
        return float(np.abs(self.residuals.error).max(initial=0.0))

    @cached_property
    def sums(self) -> Floats:
        """The sums over each group, one row per kind of sum."""
        weight, error = self.residuals.weights, self.residuals.error - self.mean
        kinds = (np.ones(len(error)), weight, weight**2, weight * error, weight * error**2)
        return np.array([by_unit(self.group.astype(np.int64), kind, len(self.groups)) for kind in kinds])


@rule(
    "biased-group",
    about="groups",
    title="Predictions are biased in one group",
    severity="caution",
    why="A bias in one group, such as a fold or a site, disappears in the mean error of all items.",
    action="Report the bias of each group (by=, --by), and look for its cause: units, missing features, or other "
    "training data.",
    explains=("shifted-predictions",),
)
def biased_group(grouped: GroupedResiduals, *, proportion: float = 0.1, level: float = 0.01) -> Observations:
    """The mean error of a group differs from that of the other items, and the square of the difference is at least
    `proportion` of the group's squared error.

    Welch's t-test must be significant at `level` divided by the number of groups. The group that differs most is left
    out before others are tested.
    """
    biased: list[_Bias] = []
    left = np.ones(len(grouped.groups), np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        while candidates := [*_biases(grouped, left, proportion, level / len(grouped.groups))]:
            biased.append(max(candidates))
            left[biased[-1].place] = False
    if biased:
        worst, *names = [grouped.groups[one.place] for one in biased]
        inner, others = biased[0].inner, biased[0].others
        also = f"; {listed(names)} {verb(len(names), 'is', 'are')} biased too" if names else ""
        side = "high" if inner > 0 else "low"
        yield observation(
            f"In group {worst}, predictions are too {side} by {value(abs(inner))} on average; the mean error of the "
            f"other items is {value(others)}{also}.",
            {"bias": inner, "others": others, "groups": [worst, *names]},
            group=worst,
        )


class _Bias(NamedTuple):
    """The mean errors of a group and of other items, by the size of their difference, then of the bias."""

    difference: float
    size: float
    place: int
    inner: float
    others: float


def _biases(grouped: GroupedResiduals, left: Mask, proportion: float, level: float) -> Iterator[_Bias]:
    """The groups whose mean error differs from that of the other ones that are left."""
    sums = grouped.sums * left
    inner, others = _ErrorSums(*sums), _ErrorSums(*(sums.sum(axis=1, keepdims=True) - sums))
    difference, variance = inner.mean - others.mean, inner.variance + others.variance
    freedom = ratio(variance**2, inner.variance**2 / inner.freedom + others.variance**2 / others.freedom)
    mean_square = inner.variance * inner.freedom + (inner.mean + grouped.mean) ** 2
    large = (difference**2 >= proportion * mean_square) & (np.abs(difference) > LONG_SUMS * grouped.largest)
    for g in np.flatnonzero(large & (np.minimum(inner.n, others.n) >= _FEWEST)).tolist():
        if not variance[g] or t_tail(difference[g] / np.sqrt(variance[g]), float(freedom[g])) < level:
            bias, rest = float(inner.mean[g]) + grouped.mean, float(others.mean[g]) + grouped.mean
            yield _Bias(abs(float(difference[g])), abs(bias), g, bias, rest)
