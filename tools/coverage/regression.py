"""Numeric predictions and forecasts: normal, skewed and heavy-tailed values, good and weak predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cranfield.measures.declaration import Kind, NoInterval
from cranfield.measures.registry import declarations
from cranfield.regression.regress import regress
from cranfield.regression.result import Regression
from tools.coverage.tally import DataSet

PREVALENCES = (1.0,)  # there are no classes
N_POPULATION = 400_000
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]  # actual and predicted values, and predicted standard deviations


def normal(random: np.random.Generator, n: int) -> Drawn:
    """Normal values with normal errors, and a calibrated standard deviation."""
    predicted = random.normal(100, 15, n)
    return predicted + random.normal(2, 8, n), predicted, np.full(n, 8.0)


def skewed(random: np.random.Generator, n: int) -> Drawn:
    """Lognormal values with errors in proportion to them."""
    predicted = random.lognormal(3, 0.7, n)
    return predicted * random.lognormal(0, 0.3, n), predicted, 0.3 * predicted


def outliers(random: np.random.Generator, n: int) -> Drawn:
    """Normal errors, one in twenty of them five times as large."""
    predicted = random.normal(200, 15, n)
    spread = np.where(random.random(n) < 0.05, 25, 5)
    return predicted + random.normal(0, 1, n) * spread, predicted, np.full(n, 6.0)


def weak(random: np.random.Generator, n: int) -> Drawn:
    """Predictions that explain little, with rounded values."""
    signal = random.normal(0, 1, n)
    actual = np.round(60 + 3 * signal + random.normal(0, 10, n))
    return np.maximum(actual, 1.0), np.round(60 + 3 * signal, 1), np.full(n, 10.0)


def heavy(random: np.random.Generator, n: int) -> Drawn:
    """Errors from Student's t distribution with three degrees of freedom, whose third moment is infinite."""
    predicted = random.normal(200, 15, n)
    return predicted + 5 * random.standard_t(3, n), predicted, np.full(n, 8.0)


def zeros(random: np.random.Generator, n: int) -> Drawn:
    """Amounts of which 95 % are zero, predicted by a small constant."""
    actual = np.where(random.random(n) < 0.95, 0, random.lognormal(1, 0.7, n))
    return actual, 0.2 + 0.1 * random.random(n), np.ones(n)


SHAPES: dict[str, Callable[[np.random.Generator, int], Drawn]] = {
    "normal": normal,
    "skewed": skewed,
    "outliers": outliers,
    "weak, ties": weak,
    "heavy tails": heavy,
    "mostly zeros": zeros,
}


OF_LEVEL = {
    "IntervalCoverage": "IntervalCoverage@0.9",
    "IntervalWidth": "IntervalWidth@0.9",
    "QuantileCoverage": "QuantileCoverage(quantile=0.9)",
}


def _names(kind: Kind) -> list[str]:
    """The measures of a kind that have an interval."""
    every = declarations(kind).values()
    return [OF_LEVEL.get(one.name, one.name) for one in every if not isinstance(one.interval, NoInterval)]


def _results(drawn: Drawn) -> Iterator[tuple[str, Regression]]:
    """Every measure that has an interval, with the predicted values or distributions that it evaluates."""
    actual, predicted, deviation = drawn
    values = regress(actual, predicted, measures=_names("values"))
    forecasts = regress(actual, predicted, deviation=deviation, measures=_names("forecasts"))
    yield from ((name, values) for name in _names("values"))
    yield from ((name, forecasts) for name in _names("forecasts"))


def data_sets(shape: str, _: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples of items with actual values, predictions and standard deviations."""
    random = np.random.default_rng(seed)
    true = {name: result[name] for name, result in _results(SHAPES[shape](random, N_POPULATION))}
    for _ in range(n_sets):
        yield true, {name: result.interval(name) for name, result in _results(SHAPES[shape](random, n_items))}
