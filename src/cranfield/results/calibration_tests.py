"""Measures of calibration beside their values under perfect calibration."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.consistency import CalibrationTest, usual_test
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results.evaluated import Evaluated


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
