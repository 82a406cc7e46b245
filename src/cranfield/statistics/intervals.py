"""Confidence intervals of means, proportions and medians over similar units.

Decided here: which interval a mean has.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadSetting, require_one_of
from cranfield.frozen import frozen
from cranfield.rounding import LONG_SUMS, ROUNDING, whole, zero_within_rounding
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import (
    normal_cdf,
    normal_critical_value,
    normal_quantile,
    require_confidence,
    t_quantile,
)
from cranfield.statistics.resampling import RESAMPLES, draws
from cranfield.text import counted

Method = Literal["auto", "bounded", "t", "wilson", "bca", "percentile"]

EXACT = "clopper-pearson"
BOUNDED_T, STUDENT, BCA, PERCENTILE = "bounded t", "t", "BCa bootstrap", "percentile bootstrap"  # as tables show them

UNBOUNDED = (-math.inf, math.inf)

CONSTANT = "all values are the same: no variance"


@frozen(eq=False)
class Interval:
    """The bounds of each column with their method; NaN if there are none, with the `reason`."""

    low: Floats
    high: Floats
    confidence: float
    method: str
    reason: str = ""

    @property
    def of_one(self) -> tuple[float, float, str]:
        """The bounds of the only column, and their method or why there are none."""
        return float(self.low[0]), float(self.high[0]), self.reason or self.method

    def exp(self) -> Interval:
        """The interval of a geometric mean, from that of the mean of logarithms."""
        return replace(self, low=np.exp(self.low), high=np.exp(self.high))

    def within(self, bounds: tuple[float, float]) -> Interval:
        """The same interval, clipped to these bounds."""
        return replace(self, low=np.clip(self.low, *bounds), high=np.clip(self.high, *bounds))

    def moved(self, by: float) -> Interval:
        """The interval of a mean of values that are larger by this."""
        return replace(self, low=self.low + by, high=self.high + by)


def constant(values: Floats) -> bool:
    """Whether all values are equal up to rounding."""
    low, high = float(values.min()), float(values.max())
    rounded = high - low <= LONG_SUMS * max(-low, high) < math.inf
    return low == high or (rounded and not whole(values).all())


def absent(confidence: float, reason: str) -> Interval:
    """No interval of a single value, with the reason."""
    nothing = np.array([np.nan])
    return Interval(nothing, nothing, confidence, "none", reason)


def t_interval(values: Floats, confidence: float = CONFIDENCE, *, cluster: Ints | None = None) -> Interval:
    """Student's t interval of the mean of each column of `values[u, c]`.

    With clusters, such as the topic of each query, the mean is a ratio of two sums over clusters, and its standard
    error the linearised jackknife over clusters; the degrees of freedom are one less than the number of clusters.
    """
    total, size = clustered(values, cluster)
    n_units = len(total)
    mean = total.sum(axis=0) / size.sum()
    away = (total - mean * size[:, None]) * ((n_units - 1) / (size.sum() - size))[:, None]
    deviation = np.sqrt((away**2).sum(axis=0) / (n_units - 1))
    half = t_quantile((1 + confidence) / 2, n_units - 1) * deviation / np.sqrt(n_units)
    return Interval(mean - half, mean + half, confidence, STUDENT if cluster is None else "t over clusters")


def bounded_interval(values: Floats, bounds: tuple[float, float], confidence: float = CONFIDENCE) -> Interval:
    """Student's t interval of the mean of each column, for values within bounds, adjusted for skewness.

    The standard deviation is not taken as known but as a function of the mean, so that a sample whose mean is too low
    does not also have an interval that is too short. It changes with the mean at half the skewness of the Beta
    distribution that has the mean and the variance of the sample. No interval is wider than Wilson's, the interval for
    values at the bounds only, which have the largest variance.
    """
    low, high = bounds
    unit = (values - low) / (high - low)
    return bounded_mean(unit.mean(axis=0), unit.std(axis=0, ddof=1), len(unit), bounds, confidence)


def bounded_mean(
    mean: Floats, deviation: Floats, n_units: float, bounds: tuple[float, float], confidence: float
) -> Interval:
    """The same from means and standard deviations on a scale from 0 to 1; weighted units have an effective number."""
    low, high = bounds
    reach = t_quantile((1 + confidence) / 2, max(int(n_units) - 1, 1)) / math.sqrt(n_units)
    room = mean * (1 - mean) + deviation**2
    slope = (1 - 2 * mean) * deviation / np.where(room > 0, room, 1)  # half the skewness of the Beta distribution
    widest = wilson(mean * n_units, float(n_units), confidence)
    lower = np.maximum(mean - deviation * _reach(reach, -slope), widest.low)
    upper = np.minimum(mean + deviation * _reach(reach, slope), widest.high)
    return Interval(low + (high - low) * lower, low + (high - low) * upper, confidence, BOUNDED_T)


def _reach(reach: float, slope: Floats) -> Floats:
    """The distance of a bound in deviations, if the deviation changes by this slope per deviation."""
    left = 1 - slope * reach
    return np.where(left > 0, reach / np.where(left > 0, left, 1), np.inf)


def wilson(successes: Floats | float, total: Floats | float, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a proportion."""
    k, n = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(total, np.float64))
    z = normal_critical_value(confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (k + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
    low = np.where(k == 0, 0.0, centre - half)  # exactly, despite rounding
    high = np.where(k == n, 1.0, centre + half)
    return Interval(np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan), confidence, "wilson")


def exact_proportion(successes: Floats | float, total: Floats | float, confidence: float = 0.95) -> Interval:
    """Clopper and Pearson's interval of a proportion, which covers at least as often as it says for any proportion."""
    from scipy.special import betaincinv

    k, n = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(total, np.float64))
    tail, some = (1 - confidence) / 2, n > 0
    low = np.where(k > 0, betaincinv(np.where(k > 0, k, 1), np.maximum(n - k, 0) + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.where(k < n, n - k, 1), 1 - tail), 1.0)
    return Interval(np.where(some, low, np.nan), np.where(some, high, np.nan), confidence, EXACT)


