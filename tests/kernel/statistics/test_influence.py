"""Standard errors of measures of scores: influence functions are the derivatives of the values."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.arrays import Floats
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import parse
from cranfield.statistics.score_intervals import (
    INFLUENCES,
    Counted,
    Influences,
    change_by_errors,
    influences,
    standard_error,
)

STEP = 1e-6
MEASURES = [
    "AP",
    "AUPRG",
    "ExpectedAccuracy",
    "PartialAUC",
    "PartialAUC(fallout=0.3, standard=False)",
    "D2Brier",
]


def sides(decimals: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    return (
        np.sort(np.clip(np.round(rng.beta(3, 2, 25), decimals), 0.02, 0.98)),
        np.sort(np.clip(np.round(rng.beta(2, 3, 60), decimals), 0.02, 0.98)),
    )


@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("name", MEASURES)
def test_the_influence_of_an_item_is_the_derivative_by_its_weight(name: str, decimals: int) -> None:
    measure, (positive, negative) = parse(name, "binary"), sides(decimals)
    weights = np.ones(25), np.ones(60)
    even = Thresholds(positive, negative, *weights)
    value, counted = float(measure.values(even)), Counted.of(even)
    by_class = INFLUENCES[measure.name](counted, value, **measure.options)
    for side, scores, of_class in zip((0, 1), (positive, negative), by_class, strict=True):
        for item, score in enumerate(scores):
            heavier = [weight.copy() for weight in weights]
            heavier[side][item] += STEP
            slope = (float(measure.values(Thresholds(positive, negative, *heavier))) - value) / STEP
            # of items that tie where a part of the curve begins or ends, only some belong to it
            room = 0.03 if measure.name in ("AUPRG", "PartialAUC") and decimals == 1 else 1e-6
            assert of_class[counted.score == score][0] == pytest.approx(slope, abs=room)


def error(name: str, scores: Thresholds) -> float:
    measure, counted = parse(name, "binary"), Counted.of(scores)
    return standard_error(counted, influences(measure, counted, float(measure.values(scores))))


@pytest.mark.parametrize("name", MEASURES)
def test_counts_of_one_each_change_no_standard_error(name: str) -> None:
    positive, negative = sides(9)
    counts = {"positive_count": np.ones(25, np.int64), "negative_count": np.ones(60, np.int64)}
    plain = error(name, Thresholds(positive, negative))
    assert error(name, Thresholds(positive, negative, **counts)) == pytest.approx(plain)


def test_three_errors_change_an_accuracy_by_three_items() -> None:
    positive, negative = np.array([0.6, 0.9]), np.array([0.1, 0.2])
    counted = Counted.of(Thresholds(positive, negative))
    right = Influences(np.full(4, 1 / 4), np.full(4, -1 / 4))  # an item that is right or wrong
    assert change_by_errors(counted, right) == pytest.approx(3 * 2 / 4)
