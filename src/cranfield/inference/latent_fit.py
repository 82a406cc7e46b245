"""Fit of latent models: residuals, infit and outfit, person fit l_z, and the information of all queries together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.inference.item_responses import Point, odds_information

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
