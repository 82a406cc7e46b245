"""Simultaneous tests of all systems, whose p-values for pairs account for the number of systems."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs
from cranfield.rounding import ROUNDING, zero_within_rounding
from cranfield.statistics.distributions import (
    Alternative,
    chi_square_tail,
    f_quantile,
    f_tail,
    many_to_one_quantile,
    many_to_one_tail,
    range_quantile,
    range_tail,
    t_quantile,
    t_tail,
)
from cranfield.statistics.pairs import degrees, studentised
from cranfield.statistics.resampling import RESAMPLES, shuffles
from cranfield.statistics.tests import Omnibus, Outcome, declare, worked
from cranfield.text import counted


@declare("tukey", title="Tukey's HSD after two-way ANOVA", cite="tukey1953", symbol="q", simultaneous=True)
def tukey(pairs: Pairs, *, level: float = 0.05) -> Outcome:
    """Mean difference divided by the residual standard error, referred to the studentised range distribution.

    The two-way analysis of variance removes differences between units, as a paired test does: for two systems it is the
    paired t-test.
    """
    layout = _two_way(pairs)
    n_systems, freedom, error = layout.n_systems, layout.freedom, layout.error
    q = np.where(pairs.mean == 0, 0.0, studentised(pairs.mean, np.full(len(pairs), error)))
    critical = range_quantile(1 - level, n_systems, freedom)
    half_width = np.full(len(pairs), critical * error if error else np.nan)
    return Outcome(
        q,
        range_tail(q, n_systems, freedom),
        f"{n_systems} systems, {degrees(freedom)}",
        half_width=half_width,
        working=worked(partial(_beyond, "q"), error=error, critical=critical, critical_difference=half_width),
        omnibus=layout.omnibus,
    )


@declare("dunnett", title="Dunnett's test after two-way ANOVA", cite="dunnett1955", symbol="t", simultaneous=True)
def dunnett(pairs: Pairs, *, alternative: Alternative = "two-sided", level: float = 0.05) -> Outcome:
    """Mean difference from the baseline divided by its standard error, referred to the largest of such t statistics.

    All systems ran on the same units, so the standard error is that of the residuals of systems and units, as in
    Tukey's test; SciPy's test of this name is for independent groups. For two systems it is the paired t-test.
    """
    layout, others = _two_way(pairs), pairs.samples.values.shape[0] - 1
    if len(pairs) != others or len(np.unique(pairs.second)) > 1:
        raise BadSetting("Dunnett's test compares all systems with one; name it as the baseline, or use 'tukey'")
    error, freedom = layout.error * np.sqrt(2), layout.freedom
    t = np.where(pairs.mean == 0, 0.0, studentised(pairs.mean, np.full(len(pairs), error)))
    critical = many_to_one_quantile(1 - level, others, freedom)
    half_width = np.full(len(pairs), critical * error if error else np.nan)
    two_sided = partial(_beyond, "t") if alternative == "two-sided" else None
    return Outcome(
        t,
        many_to_one_tail(t, others, freedom, alternative),
        f"{counted(others, 'comparison')}, {degrees(freedom)}",
        half_width=half_width,
        working=worked(two_sided, error=error, critical=critical, critical_difference=half_width),
        omnibus=layout.omnibus,
    )


class _TwoWay(NamedTuple):
    """Systems and units without interaction: the standard error of a mean, and the F test of the systems."""

    n_systems: int
    freedom: int
    error: float
    omnibus: Omnibus | None


def _two_way(pairs: Pairs) -> _TwoWay:
    values = pairs.samples.relative
    n_systems, n_units = values.shape
    freedom = (n_systems - 1) * (n_units - 1)
    mean = values.mean(axis=1, keepdims=True)
    left = values - mean - values.mean(axis=0) + values.mean()
    error = float(zero_within_rounding(np.sqrt((left**2).sum() / freedom / n_units), pairs.samples.size))
    apart = zero_within_rounding(mean - values.mean(), pairs.samples.size)
    between = float(n_units * (apart**2).sum() / (n_systems - 1))
    return _TwoWay(n_systems, freedom, error, _analysis(between, n_units * error**2, n_systems - 1, freedom))


def _beyond(symbol: str, figures: Mapping[str, float]) -> str:
    return f"H0 is rejected if {symbol} is above {figures['critical']:.4g} or below its negative"


def _analysis(between: float, within: float, above: int, below: int) -> Omnibus | None:
    """The F test of the systems; None if systems differ and the residual variance is 0."""
    if between and not within:
        return None
    ratio = between / within if between else 0.0
    return Omnibus(
        "two-way ANOVA of systems and units", f"F({above}, {below})", ratio, float(f_tail(ratio, above, below))
    )


@declare(
    "randomised tukey",
    title="randomised Tukey's HSD",
    cite="carterette2012",
    symbol="mean difference",
    simultaneous=True,
)
def randomised_tukey(pairs: Pairs, *, resamples: int = RESAMPLES, seed: int = 0) -> Outcome:
    """Proportion of permutations of the systems within each unit whose range of means is at least as large."""
    values = np.ascontiguousarray(pairs.samples.relative.T)
    observed = pairs.mean
    beaten = np.abs(observed) - ROUNDING * pairs.samples.size
    extreme = np.zeros(len(pairs))
    for drawn in shuffles(values, resamples, seed):
        means = drawn.mean(axis=1)
        spread = np.sort(means.max(axis=1) - means.min(axis=1))
        extreme += len(spread) - np.searchsorted(spread, beaten)
    return Outcome(
        observed,
        (extreme + 1) / (resamples + 1),
        remark=f"{counted(resamples, 'permutation')}, seed {seed}",
        working=worked(permutations=resamples, extreme=extreme),
    )


@declare(
    "nemenyi",
    title="Nemenyi's test after Friedman's",
    cite="nemenyi1963",
    symbol="q",
    null="the same mean rank",
    simultaneous=True,
)
def nemenyi(pairs: Pairs, *, level: float = 0.05) -> Outcome:
    """Difference of mean ranks divided by its standard error, referred to the studentised range distribution.

    The best system on a unit has rank 1, so the statistic is below 0 if the system is better than its baseline.
    """
    ranks = pairs.samples.ranks
    n_systems, n_units = ranks.shape
    mean = ranks.mean(axis=1)
    error = _rank_error(n_systems, n_units)
    q = (mean[pairs.first] - mean[pairs.second]) / error
    mean_ranks = ", ".join(f"{name} {rank:.4g}" for name, rank in zip(pairs.samples.systems, mean, strict=True))
    critical = critical_difference(n_systems, n_units, level)
    return Outcome(
        q,
        range_tail(q, n_systems, np.inf),
        f"{n_systems} systems",
        omnibus=_friedman(ranks),
        working=worked(
            partial(_beyond, "q"),
            mean_rank=mean[pairs.first],
            baseline_mean_rank=mean[pairs.second],
            error=error,
            critical=critical / error,
            critical_difference=critical,
        ),
        remark=f"mean ranks, 1 for the best: {mean_ranks}; critical difference {critical:.4g} at level {level:.4g}",
    )


def critical_difference(n_systems: int, n_units: int, level: float) -> float:
    """The smallest difference of two mean ranks that is significant in Nemenyi's test."""
    return float(range_quantile(1 - level, n_systems, np.inf) * _rank_error(n_systems, n_units))


