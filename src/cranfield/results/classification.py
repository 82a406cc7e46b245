"""The result of classify: the evidence of classifiers and scorers, their values and intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting, UnknownMeasure
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.samples import Samples
from cranfield.evidence.thresholds import Thresholds
from cranfield.frozen import cached_property, frozen
from cranfield.inference.consistency import CalibrationTest, calibration_test
from cranfield.inference.delong import AreaTest, compare_areas
from cranfield.inference.goals import STANDARD as GOALS
from cranfield.inference.goals import parse_goal
from cranfield.inference.held_out import FOLDS, HeldOut, held_out
from cranfield.inference.rate_intervals import IntervalEstimate
from cranfield.inference.resampling import COSTLY_RESAMPLES
from cranfield.inference.threshold_choice import Choice, choose
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.measures.settings import CONFIDENCE
from cranfield.results.calibration_tests import tested
from cranfield.results.classification_cautions import cautions
from cranfield.results.evaluated import Evaluated
from cranfield.results.interval_table import Intervals
from cranfield.results.item_intervals import Method, class_interval, interval, intervals
from cranfield.results.provenance import Caution, Origin, Provenance
from cranfield.results.rankings import Result
from cranfield.results.values_by_name import Key
from cranfield.results.verb_result import Records, VerbResult
from cranfield.tables.labels import Label


@frozen(eq=False)
class Classification(VerbResult):
    """One or several classifiers or scorers; values are computed on first use.

    Attributes
    ----------
    systems, measures
        The names of the classifiers, and the measures.
    confusion, thresholds
        The confusion matrix and the scores of the only classifier; `of(system)` has those of one among several.
    result, classes
        The values of the measures as a `Result`: over all items or by group, and for each class.

    Examples
    --------
    >>> import cranfield
    >>> result = cranfield.classify(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    >>> result["Accuracy"]
    0.75
    >>> result.classes.per_query("Recall")
    {'a': 1.0, 'b': 0.5, 'c': 1.0}
    """

    kind = "classification"

    evaluated: tuple[Evaluated, ...]
    measures: tuple[Measure, ...]
    origins: tuple[Origin, ...]
    settings: Mapping[str, Any]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return tuple(evaluated.predictions.system for evaluated in self.evaluated)

    def of(self, system: str | None = None) -> Evaluated:
        """The evidence of one classifier, whose name may be omitted if it is the only one."""
        if system is None and len(self.evaluated) == 1:
            return self.evaluated[0]
        if system not in self.systems:
            raise BadSetting(f"choose a classifier: one of {', '.join(map(repr, self.systems))}")
        return self.evaluated[self.systems.index(system)]

    @property
    def confusion(self) -> Confusion | None:
        """The confusion matrix of the only classifier."""
        return self.of().confusion

    @property
    def thresholds(self) -> Thresholds | None:
        """The scores of the only classifier."""
        return self.of().thresholds

    def __getitem__(self, key: Key) -> Any:
        """The value of a measure for a classifier, or a dict as for `Result`; with groups, the mean over them."""
        undecided = [evaluated for evaluated in self.evaluated if not evaluated.decides]
        try:
            return self.result[key]
        except (BadSetting, UnknownMeasure) as error:
            raise type(error)(f"{error}; for decisions {undecided[0].undecided}" if undecided else str(error)) from None

    def _require_comparable(self) -> None:
        _refuse_chosen_thresholds(self)

    def _by_unit(self) -> Result | None:
        return self.result if self.evaluated[0].predictions.groups else None

    def _by_item(self) -> dict[str, Samples]:
        from cranfield.results.result_samples import RIGHT, samples_of_items

        right = {evaluated.predictions.system: _answered_rightly(evaluated) for evaluated in self.evaluated}
        return {RIGHT: samples_of_items(right, self.evaluated[0].predictions.weight)}

    # values

    @cached_property
    def result(self) -> Result:
        """Every measure for every classifier: for each group, or over all items."""
        groups = self.evaluated[0].predictions.groups
        whole = np.array([[evaluated.value(measure) for measure in self.measures] for evaluated in self.evaluated])
        if not groups:  # a copy: a reference cycle would keep both in memory
            return self._result(self.measures, ("all",), whole[:, :, None], whole, unit="group", bounded=replace(self))
        values = [
            [[part.value(measure) for part in parts(evaluated)] for measure in self.measures]
            for evaluated in self.evaluated
        ]
        return self._result(self.measures, groups, np.array(values), whole, unit="group")

    @cached_property
    def classes(self) -> Result:
        """Every measure of binary decisions for each class against the rest, over all items."""
        measures = [measure for measure in dict.fromkeys(map(_of_one_class, self.measures)) if measure is not None]
        values = np.array([[evaluated.per_class(measure) for measure in measures] for evaluated in self.evaluated])
        first = self.evaluated[0]
        micro = np.array([[_pooled(evaluated, measure) for measure in measures] for evaluated in self.evaluated])
        units = tuple(map(str, first.units))
        return self._result(tuple(measures), units, values, micro, unit="class", weight=first.size)

    def _result(
        self, measures: tuple[Measure, ...], units: tuple[str, ...], values: Floats, micro: Floats, **others: Any
    ) -> Result:
        return Result(
            systems=self.systems,
            measures=measures,
            units=units,
            values=values,
            counted=np.ones((len(self.systems), len(units)), np.bool_),
            micro=micro,
            provenance=Provenance(
                self.origins, self.settings, self._cautions, {str(measure): measure.options for measure in measures}
            ),
            **others,
        )

    def intervals(self, confidence: float = CONFIDENCE, seed: int = 0) -> Intervals:
        """The interval of every measure for every classifier over all items."""
        bounded = [intervals(system, self.measures, confidence=confidence, seed=seed) for system in self.evaluated]
        bounds = [[(bound.low, bound.high, bound.method) for bound in row] for row in bounded]
        return Intervals.of(self.systems, self.measures, bounds, confidence)

    def interval(
        self,
        measure: Measure | str,
        system: str | None = None,
        *,
        confidence: float = CONFIDENCE,
        method: Method = "auto",
        resamples: int = COSTLY_RESAMPLES,
        seed: int = 0,
        label: Label | None = None,
    ) -> IntervalEstimate:
        """The value of a measure with its confidence interval, over all items or for one class."""
        evaluated, settings = self.of(system), {"confidence": confidence, "resamples": resamples, "seed": seed}
        chosen = parse(measure, evaluated.kinds if label is None else "binary")
        evaluated.require_evidence(chosen)
        if label is not None:
            return class_interval(evaluated, chosen, label, method=method, **settings)
        return interval(evaluated, chosen, method=method, **settings)

    def compare_areas(self, first: str, second: str, *, confidence: float = CONFIDENCE) -> AreaTest:
        """DeLong's test of the AUCs of two scorers of the same items."""
        one, other = self.of(first).predictions, self.of(second).predictions
        if one.score is None or other.score is None or not one.binary:
            raise BadSetting("comparing AUCs needs one score per item, for a binary decision")
        actual = np.asarray(one.actual == one.positive)
        return compare_areas(actual, one.score, other.score, weight=one.weight, count=one.count, confidence=confidence)

    def calibration_test(
        self,
        measure: Measure | str = "ECE",
        system: str | None = None,
        *,
        resamples: int = COSTLY_RESAMPLES,
        seed: int = 0,
    ) -> CalibrationTest:
        """The mean of a measure of calibration error if the probabilities were calibrated, and the p-value of that.

        Outcomes are drawn from the probabilities (Bröcker and Smith 2007).
        """
        evaluated = self.of(system)
        chosen = parse(measure, evaluated.kinds)
        evaluated.require_evidence(chosen)
        return calibration_test(*tested(evaluated, chosen), resamples=resamples, seed=seed)

    @property
    def requested(self) -> bool:
        """Whether the measures were requested, rather than the default ones."""
        return bool(self.settings.get("measures_requested"))

    # as data

    @property
    def provenance(self) -> Provenance:
        """Where the predictions come from, the settings, and the warnings."""
        return self.result.provenance

    def records(self, *, goals: Sequence[str] = (), steps: bool = False, every: bool = False, **_: Any) -> Records:
        """One row per figure or, where items have groups, per group and measure; with `steps`, first the working.

        Requested measures are the only ones, unless `every` adds all others.
        """
        from cranfield.results.classification_records import figures, working

        return ({"steps": working(self)} if steps else {}) | figures(self, goals, every=every)

    def content(
        self, *, goals: Sequence[str] = (), resamples: int = 0, steps: bool = False, every: bool = False, **_: Any
    ) -> dict[str, Any]:
        """The content of the tables, nested by system."""
        from cranfield.results.classification_document import document
        from cranfield.results.classification_records import working

        content = document(self, goals=goals, resamples=resamples, every=every)
        return content | ({"steps": working(self)} if steps else {})

    def about(self, **_: Any) -> dict[str, Any]:
        """Empty: the settings and the warnings are in the provenance."""
        return {}

    def steps(self) -> list[dict[str, Any]]:
        """The working: TP, FP, FN, TN and the rates at every threshold, or of each class."""
        return self.records(steps=True)["steps"]

    def by_system(self) -> dict[str, Any]:
        """`{system: {measure: value}}`; None where undefined."""
        return self.result.by_system()

    # thresholds

    def choose(self, goal: str, system: str | None = None) -> Choice:
        """The best thresholds for a goal on these items; `cross_validated` has the value to report."""
        return choose(self._scores(system), goal)

    def _scores(self, system: str | None) -> Thresholds:
        scores = self.of(system).thresholds
        if scores is None:
            raise BadSetting("choosing a threshold needs one score per item, for a binary decision")
        return scores

    def choices(self, goals: Iterable[str] = GOALS, system: str | None = None) -> dict[str, Choice]:
        """The best thresholds for each goal."""
        return {str(choice.goal): choice for choice in (self.choose(goal, system) for goal in goals)}

    def cross_validated(self, goal: str, system: str | None = None) -> HeldOut:
        """The decisions of 10-fold cross-validation for a goal, whose `value` is the one to report.

        Each item is decided at the best threshold of the other folds, so that its own class has no influence on it.
        """
        (held,) = self.cross_validations([goal], system).values()
        return held

    def cross_validations(self, goals: Iterable[str] = GOALS, system: str | None = None) -> dict[str, HeldOut]:
        """The decisions of cross-validation for each goal, all with the same folds."""
        named = list(dict.fromkeys(map(parse_goal, goals)))
        return {str(held.goal): held for held in held_out(self._scores(system), named)}

    def threshold_set(self, evaluated: Evaluated) -> float | None:
        """The threshold in use; with `strict`, the score above which items are predicted positive."""
        cut = evaluated.threshold
        return math.nextafter(cut, -math.inf) if cut is not None and self.settings.get("strict") else cut

    def positive_scores(self, evaluated: Evaluated) -> str:
        """A description of the scores that are predicted positive; empty if no threshold is used."""
        threshold = self.threshold_set(evaluated)
        if threshold is None or evaluated.class_scores is not None:
            return ""
        if evaluated.goal is not None:
            return f"each item is decided at the best threshold for {evaluated.goal} on the other folds ({FOLDS} folds)"
        if not math.isfinite(threshold):
            return "the threshold is above every score"
        which = f"above {threshold:.6g}" if self.settings.get("strict") else f"of {threshold:.6g} and above"
        return f"scores {which} are predicted positive"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """The warnings as text."""
        return tuple(map(str, self._cautions))

    @cached_property
    def _cautions(self) -> tuple[Caution, ...]:
        return tuple(cautions(self.evaluated, self.measures, self.settings.get("threshold")))


def parts(whole: Evaluated) -> list[Evaluated]:
    """Each group, at the threshold that is used for all items."""
    predictions = whole.predictions
    return [
        replace(whole, predictions=predictions.part(group), cut=whole.threshold)
        for group in range(len(predictions.groups))
    ]


def _pooled(evaluated: Evaluated, measure: Measure) -> float:
    """The value of a measure over the pooled decisions, or scores, of all classes."""
    if measure.declaration.evidence is not Cells or evaluated.lacks_decisions(measure):
        return replace(evaluated, average="micro").value(measure)
    return float(measure.values(evaluated.cells.pooled)[0])


def _of_one_class(measure: Measure) -> Measure | None:
    """The measure of binary decisions with the same name, if there is one."""
    with suppress(UnknownMeasure, BadSetting):
        binary = parse(str(measure), "binary")
        kinds = (Cells, Thresholds) if measure.kind == "binary" else (Cells,)
        return binary if binary.declaration.evidence in kinds else None
    return None


def _answered_rightly(evaluated: Evaluated) -> Any:
    """Which items a classifier predicts correctly; in multilabel data, all labels must be correct."""
    predictions = evaluated.predictions
    evaluated.require_decisions()
    if predictions.count is not None:
        evaluated = replace(evaluated, predictions=predictions.each_item, cut=evaluated.threshold)
        predictions = evaluated.predictions
    if evaluated.sets is not None:
        return evaluated.sets.wrong == 0
    if predictions.predicted is not None:
        return predictions.actual == predictions.predicted
    if evaluated.class_scores is not None:
        return predictions.actual == evaluated.class_scores.predicted
    return (predictions.actual == predictions.positive) == (np.asarray(predictions.score) >= evaluated.threshold)


def _refuse_chosen_thresholds(data: Classification) -> None:
    """Refuse decisions at thresholds chosen on the same items.

    A threshold moves all decisions of a system at once. Tests take them as independent, and find differences between
    equally good scorers: up to two times in three, as tests/labels/test_chosen_thresholds.py simulates.
    """
    chosen = [str(one.goal) for one in data.evaluated if one.goal is not None]
    if chosen and not (data.evaluated[0].predictions.groups and all(map(_needs_no_threshold, data.measures))):
        raise BadInput(
            f"the thresholds were chosen for {chosen[0]} on these items, so the decisions are not independent, and "
            "tests would find differences between equally good scorers: compare decisions at thresholds chosen on "
            "other items (threshold=, --threshold), or scores by their AUC (classify shows DeLong's test)"
        )


def _needs_no_threshold(measure: Measure) -> bool:
    return measure.declaration.evidence is Thresholds
