"""Predicted values and distributions."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cranfield import regress
from examination.planted.catalogue import clean, problem

Column = NDArray[np.float64]
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def pair(rng: Generator, n: int, noise: float = 1.0) -> tuple[Column, Column]:
    """Actual values, and predictions that are their expected values."""
    predicted = rng.normal(20, 2, n)
    return predicted + rng.normal(0, noise, n), predicted


def quantiles(predicted: Column, deviation: float) -> dict[float, Column]:
    """Quantiles of normal distributions around the predictions."""
    return {level: predicted + NormalDist().inv_cdf(level) * deviation for level in LEVELS}


@clean({"n": 50}, {"n": 200}, {"n": 1000}, {"n": 300, "noise": 0.3}, {"n": 300, "noise": 2.0})
def unbiased_values(rng: Generator, n: int, noise: float = 1.0) -> Any:
    return regress(*pair(rng, n, noise))


@clean({"groups": 3}, {"groups": 5}, {"groups": 10})
def values_in_folds(rng: Generator, groups: int) -> Any:
    return regress(*pair(rng, 60 * groups), by=np.arange(60 * groups) % groups)


@clean({"n": 200}, {"n": 500})
def two_regressions(rng: Generator, n: int) -> Any:
    actual, good = pair(rng, n)
    return regress(actual, {"good": good, "better": (good + actual) / 2})


@clean({"n": 100}, {"n": 300}, {"n": 1000})
def calibrated_quantiles(rng: Generator, n: int) -> Any:
    actual, predicted = pair(rng, n)
    return regress(actual, quantiles=quantiles(predicted, 1.0))


@clean({"n": 150}, {"n": 600})
def counts(rng: Generator, n: int) -> Any:
    expected = rng.gamma(6, 2, n)
    return regress(rng.poisson(expected), expected, weight=rng.integers(1, 4, n))


@clean({"n": 200})
def normal_distributions(rng: Generator, n: int) -> Any:
    actual, predicted = pair(rng, n)
    return regress(actual, predicted, deviation=np.ones(n))


@problem("shifted-predictions")
def biased_values(rng: Generator) -> Any:
    actual, predicted = pair(rng, 200)
    return regress(actual, predicted + 0.8)


@problem("shrunken-predictions")
def regularised_too_much(rng: Generator) -> Any:
    actual, predicted = pair(rng, 300)
    return regress(actual, 20 + 0.4 * (predicted - 20))


@problem("worse-than-mean")
def wrong_order_of_items(rng: Generator) -> Any:
    actual, predicted = pair(rng, 200)
    return regress(actual, rng.permutation(predicted))


@problem("worse-than-mean", "shifted-predictions")
def wrong_unit(rng: Generator) -> Any:
    actual, predicted = pair(rng, 200)
    return regress(actual, predicted * 1.8 + 32)


@problem("few-large-errors")
def an_outlier(rng: Generator) -> Any:
    actual, predicted = pair(rng, 200)
    actual[7] *= 10
    return regress(actual, predicted)


@problem("too-perfect")
def leaked_values(rng: Generator) -> Any:
    actual, _ = pair(rng, 200)
    return regress(actual, actual + rng.normal(0, 0.01, 200))


@problem("biased-group")
def one_fold_biased(rng: Generator) -> Any:
    (actual, predicted), fold = pair(rng, 300), np.arange(300) % 5
    return regress(actual, predicted + 1.5 * (fold == 2), by=fold)


@problem("repeated-rows")
def values_repeated(rng: Generator) -> Any:
    actual, predicted = pair(rng, 80)
    return regress(np.tile(actual, 3), np.tile(predicted, 3))


@problem("intervals-too-narrow")
def overconfident_quantiles(rng: Generator) -> Any:
    actual, predicted = pair(rng, 400)
    return regress(actual, quantiles=quantiles(predicted, 0.6))


@problem("intervals-too-wide")
def cautious_quantiles(rng: Generator) -> Any:
    actual, predicted = pair(rng, 400)
    return regress(actual, quantiles=quantiles(predicted, 1.8))


@problem("shifted-distributions")
def biased_quantiles(rng: Generator) -> Any:
    actual, predicted = pair(rng, 400)
    return regress(actual, quantiles=quantiles(predicted + 0.6, 1.0))
