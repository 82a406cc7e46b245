"""The result of classify: the evidence of classifiers and scorers, their values and intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.classification.cautions import cautions
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.intervals import Method, class_interval, class_intervals, interval, intervals
from cranfield.errors import BadInput, BadSetting, UnknownMeasure
from cranfield.evidence.cells import Cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.samples import Samples
from cranfield.evidence.thresholds import Thresholds, neighbours
from cranfield.frozen import cached_property, frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results.intervals import Intervals
from cranfield.results.provenance import Caution, Origin, Provenance
from cranfield.results.values import Result
from cranfield.results.verb_result import Key, Records, VerbResult, number
from cranfield.results.writing import Value, decoded
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import AREA, AreaTest, compare_areas
from cranfield.statistics.calibration import CalibrationTest, calibration_test, usual_test
from cranfield.statistics.rates import IntervalEstimate
from cranfield.statistics.resampling import COSTLY_RESAMPLES
from cranfield.statistics.thresholds import FOLDS, STANDARD, Choice, HeldOut, choose, held_out, parse_goal
from cranfield.statistics.thresholds import STANDARD as GOALS
from cranfield.tables.labels import Label

# Measures of calibration beside their values under perfect calibration


def usual_tests(evaluated: Evaluated, measures: Iterable[Measure]) -> dict[Measure, CalibrationTest]:
    """The tests of perfect calibration by those of these measures that have one.

    They are computed once per system, so they are the same wherever they are shown.
    """
    known = evaluated.known_tests
    for measure in measures:
        if measure not in known and measure.declaration.calibration and not np.isnan(evaluated.value(measure)):
            scores = _probabilities(evaluated, measure)
            known[measure] = None if scores is None else usual_test(scores, _of_one_score(measure))
    return {measure: test for measure in measures if (test := known.get(measure)) is not None}


def tested(evaluated: Evaluated, measure: Measure) -> tuple[Thresholds, Measure]:
    """The probabilities of one outcome that a measure of calibration compares with it, and the measure for these."""
    scores = _probabilities(evaluated, measure) if measure.declaration.calibration else None
    if scores is None:
        raise BadSetting(f"{measure} has no test of perfect calibration; ECE of one or several classes has")
    return scores, _of_one_score(measure)


def _probabilities(evaluated: Evaluated, measure: Measure) -> Thresholds | None:
    """The probabilities of the positive class, or of the class predicted; None for averages over classes."""
    if measure.declaration.evidence is ClassScores:
        return None if evaluated.class_scores is None else evaluated.class_scores.top
    return evaluated.thresholds


def _of_one_score(measure: Measure) -> Measure:
    """The measure of one probability per item that a measure of several classes applies to the highest."""
    return parse(str(measure), "binary")


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
    shows_findings = True

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
        from cranfield.results.samples import RIGHT, samples_of_items

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

        return ({"steps": working(self)} if steps else {}) | figures(self, goals, every=every)

    def content(
        self, *, goals: Sequence[str] = (), resamples: int = 0, steps: bool = False, every: bool = False, **_: Any
    ) -> dict[str, Any]:
        """The content of the tables, nested by system."""

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
    equally good scorers: up to two times in three, as tests/classification/test_chosen_thresholds.py simulates.
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


# Classifiers and scorers as records: one row per figure


RATES = (
    "Recall", "MissRate", "Specificity", "Fallout", "Precision", "FDR", "NPV", "FOR", "Accuracy", "ErrorRate",
    "Prevalence", "NoInformationRate", "BalancedAccuracy", "F", "GMeasure", "Jaccard", "MCC", "Kappa", "Informedness",
    "Markedness", "LRplus", "LRminus", "DOR",
)  # fmt: skip
_OF_ALL = ("BalancedAccuracy", "Kappa", "MCC")  # requested by default, but rarely of interest for one class
OF_CLASSES = ("Precision", "Recall", "Specificity", "F", "Accuracy")
ALONE = "for single pairs, not adjusted"
AROUND = 4  # thresholds shown above and below the one in use
WORKED = ("Recall", "Fallout", "Specificity", "Precision", "NPV", "F", "Accuracy")
AT_THRESHOLD = ("Recall", "Specificity", "Precision", "Accuracy", "F", "Informedness")
COLUMNS = (
    *("system", "other", "class", "measure", "average", "goal", "threshold"),
    *("value", "low", "high", "interval", "apparent", "expected", "z", "p"),
)
_CALIBRATED = ("expected", "p")  # if the probabilities were calibrated
OF_GROUPS = ("system", "group", "measure", "value", "low", "high", "interval", "apparent")

_Row = dict[str, Value]


def figures(classification: Classification, goals: Sequence[str] = (), *, every: bool = False) -> dict[str, list[_Row]]:
    """One row per figure: over all items, for each class, average and goal, and for each test of two AUCs.

    If measures were requested, there are only theirs, unless `every` adds all others.

    Where items have groups, one row per group and measure instead, which `compare` reads.
    """
    if classification.evaluated[0].predictions.groups:
        return {"groups": [{name: row.get(name) for name in OF_GROUPS} for row in _record_groups(classification)]}
    rows = _figures(classification, goals, every=every)
    return {"figures": [{name: row.get(name) for name in COLUMNS} for row in rows]}


def _record_groups(classification: Classification) -> Iterator[_Row]:
    for evaluated in classification.evaluated:
        for name, part in zip(evaluated.predictions.groups, parts(evaluated), strict=True):
            for measure in classification.measures:
                yield _row(part, measure, of_group(part, measure)) | {"group": decoded(name)}


def _figures(classification: Classification, goals: Sequence[str], *, every: bool) -> Iterator[_Row]:
    usual = STANDARD if every or not classification.requested else ()
    for evaluated in classification.evaluated:
        yield from _of_all(classification, evaluated, every=every)
        if len(evaluated.units) > 1:
            yield from _of_classes(classification, evaluated, every=every)
        if evaluated.separates:
            yield from _of_goals(classification, evaluated, (*goals, *usual))
    tests = area_tests(classification, every=every)
    method = "delong" + f", {ALONE}" * (len(tests) > 1)
    for (one, other), test in tests.items():
        named: _Row = {"system": decoded(one), "other": decoded(other), "measure": "AUC difference"}
        bounds: _Row = {name: number(getattr(test, name)) for name in ("low", "high", "z", "p")}
        yield named | {"value": test.difference, "interval": test.reason or method} | bounds


def _of_all(classification: Classification, evaluated: Evaluated, *, every: bool) -> Iterator[_Row]:
    """Every measure over all items, averaged over the classes where it is defined for each class."""
    shown = measures_shown(classification, evaluated, every=every)
    tests = usual_tests(evaluated, shown)
    for measure, bounded in zip(shown, intervals(evaluated, shown), strict=True):
        averaged = len(evaluated.units) > 1 and _record_averages(evaluated, measure)
        calibrated: _Row = {} if measure not in tests else {name: getattr(tests[measure], name) for name in _CALIBRATED}
        yield _row(evaluated, measure, bounded) | ({"average": evaluated.average} if averaged else {}) | calibrated


def _record_averages(evaluated: Evaluated, measure: Measure) -> bool:
    """Whether the value of a measure is averaged over the classes."""
    return measure.declaration.evidence is Cells or measure in measures_of_classes(evaluated)


def _of_classes(classification: Classification, evaluated: Evaluated, *, every: bool) -> Iterator[_Row]:
    """Every measure of each class against the rest, and its other averages over the classes."""
    measures = every_class(classification, evaluated, every=every)
    bounded = [class_intervals(evaluated, measure, evaluated.units) for measure in measures]
    for label, *by_measure in zip(evaluated.units, *bounded, strict=True):
        for measure, bounds in zip(measures, by_measure, strict=True):
            yield _row(evaluated, measure, bounds) | {"class": decoded(str(label))}
    averaged = {measure for measure in classification.measures if _record_averages(evaluated, measure)}
    for average in evaluated.averages:
        for measure in averaged_measures(classification, evaluated, every=every):
            if average != evaluated.average or measure not in averaged:
                value = replace(evaluated, average=average).value(measure)
                yield _row(evaluated, measure, _unbounded(value)) | {"average": average}


def _of_goals(classification: Classification, evaluated: Evaluated, goals: Sequence[str]) -> Iterator[_Row]:
    """The best threshold for each goal, the value of its measure there, and the cross-validated one."""
    system = evaluated.predictions.system
    validated = classification.cross_validations(goals, system)
    for goal, choice in classification.choices(goals, system).items():
        value = _unbounded(validated[goal].value, validated[goal].reason and f"none: {validated[goal].reason}")
        at: _Row = {"threshold": choice.threshold} if choice.thresholds else {}
        yield _row(evaluated, choice.goal.measure, value) | {"goal": goal, "apparent": number(choice.value)} | at


def _row(evaluated: Evaluated, measure: Measure, bounded: IntervalEstimate) -> _Row:
    named: _Row = {"system": decoded(evaluated.predictions.system), "measure": str(measure)}
    bounds = {name: number(getattr(bounded, name)) for name in ("value", "low", "high")}
    return named | {"interval": bounded.method, "apparent": number(apparent(evaluated, measure))} | bounds


def apparent(evaluated: Evaluated, measure: Measure) -> float:
    """The value at the threshold that was chosen on these same items; NaN if none was, or if none is used."""
    chosen = evaluated.apparent
    if chosen is None or measure.declaration.evidence not in (Cells, Confusion):
        return float("nan")
    return chosen.value(measure)


def measures_shown(classification: Classification, evaluated: Evaluated, *, every: bool = False) -> list[Measure]:
    """The requested measures or, if none were requested or all are wanted, all rates of a binary decision and these."""
    rates = [parse(name, "binary") for name in RATES if len(evaluated.units) == 1 and evaluated.decides]
    return list(dict.fromkeys([*rates * (every or not classification.requested), *classification.measures]))


def measures_of_classes(evaluated: Evaluated) -> list[Measure]:
    """The measures that are shown for each class."""
    names = *OF_CLASSES * evaluated.decides, *("AUC",) * bool(evaluated.of_each_class)
    return [parse(name, "binary") for name in names]


def columns_of_classes(classification: Classification, evaluated: Evaluated, *, every: bool = False) -> list[Measure]:
    """The measures that are shown for each class, except those of a whole matrix."""
    measures = every_class(classification, evaluated, every=every)
    return [measure for measure in measures if measure.declaration.name not in _OF_ALL]


def every_class(classification: Classification, evaluated: Evaluated, *, every: bool = False) -> list[Measure]:
    """The measures that are written for each class: those requested or, if none were, also the usual ones."""
    usual = measures_of_classes(evaluated) * (every or not classification.requested)
    return list(dict.fromkeys([*usual, *classification.classes.measures]))


def averaged_measures(classification: Classification, evaluated: Evaluated, *, every: bool = False) -> list[Measure]:
    """The measures that are averaged over the classes in every way."""
    chosen = every_class(classification, evaluated, every=every)
    return [measure for measure in measures_of_classes(evaluated) if measure in chosen]


def of_group(part: Evaluated, measure: Measure) -> IntervalEstimate:
    """The value for a group; for a proportion that is not averaged over classes, with its interval."""
    if part.goal is not None and measure.declaration.evidence in (Cells, Confusion):
        value = part.value(measure)
        return _unbounded(value, f"undefined: {part.why_undefined(measure)}" if np.isnan(value) else "")
    if measure.declaration.parts is not None and (len(part.units) == 1 or measure.declaration.evidence is not Cells):
        return interval(part, measure)
    value = part.value(measure)
    return _unbounded(value, f"undefined: {part.why_undefined(measure)}" if np.isnan(value) else "")


def _unbounded(value: float, method: str = "") -> IntervalEstimate:
    return IntervalEstimate(value, np.nan, np.nan, np.nan, method)


def area_tests(classification: Classification, *, every: bool = False) -> dict[tuple[str, str], AreaTest]:
    """DeLong's test of every pair of scorers, unless only other measures were requested."""
    if classification.requested and not every and AREA not in classification.measures:
        return {}
    scored = [evaluated.predictions.system for evaluated in classification.evaluated if evaluated.separates]
    return {pair: classification.compare_areas(*pair) for pair in combinations(scored, 2)}


