"""Fitting latent models by Fisher scoring, on systems and queries at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.inference.item_responses import (
    ABILITY,
    LEVEL,
    SLOPE,
    Point,
    Table,
    gradient_at,
    loss_at,
    odds_information,
    start,
    updated_precision,
)

_STEPS = 200
_CONVERGED = 1e-8  # relative decrease of the loss at which iteration stops
_STATIONARY = 5e-4  # change of abilities at which iteration stops, a hundredth of their errors


@frozen(eq=False, kw_only=True)
class Curves:
    """Fitted parameters with their standard errors, and the information of each query about abilities."""

    ability: Floats
    ability_error: Floats
    difficulty: Floats
    difficulty_error: Floats
    discrimination: Floats
    discrimination_error: Floats
    information: Floats  # mean over these systems
    precision: float  # of the beta model; infinite for the success model
    converged: bool


def fitted(table: Table) -> Curves:
    """The maximum a posteriori estimates."""
    point = start(table)
    loss = loss_at(point, table)
    converged = False
    for _ in range(_STEPS):
        if table.proportions:
            point = replace(point, precision=updated_precision(point, table))
            loss = loss_at(point, table)
        step = Information.at(point, table).step(point, gradient_at(point, table))
        point, reached = _line_search(point, step, loss, table)
        converged, loss = loss - reached <= _CONVERGED * (1 + abs(reached)), reached
        if converged:
            break
    if not table.proportions:
        return _with_errors(_marginal(point, table), table, converged)
    return _with_errors(replace(point, precision=point.precision * _residual_freedom(table)), table, converged)


def _marginal(point: Point, table: Table) -> Point:
    """The abilities that maximise the posterior marginalised over the queries (Laplace approximation).

    With few systems the joint maximum favours systems that happen to agree.
    """
    fraction, before = 1.0, np.inf
    for _ in range(_STEPS):
        information = Information.at(point, table)
        step = information.step(point, gradient_at(point, table), _marginal_gradient(point, information))
        moved = float(np.abs(step.ability).max())
        fraction = fraction / 2 if moved > before else fraction  # overshot
        point, before = point.moved(step, fraction), moved
        if moved < _STATIONARY:
            break
    return point


def _marginal_gradient(point: Point, information: Information) -> Floats:
    """The derivative with respect to each ability of half the log determinant of the queries' information.

    Only sums over queries and over systems are needed, which matrix products with powers of θ give without a table.
    """
    parts = np.stack([information.level, 2 * information.mixed, information.slope])
    powers = point.ability ** np.arange(4)[:, None]
    curvature = information.weight * (1 - 2 * point.mean)
    direct = 2 * information.weight @ parts[2] * point.ability + information.weight @ parts[1]
    over_queries = (curvature @ (parts * point.slope).T * powers[:3].T).sum(axis=1)
    over_systems = powers @ curvature
    level, slope = ((parts * over_systems[first : first + 3]).sum(axis=0) for first in (0, 1))
    return (direct + over_queries - information.effect_on_abilities(slope, level)) / 2


def _residual_freedom(table: Table) -> float:
    """The proportion of residual degrees of freedom: residuals vary less than the values."""
    n_systems, n_queries = table.value.shape
    return max(1 - (n_systems + 2 * n_queries) / table.weight.sum(), 0.1)


@frozen(eq=False)
class Information:
    """The expected (Fisher) information about all parameters.

    Abilities are coupled only through the queries and queries only through the systems, so a system of equations in the
    abilities suffices.
    """

    weight: Floats  # information of each value about its log odds
    ability_diagonal: Floats  # of each ability
    slope: Floats  # inverse information of each query's two parameters
    mixed: Floats
    level: Floats
    coupling: Floats  # between abilities and levels; times ability, between abilities and slopes
    ability: Floats
    query_information: Floats  # mean information of each query about abilities

    @classmethod
    def at(cls, point: Point, table: Table) -> Information:
        """The information at a point."""
        weight = odds_information(point) * table.weight
        total, ac, squares = point.ability ** np.arange(3)[:, None] @ weight
        aa, cc = squares + 1 / SLOPE**2, total + 1 / LEVEL**2
        scale = aa * cc - ac**2
        return cls(
            weight=weight,
            ability_diagonal=weight @ point.slope**2 + 1 / ABILITY**2,
            slope=cc / scale,
            mixed=-ac / scale,
            level=aa / scale,
            coupling=weight * point.slope,
            ability=point.ability,
            query_information=point.slope**2 * total / table.n_known,
        )

    @cached_property
    def scaled_coupling(self) -> tuple[Floats, Floats]:
        """The coupling of abilities with slopes and with levels, scaled by a root of the inverse information."""
        root = np.sqrt(self.slope)
        rest = np.sqrt(self.level - (self.mixed / root) ** 2)
        return self.coupling * (np.outer(self.ability, root) + self.mixed / root), self.coupling * rest

    def effect_on_abilities(self, slope: Floats, level: Floats) -> Floats:
        """The effect of gradients of slopes and levels on abilities."""
        root = np.sqrt(self.slope)
        rest = np.sqrt(self.level - (self.mixed / root) ** 2)
        first, second = self.scaled_coupling
        return first @ (root * slope + self.mixed / root * level) + second @ (rest * level)

    @cached_property
    def ability_information(self) -> Floats:
        """The information about abilities with the queries eliminated: the inverse of their covariance."""
        first, second = self.scaled_coupling
        return np.diag(self.ability_diagonal) - first @ first.T - second @ second.T

    def step(self, point: Point, gradient: Floats, further_gradient: Floats | float = 0.0) -> Point:
        """The scoring step from a point."""
        ability = gradient @ point.slope + point.ability / ABILITY**2 + further_gradient
        slope = point.ability @ gradient + (point.slope - 1) / SLOPE**2
        level = gradient.sum(axis=0) + point.level / LEVEL**2
        up = np.asarray(
            np.linalg.solve(self.ability_information, self.effect_on_abilities(slope, level) - ability), np.float64
        )
        slope, level = slope + (up * self.ability) @ self.coupling, level + up @ self.coupling
        return Point(up, -(self.slope * slope + self.mixed * level), -(self.mixed * slope + self.level * level), 0.0)


def _line_search(point: Point, step: Point, loss: float, table: Table) -> tuple[Point, float]:
    """The point after the step, halved until the loss decreases."""
    fraction = 1.0
    while fraction > 1e-6:
        tried = point.moved(step, fraction)
        reached = loss_at(tried, table)
        if reached <= loss:
            return tried, reached
        fraction /= 2
    return point, loss


def _with_errors(point: Point, table: Table, converged: bool) -> Curves:
    """The estimates scaled so that abilities have mean 0 and standard deviation 1, with standard errors."""
    information = Information.at(point, table)
    covariance = np.linalg.inv(information.ability_information)
    n_systems, middle, spread = len(point.ability), point.ability.mean(), float(point.ability.std())
    if spread < 1e-6:
        raise BadInput("all systems have the same estimated ability: these queries do not distinguish them")
    ability, slope = (point.ability - middle) / spread, point.slope * spread
    slope = np.where(np.abs(slope) < 1e-9, 1e-9, slope)
    where = -point.level / (slope / spread)  # the difficulty before scaling
    difficulty = (where - middle) / spread
    aa, ac, cc = information.slope, information.mixed, information.level
    by_slope = information.coupling * point.ability[:, None]
    first, second = by_slope * aa + information.coupling * ac, by_slope * ac + information.coupling * cc
    moved = np.eye(n_systems) - (1 + np.outer(ability, ability)) / n_systems  # projection that keeps mean and scale
    stretched = first - np.outer(ability, point.slope / spread) / n_systems
    shifted = second + where * first - point.slope * (1 + np.outer(ability, difficulty)) / n_systems
    varied = moved @ covariance @ moved / spread**2
    level_variance = cc + 2 * where * ac + where**2 * aa + (shifted * (covariance @ shifted)).sum(axis=0)
    return Curves(
        ability=ability,
        ability_error=np.sqrt(np.diag(varied) + ability**2 * _second_order_variance(varied)),
        difficulty=difficulty,
        difficulty_error=np.sqrt(level_variance) / np.abs(slope),
        discrimination=slope,
        discrimination_error=np.sqrt(aa + (stretched * (covariance @ stretched)).sum(axis=0)) * spread,
        information=information.query_information * spread**2,
        precision=point.precision,
        converged=converged,
    )


def _second_order_variance(covariance: Floats) -> float:
    """The second-order variance of abilities, which move on a sphere at mean 0 and standard deviation 1.

    For a single system at one end, this is the only error.
    """
    size = len(covariance)
    return float((np.trace(covariance) ** 2 + 2 * (covariance**2).sum()) / (2 * size) ** 2)
