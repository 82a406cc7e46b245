"""What classifiers and scorers come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from cranfield.assessment.areas import AREA, AreaTest, compare_areas
from cranfield.assessment.assessed import Assessed, Floats
from cranfield.assessment.choices import Choice, choose
from cranfield.assessment.goals import STANDARD as GOALS
from cranfield.assessment.intervals import SAMPLES, Bounded, Method, class_interval, interval
from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Thresholds
from cranfield.registry import Measure, parse
from cranfield.results.intervals import Intervals
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.values import Result
from cranfield.results.views import View
from cranfield.tables.labels import Label
from cranfield.tables.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Classification:
    """What one or several classifiers come to: evidence at once, values when they are first asked for."""

    assessed: tuple[Assessed, ...]
    measures: tuple[Measure, ...]
    origins: tuple[Origin, ...]
    settings: Mapping[str, Any]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return tuple(each.predictions.system for each in self.assessed)

    def of(self, system: str | None = None) -> Assessed:
        """All that is known of one classifier, which need not be named if it is the only one."""
        if system is None and len(self.assessed) == 1:
            return self.assessed[0]
        if system not in self.systems:
            raise BadSetting(f"say which classifier: one of {', '.join(map(repr, self.systems))}")
        return self.assessed[self.systems.index(system)]

    @property
    def confusion(self) -> Confusion | None:
        """The confusion matrix of the only classifier."""
        return self.of().confusion

    @property
    def thresholds(self) -> Thresholds | None:
        """The scores of the only classifier."""
        return self.of().thresholds

    def __getitem__(self, key: tuple[str, Measure | str] | Measure | str) -> float:
        """The value of a measure for a classifier; over groups, their mean."""
        return self.result[key]

    # values

    @cached_property
    def result(self) -> Result:
        """Every measure for every classifier: of each group, or of all items."""
        groups = self.assessed[0].predictions.groups
        whole = np.array([[each.value(measure) for measure in self.measures] for each in self.assessed])
        if not groups:
            alone = self._result("group", self.measures, ("all",), values=whole[:, :, None], micro=whole)
            return replace(alone, bounded=replace(self).intervals)  # a copy, lest the two hold each other in memory
        values = [[[part.value(measure) for part in parts(own)] for measure in self.measures] for own in self.assessed]
        return self._result("group", self.measures, groups, values=np.array(values), micro=whole)

    @cached_property
    def classes(self) -> Result:
        """Every measure of yes-or-no answers for each class against the rest, over all items."""
        kept = [measure for measure in dict.fromkeys(map(_of_one_class, self.measures)) if measure is not None]
        values = np.array([[each.per_class(measure) for measure in kept] for each in self.assessed])
        first = self.assessed[0]
        micro = np.array([[_pooled(each, measure) for measure in kept] for each in self.assessed])
        units = tuple(map(str, first.units))
        return self._result("class", tuple(kept), units, values=values, micro=micro, weight=first.size)

    def _result(
        self,
        unit: str,
        measures: tuple[Measure, ...],
        units: tuple[str, ...],
        *,
        values: Floats,
        micro: Floats,
        weight: Floats | None = None,
    ) -> Result:
        return Result(
            systems=self.systems,
            measures=measures,
            queries=units,
            values=values,
            counted=np.ones((len(self.systems), len(units)), np.bool_),
            micro=micro,
            provenance=Provenance(self.origins, self.settings, self.notes, _settings(measures)),
            weight=weight,
            unit=unit,
        )

    def intervals(self, confidence: float = 0.95, seed: int = 0) -> Intervals:
        """The interval of every measure for every classifier over all items."""
        bounded = [
            [interval(own, measure, confidence=confidence, seed=seed) for measure in self.measures]
            for own in self.assessed
        ]
        found = [[(each.low, each.high, each.method) for each in row] for row in bounded]
        return Intervals.of(self.systems, self.measures, found, confidence)

    def interval(
        self,
        measure: Measure | str,
        system: str | None = None,
        *,
        confidence: float = 0.95,
        method: Method = "auto",
        samples: int = SAMPLES,
        seed: int = 0,
        label: Label | None = None,
    ) -> Bounded:
        """The value of a measure over all items, and between which bounds it lies; of one class, if it is named."""
        own = self.of(system)
        if label is not None:
            answered = measure_of(measure, yes_or_no=True)
            return class_interval(own, answered, label, confidence=confidence, samples=samples, seed=seed)
        wanted = measure_of(measure, yes_or_no=own.predictions.binary or own.predictions.many)
        return interval(own, wanted, confidence=confidence, method=method, samples=samples, seed=seed)

    def compare_areas(self, first: str, second: str, *, confidence: float = 0.95) -> AreaTest:
        """DeLong's test of the areas under the ROC curves of two scorers of the same items."""
        own, other = self.of(first).predictions, self.of(second).predictions
        if own.score is None or other.score is None or not own.binary:
            raise BadSetting("areas are compared where there is one score an item, for a yes or no")
        actual = np.asarray(own.actual == own.positive)
        return compare_areas(actual, own.score, other.score, weight=own.weight, confidence=confidence)

    plot = View()
    _repr_html_ = View()  # for notebooks

    # thresholds

    def choose(self, goal: str, system: str | None = None) -> Choice:
        """The thresholds that serve a goal best."""
        scores = self.of(system).thresholds
        if scores is None:
            raise BadSetting("a threshold is chosen where there is one score an item, for a yes or no")
        return choose(scores, goal)

    def choices(self, goals: Iterable[str] = GOALS, system: str | None = None) -> dict[str, Choice]:
        """The thresholds that serve each goal best."""
        return {choice.goal.text: choice for choice in (self.choose(goal, system) for goal in goals)}

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the figures should know."""
        areas = any(measure.family.evidence is Thresholds for measure in self.measures)
        return tuple(note for each in self.assessed for note in _notes(each, areas))


@cache
def _settings(measures: tuple[Measure, ...]) -> Mapping[str, Mapping[str, Any]]:
    return {str(measure): measure.options for measure in measures}


def parts(whole: Assessed) -> list[Assessed]:
    """Each group, answered at the threshold that is used for all items."""
    given = whole.predictions
    return [replace(whole, predictions=given.part(group), cut=whole.threshold) for group in range(len(given.groups))]


def _pooled(assessed: Assessed, measure: Measure) -> float:
    """The value of a measure of all classes' answers, or scores, as one."""
    if measure.family.evidence is not Cells:
        return replace(assessed, average="micro").value(measure)
    return float(measure.values(assessed.cells.pooled)[0])