def at_thresholds(scores: Thresholds, shown: Sequence[float]) -> tuple[Cells, list[Measure], Floats]:
    """The cells at these thresholds, and the measures shown for them with their values."""
    at, measures = scores.at(np.array(shown)), [parse(name, "binary") for name in AT_THRESHOLD]
    return at, measures, np.array([measure.values(at) for measure in measures])


def working(classification: Classification) -> list[_Row]:
    """TP, FP, FN, TN and the rates: at every distinct score as the threshold, or of each class for labels."""
    strict = bool(classification.settings.get("strict"))
    return [row for evaluated in classification.evaluated for row in _worked(evaluated, strict)]


def _worked(evaluated: Evaluated, strict: bool) -> Iterator[_Row]:
    scores = evaluated.thresholds
    names = list(map(str, evaluated.units))
    threshold: list[float | None] = [None] * len(names)
    if scores is None:
        cells = evaluated.cells
    else:
        threshold = scores.every.score.tolist()
        included = np.nextafter(scores.every.score, np.inf) if strict else scores.every.score
        names, cells = names[:1] * len(threshold), scores.at(included)
    values = {name: parse(name, "binary").values(cells) for name in WORKED}
    for place, (name, cut) in enumerate(zip(names, threshold, strict=True)):
        counts = {
            cell: number(counts_of_cell[place])
            for cell, counts_of_cell in zip(("TP", "FP", "FN", "TN"), cells.counts, strict=True)
        }
        row: _Row = {"system": decoded(evaluated.predictions.system), "class": decoded(name), "threshold": cut}
        yield row | counts | {measure: number(by_class[place]) for measure, by_class in values.items()}


