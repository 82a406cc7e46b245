"""Predicted probabilities and outcomes as users have them, calibrated and not, with the true values of measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri

from cranfield.arrays import Floats
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.measures.registry import Measure

SIZES = (20, 50, 200, 1000)
PREVALENCES = (0.05, 0.2, 0.5)
SPREAD = 1.3  # standard deviation of the predicted log-odds
N_POPULATION = 200_000

# the true log-odds of what was predicted with these log-odds
TRUE_LOG_ODDS: dict[str, Callable[[Floats], Floats]] = {
    "calibrated": lambda odds: odds,
    "too extreme": lambda odds: odds / 2,
    "too moderate": lambda odds: 1.6 * odds - 0.3,
    "too high": lambda odds: odds - 0.7,
    "bent": lambda odds: odds + 0.8 * np.sin(1.5 * odds),
}


class Shape(NamedTuple):
    """A population of items with predicted probabilities, which may be rounded."""

    miscalibration: str
    prevalence: float
    digits: int | None = None

    def probabilities(self, rng: np.random.Generator, size: int) -> Floats:
        """Predicted probabilities of random items."""
        probability = expit(rng.normal(self.location, SPREAD, size))
        if self.digits is None:
            return probability
        return np.clip(probability.round(self.digits), 10.0**-self.digits, 1 - 10.0**-self.digits)

    def true_probability(self, predicted: Floats) -> Floats:
        """How often items with these predictions are positive."""
        return expit(TRUE_LOG_ODDS[self.miscalibration](logit(predicted)))

    @property
    def location(self) -> float:
        """The mean of the predicted log-odds."""
        return _location(self.miscalibration, self.prevalence)

    def samples(self, n_items: int, n_samples: int, seed: int = 0) -> Iterator[Thresholds]:
        """Samples in which both classes occur."""
        rng = np.random.default_rng(seed)
        for _ in range(n_samples):
            predicted = self.probabilities(rng, n_items)
            actual = rng.random(n_items) < self.true_probability(predicted)
            if 0 < actual.sum() < n_items:
                yield thresholds(actual, predicted)

    def true_value(self, measure: Measure) -> float:
        """The value for the whole population, in which each item is positive with its own probability.

        The bins are those of the measure: what is estimated is the calibration error of the binned probabilities.
        """
        predicted = np.sort(self.probabilities(np.random.default_rng(1), N_POPULATION))
        positive = self.true_probability(predicted)
        return float(measure.values(Thresholds(predicted, predicted, positive, 1 - positive)))


@cache
def _location(miscalibration: str, prevalence: float) -> float:
    odds = SPREAD * ndtri(np.linspace(0.0005, 0.9995, 1000))
    true = TRUE_LOG_ODDS[miscalibration]
    return float(brentq(lambda mean: expit(true(mean + odds)).mean() - prevalence, -20, 20))