def bootstrap(
    values: Floats,
    confidence: float = CONFIDENCE,
    *,
    cluster: Ints | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    corrected: bool = True,
) -> Interval:
    """Bootstrap interval of the mean of each column, corrected for bias and acceleration (BCa) unless switched off.

    With clusters, such as the topic of each query, whole clusters are resampled. All columns use the same resamples.
    With fewer than about 30 units or clusters the interval is too narrow.
    """
    total, size = clustered(values, cluster)
    drawn = np.concatenate([(w @ total) / (w @ size)[:, None] for w in draws(len(total), resamples, seed)])
    left_out = (total.sum(axis=0) - total) / (size.sum() - size)[:, None]
    method = BCA if corrected else PERCENTILE
    return _quantiles(drawn, total.sum(axis=0) / size.sum(), left_out if corrected else None, confidence, method)


def clustered(values: Floats, cluster: Ints | None) -> tuple[Floats, Floats]:
    """The column sums by cluster, and the sizes of the clusters."""
    if cluster is None:
        return values, np.ones(len(values))
    _, place = np.unique(cluster, return_inverse=True)
    total = np.zeros((place.max() + 1, values.shape[1]))
    np.add.at(total, place, values)
    return total, np.bincount(place).astype(np.float64)


def median_interval(values: Floats, confidence: float = CONFIDENCE) -> Interval:
    """The interval of the median from order statistics, with the interpolation of Hettmansperger and Sheather (1986).

    The number of values below the true median is binomial with probability one half, whatever the distribution.
    """
    n_units = len(values)
    if n_units > 1 and constant(values):
        return absent(confidence, CONSTANT)
    k = np.arange(1, n_units // 2 + 1)
    chance = np.exp(np.concatenate([[0.0], np.cumsum(np.log((n_units - k + 1) / k))]) - n_units * np.log(2))
    held = 1 - 2 * np.cumsum(chance)  # coverage of the bounds at each distance from the ends
    place = int((held >= confidence).sum()) - 1
    if place < 0:
        return absent(confidence, f"{counted(n_units, 'value')} are too few for an interval of the median")
    ordered, depth = np.sort(values), place + 1
    part = (held[place] - confidence) / (held[place] - held[depth])
    moved = (n_units - depth) * part / (depth + (n_units - 2 * depth) * part)
    low = (1 - moved) * ordered[place] + moved * ordered[depth]
    high = (1 - moved) * ordered[-1 - place] + moved * ordered[-2 - place]
    return Interval(np.array([low]), np.array([high]), confidence, "order statistics")


def jackknife(whole: float, left_out: Floats, confidence: float = CONFIDENCE, *, count: Ints | None = None) -> Interval:
    """The jackknife interval of a value, from its values with each group of units left out.

    Groups that leave the same value may be counted instead of repeated.
    """
    times = np.ones(len(left_out), np.int64) if count is None else count
    n_groups = int(times.sum())
    mean = (left_out * times).sum() / n_groups
    error = np.sqrt((n_groups - 1) / n_groups * ((left_out - mean) ** 2 * times).sum())
    half = t_quantile((1 + confidence) / 2, n_groups - 1) * error
    return Interval(np.array([whole - half]), np.array([whole + half]), confidence, "jackknife")


def _quantiles(drawn: Floats, observed: Floats, left_out: Floats | None, confidence: float, method: str) -> Interval:
    """Quantiles of the resampled values; corrected (BCa) if the values with each unit left out are passed."""
    ends = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if left_out is None:
        low, high = np.quantile(drawn, ends, axis=0)
        return Interval(low, high, confidence, method)
    apart = zero_within_rounding(drawn - observed, np.abs(drawn).max(axis=0))
    below = ((apart < 0).mean(axis=0) + (apart <= 0).mean(axis=0)) / 2
    bias = normal_quantile(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    apart = left_out.mean(axis=0) - left_out
    spread = (apart**2).sum(axis=0)
    skew = (apart**3).sum(axis=0) / (6 * np.where(spread > 0, spread, 1) ** 1.5)
    shifted = bias + normal_quantile(ends)[:, None]
    where = normal_cdf(bias + shifted / (1 - skew * shifted))
    bounds = [np.quantile(drawn[:, c], where[:, c]) for c in range(drawn.shape[1])]
    low, high = np.array(bounds).reshape(-1, 2).T
    return Interval(low, high, confidence, method)


def mean_interval(
    values: Floats,
    confidence: float = CONFIDENCE,
    method: Method = "auto",
    *,
    binary: bool = False,
    bounds: tuple[float, float] = UNBOUNDED,
    cluster: Ints | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The confidence interval of the mean of `values[u]`.

    The default is Wilson's for values that are 0 or 1 by definition (`binary`), the bounded t interval for values of a
    measure with finite bounds, and Student's t otherwise; with clusters always Student's t over these. If all values
    are equal, only Wilson's interval exists.
    """
    require_one_of("method", method, Method)
    require_confidence(confidence)
    n_units = len(values) if cluster is None else len(np.unique(cluster))
    if n_units < 2:
        return absent(confidence, "at least 2 units are needed to estimate variance")
    if method == "auto":
        method = _default(bounds, binary=binary, clustered=cluster is not None)
    column = values[:, None]
    if method == "wilson":
        if cluster is not None or not np.isin(values, (0, 1)).all():
            raise BadSetting("Wilson's interval needs independent values that are all 0 or 1; use t for others")
        return wilson(column.sum(axis=0), float(n_units), confidence)
    if constant(values):
        return absent(confidence, CONSTANT)
    if method == "bounded":
        if cluster is not None or not np.isfinite(bounds).all():
            raise BadSetting("the bounded t interval needs a measure with finite bounds, and does not support topics")
        return bounded_interval(column, bounds, confidence)
    least = float(values.min()) if whole(values).all() else 0.0  # subtracted from whole numbers, which is exact
    if method in ("bca", "percentile"):
        drawn = {"resamples": resamples, "seed": seed}
        return bootstrap(column - least, confidence, cluster=cluster, corrected=method == "bca", **drawn).moved(least)
    return t_interval(column - least, confidence, cluster=cluster).moved(least)


def _default(bounds: tuple[float, float], *, binary: bool, clustered: bool) -> Method:
    """The method for values of this kind."""
    if clustered or not (binary or np.isfinite(bounds).all()):
        return "t"
    return "wilson" if binary else "bounded"


# Intervals from a standard error, symmetric on a scale that suits the range of a measure


AT_THE_END = "the value is at the end of its range, where its standard error is 0"


def interval_on_scale(
    value: float, error: float, reach: float, bounds: tuple[float, float], confidence: float, method: str
) -> Interval:
    """The bounds at this many standard errors from the value: on the logit scale within finite bounds, on the log scale
    of the distance from a single bound.
    """
    low, high = bounds
    if np.isnan(error):
        return absent(confidence, "its standard error is undefined")
    if not low < value < high:
        return absent(confidence, AT_THE_END)
    if error <= LONG_SUMS * max(abs(value), abs(error), ROUNDING):
        return absent(confidence, "its standard error is 0: every item has the same influence")
    half = reach * error
    if math.isinf(low) and math.isinf(high):
        ends = value - half, value + half
    elif math.isinf(high):
        ends = low + (value - low) * _exp(-half / (value - low)), low + (value - low) * _exp(half / (value - low))
    elif math.isinf(low):
        ends = high - (high - value) * _exp(half / (high - value)), high - (high - value) * _exp(-half / (high - value))
    else:
        odds, slope = (value - low) / (high - value), (high - low) / ((value - low) * (high - value))
        below, above = (low + (high - low) * _proportion(odds * _exp(way * half * slope)) for way in (-1, 1))
        ends = below, above
    return Interval(np.array([ends[0]]), np.array([ends[1]]), confidence, method)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


def _proportion(odds: float) -> float:
    return odds / (1 + odds) if odds < math.inf else 1.0


# The jackknife of a value over items, on the scale of its measure


JACKKNIFE = "jackknife"


def jackknife_interval(
    value: float, left_out: Floats, bounds: tuple[float, float], confidence: float, *, count: Ints | None = None
) -> Interval:
    """The interval from the values with each group of items left out; items that leave the same value are counted.

    The degrees of freedom of Student's t are the effective number of groups: if few of them make up most of the
    variance, its estimate is unreliable, and usually too small.
    """
    if not np.isfinite(left_out).all():
        return absent(confidence, "undefined without some of the items, so the variance cannot be estimated")
    times = np.ones(len(left_out), np.int64) if count is None else count
    n_groups = int(times.sum())
    if n_groups < 2:
        return absent(confidence, "at least 2 items are needed to estimate variance")
    squares = np.square(left_out - left_out @ times / n_groups)
    total = float(squares @ times)
    if not total:
        return absent(confidence, "the value is the same whichever items are left out")
    freedom = min(max(round(total**2 / float(np.square(squares) @ times)), 1), n_groups - 1)
    error = float(np.sqrt((n_groups - 1) / n_groups * total))
    reach = t_quantile((1 + confidence) / 2, freedom)
    return interval_on_scale(value, error, reach, bounds, confidence, JACKKNIFE)
