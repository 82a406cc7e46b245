"""Intervals: between what bounds the mean, the share or the median over all units like these is likely to lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.inference.distributions import (
    normal_quantile,
    normal_reach,
    normal_share,
    require_confidence,
    t_quantile,
)
from cranfield.inference.resampling import draws

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Method = Literal["auto", "t", "wilson", "bca", "percentile"]
METHODS: tuple[Method, ...] = ("auto", "t", "wilson", "bca", "percentile")

RESAMPLES = 10_000
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Interval:
    """The bounds for each column, NaN where there are none; `reason` then says why, and `method` how they came."""

    low: Floats
    high: Floats
    confidence: float
    method: str
    reason: str = ""

    @property
    def of_one(self) -> tuple[float, float, str]:
        """The bounds for the only column, and how they came or why there are none."""
        return float(self.low[0]), float(self.high[0]), self.reason or self.method

    def within(self, bounds: tuple[float, float]) -> Interval:
        """The same, kept inside what the measure can be."""
        low, high = np.clip(self.low, *bounds), np.clip(self.high, *bounds)
        return Interval(low, high, self.confidence, self.method, self.reason)


def absent(n_columns: int, confidence: float, reason: str) -> Interval:
    """No interval, and why."""
    nothing = np.full(n_columns, np.nan)
    return Interval(nothing, nothing, confidence, "none", reason)


def t_interval(values: Floats, confidence: float = 0.95, *, cluster: Ints | None = None) -> Interval:
    """The mean of each column of `values[u, c]` give or take its standard error times Student's quantile.

    With clusters, such as the topic of each query, the mean is the ratio of two sums over clusters. Its error comes
    from how far each cluster moves it: the ratio linearised, each cluster held against the others (the jackknife).
    There is one degree of freedom less than clusters.
    """
    total, size = clustered(values, cluster)
    n_units = len(total)
    mean = total.sum(axis=0) / size.sum()
    away = (total - mean * size[:, None]) * ((n_units - 1) / (size.sum() - size))[:, None]
    deviation = np.sqrt((away**2).sum(axis=0) / (n_units - 1))
    half = t_quantile((1 + confidence) / 2, n_units - 1) * deviation / np.sqrt(n_units)
    return Interval(mean - half, mean + half, confidence, "t" if cluster is None else "t over clusters")


def wilson(successes: Floats | float, total: Floats | float, confidence: float = 0.95) -> Interval:
    """Wilson's interval of a proportion: the shares that would not be rejected, given what was counted."""
    k, n = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(total, np.float64))
    z = normal_reach(confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (k + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
    low = np.where(k == 0, 0.0, centre - half)  # exactly, whatever rounding makes of it
    high = np.where(k == n, 1.0, centre + half)
    return Interval(np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan), confidence, "wilson")


def bootstrap(
    values: Floats,
    confidence: float = 0.95,
    *,
    cluster: Ints | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    corrected: bool = True,
) -> Interval:
    """Quantiles of the mean of each column over resampled units, corrected for bias and acceleration (BCa).

    With clusters, such as the topic of each query, whole clusters are drawn. All columns share the draws: a matrix
    product gives the means. With fewer than some 30 units, or clusters, it is too narrow: it draws what varies little.
    """
    total, size = clustered(values, cluster)
    drawn = np.concatenate([(w @ total) / (w @ size)[:, None] for w in draws(len(total), resamples, seed)])
    left_out = (total.sum(axis=0) - total) / (size.sum() - size)[:, None]
    method = "BCa bootstrap" if corrected else "percentile bootstrap"
    return _quantiles(drawn, total.sum(axis=0) / size.sum(), left_out if corrected else None, confidence, method)


def clustered(values: Floats, cluster: Ints | None) -> tuple[Floats, Floats]:
    """The sums of each column over each cluster, and the sizes of the clusters."""
    if cluster is None:
        return values, np.ones(len(values))
    _, place = np.unique(cluster, return_inverse=True)
    total = np.zeros((place.max() + 1, values.shape[1]))
    np.add.at(total, place, values)
    return total, np.bincount(place).astype(np.float64)


def median_interval(values: Floats, confidence: float = 0.95) -> Interval:
    """The bounds of the median: values so far out in their order that it is as unlikely to lie beyond them.

    How many of the values lie below the true median is a matter of tossing a coin, whatever they are. Between two
    places in the order, the interpolation of Hettmansperger and Sheather meets the confidence asked for.
    """
    n_units = len(values)
    k = np.arange(1, n_units + 1)
    chance = np.exp(np.concatenate([[0.0], np.cumsum(np.log((n_units - k + 1) / k))]) - n_units * np.log(2))
    held = 1 - 2 * np.cumsum(chance)[: n_units // 2]  # by the bounds at each place from the ends
    place = int((held >= confidence).sum()) - 1
    if place < 0:
        return absent(1, confidence, f"{n_units} values are too few to hold the median between them")
    ordered = np.sort(values)
    depth, further = place + 1, held[place + 1] if place + 1 < len(held) else 0.0
    share = (held[place] - confidence) / (held[place] - further)
    moved = (n_units - depth) * share / (depth + (n_units - 2 * depth) * share)
    low = (1 - moved) * ordered[place] + moved * ordered[place + 1]
    high = (1 - moved) * ordered[-1 - place] + moved * ordered[-2 - place]
    return Interval(np.array([low]), np.array([high]), confidence, "order statistics")


def jackknife(whole: float, left_out: Floats, confidence: float = 0.95) -> Interval:
    """The value of all units give or take its standard error, told from the values without each group of them."""
    n_groups = len(left_out)
    error = np.sqrt((n_groups - 1) / n_groups * ((left_out - left_out.mean()) ** 2).sum())
    half = t_quantile((1 + confidence) / 2, n_groups - 1) * error
    return Interval(np.array([whole - half]), np.array([whole + half]), confidence, "jackknife")


def percentiles(value: float, drawn: Floats, confidence: float = 0.95) -> Interval:
    """The bounds between which most of the resampled values lie.

    There are none if many are undefined, if all are the same, or if the value itself lies beyond: drawing items again
    adds noise, and what noise only adds to, such as an error of calibration, is greater in nearly every resample.
    """
    known = drawn[~np.isnan(drawn)]
    n_undefined = len(drawn) - len(known)
    lost = f"undefined in {n_undefined} of {len(drawn)} resamples"
    if n_undefined > (1 - confidence) * len(drawn):
        return absent(1, confidence, lost)
    if np.ptp(known) <= _ROUNDING * np.abs(known).max():
        return absent(1, confidence, "every resample gives the same value")
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    if not low <= value <= high:
        return absent(1, confidence, "resampling moves it: hardly a resample gives as little, or as much")
    return Interval(np.array([low]), np.array([high]), confidence, "bootstrap" + f", {lost}" * bool(n_undefined))


def _quantiles(drawn: Floats, observed: Floats, left_out: Floats | None, confidence: float, method: str) -> Interval:
    """The bounds from what was drawn; corrected by what comes of leaving each unit out, if that is given."""
    ends = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if left_out is None:
        low, high = np.quantile(drawn, ends, axis=0)
        return Interval(low, high, confidence, method)
    share = ((drawn < observed).mean(axis=0) + (drawn <= observed).mean(axis=0)) / 2
    bias = normal_quantile(np.clip(share, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    apart = left_out.mean(axis=0) - left_out
    spread = (apart**2).sum(axis=0)
    skew = (apart**3).sum(axis=0) / (6 * np.where(spread > 0, spread, 1) ** 1.5)
    shifted = bias + normal_quantile(ends)[:, None]
    where = normal_share(bias + shifted / (1 - skew * shifted))
    bounds = [np.quantile(drawn[:, c], where[:, c]) for c in range(drawn.shape[1])]
    low, high = np.array(bounds).reshape(-1, 2).T
    return Interval(low, high, confidence, method)


def mean_interval(
    values: Floats,
    confidence: float = 0.95,
    method: Method = "auto",
    *,
    cluster: Ints | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The interval of the mean of `values[u]`.

    By `auto` it is Wilson's for values that are all 0 or 1, and else t's; with clusters always t's over these.
    """
    require_method(method)
    require_confidence(confidence)
    n_units = len(values) if cluster is None else len(np.unique(cluster))
    if n_units < 2:
        return absent(1, confidence, "how values vary cannot be told from fewer than 2 units")
    column = values[:, None]
    if method in ("bca", "percentile"):
        drawn = {"resamples": resamples, "seed": seed}
        return bootstrap(column, confidence, cluster=cluster, corrected=method == "bca", **drawn)
    shares = bool(np.isin(values, (0, 1)).all())
    if method == "wilson" and (not shares or cluster is not None):
        raise BadSetting("Wilson's interval is for proportions of single units, all of them 0 or 1; t is for others")
    if method == "wilson" or (method == "auto" and shares and cluster is None):
        return wilson(column.sum(axis=0), float(n_units), confidence)
    return t_interval(column, confidence, cluster=cluster)


def require_method(method: str) -> None:
    """Refuse what is no way to an interval."""
    if method not in METHODS:
        raise BadSetting(f"there is no interval {method!r}; there are {', '.join(METHODS)}")
