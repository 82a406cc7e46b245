"""Fitting curves of success against ability: Fisher scoring on systems and queries at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.inference.responses import (
    ABILITY,
    LEVEL,
    SLOPE,
    Point,
    Table,
    better_precision,
    loss_at,
    pull_at,
    start,
    told_by,
)

Floats = NDArray[np.float64]

_STEPS = 200
_SETTLED = 1e-8  # a step that lowers the loss by less than this share of it is the last
_STILL = 5e-4  # and one that moves no ability by more: their errors are a hundred times that


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


def fitted(table: Table) -> Curves:
    """The curves of greatest posterior probability."""
    point = start(table)
    loss = loss_at(point, table)
    converged = False
    for _ in range(_STEPS):
        if table.shares:
            point = replace(point, precision=better_precision(point, table))
            loss = loss_at(point, table)
        step = Information.at(point, table).step(point, pull_at(point, table))
        point, reached = _walked(point, step, loss, table)
        converged, loss = loss - reached <= _SETTLED * (1 + abs(reached)), reached
        if converged:
            break
    if not table.shares:
        return _with_errors(_marginal(point, table), table, converged)
    return _with_errors(replace(point, precision=point.precision * _unspent(table)), table, converged)


def _marginal(point: Point, table: Table) -> Point:
    """The abilities that are best whatever the queries are, and not only with the best queries (after Laplace).

    With few systems the best of both flatters those that happen to agree.
    """
    share, before = 1.0, np.inf
    for _ in range(_STEPS):
        information = Information.at(point, table)
        step = information.step(point, pull_at(point, table), _leaning(point, information))
        moved = float(np.abs(step.ability).max())
        share = share / 2 if moved > before else share  # overshot
        point, before = point.moved(step, share), moved
        if moved < _STILL:
            break
    return point


def _leaning(point: Point, information: Information) -> Floats:
    """The slope along each ability of half the log determinant of the queries' information.

    A cell counts by its bend times aa θ² + 2 ac θ + cc. Only sums of cells are asked for, over queries and over
    systems, and products with the powers of θ give them without a table of cells.
    """
    parts = np.stack([information.level, 2 * information.mixed, information.slope])
    powers = point.ability ** np.arange(4)[:, None]
    bend = information.weight * (1 - 2 * point.mean)
    direct = 2 * information.weight @ parts[2] * point.ability + information.weight @ parts[1]
    over_queries = (bend @ (parts * point.slope).T * powers[:3].T).sum(axis=1)
    over_systems = powers @ bend
    level, slope = ((parts * over_systems[first : first + 3]).sum(axis=0) for first in (0, 1))
    return (direct + over_queries - information.carried(slope, level)) / 2


def _unspent(table: Table) -> float:
    """The share of the values that is left when every parameter has cost one: what is left of them varies less."""
    n_systems, n_queries = table.value.shape
    return max(1 - (n_systems + 2 * n_queries) / table.weight.sum(), 0.1)


@dataclass(frozen=True, eq=False)
class Information:
    """The expected information about all parameters.

    Abilities are bound to each other only through the queries, and queries only through the systems; so a system of
    equations as large as the number of systems does for one of all parameters.
    """

    weight: Floats  # what each value tells about its log odds
    own: Floats  # of each ability
    slope: Floats  # of each query's two parameters, the inverse of their own
    mixed: Floats
    level: Floats
    bond: Floats  # between abilities and levels; that between abilities and slopes is it times the ability
    ability: Floats
    told: Floats  # by each query about abilities

    @classmethod
    def at(cls, point: Point, table: Table) -> Information:
        """The information where the fit stands."""
        weight = told_by(point) * table.weight
        total, ac, squares = point.ability ** np.arange(3)[:, None] @ weight
        aa, cc = squares + 1 / SLOPE**2, total + 1 / LEVEL**2
        scale = aa * cc - ac**2
        return cls(
            weight=weight,
            own=weight @ point.slope**2 + 1 / ABILITY**2,
            slope=cc / scale,
            mixed=-ac / scale,
            level=aa / scale,
            bond=weight * point.slope,
            ability=point.ability,
            told=point.slope**2 * total / table.n_known,
        )

    @cached_property
    def halves(self) -> tuple[Floats, Floats]:
        """What binds abilities to queries over the root of the queries' inverse, slopes first and levels after."""
        root = np.sqrt(self.slope)
        rest = np.sqrt(self.level - (self.mixed / root) ** 2)
        return self.bond * (np.outer(self.ability, root) + self.mixed / root), self.bond * rest

    def carried(self, slope: Floats, level: Floats) -> Floats:
        """What a pull on slopes and levels does to abilities."""
        root = np.sqrt(self.slope)
        rest = np.sqrt(self.level - (self.mixed / root) ** 2)
        first, second = self.halves
        return first @ (root * slope + self.mixed / root * level) + second @ (rest * level)

    @cached_property
    def left(self) -> Floats:
        """What is left about the abilities, once queries are allowed for: the inverse of their covariance."""
        first, second = self.halves
        return np.diag(self.own) - first @ first.T - second @ second.T

    def step(self, point: Point, pull: Floats, leaning: Floats | float = 0.0) -> Point:
        """How far to go from here."""
        ability = pull @ point.slope + point.ability / ABILITY**2 + leaning
        slope = point.ability @ pull + (point.slope - 1) / SLOPE**2
        level = pull.sum(axis=0) + point.level / LEVEL**2
        up = np.asarray(np.linalg.solve(self.left, self.carried(slope, level) - ability), np.float64)
        slope, level = slope + (up * self.ability) @ self.bond, level + up @ self.bond
        return Point(up, -(self.slope * slope + self.mixed * level), -(self.mixed * slope + self.level * level), 0.0)


