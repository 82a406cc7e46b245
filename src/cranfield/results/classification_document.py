"""Everything known about classifiers and scorers, as JSON for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cranfield.evidence.confusion import Confusion
from cranfield.inference.consistency import CalibrationTest
from cranfield.inference.goals import STANDARD
from cranfield.inference.held_out import HeldOut
from cranfield.inference.threshold_choice import Choice
from cranfield.measures.registry import Measure
from cranfield.results.calibration_tests import usual_tests
from cranfield.results.classification import Classification, parts
from cranfield.results.classification_records import (
    apparent,
    area_tests,
    around,
    at_thresholds,
    averaged_measures,
    every_class,
    measures_shown,
    of_group,
)
from cranfield.results.evaluated import Evaluated
from cranfield.results.item_intervals import class_intervals, intervals

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