def _rank_error(n_systems: int, n_units: int) -> float:
    return float(np.sqrt(n_systems * (n_systems + 1) / (12 * n_units)))


def _friedman(ranks: Floats) -> Omnibus:
    n_systems, n_units = ranks.shape
    spread = float(((ranks - (n_systems + 1) / 2) ** 2).sum() / (n_systems - 1))  # smaller with ties
    apart = float(((ranks.sum(axis=1) - n_units * (n_systems + 1) / 2) ** 2).sum())
    chi_square = apart / spread if spread else 0.0  # all systems tie on every unit
    p = float(chi_square_tail(chi_square, n_systems - 1))
    return Omnibus("Friedman's test", "chi-square", chi_square, p, f" with {degrees(n_systems - 1)}")


# Tests on cross-validation folds: their training sets overlap, so the plain t-test rejects too often


@declare("corrected t", title="corrected resampled t-test", cite="nadeau2003", symbol="t", varying=True)
def corrected_t(
    pairs: Pairs, *, alternative: Alternative = "two-sided", overlap: float | None = None, level: float = 0.05
) -> Outcome:
    """Mean difference divided by a standard error that accounts for the overlap of the training sets.

    The variance of the mean is the variance over folds times 1/K + overlap, where the overlap is the size of a test
    fold divided by the size of its training set.
    """
    shared = pairs.samples.overlap if overlap is None else overlap
    if not shared > 0:
        raise BadSetting(
            "the corrected t-test needs the overlap: the size of a test fold divided by that of its training set"
        )
    freedom = pairs.n_units - 1
    error = pairs.deviation * np.sqrt(1 / pairs.n_units + shared)
    t = studentised(pairs.mean, error)
    return Outcome(
        t,
        t_tail(t, freedom, alternative),
        degrees(freedom),
        half_width=t_quantile(1 - level / 2, freedom) * error,
        error=error,
        remark=f"overlap {shared:.4g}",
    )


