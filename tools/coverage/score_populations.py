"""Populations of items with scores like users' data: calibrated or not, good or at chance, with and without ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.thresholds import Thresholds

Floats = NDArray[np.float64]

N_SCORES = 4_000  # distinct scores of a population
VARIANTS = 8  # of each shape, so that no figure depends on how a single rate falls between whole numbers of items


class Population(NamedTuple):
    """The probabilities of each score, for positives and for negatives, which add up to 1."""

    score: Floats
    positive: Floats
    negative: Floats

    @property
    def thresholds(self) -> Thresholds:
        """The scores of the population, weighted by their probabilities: its measures are the true values."""
        (positive, of_positive), (negative, of_negative) = (
            (self.score[side > 0], side[side > 0]) for side in (self.positive, self.negative)
        )
        return Thresholds(positive, negative, of_positive, of_negative)

    def sample(self, random: np.random.Generator, n: int) -> tuple[NDArray[np.int64], Floats]:
        """The classes and the scores of n items."""
        both = np.concatenate([self.negative, self.positive])
        place = np.searchsorted(np.cumsum(both / both.sum()), random.random(n), side="right")
        return (place >= len(self.score)).astype(np.int64), self.score[place % len(self.score)]


Shape = Callable[[float, float], Population]  # of a prevalence and a variant between -1 and 1


def population(shape: Shape, prevalence: float, variant: int) -> Population:
    """One of the variants of a shape, whose prevalence differs by up to a tenth."""
    way = 2 * (variant + 0.5) / VARIANTS - 1
    return shape(prevalence * (1 + 0.1 * way), way)


def _rounded(made: Population, decimals: int) -> Population:
    """The same with rounded scores."""
    score, place = np.unique(np.round(made.score, decimals), return_inverse=True)
    return Population(score, np.bincount(place, made.positive), np.bincount(place, made.negative))


def calibrated(prevalence: float, way: float) -> Population:
    """Probabilities from a Beta distribution, each of which is the frequency of positives."""
    from scipy.stats import beta

    size = 3 + way
    ends = np.linspace(0, 1, N_SCORES + 1)
    mass = np.diff(beta.cdf(ends, size * prevalence, size * (1 - prevalence)))
    above = np.diff(beta.cdf(ends, size * prevalence + 1, size * (1 - prevalence)))  # weighted by the probability
    score = np.divide(above * prevalence, mass, out=(ends[1:] + ends[:-1]) / 2, where=mass > 0)
    return Population(np.clip(score, 0, 1), mass * score, mass * (1 - score))


def _two_normals(prevalence: float, distance: float, spread: float, slope: float, bias: float) -> Population:
    """Normal scores of the two classes, as probabilities that are calibrated if the slope is 1 and the bias 0."""
    from scipy.stats import norm

    ends = np.linspace(-6, 6 + distance, N_SCORES + 1)
    middle = (ends[1:] + ends[:-1]) / 2
    negative, positive = np.diff(norm.cdf(ends)), np.diff(norm.cdf(ends, distance, spread))
    logit = np.log(prevalence / (1 - prevalence)) + distance * (middle - distance / 2)
    probability = 1 / (1 + np.exp(-(slope * logit + bias + 1e-3 * middle)))  # strictly increasing
    return Population(probability, prevalence * positive / positive.sum(), (1 - prevalence) * negative / negative.sum())


def overconfident(prevalence: float, way: float) -> Population:
    """A good scorer whose probabilities are too extreme and too high."""
    return _two_normals(prevalence, 1.5 + 0.3 * way, 1.2, 1.8, 1.0)


def weak(prevalence: float, way: float) -> Population:
    """A weak scorer with scores around one half, rounded to one decimal, so that there are many ties."""
    balance = np.log((1 - prevalence) / prevalence)
    return _rounded(_two_normals(prevalence, 0.6 + 0.2 * way, 1.0, 2.0, 2 * balance), 1)


def excellent(prevalence: float, way: float) -> Population:
    """An excellent scorer whose decision values are rounded to one decimal and turned into probabilities."""
    made = _two_normals(prevalence, 3.0 + 0.4 * way, 1.0, 1.0, 0.0)
    rounded = _rounded(made._replace(score=np.log(made.score / (1 - made.score)) / 3), 1)
    return rounded._replace(score=1 / (1 + np.exp(-3 * rounded.score)))


def chance(prevalence: float, way: float) -> Population:
    """Scores that do not depend on the class."""
    from scipy.stats import beta

    ends = np.linspace(0, 1, N_SCORES + 1)
    mass = np.diff(beta.cdf(ends, 2 + way / 2, 2))
    return Population((ends[1:] + ends[:-1]) / 2, mass * prevalence, mass * (1 - prevalence))


def separated(prevalence: float, way: float) -> Population:
    """Calibrated probabilities that separate the classes almost perfectly."""
    return _two_normals(prevalence, 5.0 + 0.5 * way, 1.0, 1.0, 0.0)


def gross_errors(prevalence: float, way: float) -> Population:
    """The same with wrong labels for one or two items of a hundred."""
    made, wrong = separated(prevalence, way), 0.015 + 0.005 * way
    positive, negative = ((1 - wrong) * side + wrong * other for side, other in (made[1:], made[:0:-1]))
    return Population(made.score, positive, negative)


SHAPES: dict[str, Shape] = {
    "calibrated": calibrated,
    "overconfident": overconfident,
    "weak, ties": weak,
    "excellent, ties": excellent,
    "chance": chance,
    "separated": separated,
    "gross errors": gross_errors,
}
