"""Responses: how values of systems on queries follow from ability, and how likely those observed are."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ABILITY, SLOPE, LEVEL = 1.0, 0.5, 2.0  # deviations of the priors; that of the slope has its mean at 1


@dataclass(frozen=True, eq=False)
class Table:
    """Values of systems on queries: successes, or shares strictly between 0 and 1; `known` says which there are."""

    value: Floats
    known: Mask
    shares: bool
    weight: Floats = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", self.known.astype(np.float64))

    @cached_property
    def n_known(self) -> Floats:
        """How many values each query has."""
        return self.weight.sum(axis=0)

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """The log odds of the values, and the log of what they fall short of 1 by."""
        rest = np.log1p(-self.value)
        return np.log(self.value) - rest, rest


@dataclass(frozen=True, eq=False)
class Point:
    """Where the fit stands: the log odds are slope times ability, plus level.

    So written, the fit of a query to given abilities has one best answer, which slope and difficulty do not have.
    """

    ability: Floats
    slope: Floats
    level: Floats
    precision: float

    def moved(self, step: Point, share: float) -> Point:
        """Where a share of the step leads."""
        return Point(
            self.ability + share * step.ability,
            self.slope + share * step.slope,
            self.level + share * step.level,
            self.precision,
        )

    @cached_property
    def odds(self) -> Floats:
        """The log odds of each system on each query."""
        return np.outer(self.ability, self.slope) + self.level

    @cached_property
    def mean(self) -> Floats:
        """The mean value of each system on each query, or its chance of success."""
        share = logistic(self.odds)
        return np.clip(share, 1e-9, 1 - 1e-9, out=share)


def logistic(z: Floats) -> Floats:
    """1 / (1 + exp(-z)), by the hyperbolic tangent, which never overflows."""
    share = np.tanh(z / 2)
    share += 1
    share /= 2
    return share


def start(table: Table) -> Point:
    by_system = (table.value * table.weight).sum(axis=1) / table.weight.sum(axis=1)
    by_query = np.clip((table.value * table.weight).sum(axis=0) / table.weight.sum(axis=0), 0.02, 0.98)
    ability = (by_system - by_system.mean()) / (by_system.std() or 1.0)
    return Point(ability, np.ones(len(by_query)), np.log(by_query / (1 - by_query)), 10.0 if table.shares else np.inf)


def loss_at(point: Point, table: Table) -> float:
    """Minus the log of the posterior."""
    prior = (point.ability @ point.ability) / ABILITY**2 + ((point.slope - 1) ** 2).sum() / SLOPE**2
    prior += (point.level @ point.level) / LEVEL**2
    return float(prior / 2 - (_log_likelihood(point, table) * table.weight).sum())


def _log_likelihood(point: Point, table: Table) -> Floats:
    if not table.shares:
        z = point.odds
        return table.value * z - np.maximum(z, 0) - np.log1p(np.exp(-np.abs(z)))
    from scipy.special import gammaln

    up = point.mean * point.precision
    odds, rest = table.logs
    normal = gammaln(point.precision) - gammaln(up) - gammaln(point.precision - up)
    return normal + (up - 1) * odds + (point.precision - 2) * rest


def pull_at(point: Point, table: Table) -> Floats:
    """The slope of minus the log-likelihood along each value's log odds."""
    mean = point.mean
    if not table.shares:
        return (mean - table.value) * table.weight
    from scipy.special import psi

    up = mean * point.precision
    surprise = table.logs[0] - psi(up) + psi(point.precision - up)
    return -point.precision * mean * (1 - mean) * surprise * table.weight


def better_precision(point: Point, table: Table) -> float:
    """The precision of shares, bettered by one step along its logarithm."""
    from scipy.special import polygamma, psi

    mean, phi = point.mean, point.precision
    odds, rest = table.logs
    up, down = mean * phi, (1 - mean) * phi
    along = psi(phi) - mean * psi(up) - (1 - mean) * psi(down) + mean * odds + rest
    curve = mean**2 * polygamma(1, up) + (1 - mean) ** 2 * polygamma(1, down) - polygamma(1, phi)
    step = (along * table.weight).sum() / (phi * (curve * table.weight).sum())
    return float(np.clip(phi * np.exp(np.clip(step, -1, 1)), 0.1, 1e6))


def told_by(point: Point) -> Floats:
    """What one value tells about its log odds."""
    mean = point.mean
    spread = mean * (1 - mean)
    if np.isinf(point.precision):
        return spread
    from scipy.special import polygamma

    up = mean * point.precision
    return (point.precision * spread) ** 2 * (polygamma(1, up) + polygamma(1, point.precision - up))