def _of_one_class(measure: Measure) -> Measure | None:
    """The measure of yes-or-no answers of the same name, if there is one."""
    with suppress(UnknownMeasure, BadSetting):
        own = parse(str(measure), "binary")
        kinds = (Cells, Thresholds) if measure.kind == "binary" else (Cells,)
        return own if own.family.evidence in kinds else None
    return None


def measure_of(given: Measure | str, *, yes_or_no: bool) -> Measure:
    """The measure meant: of yes-or-no answers, or of the whole matrix if there is one of that name."""
    if isinstance(given, Measure):
        return given
    if yes_or_no:
        return parse(given, "binary")
    with suppress(UnknownMeasure):
        return parse(given, "classes")
    return parse(given, "binary")


def _notes(assessed: Assessed, areas: bool) -> Iterable[str]:
    given = assessed.predictions
    groups = [given.part(group) for group in range(len(given.groups))] if areas and not given.many else []
    alone = sum(map(_one_sided, groups))
    if alone:
        yield f"{given.system}: {alone} of {len(groups)} groups have items of one class only: areas are undefined"
    if assessed.thresholds is None:
        return
    area = assessed.value(AREA)
    if area < 0.5:
        yield (
            f"{given.system}: the AUC of {area:.3g} is below a half; negated scores would have {1 - area:.3g} "
            "(see invert)"
        )


def _one_sided(given: Predictions) -> bool:
    """Whether all items that count are of one class, or on one side where a class is the positive one."""
    actual = given.actual if given.weight is None else given.actual[given.weight > 0]
    sides = actual if given.positive is None else actual == given.positive
    return len(np.unique(sides)) < 2
