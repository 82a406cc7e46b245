"""Latent models: the ability of systems, and the difficulty and discrimination of queries, behind a table of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.distributions import normal_quantile, require_confidence, t_quantile
from cranfield.inference.responses import Table, logistic
from cranfield.inference.scoring import fitted

Floats = NDArray[np.float64]
Model = Literal["success", "beta"]
Parameter = Literal["ability", "difficulty", "discrimination"]

SQUEEZE = 0.005  # values nearer to 0 or 1 are taken to be so near, for the beta model has none at the ends


@dataclass(frozen=True, eq=False)
class Latent:
    """A fitted model: system i does well on query j with the chance, or the mean value, σ(a_j (θ_i - b_j)).

    θ is the ability of a system, b the difficulty of a query, and a its discrimination: how steeply its values rise
    with ability, below 0 where better systems do worse. Abilities have mean 0 and deviation 1 over these systems.
    Each comes with its standard error.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    ability: Floats
    ability_error: Floats
    difficulty: Floats
    difficulty_error: Floats
    discrimination: Floats
    discrimination_error: Floats
    information: Floats  # what each query tells about the abilities of these systems, in the mean over them
    precision: float  # of the beta model; infinite for success
    model: Model
    converged: bool
    remarks: tuple[str, ...] = ()  # what has to be said of the values

    def interval(self, what: Parameter, confidence: float = 0.95) -> Floats:
        """The bounds of each ability, difficulty or discrimination: `interval[i] == (low, high)`.

        Abilities of n systems have n - 2 directions left on their scale, hence Student's t with so many degrees of
        freedom, and cannot lie beyond √(n - 1). Those of two systems have no bounds.
        """
        require_confidence(confidence)
        if what not in get_args(Parameter):
            raise BadSetting(f"a latent model has {', '.join(get_args(Parameter))}, not {what!r}")
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
        """What has to be said of the figures."""
        said = [*self.remarks]
        if len(self.systems) == 2:
            said.append("two systems have the abilities 1 and -1 whatever their values: no interval fits")
        if not self.converged:
            said.append("the fit did not settle: take these figures as a start only")
        return tuple(said)

    def telling(self) -> tuple[str, ...]:
        """The queries, those first that tell these systems apart best."""
        return tuple(self.queries[place] for place in np.argsort(-self.information, kind="stable"))

    def expected(self) -> Floats:
        """The value the model expects of each system on each query."""
        return logistic(self.discrimination * (self.ability[:, None] - self.difficulty))


def fit(
    values: Floats,
    systems: tuple[str, ...] | None = None,
    queries: tuple[str, ...] | None = None,
    *,
    model: Model = "success",
    squeeze: float = SQUEEZE,
) -> Latent:
    """The model that fits `values[system, query]` best, given weak priors; NaN where there is no value."""
    _require(values, model, squeeze)
    known = ~np.isnan(values)
    nearest = squeeze if model == "beta" else 0.0
    table = Table(np.where(known, np.clip(values, nearest, 1 - nearest), 0.5), known, model == "beta")
    found = fitted(table)
    n_systems, n_queries = values.shape
    return Latent(
        systems=systems or tuple(f"system {place}" for place in range(1, n_systems + 1)),
        queries=queries or tuple(f"query {place}" for place in range(1, n_queries + 1)),
        ability=found.ability,
        ability_error=found.ability_error,
        difficulty=found.difficulty,
        difficulty_error=found.difficulty_error,
        discrimination=found.slope,
        discrimination_error=found.slope_error,
        information=found.information,
        precision=found.precision,
        model=model,
        converged=found.converged,
    )


def _require(values: Floats, model: Model, squeeze: float) -> None:
    if model not in ("success", "beta"):
        raise BadSetting(f"there are the models success and beta, not {model!r}")
    if not 0 < squeeze < 0.5:
        raise BadSetting(f"values may be squeezed from the ends by a number between 0 and 0.5, not {squeeze!r}")
    if values.ndim != 2 or min(values.shape) < 2:
        raise BadInput(f"a latent model needs two systems and two queries at least, not {_size(values)}")
    known = values[~np.isnan(values)]
    if model == "success" and not np.isin(known, (0, 1)).all():
        raise BadInput("the model of success needs values of 0 and 1; for values between them take model='beta'")
    if ((known < 0) | (known > 1)).any():
        raise BadInput(f"a latent model needs values from 0 to 1; there are values from {known.min()} to {known.max()}")
    for axis, what in ((1, "system"), (0, "query")):
        empty = np.flatnonzero(np.isnan(values).all(axis=axis))
        if len(empty):
            raise BadInput(f"{what} {empty[0] + 1} has no value at all; leave it out")
    if (np.nanmax(values, axis=0) == np.nanmin(values, axis=0)).all():
        raise BadInput("on every query all systems have the same value: nothing tells them apart")


def _size(values: Floats) -> str:
    return " and ".join(map(str, values.shape))
