"""Fitting curves of success against ability: Fisher scoring on systems and queries at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_ABILITY, _SLOPE, _LEVEL = 1.0, 0.5, 2.0  # deviations of the priors; that of the slope has its mean at 1
_STEPS = 200


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
    def logs(self) -> tuple[Floats, Floats]:
        """The log odds of the values, and the log of what they fall short of 1 by."""
        rest = np.log1p(-self.value)
        return np.log(self.value) - rest, rest


@dataclass(frozen=True, eq=False)
class Curves:
    """Fitted curves with their standard errors, and what each query tells about abilities."""

    ability: Floats
    ability_error: Floats
    difficulty: Floats
    difficulty_error: Floats
    slope: Floats
    slope_error: Floats
    information: Floats
    precision: float
    converged: bool


@dataclass(frozen=True, eq=False)
class Point:
    """Where the fit stands: the log odds are slope times ability, plus level.

    So written, the fit of a query to given abilities has one best answer, which slope and difficulty do not have.
    """

    ability: Floats
    slope: Floats
    level: Floats
    precision: float

    @cached_property
    def odds(self) -> Floats:
        """The log odds of each system on each query."""
        return np.outer(self.ability, self.slope) + self.level

    @cached_property
    def mean(self) -> Floats:
        """The mean value of each system on each query, or its chance of success."""
        return np.clip(logistic(self.odds), 1e-9, 1 - 1e-9)


def fitted(table: Table) -> Curves:
    """The curves of greatest posterior probability."""
    point = _start(table)
    loss = _loss(point, table)
    converged = False
    for _ in range(_STEPS):
        if table.shares:
            point = replace(point, precision=_precision(point, table))
            loss = _loss(point, table)
        step = Information.at(point, table).step(point, _pull(point, table))
        point, reached = _walked(point, step, loss, table)
        converged, loss = loss - reached <= 1e-9 * (1 + abs(reached)), reached
        if converged:
            break
    if not table.shares:
        return _with_errors(_marginal(point, table), table, converged)
    return _with_errors(replace(point, precision=point.precision * _unspent(table)), table, converged)


def _marginal(point: Point, table: Table) -> Point:
    """The abilities that are best whatever the queries are, and not only with the best queries (after Laplace).

    With few systems the best of both flatters those that happen to agree.
    """
    for _ in range(_STEPS):
        information = Information.at(point, table)
        step = information.step(point, _pull(point, table), _leaning(point, table, information))
        point = Point(point.ability + step.ability, point.slope + step.slope, point.level + step.level, point.precision)
        if np.abs(step.ability).max() < 1e-4:
            break
    return point


def _leaning(point: Point, table: Table, information: Information) -> Floats:
    """The slope along each ability of half the log determinant of the queries' information."""
    aa, ac, cc = information.inverse
    ability = point.ability[:, None]
    mean = point.mean
    weight = mean * (1 - mean) * table.weight
    bent = weight * (1 - 2 * mean) * (aa * ability**2 + 2 * ac * ability + cc)
    direct = weight * 2 * (aa * ability + ac) + bent * point.slope
    first, second = information.through
    through = first @ (point.ability @ bent) + second @ bent.sum(axis=0)
    return (direct.sum(axis=1) - through) / 2


def _unspent(table: Table) -> float:
    """The share of the values that is left when every parameter has cost one: what is left of them varies less."""
    n_systems, n_queries = table.value.shape
    return max(1 - (n_systems + 2 * n_queries) / table.weight.sum(), 0.1)


def logistic(z: Floats) -> Floats:
    """1 / (1 + exp(-z))."""
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, small) / (1 + small)


def _start(table: Table) -> Point:
    by_system = (table.value * table.weight).sum(axis=1) / table.weight.sum(axis=1)
    by_query = np.clip((table.value * table.weight).sum(axis=0) / table.weight.sum(axis=0), 0.02, 0.98)
    ability = (by_system - by_system.mean()) / (by_system.std() or 1.0)
    return Point(ability, np.ones(len(by_query)), np.log(by_query / (1 - by_query)), 10.0 if table.shares else np.inf)


def _loss(point: Point, table: Table) -> float:
    """Minus the log of the posterior."""
    prior = (point.ability @ point.ability) / _ABILITY**2 + ((point.slope - 1) ** 2).sum() / _SLOPE**2
    prior += (point.level @ point.level) / _LEVEL**2
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


def _pull(point: Point, table: Table) -> Floats:
    """The slope of minus the log-likelihood along each value's log odds."""
    mean = point.mean
    if not table.shares:
        return (mean - table.value) * table.weight
    from scipy.special import psi

    up = mean * point.precision
    surprise = table.logs[0] - psi(up) + psi(point.precision - up)
    return -point.precision * mean * (1 - mean) * surprise * table.weight


