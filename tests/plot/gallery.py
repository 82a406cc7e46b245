"""One plot of every kind, on data small enough to check by eye."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np

import cranfield
from cranfield import plot
from cranfield.agreement.result import agreement
from cranfield.evidence.cells import cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.ratings import ratings
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.measures.naming import parse
from cranfield.present.plots.plot import Plot
from cranfield.results.values import Result
from cranfield.tables.ratings import rated

QRELS = {
    "q1": {"a": 2, "b": 1, "c": 0, "d": 1},
    "q2": {"a": 1, "b": 0, "e": 3},
    "q3": {"c": 1, "d": 0, "e": 0, "f": 2},
    "q4": {"a": 0, "b": 1, "f": 1},
}
RUNS = {
    "good": {
        "q1": {"a": 9.0, "b": 8.0, "x": 7.0, "c": 6.0},
        "q2": {"e": 9.0, "a": 8.0, "b": 7.0},
        "q3": {"f": 9.0, "x": 8.0, "c": 7.0},
        "q4": {"b": 9.0, "a": 8.0},
    },
    "fair": {
        "q1": {"c": 9.0, "a": 8.0, "d": 7.0, "x": 6.0},
        "q2": {"b": 9.0, "e": 8.0, "x": 7.0},
        "q3": {"d": 9.0, "f": 8.0, "c": 7.0},
        "q4": {"b": 9.0, "a": 8.0, "f": 7.0},
    },
    "poor": {
        "q1": {"x": 9.0, "c": 8.0, "d": 7.0},
        "q2": {"b": 9.0, "x": 8.0, "a": 7.0},
        "q3": {"d": 9.0, "e": 8.0, "x": 7.0, "f": 6.0},
        "q4": {"a": 9.0, "x": 8.0, "b": 7.0},
    },
}
ACTUAL = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0], np.bool_)  # with scores as below
SCORES = np.array([90, 80, 70, 60, 55, 54, 53, 52, 51, 50, 40, 39, 38, 37, 36, 35, 34, 33, 30, 10]) / 100
POINTS = {"A": cells(95, 30, 5, 70), "B": cells(40, 80, 60, 20), "C": cells(90, 70, 10, 30), "D": cells(55, 5, 45, 95)}
CONFUSED = Confusion.of(("man", "woman", "child"), np.array([[55, 1, 6], [2, 13, 5], [3, 9, 6]]))


@cache
def result() -> Result:
    """Three systems on four queries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cranfield.evaluate(QRELS, RUNS, ["nDCG@10", "AP"])


def scores() -> Thresholds:
    """Twenty items, half of them positive."""
    return thresholds(ACTUAL, SCORES)


def scorers() -> dict[str, Thresholds]:
    """The same items scored by two, the second with ties."""
    return {"first": scores(), "second": thresholds(ACTUAL, np.round(SCORES[::-1] / 2 + ACTUAL / 3, 1))}


def folds() -> dict[str, list[Thresholds]]:
    """The same items in two folds."""
    halves = (slice(None, None, 2), slice(1, None, 2))
    return {"first": [thresholds(ACTUAL[half], SCORES[half]) for half in halves]}


def judges() -> cranfield.agreement.result.Agreement:
    """Three raters of six items."""
    said = [1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1]
    items = ["d1", "d2", "d3", "d4", "d5", "d6"] * 3
    raters = [name for name in ("Ann", "Bob", "Cleo") for _ in range(6)]
    known = ratings(rated([float(value) for value in said], items, raters))
    return agreement(known, [parse("Kappa", "ratings")], resamples=0)


def prices() -> cranfield.Regression:
    """Ten values predicted by two."""
    actual = [10, 12, 15, 18, 20, 25, 30, 40, 50, 80]
    return cranfield.regress(actual, {"guess": [11, 10, 15, 21, 18, 30, 27, 44, 41, 95], "ten": [10] * 10})


def forecasts() -> cranfield.Regression:
    """Ten values with an interval, and with a mean and a standard deviation."""
    actual = [10, 12, 15, 18, 20, 25, 30, 40, 50, 80]
    guess = [11, 10, 15, 21, 18, 30, 27, 44, 41, 95]
    bounds = [value - 4 for value in guess], [value + 4 for value in guess]
    return cranfield.regress(
        actual, {"spread": guess}, deviation={"spread": [6] * 10}, intervals={"bounds": {0.9: bounds}}
    )


@cache
def gallery() -> dict[str, Plot]:
    """The plots by what they show."""
    return {
        "precision-recall-recalls": plot.precision_recall(QRELS, RUNS),
        "precision-recall-cutoffs": plot.precision_recall(QRELS, RUNS, form="cutoffs", points=[1, 2, 3, 5]),
        "precision-recall-ranks": plot.precision_recall(QRELS, RUNS, form="ranks", query="q1"),
        "precision-recall-interpolated": plot.precision_recall(result(), form="interpolated", query="q1", beta=2),
        "precision-recall-scores": plot.precision_recall(scorers()),
        "precision-recall-marks": plot.precision_recall(
            QRELS, RUNS, form="ranks", query="q1", shade=True, ideal=True, break_even=True
        ),
        "precision-recall-queries": plot.precision_recall(QRELS, {"fair": RUNS["fair"]}, each_query=True),
        "buildup": plot.buildup(QRELS, RUNS, k=4),
        "buildup-query": plot.buildup(result(), measure="nDCG", query="q2", k=4),
        "venn": plot.venn(QRELS, RUNS, k=2, collection=20),
        "coverage": plot.coverage(QRELS, RUNS, k=3),
        "strips": plot.strips(QRELS, RUNS, k=4),
        "strips-query": plot.strips(QRELS, RUNS, query="q1", k=4),
        "systems": plot.systems(result()),
        "differences": plot.differences(result(), "AP", baseline="fair"),
        "cost-quality": plot.cost_quality(replace(result(), info={"USD": {"good": 90, "fair": 0.5, "poor": 7}}), "AP"),
        "tiers": plot.tiers(result()),
        "tiers-ranks": plot.tiers(result(), test="nemenyi"),
        "difficulty": plot.difficulty(result()),
        "fit": plot.fit(result()),
        "power": plot.power(result(), baseline="fair", system="good"),
        "roc": plot.roc(scorers(), threshold=0.54),
        "roc-points": plot.roc(POINTS, regions=10),
        "averaged-roc": plot.averaged_roc(folds()),
        "averaged-roc-thresholds": plot.averaged_roc(folds(), averaging="threshold"),
        "prg": plot.prg(scorers()),
        "det": plot.det(scorers()),
        "gain": plot.gain(scorers()),
        "lift": plot.lift(scorers()),
        "calibration": plot.calibration(scores(), bins=4),
        "cost": plot.cost(scorers()),
        "decision": plot.decision(scorers()),
        "distributions": plot.distributions(scores(), threshold=0.54, bins=9),
        "distributions-overlay": plot.distributions(scores(), threshold=0.54, bins=9, overlay=True),
        "confusion": plot.confusion(CONFUSED),
        "confusion-overview": plot.confusion(CONFUSED, collapse="woman", overview=True, rows="predicted"),
        "predictions": plot.predictions(prices(), system="guess"),
        "residuals": plot.residuals(prices(), system="guess"),
        "errors": plot.errors(prices(), system="guess", bins=6),
        "quantiles": plot.quantiles(forecasts()),
        "pit": plot.pit(forecasts(), system="spread", bins=5),
        "kappas": plot.kappas(judges()),
    }