def _walked(point: Point, step: Point, loss: float, table: Table) -> tuple[Point, float]:
    """Where the step leads, shortened until it leads down."""
    share = 1.0
    while share > 1e-6:
        tried = point.moved(step, share)
        reached = loss_at(tried, table)
        if reached <= loss:
            return tried, reached
        share /= 2
    return point, loss


def _with_errors(point: Point, table: Table, converged: bool) -> Curves:
    """The curves on the scale where these systems have mean ability 0 and deviation 1, which only differences fix."""
    information = Information.at(point, table)
    covariance = np.linalg.inv(information.left)
    n_systems, middle, spread = len(point.ability), point.ability.mean(), float(point.ability.std())
    if spread < 1e-6:
        raise BadInput("all systems come out equally able: these queries do not tell them apart")
    ability, slope = (point.ability - middle) / spread, point.slope * spread
    slope = np.where(np.abs(slope) < 1e-9, 1e-9, slope)
    where = -point.level / (slope / spread)  # the difficulty on the old scale
    difficulty = (where - middle) / spread
    aa, ac, cc = information.slope, information.mixed, information.level
    by_slope = information.bond * point.ability[:, None]
    first, second = by_slope * aa + information.bond * ac, by_slope * ac + information.bond * cc
    moved = np.eye(n_systems) - (1 + np.outer(ability, ability)) / n_systems  # what a change of abilities leaves
    stretched = first - np.outer(ability, point.slope / spread) / n_systems
    shifted = second + where * first - point.slope * (1 + np.outer(ability, difficulty)) / n_systems
    varied = moved @ covariance @ moved / spread**2
    level_variance = cc + 2 * where * ac + where**2 * aa + (shifted * (covariance @ shifted)).sum(axis=0)
    return Curves(
        ability=ability,
        ability_error=np.sqrt(np.diag(varied) + ability**2 * _bend(varied)),
        difficulty=difficulty,
        difficulty_error=np.sqrt(level_variance) / np.abs(slope),
        slope=slope,
        slope_error=np.sqrt(aa + (stretched * (covariance @ stretched)).sum(axis=0)) * spread,
        information=information.told * spread**2,
        precision=point.precision,
        converged=converged,
    )


def _bend(covariance: Floats) -> float:
    """How much more abilities vary than along straight lines: the mean square of half their mean squared error.

    On a scale of mean 0 and deviation 1 they move along a sphere. A system that is alone at one end stands where that
    turns back, and has no other error.
    """
    size = len(covariance)
    return float((np.trace(covariance) ** 2 + 2 * (covariance**2).sum()) / (2 * size) ** 2)
