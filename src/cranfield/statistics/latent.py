"""Latent (item response) models: abilities of systems, difficulty and discrimination of queries.

Decided here: what the difficulty and discrimination of a query and the ability of a system are.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadInput, require_between, require_one_of
from cranfield.frozen import cached_property, frozen
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import normal_quantile, require_confidence, t_quantile

# Responses: the likelihood of values of systems on queries, given abilities and query parameters


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


# Fitting latent models by Fisher scoring, on systems and queries at once


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


# Fit of latent models: residuals, infit and outfit, person fit l_z, and the information of all queries together


_GRID = 61  # abilities at which the information is computed
_WIDEST = 3.0  # abilities from minus to plus this, or as far as these systems go


class LatentFit(NamedTuple):
    """How well a model fits each system and each query, and its information over abilities.

    `residual[i, j]` is standardised: the value minus the expected one, divided by its standard deviation; NaN where
    there is no value. Outfit is the mean of the squared residuals, infit their mean weighted by the variances, which
    emphasises queries near the system's ability; both are about 1 if the model fits. l_z is the standardised
    log-likelihood of a system's values: far below 0 if they do not fit the model.
    """

    residual: Floats
    system_infit: Floats
    system_outfit: Floats
    query_infit: Floats
    query_outfit: Floats
    l_z: Floats
    ability: Floats
    information: Floats


def latent_fit(
    values: Floats, ability: Floats, difficulty: Floats, discrimination: Floats, precision: float
) -> LatentFit:
    """The fit of `values[system, query]` to a model with these parameters; NaN marks missing values."""
    point = Point(ability, discrimination, -discrimination * difficulty, precision)
    mean, known = point.mean, ~np.isnan(values)
    spread = mean * (1 - mean) / (1.0 if np.isinf(precision) else 1 + precision)  # of success, or of a proportion
    variance = np.where(known, spread, np.nan)
    squared = (values - mean) ** 2
    ends = max(_WIDEST, float(np.abs(ability).max()))
    grid = np.linspace(-ends, ends, _GRID)
    along = Point(grid, discrimination, -discrimination * difficulty, precision)
    return LatentFit(
        residual=(values - mean) / np.sqrt(variance),
        system_infit=np.nansum(squared, axis=1) / np.nansum(variance, axis=1),
        system_outfit=np.nanmean(squared / variance, axis=1),
        query_infit=np.nansum(squared, axis=0) / np.nansum(variance, axis=0),
        query_outfit=np.nanmean(squared / variance, axis=0),
        l_z=_person_fit(values, mean, precision, known),
        ability=grid,
        information=(odds_information(along) * discrimination**2).sum(axis=1),
    )


def _person_fit(values: Floats, mean: Floats, precision: float, known: Floats) -> Floats:
    """The log-likelihood of each system's values, minus its expectation, over its standard deviation (Drasgow 1985)."""
    if np.isinf(precision):
        odds = np.log(mean / (1 - mean))
        apart, variance = (values - mean) * odds, mean * (1 - mean) * odds**2
    else:
        apart, variance = _beta_likelihood(values, mean * precision, (1 - mean) * precision)
    spread = np.where(known, variance, 0.0).sum(axis=1)
    return np.nansum(apart, axis=1) / np.sqrt(np.where(spread > 0, spread, np.nan))


def _beta_likelihood(values: Floats, up: Floats, down: Floats) -> tuple[Floats, Floats]:
    """The log density of proportions minus its expectation, and its variance."""
    from scipy.special import polygamma, psi

    both = psi(up + down)
    apart = (up - 1) * (np.log(values) - psi(up) + both) + (down - 1) * (np.log1p(-values) - psi(down) + both)
    shared = polygamma(1, up + down)
    variance = (up - 1) ** 2 * (polygamma(1, up) - shared) + (down - 1) ** 2 * (polygamma(1, down) - shared)
    return apart, variance - 2 * (up - 1) * (down - 1) * shared


Model = Literal["success", "beta"]
Parameter = Literal["ability", "difficulty", "discrimination"]

SQUEEZE = 0.005  # values are clipped to this distance from 0 and 1, where the beta model is undefined


