"""One system assessed: each kind of evidence counted once, when first asked for, and every measure computed on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.assessment.choices import Choice, choose
from cranfield.assessment.goals import Goal
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion, counted
from cranfield.evidence.exact import settled
from cranfield.evidence.label_sets import LabelSets
from cranfield.evidence.probabilities import Probabilities
from cranfield.evidence.thresholds import Thresholds, pooled, thresholds
from cranfield.registry import Measure
from cranfield.tables.labels import Label
from cranfield.tables.predictions import Predictions

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Average = Literal["macro", "micro", "weighted"]
Undefined = Literal["zero", "skip"]

HALF = 0.5


@cache
def computed(measure: Measure) -> Callable[[Any], Any]:
    """The function of a measure with its settings, found once."""
    measure.require_settings()
    own, bounds = partial(measure.family.function, **measure.options), measure.family.bounds
    return lambda evidence: settled(own(evidence), bounds)


@dataclass(frozen=True, eq=False)
class Assessed:
    """A system's predictions and the evidence in them; a score is a yes from `cut` on, or as is best for the goal."""

    predictions: Predictions
    goal: Goal
    cut: float | None = None
    average: Average = "macro"
    undefined: Undefined = "skip"

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in order."""
        return self.predictions.labels

    # evidence

    @cached_property
    def thresholds(self) -> Thresholds | None:
        """The scores of positives and negatives, where the question is yes or no."""
        given = self.predictions
        if given.score is None or not given.binary:
            return None
        return thresholds(given.actual == given.positive, given.score, given.weight)

    @cached_property
    def probabilities(self) -> Probabilities | None:
        """The probabilities of several classes."""
        given = self.predictions
        if given.score is None or given.binary or given.many or not given.probable:
            return None
        return Probabilities(given.labels, given.actual, given.score, given.weight)

    @cached_property
    def of_each_class(self) -> tuple[Thresholds, ...]:
        """The scores of each class against the rest."""
        given = self.predictions
        if self.thresholds is not None:
            return (self.thresholds,)
        if given.score is None:
            return ()
        places = range(len(given.labels))
        return tuple(thresholds(self.truth[:, place], given.score[:, place], given.weight) for place in places)

    @cached_property
    def truth(self) -> Mask:
        """Which classes each item is of, where there is no positive one."""
        given = self.predictions
        return np.asarray(
            given.actual if given.many else given.actual[:, None] == np.arange(len(given.labels)), np.bool_
        )

    @cached_property
    def choice(self) -> Choice | None:
        """The threshold that serves the goal best."""
        return None if self.thresholds is None or self.thresholds.one_class else choose(self.thresholds, self.goal)

    @cached_property
    def threshold(self) -> float | None:
        """The threshold in use: as given, or the best for the goal; None where labels were predicted."""
        if self.predictions.score is None or self.predictions.predicted is not None:
            return None
        if self.cut is not None:
            return self.cut
        if self.choice is None:
            raise BadSetting("say from which score on an answer is yes, the threshold")
        return self.choice.threshold

    @cached_property
    def confusion(self) -> Confusion | None:
        """How often each class was taken for each; None where items are of several classes at once."""
        given = self.predictions
        if given.many:
            return None
        if self._answered_by_score:
            return _two_by_two(self.cells, given)
        predicted = self.probabilities.predicted if given.predicted is None and self.probabilities else given.predicted
        if predicted is None:
            return None
        return Confusion(given.labels, counted(given.actual, predicted, len(given.labels), given.weight))

    @property
    def _answered_by_score(self) -> bool:
        return self.thresholds is not None and self.predictions.predicted is None

    @cached_property
    def cells(self) -> Cells:
        """Right and wrong answers, for the positive class or for each class."""
        given = self.predictions
        if self.thresholds is not None and self._answered_by_score:
            return self.thresholds.at(np.asarray(self.threshold, np.float64))
        if given.many:
            return _of_sets(given.actual.astype(np.bool_), self._sets, given.weight)
        if self.confusion is None:
            raise BadInput(f"{given.system}: there are scores of several classes, and no labels to count")
        return self.cells_of(self.confusion)

    @property
    def _sets(self) -> Mask:
        """Which labels each item was given."""
        given = self.predictions
        if given.predicted is not None:
            return given.predicted.astype(np.bool_)
        return np.asarray(given.score >= self.threshold, np.bool_)  # type: ignore[operator]

    @property
    def sets(self) -> LabelSets | None:
        """How many labels of each item are wrong, where items are of several classes at once."""
        given = self.predictions
        if not given.many:
            return None
        return LabelSets((given.actual.astype(np.bool_) != self._sets).sum(axis=1), given.weight)

    @cached_property
    def _answers(self) -> Predictions:
        """The predictions with the answers that scores came to in place of the scores."""
        given = replace(self.predictions, score=None)
        if given.many:
            return replace(given, predicted=self._sets.view(np.int8))
        if self.probabilities is not None and given.predicted is None:
            return replace(given, predicted=self.probabilities.predicted)
        if given.predicted is not None or given.positive is None:
            return given
        positive, said = given.labels[given.positive], self._sets
        actual, labels = given.actual == given.positive, (f"not {positive}", positive)
        return replace(given, labels=labels, positive=1, actual=actual.view(np.int8), predicted=said.view(np.int8))

    def reweighted(self, weight: Floats) -> Assessed:
        """The same answers, had the items these weights."""
        return replace(self, predictions=replace(self._answers, weight=weight))

    def alone(self, label: Label) -> Assessed:
        """The same answers and scores for one class against the rest."""
        if label not in self.units:
            raise BadSetting(f"there is no class {label!r}; there are {', '.join(map(repr, self.units))}")
        if len(self.units) == 1:
            return self
        given, said, place = self.predictions, self._answers.predicted, self.units.index(label)
        score = None if given.score is None else given.score[:, place]
        own = None if said is None else np.asarray(said[:, place] if given.many else said == place, np.bool_)
        actual = np.ascontiguousarray(self.truth[:, place])
        labels = (f"not {label}", label)
        binary = replace(given, labels=labels, positive=1, actual=actual.view(np.int8), score=score)
        return replace(self, predictions=replace(binary, predicted=None if own is None else own.view(np.int8)))

    @cached_property
    def squared(self) -> Assessed | None:
        """The same answers, had the items the squares of their weights, which tell how many equal ones they are worth.

        None where items have no weights.
        """
        weight = self.predictions.weight
        return None if weight is None else self.reweighted(weight * weight)

    def cells_of(self, matrix: Confusion) -> Cells:
        """The cells in a confusion matrix, for the positive class or for each class."""
        positive = self.predictions.positive
        if positive is None:
            return matrix.cells
        return matrix.cells.take(np.array([positive if len(matrix.labels) == len(self.labels) else 1]))

    @property
    def units(self) -> tuple[Label, ...]:
        """The classes that cells are counted for: the positive one, or all."""
        given = self.predictions
        return (given.labels[given.positive],) if given.positive is not None and given.binary else given.labels

    @property
    def size(self) -> Floats:
        """How many items each of those classes has."""
        return self.cells.positive

    # measures

    def knows(self, measure: Measure) -> bool:
        """Whether there is evidence for a measure."""
        kind = measure.family.evidence
        if kind is Thresholds:
            return bool(self.of_each_class)
        return kind is Cells or self._of_all(kind) is not None

    def per_class(self, measure: Measure) -> Floats:
        """The value of a measure of yes-or-no answers for each class, NaN where it is undefined."""
        own = computed(measure)
        if measure.family.evidence is Cells:
            return own(self.cells)
        return np.array([float(own(scores)) for scores in self.of_each_class])

    def value(self, measure: Measure) -> float:
        """The value of a measure: of the positive class, of the whole matrix, or averaged over the classes."""
        kind = measure.family.evidence
        if kind is Cells:
            return self.averaged(measure, self.cells)
        if kind is Thresholds:
            return self.averaged_scores(measure, self.of_each_class)
        return float(computed(measure)(self._of_all(kind)))

    def _of_all(self, kind: type) -> Confusion | Probabilities | LabelSets | None:
        """The evidence of this kind, in which all classes are together."""
        return self.confusion if kind is Confusion else self.probabilities if kind is Probabilities else self.sets

    def why_undefined(self, measure: Measure) -> str:
        """Why a measure has no value: for the one class there is, for all of them, or each for its own reason."""
        kind = measure.family.evidence
        if kind is Thresholds:
            return "; ".join(dict.fromkeys(measure.why_undefined(scores) for scores in self.of_each_class))
        return measure.why_undefined(self.cells if kind is Cells else self._of_all(kind))

    def averaged(self, measure: Measure, cells: Cells) -> float:
        """The value of a measure of yes-or-no answers: that of the one class there is, or averaged over classes."""
        if self.average == "micro" and len(cells) > 1:
            cells = cells.pooled
        values = computed(measure)(cells)
        return float(values[0]) if len(values) == 1 else self._over_classes(values, cells.positive)

    def averaged_scores(self, measure: Measure, each: Sequence[Thresholds]) -> float:
        """The value of a measure of scores: that of the one class there is, or averaged over classes."""
        if self.average == "micro" and len(each) > 1:
            each = [pooled(each)]
        if len(each) == 1:
            return float(computed(measure)(each[0]))
        values = np.array([float(computed(measure)(scores)) for scores in each])
        return self._over_classes(values, np.array([scores.n_positive for scores in each]))

    def _over_classes(self, values: Floats, size: Floats) -> float:
        """The mean over classes; what is undefined is left out or counts as nothing."""
        known = np.ones(len(values), np.bool_) if self.undefined == "zero" else ~np.isnan(values)
        weight = np.where(known, size if self.average == "weighted" else 1.0, 0.0)
        return float((np.nan_to_num(values) * weight).sum() / weight.sum()) if weight.any() else float("nan")


def _two_by_two(cells: Cells, given: Predictions) -> Confusion:
    """The matrix of the answers for the positive class and for the rest."""
    tp, fp, fn, tn = (cell[0] for cell in cells.each)
    counts = np.array([[tn, fp], [fn, tp]])
    if given.weight is None:
        counts = counts.astype(np.int64)
    if len(given.labels) == 2:
        return Confusion(given.labels, counts if given.positive == 1 else counts[::-1, ::-1])
    positive = given.labels[given.positive or 0]
    return Confusion((f"not {positive}", positive), counts)


def _of_sets(actual: Mask, said: Mask, weight: Floats | None) -> Cells:
    """The cells of each label."""
    each = (actual & said, ~actual & said, actual & ~said, ~actual & ~said)
    if weight is None:
        return Cells(*(cell.sum(axis=0).astype(np.float64) for cell in each))
    return Cells(*(weight @ cell for cell in each))
