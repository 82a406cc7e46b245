"""Latent (item response) models: abilities of systems, difficulty and discrimination of queries.

Decided here: what the difficulty and discrimination of a query and the ability of a system are.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, require_between, require_one_of
from cranfield.frozen import frozen
from cranfield.inference.distributions import normal_quantile, require_confidence, t_quantile
from cranfield.inference.fisher_scoring import Curves, fitted
from cranfield.inference.item_responses import Table, logistic
from cranfield.inference.latent_fit import LatentFit, latent_fit
from cranfield.measures.settings import CONFIDENCE

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
