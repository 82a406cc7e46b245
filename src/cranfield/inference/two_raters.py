"""Agreement of two raters: analytic standard errors of kappa, and chi-square and Cramér's V of their table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.inference.distributions import chi_square_tail, normal_tail


class KappaErrors(NamedTuple):
    """The standard error of kappa, its standard error under chance agreement, and z and p of the test of that."""

    error: float
    error_by_chance: float
    z: float
    p: float


class Association(NamedTuple):
    """Chi-square of independence with its degrees of freedom and p-value, and Cramér's V."""

    chi_square: float
    freedom: int
    p: float
    cramer_v: float


def kappa_errors(counts: Floats, credit: Floats) -> KappaErrors:
    """Standard errors of kappa with a weight for every pair of categories (Fleiss, Cohen and Everitt 1969).

    NaN if chance agreement is certain.
    """
    n = counts.sum()
    p = counts / n
    first, second = p.sum(axis=1), p.sum(axis=0)
    expected = float((credit * np.outer(first, second)).sum())
    if expected == 1:
        return KappaErrors(np.nan, np.nan, np.nan, np.nan)
    kappa = (float((credit * p).sum()) - expected) / (1 - expected)
    by_margins = (credit @ second)[:, None] + first @ credit
    spread = float((p * (credit - by_margins * (1 - kappa)) ** 2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    by_chance = float((np.outer(first, second) * (credit - by_margins) ** 2).sum()) - expected**2
    error, under_null = (float(np.sqrt(max(v, 0.0) / n)) / (1 - expected) for v in (spread, by_chance))
    z = kappa / under_null if under_null else np.nan
    return KappaErrors(error, under_null, z, float(normal_tail(np.array(z))))


def association(counts: Floats) -> Association:
    """Pearson's chi-square of a table, without unused categories; NaN if one is left."""
    used = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    least = min(used.shape) - 1
    if least < 1:
        return Association(np.nan, 0, np.nan, np.nan)
    expected = np.outer(used.sum(axis=1), used.sum(axis=0)) / used.sum()
    chi_square = float(((used - expected) ** 2 / expected).sum())
    freedom = (used.shape[0] - 1) * (used.shape[1] - 1)
    v = float(np.sqrt(chi_square / (used.sum() * least)))
    return Association(chi_square, freedom, float(chi_square_tail(chi_square, freedom)), v)
