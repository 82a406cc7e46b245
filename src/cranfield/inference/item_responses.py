"""Responses: the likelihood of values of systems on queries, given abilities and query parameters."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.frozen import cached_property, frozen

ABILITY, SLOPE, LEVEL = 1.0, 0.5, 2.0  # standard deviations of the priors; the prior mean of the slope is 1


@frozen(eq=False)
class Table:
    """Values of systems on queries: 0 or 1, or proportions strictly between them; `known` marks those present."""

    value: Floats
    known: Mask
    proportions: bool
    weight: Floats = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", self.known.astype(np.float64))

    @cached_property
    def n_known(self) -> Floats:
        """Number of values per query."""
        return self.weight.sum(axis=0)

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """The log odds of the values, and log(1 - value)."""
        rest = np.log1p(-self.value)
        return np.log(self.value) - rest, rest


@frozen(eq=False)
class Point:
    """Parameters: the log odds are slope times ability, plus level.

    In this form the fit of a query for fixed abilities has a unique optimum, unlike with slope and difficulty.
    """

    ability: Floats
    slope: Floats
    level: Floats
    precision: float

    def moved(self, step: Point, size: float) -> Point:
        """The point after a fraction of the step."""
        ability, slope = self.ability + size * step.ability, self.slope + size * step.slope
        return Point(ability, slope, self.level + size * step.level, self.precision)

    @cached_property
    def odds(self) -> Floats:
        """The log odds of each system on each query."""
        return np.outer(self.ability, self.slope) + self.level

    @cached_property
    def mean(self) -> Floats:
        """The expected value, or probability of success, of each system on each query."""
        mean = logistic(self.odds)
        return np.clip(mean, 1e-9, 1 - 1e-9, out=mean)


def logistic(z: Floats) -> Floats:
    """1 / (1 + exp(-z)), by the hyperbolic tangent, which does not overflow."""
    value = np.tanh(z / 2)
    value += 1
    value /= 2
    return value


def start(table: Table) -> Point:
    """Abilities from the means of the systems, levels from those of the queries, and all slopes 1."""
    by_system = (table.value * table.weight).sum(axis=1) / table.weight.sum(axis=1)
    by_query = np.clip((table.value * table.weight).sum(axis=0) / table.weight.sum(axis=0), 0.02, 0.98)
    ability = (by_system - by_system.mean()) / (by_system.std() or 1.0)
    precision = 10.0 if table.proportions else np.inf
    return Point(ability, np.ones(len(by_query)), np.log(by_query / (1 - by_query)), precision)


def loss_at(point: Point, table: Table) -> float:
    """The negative log posterior."""
    prior = (point.ability @ point.ability) / ABILITY**2 + ((point.slope - 1) ** 2).sum() / SLOPE**2
    prior += (point.level @ point.level) / LEVEL**2
    return float(prior / 2 - (_log_likelihood(point, table) * table.weight).sum())


def _log_likelihood(point: Point, table: Table) -> Floats:
    if not table.proportions:
        z = point.odds
        return table.value * z - np.maximum(z, 0) - np.log1p(np.exp(-np.abs(z)))
    from scipy.special import gammaln

    up = point.mean * point.precision
    odds, rest = table.logs
    normal = gammaln(point.precision) - gammaln(up) - gammaln(point.precision - up)
    return normal + (up - 1) * odds + (point.precision - 2) * rest


def gradient_at(point: Point, table: Table) -> Floats:
    """The derivative of the negative log-likelihood with respect to each value's log odds."""
    mean = point.mean
    if not table.proportions:
        return (mean - table.value) * table.weight
    from scipy.special import psi

    up = mean * point.precision
    surprise = table.logs[0] - psi(up) + psi(point.precision - up)
    return -point.precision * mean * (1 - mean) * surprise * table.weight


def updated_precision(point: Point, table: Table) -> float:
    """The precision of the beta model after one Newton step on its logarithm, of at most 1 downwards."""
    from scipy.special import polygamma, psi

    mean, phi = point.mean, point.precision
    odds, rest = table.logs
    up, down = mean * phi, (1 - mean) * phi
    along = psi(phi) - mean * psi(up) - (1 - mean) * psi(down) + mean * odds + rest
    curve = mean**2 * polygamma(1, up) + (1 - mean) ** 2 * polygamma(1, down) - polygamma(1, phi)
    step = (along * table.weight).sum() / (phi * (curve * table.weight).sum())
    return float(np.clip(phi * np.exp(max(step, -1.0)), 0.1, 1e6))


def odds_information(point: Point) -> Floats:
    """The Fisher information of one value about its log odds."""
    mean = point.mean
    spread = mean * (1 - mean)
    if np.isinf(point.precision):
        return spread
    from scipy.special import polygamma

    up = mean * point.precision
    return (point.precision * spread) ** 2 * (polygamma(1, up) + polygamma(1, point.precision - up))
