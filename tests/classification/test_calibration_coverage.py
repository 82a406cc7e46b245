"""Coverage of the intervals of calibration slope and intercept, simulated: sizes, prevalences, calibrated or not."""

from __future__ import annotations

import numpy as np
import pytest

from classification.calibration_shapes import PREVALENCES, SIZES, TRUE_LOG_ODDS, Shape
from cranfield.evidence.thresholds import thresholds
from cranfield.measures.naming import parse
from cranfield.statistics.calibration import FEW, intercept_interval, slope_interval

INTERVALS = {"CalibrationSlope": slope_interval, "CalibrationIntercept": intercept_interval}
LEAST = 100  # samples with an interval from which a proportion says something


def coverage(shape: Shape, name: str, n_items: int, n_samples: int) -> tuple[float, int]:
    """The proportion of the intervals that contain the true value, and their number."""
    measure = parse(name, "binary")
    truth, covered = shape.true_value(measure), []
    for scores in shape.samples(n_items, n_samples):
        if not np.isnan(measure.values(scores)):
            found = INTERVALS[name](scores, 0.95)
            if not found.reason:
                covered.append(bool(found.low[0] <= truth <= found.high[0]))
    return float(np.mean(covered)) if covered else np.nan, len(covered)


@pytest.mark.simulation
@pytest.mark.parametrize("digits", [None, 2])
@pytest.mark.parametrize("miscalibration", TRUE_LOG_ODDS)
@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("n_items", SIZES)
@pytest.mark.parametrize("name", INTERVALS)
def test_coverage_is_as_promised(
    name: str, n_items: int, prevalence: float, miscalibration: str, digits: int | None
) -> None:
    held, n_intervals = coverage(Shape(miscalibration, prevalence, digits), name, n_items, 300)
    error = np.sqrt(0.05 * 0.95 / max(n_intervals, 1))
    assert n_intervals < LEAST or 0.93 - 3 * error < held < 0.97 + 3 * error


@pytest.mark.parametrize("name", INTERVALS)
def test_a_few_samples_are_covered(name: str) -> None:
    held, n_intervals = coverage(Shape("too extreme", 0.4), name, 100, 40)
    assert n_intervals == 40
    assert held >= 0.85


def test_the_intercept_of_nearly_certain_outcomes_has_no_interval() -> None:
    predicted = np.repeat([0.01, 0.99], 100)
    scores = thresholds(predicted > 0.5, predicted)
    assert intercept_interval(scores).reason == "too few items, or the recalibrated probabilities are nearly 0 or 1"


def test_a_slope_with_few_items_of_a_class_has_no_interval() -> None:
    (scores,) = (own for own in Shape("calibrated", 0.2).samples(30, 1))
    assert min(scores.n_items) < FEW
    assert slope_interval(scores).reason == "fewer than 10 items of a class"