@frozen(eq=False, kw_only=True)
class Latent(Curves):
    """A fitted model: the probability of success, or the mean value, of system i on query j is σ(a_j (θ_i - b_j)).

    θ is the ability of a system, b the difficulty of a query, and a its discrimination, the slope of values over
    ability, negative if better systems do worse. Abilities have mean 0 and standard deviation 1 over these systems.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    model: Model
    values: Floats  # as modelled: clipped in the beta model; NaN where missing
    remarks: tuple[str, ...] = ()

    def interval(self, what: Parameter, confidence: float = CONFIDENCE) -> Floats:
        """Confidence intervals of all abilities, difficulties or discriminations: `interval[i] == (low, high)`.

        The fixed scale leaves the abilities of n systems n - 2 degrees of freedom and bounds them by √(n - 1); those of
        two systems have no intervals.
        """
        require_confidence(confidence)
        require_one_of("what", what, Parameter)
        value, error = getattr(self, what), getattr(self, f"{what}_error")
        if what != "ability":
            half = float(normal_quantile((1 + confidence) / 2)) * error
            return np.stack([value - half, value + half], axis=1)
        n = len(self.systems)
        if n == 2:
            return np.full((2, 2), np.nan)
        half, end = float(t_quantile((1 + confidence) / 2, n - 2)) * error, np.sqrt(n - 1)
        return np.clip(np.stack([value - half, value + half], axis=1), -end, end)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for readers of the estimates."""
        notes = [*self.remarks]
        if len(self.systems) == 2:
            notes.append("the abilities of two systems are always 1 and -1, so they have no intervals")
        if not self.converged:
            notes.append("the fit did not converge; the estimates are unreliable")
        return tuple(notes)

    def most_informative(self) -> tuple[str, ...]:
        """The queries, the most informative first."""
        return tuple(self.queries[place] for place in np.argsort(-self.information, kind="stable"))

    def diagnostics(self) -> LatentFit:
        """How well the model fits: residuals, infit and outfit, person fit, and information over abilities."""
        return latent_fit(self.values, self.ability, self.difficulty, self.discrimination, self.precision)

    def expected(self) -> Floats:
        """The expected value of each system on each query."""
        return logistic(self.discrimination * (self.ability[:, None] - self.difficulty))


def fit(
    values: Floats,
    systems: tuple[str, ...] | None = None,
    queries: tuple[str, ...] | None = None,
    *,
    model: Model = "success",
    squeeze: float = SQUEEZE,
) -> Latent:
    """The latent model of `values[system, query]`, fitted with weak priors; NaN marks missing values."""
    _require(values, model, squeeze)
    known = ~np.isnan(values)
    nearest = squeeze if model == "beta" else 0.0
    table = Table(np.where(known, np.clip(values, nearest, 1 - nearest), 0.5), known, model == "beta")
    n_systems, n_queries = values.shape
    return Latent(
        systems=systems or tuple(f"system {place}" for place in range(1, n_systems + 1)),
        queries=queries or tuple(f"query {place}" for place in range(1, n_queries + 1)),
        model=model,
        values=np.where(known, table.value, np.nan),
        **vars(fitted(table)),
    )


def _require(values: Floats, model: Model, squeeze: float) -> None:
    require_one_of("model", model, Model)
    require_between("squeeze", squeeze, 0, 0.5)
    if values.ndim != 2 or min(values.shape) < 2:
        shape = " and ".join(map(str, values.shape))
        raise BadInput(f"a latent model needs at least two systems and two queries, not {shape}")
    known = values[~np.isnan(values)]
    if model == "success" and not np.isin(known, (0, 1)).all():
        raise BadInput("the model of success needs values of 0 and 1; for values between them use model='beta'")
    if ((known < 0) | (known > 1)).any():
        raise BadInput(f"a latent model needs values from 0 to 1; there are values from {known.min()} to {known.max()}")
    for axis, what in ((1, "system"), (0, "query")):
        empty = np.flatnonzero(np.isnan(values).all(axis=axis))
        if len(empty):
            raise BadInput(f"{what} {empty[0] + 1} has no value at all; leave it out")
    if (np.nanmax(values, axis=0) == np.nanmin(values, axis=0)).all():
        raise BadInput("on every query all systems have the same value, so they cannot be distinguished")
