"""One evaluated system: each kind of evidence, counted once on first use, and the measures computed from it.

Decided here: how classes are averaged (macro, micro, weighted).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells, four_cells, label_cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion, counted
from cranfield.evidence.items import LabelRankings, LabelSets
from cranfield.evidence.thresholds import Thresholds, pooled, thresholds
from cranfield.frozen import cached_property, frozen
from cranfield.measures.declaration import Kind
from cranfield.measures.registry import Measure
from cranfield.results.values import Undefined
from cranfield.statistics.areas import AreaMethod
from cranfield.statistics.calibration import CalibrationTest
from cranfield.statistics.item_resampling import GROUPS, rows_without_group, sorted_by_score
from cranfield.statistics.rates import AccuracyTest, IntervalEstimate, accuracy_test
from cranfield.statistics.thresholds import Choice, Goal, choose, held_out
from cranfield.tables.labels import Codes, Label
from cranfield.tables.predictions import Predictions

# Values of classes: one class against the rest, and means over classes


def two_by_two(cells: Cells, predictions: Predictions) -> Confusion:
    """The confusion matrix of the positive class and the rest."""
    tp, fp, fn, tn = (cell[0] for cell in cells.counts)
    counts = np.array([[tn, fp], [fn, tp]])
    if predictions.weight is None:
        counts = counts.astype(np.int64)
    if len(predictions.labels) == 2:
        return Confusion.of(predictions.labels, counts if predictions.positive == 1 else counts[::-1, ::-1])
    positive = predictions.labels[predictions.positive or 0]
    return Confusion.of((f"not {positive}", positive), counts)


def against_rest(predictions: Predictions, label: Label, actual: Mask, predicted: Mask | None) -> Predictions:
    """The predictions as a binary decision between a label and the rest."""
    codes = None if predicted is None else predicted.view(np.int8)
    labels = (f"not {label}", label)
    return replace(predictions, labels=labels, positive=1, actual=actual.view(np.int8), predicted=codes)


def with_decisions(predictions: Predictions, actual: Mask, predicted: Mask) -> Predictions:
    """The predictions with decisions about the positive class; several other classes become the rest."""
    positive = predictions.positive or 0
    if len(predictions.labels) != 2:
        return against_rest(predictions, predictions.labels[positive], actual, predicted)
    return replace(predictions, predicted=np.where(predicted, positive, 1 - positive).astype(np.int8))


def weighted_mean(values: Floats, weight: Floats | None) -> float:
    """The mean of the defined values; NaN if none has a weight."""
    weights = np.where(np.isnan(values), 0.0, 1.0 if weight is None else weight)
    return float((np.nan_to_num(values) * weights).sum() / weights.sum()) if weights.any() else float("nan")


Average = Literal["macro", "micro", "weighted", "samples"]

HALF = 0.5
NO_THRESHOLD = "pass threshold= (--threshold): scores at or above it are predicted positive"
_NOR_GOAL = "pass threshold= (--threshold), or goal= (--goal) to choose one on these items"


@frozen(eq=False)
class Evaluated:
    """A system's predictions and the evidence in them, at the threshold `cut` if there is one.

    With a goal, the threshold is the best one for it on these items, and the predicted labels are those of
    cross-validation: each item is decided at the best threshold of the other folds.
    """

    predictions: Predictions
    goal: Goal | None = None
    cut: float | None = None
    average: Average = "macro"
    undefined: Undefined = "skip"
    auc_interval: AreaMethod = "auto"
    not_validated: str = ""  # why the threshold for a goal was not cross-validated, so that nothing is decided

    @property
    def separates(self) -> bool:
        """Whether there is one score per item, and items of both classes: then a threshold can be chosen."""
        return self.thresholds is not None and not self.thresholds.one_class

    @property
    def averages(self) -> tuple[Average, ...]:
        """The averages that apply: over classes, and over the items of multilabel data."""
        over_classes: tuple[Average, ...] = ("macro", "micro", "weighted")
        return (*over_classes, "samples") if self.predictions.multilabel else over_classes

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in order."""
        return self.predictions.labels

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of measures that apply; with several classes, those of the whole matrix first."""
        if self.predictions.multilabel:
            return ("binary",)
        return ("binary", "classes") if self.predictions.binary else ("classes", "binary")

    @cached_property
    def accuracy_test(self) -> AccuracyTest | None:
        """Whether the accuracy is higher than the no-information rate; None for weighted and multilabel items.

        Decisions of cross-validation share their thresholds, which the test does not know."""
        confusion = self.confusion
        if confusion is None or self.predictions.weight is not None or self.predictions.multilabel or self.goal:
            return None
        return accuracy_test(int(confusion.right.sum()), int(confusion.actual.max()), int(confusion.total))

    # evidence

    @cached_property
    def thresholds(self) -> Thresholds | None:
        """The scores of positives and negatives, for a binary decision."""
        predictions = self.predictions
        if predictions.score is None or not predictions.binary:
            return None
        truth = np.asarray(predictions.actual == predictions.positive)
        return thresholds(truth, predictions.score, predictions.weight, predictions.count)

    @cached_property
    def class_scores(self) -> ClassScores | None:
        """The scores or probabilities of several classes."""
        predictions = self.predictions
        if predictions.score is None or predictions.binary or predictions.multilabel:
            return None
        return ClassScores(predictions.labels, predictions.actual, predictions.score, predictions.weight)

    @cached_property
    def of_each_class(self) -> tuple[Thresholds, ...]:
        """The scores of each class against the rest."""
        predictions = self.predictions
        if self.thresholds is not None:
            return (self.thresholds,)
        if predictions.score is None:
            return ()
        places = range(len(predictions.labels))
        return tuple(thresholds(self.truth(place), predictions.score[:, place], predictions.weight) for place in places)

    def truth(self, place: int) -> Mask:
        """Which items belong to a class, if no class is positive."""
        return self._of_class(self.predictions.actual, place)

    def _of_class(self, codes: Codes, place: int) -> Mask:
        """Which items have the label at a place, in a column of actual or predicted labels."""
        return np.ascontiguousarray(codes[:, place] if self.predictions.multilabel else codes == place, np.bool_)

    @cached_property
    def choice(self) -> Choice | None:
        """The best thresholds for the goal, if there is one."""
        return None if self.thresholds is None or self.goal is None else choose(self.thresholds, self.goal)

    @property
    def threshold(self) -> float | None:
        """The threshold in use: as set, or the best for the goal; None for predicted labels and scores of classes."""
        predictions = self.predictions
        labelled = predictions.predicted is not None and self.goal is None
        return None if predictions.score is None or labelled else self.cut

    @property
    def decides(self) -> bool:
        """Whether labels are predicted; scores without a threshold only rank the items, or the labels of an item."""
        sources = self.predictions.predicted, self.class_scores, self.cut
        return any(source is not None for source in sources)

    @property
    def apparent(self) -> Evaluated | None:
        """The decisions at the threshold that was chosen on these same items; None if none was."""
        if self.goal is None:
            return None
        return replace(self, predictions=replace(self.predictions, predicted=None), goal=None)

    @property
    def undecided(self) -> str:
        """What to pass where scores have no threshold."""
        return self.not_validated or (_NOR_GOAL if self.predictions.binary else NO_THRESHOLD)

    def require_decisions(self) -> None:
        """Refuse scores without a threshold."""
        if not self.decides:
            raise BadSetting(self.undecided)

    def chosen_for(self, goal: Goal) -> Evaluated:
        """The same at the best threshold for a goal, with the decisions of cross-validation.

        Without a score per item, nothing is chosen; without cross-validation, nothing is decided.
        """
        score = self.predictions.score
        if score is None or self.thresholds is None or self.predictions.predicted is not None:
            return self
        (held,), threshold = held_out(self.thresholds, [goal]), choose(self.thresholds, goal).threshold
        if held.reason:
            return replace(self, not_validated=f"{held.reason}; pass a threshold chosen on other items")
        predictions = self.predictions.each_item
        if predictions is not self.predictions:
            return replace(self, predictions=predictions).chosen_for(goal)
        truth = np.asarray(predictions.actual == predictions.positive)
        rows = sorted_by_score(truth, score, predictions.weight)
        predicted = np.zeros(len(truth), np.bool_)
        for row, accepted in zip((rows.positive, rows.negative), held.accepted, strict=True):
            predicted[row] = accepted
        return replace(self, predictions=with_decisions(predictions, truth, predicted), goal=goal, cut=threshold)

    @cached_property
    def confusion(self) -> Confusion | None:
        """The confusion matrix; None for multilabel data."""
        predictions = self.predictions
        if predictions.multilabel or not self.decides:
            return None
        if self._answered_by_score:
            return two_by_two(self.cells, predictions)
        predicted = predictions.predicted
        if predicted is None and self.class_scores:
            predicted = self.class_scores.predicted
        if predicted is None:
            return None
        count = predictions.count
        times = predictions.weight if count is None else count.astype(np.int64, copy=False)
        return counted(predictions.actual, predicted, predictions.labels, times)

    @property
    def _answered_by_score(self) -> bool:
        return self.thresholds is not None and self.predictions.predicted is None

    @cached_property
    def cells(self) -> Cells:
        """Correct and wrong decisions, for the positive class or for each class."""
        self.require_decisions()
        predictions = self.predictions
        if self.thresholds is not None and self._answered_by_score:
            return self.thresholds.at(np.asarray(self.threshold, np.float64))
        if predictions.multilabel:
            return label_cells(predictions.actual.astype(np.bool_), self.predicted_sets, predictions.weight)
        return self.cells_of(self.confusion)  # type: ignore[arg-type]

    @property
    def predicted_sets(self) -> Mask:
        """Which labels were predicted for each item."""
        predictions = self.predictions
        if predictions.predicted is not None:
            return predictions.predicted.astype(np.bool_)
        self.require_decisions()
        return np.asarray(predictions.score >= self.threshold, np.bool_)  # type: ignore[operator]

    @property
    def sets(self) -> LabelSets | None:
        """The number of wrong labels of each item, in multilabel data."""
        predictions = self.predictions
        if not predictions.multilabel:
            return None
        return LabelSets((predictions.actual.astype(np.bool_) != self.predicted_sets).sum(axis=1), predictions.weight)

    @cached_property
    def label_rankings(self) -> LabelRankings | None:
        """How scores rank the labels of each item, in multilabel data."""
        predictions = self.predictions
        if not predictions.multilabel or predictions.score is None:
            return None
        return LabelRankings(predictions.actual.astype(np.bool_), predictions.score, predictions.weight)

    @cached_property
    def _answers(self) -> Predictions:
        """The predictions with predicted labels in place of scores."""
        predictions = replace(self.predictions, score=None)
        if predictions.multilabel:
            return replace(predictions, predicted=self.predicted_sets.view(np.int8))
        if self.class_scores is not None and predictions.predicted is None:
            return replace(predictions, predicted=self.class_scores.predicted)
        if predictions.predicted is not None or predictions.positive is None:
            return predictions
        return with_decisions(predictions, predictions.actual == predictions.positive, self.predicted_sets)

    def reweighted(self, weight: Floats) -> Evaluated:
        """The same decisions on items with these weights."""
        return replace(self, predictions=replace(self._answers, weight=weight))

    def alone(self, label: Label) -> Evaluated:
        """The same decisions and scores for one class against the rest."""
        if label not in self.units:
            raise BadSetting(f"there is no class {label!r}; the classes are {', '.join(map(repr, self.units))}")
        predictions, place = self.predictions, self.labels.index(label)
        if len(self.units) == 1 and len(self.labels) == 2:
            return self
        codes, score = predictions.predicted, predictions.score
        if score is None or score.ndim == 2:
            codes, score = self._answers.predicted, None if score is None else score[:, place]
        predicted = None if codes is None else self._of_class(codes, place)
        one = against_rest(replace(predictions, score=score), label, self.truth(place), predicted)
        return replace(self, predictions=one)

    @cached_property
    def squared(self) -> Evaluated | None:
        """The same decisions with squared weights, whose sums are variances of sums; None without weights."""
        weight = self.predictions.weight
        return None if weight is None else self.reweighted(weight * weight)

    @cached_property
    def unweighted(self) -> Evaluated | None:
        """The same without weights if all items that count have the same; None if weights differ."""
        predictions, weight = self.predictions, self.predictions.weight
        if weight is None:
            return self
        counting = np.flatnonzero(weight)
        if np.ptp(weight[counting]) > 0:
            return None
        return replace(self, predictions=replace(predictions.take(counting, None, ()), weight=None), cut=self.threshold)

    def cells_of(self, matrix: Confusion) -> Cells:
        """The cells in a confusion matrix, for the positive class or for each class."""
        positive = self.predictions.positive
        if positive is None:
            return matrix.cells
        return matrix.cells.take(np.array([positive if len(matrix.labels) == len(self.labels) else 1]))

    @cached_property
    def known_intervals(self) -> dict[tuple[Any, ...], IntervalEstimate]:
        """The intervals computed so far, by measure and settings."""
        return {}

    @cached_property
    def known_tests(self) -> dict[Measure, CalibrationTest | None]:
        """The tests of perfect calibration computed so far, by measure."""
        return {}

    @cached_property
    def without_groups(self) -> tuple[Evaluated, ...]:
        """The same decisions and scores without each of several groups of items, at the threshold used for all."""
        predictions, n_items = self.predictions, len(self.predictions)
        rows = rows_without_group(n_items, min(n_items, GROUPS))
        return tuple(replace(self, predictions=predictions.take(some, None, ()), cut=self.threshold) for some in rows)

    @property
    def units(self) -> tuple[Label, ...]:
        """The classes that cells are counted for: the positive one, or all."""
        labels, positive = self.predictions.labels, self.predictions.positive
        return (labels[positive],) if positive is not None and self.predictions.binary else labels

    @property
    def size(self) -> Floats:
        """The number of items of each of those classes."""
        if not self.decides:
            return np.array([scores.n_positive for scores in self.of_each_class], np.float64)
        return self.cells.positive

    # measures

    def require_evidence(self, measure: Measure) -> None:
        """Refuse a measure for which there is no evidence, or that needs probabilities where there are scores."""
        kind, predictions = measure.declaration.evidence, self.predictions
        if kind is LabelSets and not predictions.multilabel:
            raise BadSetting(f"{measure} needs multilabel data; for single-label data use Accuracy")
        if kind is LabelRankings and not predictions.multilabel:
            raise BadSetting(f"{measure} needs multilabel data; for single-label data use TopKAccuracy or AP")
        if kind is ClassScores and predictions.binary:
            raise BadSetting(f"{measure} needs more than two classes")
        scored = bool(self.of_each_class) if kind is Thresholds else kind is Cells or self.of_all(kind) is not None
        if not scored:
            raise BadSetting(f"{measure} needs scores or probabilities; {predictions.system} has labels only")
        if measure.declaration.needs_probability and not predictions.is_probability:
            raise BadSetting(f"{measure} needs probabilities; pass them as probability=")
        if self.lacks_decisions(measure):
            raise BadSetting(f"{measure} needs decisions: {self.undecided}")

    def lacks_decisions(self, measure: Measure) -> bool:
        """Whether a measure needs decisions, and there are only scores without a threshold."""
        return measure.declaration.evidence in (Cells, Confusion, LabelSets) and not self.decides

    def per_class(self, measure: Measure) -> Floats:
        """The value of a measure of binary decisions for each class, NaN where undefined."""
        if self.lacks_decisions(measure):
            return np.full(len(self.units), np.nan)
        if measure.declaration.evidence is Cells:
            return measure.values(self.cells)
        return _of_each(measure, self.of_each_class)

    def value(self, measure: Measure) -> float:
        """The value of a measure: for the positive class, of the whole matrix, or averaged over the classes."""
        kind = measure.declaration.evidence
        if self.lacks_decisions(measure):
            return float("nan")
        if self.over_items(measure):
            return self.mean(self.item_values(measure), self.predictions.weight)
        if kind is Cells:
            return self.averaged(measure, self.cells)
        if kind is Thresholds:
            return self.averaged_scores(measure, self.of_each_class)
        return float(measure.values(self.of_all(kind)))

    def over_items(self, measure: Measure) -> bool:
        """Whether a measure is computed for each multilabel item and averaged over the items."""
        averaged = self.average == "samples" and self.predictions.multilabel
        return averaged and measure.declaration.evidence in (Cells, Thresholds)

    def item_values(self, measure: Measure) -> Floats:
        """The value of a measure of binary decisions over the labels of each item, in multilabel data."""
        actual = self.predictions.actual.astype(np.bool_)
        if measure.declaration.evidence is Cells:
            counts = four_cells(actual, self.predicted_sets)
            return measure.values(Cells(*(cell.sum(axis=1).astype(np.float64) for cell in counts)))
        items = zip(actual, self.predictions.score, strict=True)  # type: ignore[arg-type]
        return _of_each(measure, [thresholds(*item) for item in items])

    def of_all(self, kind: type) -> Confusion | ClassScores | LabelRankings | LabelSets | None:
        """The evidence of this kind over all classes."""
        if kind is LabelRankings:
            return self.label_rankings
        return self.confusion if kind is Confusion else self.class_scores if kind is ClassScores else self.sets

    def why_undefined(self, measure: Measure) -> str:
        """Why a measure is undefined; for several classes with scores, all reasons."""
        kind = measure.declaration.evidence
        if self.lacks_decisions(measure):
            return self.undecided
        if kind is Thresholds:
            return "; ".join(dict.fromkeys(measure.why_undefined(scores) for scores in self.of_each_class))
        return measure.why_undefined(self.cells if kind is Cells else self.of_all(kind))

    def averaged(self, measure: Measure, cells: Cells) -> float:
        """The value of a measure of binary decisions, averaged if there are several classes."""
        if self.average == "micro" and len(cells) > 1:
            cells = cells.pooled
        values = measure.values(cells)
        return float(values[0]) if len(values) == 1 else self.over_classes(values, cells.positive)

    def averaged_scores(self, measure: Measure, by_class: Sequence[Thresholds]) -> float:
        """The value of a measure of scores, averaged if there are several classes."""
        if self.average == "micro" and len(by_class) > 1:
            by_class = [pooled(by_class)]
        values = _of_each(measure, by_class)
        if len(values) == 1:
            return float(values[0])
        return self.over_classes(values, np.array([scores.n_positive for scores in by_class]))

    def over_classes(self, values: Floats, size: Floats) -> float:
        """The mean over classes."""
        return self.mean(values, size if self.average == "weighted" else None)

    def mean(self, values: Floats, weight: Floats | None) -> float:
        """The mean of the values of classes or items; undefined ones are left out or count as 0."""
        return weighted_mean(np.nan_to_num(values) if self.undefined == "zero" else values, weight)


def _of_each(measure: Measure, by_unit: Sequence[Thresholds]) -> Floats:
    """The value of a measure of scores for each class or item."""
    return np.array([float(measure.values(scores)) for scores in by_unit])