def around(scores: Thresholds, threshold: float, n: int = AROUND) -> tuple[list[float], int]:
    """The threshold in use among the neighbouring distinct scores, highest first, and its index."""
    above, rest = neighbours(scores, threshold, n)
    below = rest[1:] if rest and rest[0] == threshold else rest
    return [*above, threshold, *below[:n]], len(above)


# Everything known about classifiers and scorers, as JSON for other programs


WHOLE = 100  # up to this many classes, the full matrix is written


def document(
    classification: Classification,
    *,
    goals: Sequence[str] = (),
    resamples: int = 0,
    every: bool = False,
) -> dict[str, Any]:
    """The content of the tables: matrix, measures with intervals, classes, groups, thresholds, goals, tests.

    If measures were requested, there are only these, unless `every` adds all others.

    With `resamples`, thresholds are also chosen on that many bootstrap resamples, to show how stable they are.
    """
    return {
        "systems": {
            evaluated.predictions.system: _system(classification, evaluated, goals, resamples, every=every)
            for evaluated in classification.evaluated
        },
        "areas": _areas(classification, every=every),
    }


def _system(
    classification: Classification, evaluated: Evaluated, goals: Sequence[str], resamples: int, *, every: bool
) -> dict[str, Any]:
    name, matrix = evaluated.predictions.system, evaluated.confusion
    shown = measures_shown(classification, evaluated, every=every)
    tests = usual_tests(evaluated, shown)
    content: dict[str, Any] = {
        "items": len(evaluated.predictions),
        "labels": list(evaluated.labels),
        "positive": None if not evaluated.predictions.binary else evaluated.units[0],
        "threshold": classification.threshold_set(evaluated) if evaluated.class_scores is None else None,
        "confusion": None if matrix is None else _matrix(matrix),
        "accuracy_test": None if evaluated.accuracy_test is None else evaluated.accuracy_test._asdict(),
        "goal": None if evaluated.goal is None else str(evaluated.goal),
        "measures": [
            {"measure": str(measure)}
            | interval._asdict()
            | _if_calibrated(tests.get(measure))
            | _apparent(evaluated, measure)
            for measure, interval in zip(shown, intervals(evaluated, shown), strict=True)
        ],
    }
    if len(evaluated.units) > 1:
        content["classes"] = _classes(evaluated, every_class(classification, evaluated, every=every))
        content["averages"] = _averages(evaluated, averaged_measures(classification, evaluated, every=every))
    if evaluated.predictions.groups:
        content["groups"] = _groups(classification, evaluated)
    if evaluated.separates:
        chosen = classification.choices((*goals, *STANDARD), name)
        validated = classification.cross_validations([*chosen], name)
        content["goals"] = {goal: _choice(choice, validated[goal], resamples) for goal, choice in chosen.items()}
        content["around"] = _around(evaluated)
    return content


