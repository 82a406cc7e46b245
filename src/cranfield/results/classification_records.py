"""Classifiers and scorers as records: one row per figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.threshold_blocks import neighbours
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.delong import AREA, AreaTest
from cranfield.inference.goals import STANDARD
from cranfield.inference.rate_intervals import IntervalEstimate
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results.calibration_tests import usual_tests
from cranfield.results.classification import Classification, parts
from cranfield.results.evaluated import Evaluated
from cranfield.results.item_intervals import class_intervals, interval, intervals
from cranfield.results.records import number
from cranfield.results.writing import Value, decoded

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
        return {"groups": [{name: row.get(name) for name in OF_GROUPS} for row in _groups(classification)]}
    rows = _figures(classification, goals, every=every)
    return {"figures": [{name: row.get(name) for name in COLUMNS} for row in rows]}


def _groups(classification: Classification) -> Iterator[_Row]:
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
        averaged = len(evaluated.units) > 1 and _averages(evaluated, measure)
        calibrated: _Row = {} if measure not in tests else {name: getattr(tests[measure], name) for name in _CALIBRATED}
        yield _row(evaluated, measure, bounded) | ({"average": evaluated.average} if averaged else {}) | calibrated


def _averages(evaluated: Evaluated, measure: Measure) -> bool:
    """Whether the value of a measure is averaged over the classes."""
    return measure.declaration.evidence is Cells or measure in measures_of_classes(evaluated)


def _of_classes(classification: Classification, evaluated: Evaluated, *, every: bool) -> Iterator[_Row]:
    """Every measure of each class against the rest, and its other averages over the classes."""
    measures = every_class(classification, evaluated, every=every)
    bounded = [class_intervals(evaluated, measure, evaluated.units) for measure in measures]
    for label, *by_measure in zip(evaluated.units, *bounded, strict=True):
        for measure, bounds in zip(measures, by_measure, strict=True):
            yield _row(evaluated, measure, bounds) | {"class": decoded(str(label))}
    averaged = {measure for measure in classification.measures if _averages(evaluated, measure)}
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