@declare("5x2cv", title="5×2 cross-validation test", cite="dietterich1998", symbol="F")
def five_by_two(pairs: Pairs, *, variant: Literal["F", "t"] = "F", level: float = 0.05) -> Outcome:
    """Differences on the ten halves of five random splits, relative to the variance within the splits.

    Consecutive units are the two halves of a split. The variant F uses all ten differences (Alpaydın 1999), the
    variant t only the first (Dietterich 1998). The interval contains the differences that the test would not reject.
    """
    _require_halves(pairs)
    halves = pairs.difference.reshape(5, 2, -1)
    within = ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum(axis=(0, 1))
    error = zero_within_rounding(np.sqrt(within / 5), pairs.size)
    if variant == "t":
        t = studentised(halves[0, 0], error)
        critical = t_quantile(1 - level / 2, 5)
        half = critical * np.where(error > 0, error, np.nan)
        figures = worked(
            lambda _: f"H0 is rejected if t is above {critical:.4g} or below its negative",
            first_difference=halves[0, 0],
            error=error,
            critical=critical,
        )
        return Outcome(t, t_tail(t, 5), degrees(5), half, halves[0, 0], remark="variant t", symbol="t", working=figures)
    f, critical = studentised((halves**2).mean(axis=(0, 1)), error**2), f_quantile(1 - level, 10, 5)
    room = critical * error**2 - 0.9 * pairs.deviation**2  # after the variance of the ten differences
    half = np.sqrt(np.where((room >= 0) & (error > 0), room, np.nan))
    figures = worked(
        lambda _: f"H0 is rejected if F is above {critical:.4g}",
        mean_square=(halves**2).mean(axis=(0, 1)),
        variance_within=error**2,
        critical=critical,
    )
    return Outcome(f, f_tail(f, 10, 5), "10 and 5 degrees of freedom", half, remark="variant F", working=figures)


def _require_halves(pairs: Pairs) -> None:
    if pairs.n_units != 10:
        raise BadInput(f"5×2 cross-validation needs 10 values per system, two per split; got {pairs.n_units}")
    overlap = pairs.samples.overlap
    if overlap and not 0.5 < overlap < 2:
        raise BadInput(
            f"5×2 cross-validation tests on halves, but these test folds are {overlap:.3g} times as large as their "
            "training sets; use the test 'corrected t'"
        )