def _if_calibrated(test: CalibrationTest | None) -> dict[str, Any]:
    """What a measure of calibration would be if the probabilities were calibrated."""
    return {} if test is None else {"expected": test.expected, "p": test.p, "resamples": test.resamples}


def _classes(evaluated: Evaluated, measures: Sequence[Measure]) -> dict[str, Any]:
    """Every measure for each class against the rest, with its interval and the number of items."""
    by_measure = {str(measure): class_intervals(evaluated, measure, evaluated.units) for measure in measures}
    return {
        str(label): {"items": size} | {measure: bounds[place]._asdict() for measure, bounds in by_measure.items()}
        for place, (label, size) in enumerate(zip(evaluated.units, evaluated.size.tolist(), strict=True))
    }


def _averages(evaluated: Evaluated, measures: Sequence[Measure]) -> dict[str, dict[str, float]]:
    return {
        average: {str(measure): replace(evaluated, average=average).value(measure) for measure in measures}
        for average in evaluated.averages
    }


def _groups(classification: Classification, evaluated: Evaluated) -> dict[str, dict[str, Any]]:
    """Every measure for each group, with its interval where there is one."""
    return {
        name: {
            str(measure): of_group(part, measure)._asdict() | _apparent(part, measure)
            for measure in classification.measures
        }
        for name, part in zip(evaluated.predictions.groups, parts(evaluated), strict=True)
    }