def _precision(point: Point, table: Table) -> float:
    """The precision of shares, bettered by one step along its logarithm."""
    from scipy.special import polygamma, psi

    mean, phi = point.mean, point.precision
    odds, rest = table.logs
    up, down = mean * phi, (1 - mean) * phi
    along = psi(phi) - mean * psi(up) - (1 - mean) * psi(down) + mean * odds + rest
    curve = mean**2 * polygamma(1, up) + (1 - mean) ** 2 * polygamma(1, down) - polygamma(1, phi)
    step = (along * table.weight).sum() / (phi * (curve * table.weight).sum())
    return float(np.clip(phi * np.exp(np.clip(step, -1, 1)), 0.1, 1e6))


@dataclass(frozen=True, eq=False)
class Information:
    """The expected information about all parameters.

    Abilities are bound to each other only through the queries, and queries only through the systems; so a system of
    equations as large as the number of systems does for one of all parameters.
    """

    own: Floats  # of each ability
    by_slope: Floats  # between abilities and slopes, as levels below
    by_level: Floats
    inverse: tuple[Floats, Floats, Floats]  # of each query's own: slope, slope with level, level
    told: Floats  # by each query about abilities

    @classmethod
    def at(cls, point: Point, table: Table) -> Information:
        """The information where the fit stands."""
        weight = _told(point) * table.weight
        aa = point.ability**2 @ weight + 1 / _SLOPE**2
        cc = weight.sum(axis=0) + 1 / _LEVEL**2
        ac = point.ability @ weight
        scale = aa * cc - ac**2
        by_level = weight * point.slope
        return cls(
            own=weight @ point.slope**2 + 1 / _ABILITY**2,
            by_slope=by_level * point.ability[:, None],
            by_level=by_level,
            inverse=(cc / scale, -ac / scale, aa / scale),
            told=point.slope**2 * weight.sum(axis=0) / table.weight.sum(axis=0),
        )

    @cached_property
    def through(self) -> tuple[Floats, Floats]:
        """What binds abilities to queries, over the queries' own information."""
        aa, ac, cc = self.inverse
        return self.by_slope * aa + self.by_level * ac, self.by_slope * ac + self.by_level * cc

    @cached_property
    def left(self) -> Floats:
        """The information about abilities once queries are allowed for."""
        first, second = self.through
        return np.diag(self.own) - first @ self.by_slope.T - second @ self.by_level.T

    def step(self, point: Point, pull: Floats, leaning: Floats | float = 0.0) -> Point:
        """How far to go from here."""
        ability = pull @ point.slope + point.ability / _ABILITY**2 + leaning
        slope = point.ability @ pull + (point.slope - 1) / _SLOPE**2
        level = pull.sum(axis=0) + point.level / _LEVEL**2
        first, second = self.through
        aa, ac, cc = self.inverse
        up = np.linalg.solve(self.left, first @ slope + second @ level - ability)
        slope, level = slope + up @ self.by_slope, level + up @ self.by_level
        return Point(up, -(aa * slope + ac * level), -(ac * slope + cc * level), 0.0)


def _told(point: Point) -> Floats:
    """What one value tells about its log odds."""
    mean = point.mean
    spread = mean * (1 - mean)
    if np.isinf(point.precision):
        return spread
    from scipy.special import polygamma

    up = mean * point.precision
    return (point.precision * spread) ** 2 * (polygamma(1, up) + polygamma(1, point.precision - up))


def _walked(point: Point, step: Point, loss: float, table: Table) -> tuple[Point, float]:
    """Where the step leads, shortened until it leads down."""
    share = 1.0
    while share > 1e-6:
        tried = Point(
            point.ability + share * step.ability,
            point.slope + share * step.slope,
            point.level + share * step.level,
            point.precision,
        )
        reached = _loss(tried, table)
        if reached <= loss:
            return tried, reached
        share /= 2
    return point, loss


def _with_errors(point: Point, table: Table, converged: bool) -> Curves:
    """The curves on the scale where these systems have mean ability 0 and deviation 1, which only differences fix."""
    information = Information.at(point, table)
    covariance = np.linalg.inv(information.left)
    n_systems, middle, spread = len(point.ability), point.ability.mean(), max(float(point.ability.std()), 1e-9)
    ability, slope = (point.ability - middle) / spread, point.slope * spread
    slope = np.where(np.abs(slope) < 1e-9, 1e-9, slope)
    where = -point.level / (slope / spread)  # the difficulty on the old scale
    difficulty = (where - middle) / spread
    first, second = information.through
    aa, ac, cc = information.inverse
    moved = np.eye(n_systems) - (1 + np.outer(ability, ability)) / n_systems  # what a change of abilities leaves
    stretched = first - np.outer(ability, point.slope / spread) / n_systems
    shifted = second + where * first - point.slope * (1 + np.outer(ability, difficulty)) / n_systems
    level_variance = cc + 2 * where * ac + where**2 * aa + (shifted * (covariance @ shifted)).sum(axis=0)
    return Curves(
        ability=ability,
        ability_error=np.sqrt(np.diag(moved @ covariance @ moved)) / spread,
        difficulty=difficulty,
        difficulty_error=np.sqrt(level_variance) / np.abs(slope),
        slope=slope,
        slope_error=np.sqrt(aa + (stretched * (covariance @ stretched)).sum(axis=0)) * spread,
        information=information.told * spread**2,
        precision=point.precision,
        converged=converged,
    )
