"""Random-effects meta-analysis: one effect over several collections, each with its own standard error."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import chi_square_tail, least, roots, t_quantile, t_tail
from cranfield.statistics.resampling import generator

Heterogeneity = Literal["reml", "dersimonian-laird"]

DRAWS = 10_000  # of the effect on another collection


class Pooled(NamedTuple):
    """The mean effect with its interval (Knapp and Hartung 2003), and how much true effects vary between collections.

    `new_low` and `new_high` are the prediction interval of the effect on another collection (Nagashima, Noma and
    Furukawa 2019); NaN for two collections.
    """

    effect: float
    error: float
    low: float
    high: float
    p: float
    between: float  # standard deviation of the true effects
    q: float
    q_p: float
    inconsistency: float  # I²: proportion of the variance of the observed effects that is not sampling error
    new_low: float
    new_high: float
    weight: Floats


def pooled(effect: Floats, error: Floats, method: Heterogeneity = "reml", confidence: float = CONFIDENCE) -> Pooled:
    """The mean of effects with these standard errors, where the true effects vary too."""
    n = len(effect)
    variance = error**2
    tau2 = _reml(effect, variance) if method == "reml" else _dersimonian_laird(effect, variance)
    precision = 1 / (variance + tau2)
    weight = precision / precision.sum()
    mean = float(weight @ effect)
    excess = float(precision @ (effect - mean) ** 2) / (n - 1)
    spread = float(np.sqrt(max(excess, 1.0) / precision.sum()))  # Knapp and Hartung, at least that of the weights
    reach = t_quantile((1 + confidence) / 2, n - 1)
    q, freedom = _q(effect, variance), n - 1
    new_low, new_high = _on_another(effect, variance, confidence) if n > 2 else (np.nan, np.nan)
    p = float(t_tail(np.array(mean / spread), freedom))
    return Pooled(
        mean,
        spread,
        mean - reach * spread,
        mean + reach * spread,
        p,
        float(np.sqrt(tau2)),
        q,
        float(chi_square_tail(q, freedom)),
        max(0.0, 1 - freedom / q) if q else 0.0,
        new_low,
        new_high,
        weight,
    )


def _on_another(effect: Floats, variance: Floats, confidence: float) -> tuple[float, float]:
    """The prediction interval of the true effect on another collection.

    It allows for what a few collections leave unknown about the variance between collections, which is often estimated
    as 0: the variance is drawn from its confidence distribution, in which the generalised Q has that of chi-square.
    """
    random, freedom = generator(0), len(effect) - 1
    q = random.chisquare(freedom, DRAWS)

    def above(tau2: Floats) -> Floats:
        return q - _around_mean(effect, variance, tau2)[1]

    low, high = np.zeros(DRAWS), np.full(DRAWS, max(float(np.ptp(effect)) ** 2, float(variance.max())))
    while (short := above(high) < 0).any():
        high = np.where(short, 2 * high, high)
    tau2 = np.where(above(low) < 0, roots(above, low, high), 0.0)
    mean, excess, precision = _around_mean(effect, variance, tau2)
    error = np.sqrt(np.maximum(excess / freedom, 1.0) / precision)
    new = mean + np.sqrt(tau2) * random.standard_normal(DRAWS) + error * random.standard_t(freedom, DRAWS)
    lower, upper = np.quantile(new, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return lower, upper


def _around_mean(effect: Floats, variance: Floats, tau2: Floats) -> tuple[Floats, Floats, Floats]:
    """For each variance between collections: the mean effect, the generalised Q, and the precision of the mean."""
    weight = 1 / (variance + tau2[:, None])
    precision = weight.sum(axis=1)
    mean = (weight @ effect) / precision
    return mean, (weight * (effect - mean[:, None]) ** 2).sum(axis=1), precision


def _q(effect: Floats, variance: Floats) -> float:
    """Cochran's Q: the weighted squares of deviations from the mean with fixed effects."""
    mean = (effect / variance).sum() / (1 / variance).sum()
    return float(((effect - mean) ** 2 / variance).sum())


def _dersimonian_laird(effect: Floats, variance: Floats) -> float:
    weight = 1 / variance
    room = weight.sum() - (weight**2).sum() / weight.sum()
    return max(0.0, (_q(effect, variance) - (len(effect) - 1)) / float(room))


def _reml(effect: Floats, variance: Floats) -> float:
    """The variance between collections where the restricted likelihood has slope 0, or 0 if that only falls."""

    def falling(tau2: float) -> bool:
        weight = 1 / (variance + tau2)
        mean = (weight @ effect) / weight.sum()
        slope = weight**2 @ (effect - mean) ** 2 - weight.sum() + (weight**2).sum() / weight.sum()
        return bool(slope <= 0)

    if falling(0.0):
        return 0.0
    scale = float(np.var(effect))
    return scale * least(lambda ratio: falling(scale * ratio))