def _around(evaluated: Evaluated) -> list[dict[str, float]]:
    """The figures at the threshold in use and at those around it."""
    if evaluated.thresholds is None or evaluated.threshold is None:
        return []
    shown, _ = around(evaluated.thresholds, evaluated.threshold)
    at, measures, values = at_thresholds(evaluated.thresholds, shown)
    return [
        {"threshold": threshold}
        | {name: cell[place] for name, cell in zip(("tp", "fp", "fn", "tn"), at.counts, strict=True)}
        | {str(measure): values[m, place] for m, measure in enumerate(measures)}
        for place, threshold in enumerate(shown)
    ]


def _areas(classification: Classification, *, every: bool) -> list[dict[str, Any]]:
    """DeLong's test of every pair of scorers."""
    return [
        {"system": one, "other": other} | test._asdict() | {"correction": "none"}
        for (one, other), test in area_tests(classification, every=every).items()
    ]


def _matrix(matrix: Confusion) -> dict[str, Any]:
    """The pairs of classes that occur with their counts, and the whole matrix if classes are few."""
    labels = list(matrix.labels)
    pairs = zip(matrix.row.tolist(), matrix.column.tolist(), matrix.count.tolist(), strict=True)
    return {
        "labels": labels,
        "counts": matrix.counts.tolist() if len(labels) <= WHOLE else None,
        "pairs": [{"actual": labels[i], "predicted": labels[j], "count": n} for i, j, n in pairs],
    }


def _apparent(evaluated: Evaluated, measure: Measure) -> dict[str, float]:
    """The value at the threshold that was chosen on these same items, if one was."""
    return {} if evaluated.goal is None else {"apparent": apparent(evaluated, measure)}


def _choice(choice: Choice, validated: HeldOut, resamples: int) -> dict[str, Any]:
    if not choice.thresholds:
        return {"thresholds": [], "cross_validated": None, "apparent": None}
    content = {
        "thresholds": list(choice.thresholds),
        "cross_validated": None if validated.reason else validated.value,
        **({"not_validated": validated.reason} if validated.reason else {}),
        "apparent": choice.value,
        "cells": [
            dict(zip(("tp", "fp", "fn", "tn"), (cell[place] for cell in choice.cells.counts), strict=True))
            for place in range(len(choice.thresholds))
        ],
        "flat": choice.flat._asdict(),
    }
    return content | ({"intervals": choice.intervals(resamples=resamples)._asdict()} if resamples else {})
