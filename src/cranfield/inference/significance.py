"""Tests of one pair of systems at a time, on the differences between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs
from cranfield.inference.catalogue import Outcome, declare
from cranfield.inference.distributions import (
    Alternative,
    chi_square_tail,
    coin_tail,
    t_quantile,
    t_tail,
)
from cranfield.inference.randomisation import TIED, randomised
from cranfield.inference.resampling import draws

Floats = NDArray[np.float64]


def studentised(mean: Floats, error: Floats) -> Floats:
    """Mean over standard error; infinite where every value is the same, and 0 where all are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, mean / error, np.where(mean == 0, 0.0, np.sign(mean) * np.inf))


@declare("t", title="paired t-test", cite="student1908", symbol="t")
def paired_t(pairs: Pairs, *, alternative: Alternative = "two-sided") -> Outcome:
    """Mean difference over its standard error, against Student's distribution.

    With a number as the baseline it is the one-sample t-test.
    """
    error = pairs.deviation / np.sqrt(pairs.n_units)
    t, freedom = studentised(pairs.mean, error), pairs.n_units - 1
    return Outcome(t, t_tail(t, freedom, alternative), f"{freedom} degrees of freedom", error=error)


@declare("wilcoxon", title="Wilcoxon signed-rank test", cite="wilcoxon1945", symbol="W", null="differences around 0")
def wilcoxon(pairs: Pairs, *, alternative: Alternative = "two-sided") -> Outcome:
    """Sum of the ranks of the sizes of the differences of one sign, against chance signs.

    Units without a difference are left out. As SciPy counts: exactly where units are few, else by the normal
    distribution.
    """
    from scipy.stats import wilcoxon as signed_ranks

    columns = [column[column != 0] for column in pairs.difference.T]
    alike: dict[tuple[int, bool], list[int]] = {}  # in number and in having ties, by which SciPy chooses how to count
    for place, column in enumerate(columns):
        alike.setdefault((len(column), len(np.unique(np.abs(column))) < len(column)), []).append(place)
    statistic, p = np.empty((2, len(columns)))
    for places in alike.values():
        found = signed_ranks(np.stack([columns[place] for place in places]), axis=1, alternative=alternative)
        statistic[places], p[places] = found.statistic, found.pvalue
    sizes = sorted({len(column) for column in columns})
    remark = f"{sizes[0]} to {sizes[-1]} differences other than 0" if len(sizes) > 1 else f"{sizes[0]} differences"
    return Outcome(statistic, p, remark=remark)


@declare("sign", title="sign test", cite="conover1999", symbol="wins", null="as many wins as losses")
def sign(pairs: Pairs, *, alternative: Alternative = "two-sided") -> Outcome:
    """Number of units won, against tosses of a fair coin; units without a difference are left out."""
    wins = (pairs.difference > 0).sum(axis=0).astype(np.float64)
    losses = (pairs.difference < 0).sum(axis=0)
    return Outcome(wins, coin_tail(wins, wins + losses, alternative))


@declare("randomisation", title="paired randomisation test", cite="fisher1935", symbol="mean difference")
def randomisation(
    pairs: Pairs, *, alternative: Alternative = "two-sided", flips: int = 100_000, seed: int = 0
) -> Outcome:
    """Share of the ways to swap the two systems' values unit by unit that give a mean difference as great.

    All ways are gone through for 20 units or fewer; else so many flips are drawn, and the data count as one more.
    """
    found = randomised(pairs.difference, flips, seed, alternative, joint=False)
    return Outcome(pairs.mean, found.p, remark=found.remark(seed))


@declare("bootstrap", title="paired bootstrap test", cite="efron1993", symbol="t")
def bootstrap(
    pairs: Pairs, *, alternative: Alternative = "two-sided", resamples: int = 10_000, seed: int = 0
) -> Outcome:
    """Share of resamples of the units, shifted to have no difference, whose t is as great as the one observed."""
    difference = pairs.difference
    n_units, n_pairs = difference.shape
    centred = difference - difference.mean(axis=0)
    t = studentised(pairs.mean, pairs.deviation / np.sqrt(n_units))
    extreme = np.zeros(n_pairs)
    for drawn in draws(n_units, resamples, seed, n_pairs):
        mean = drawn @ centred / n_units
        spread = np.maximum(drawn @ centred**2 / n_units - mean**2, 0) / (n_units - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn_t = np.where(spread > 0, mean / np.sqrt(spread), np.sign(mean) * np.inf)
        extreme += np.count_nonzero(_as_far(drawn_t, t, alternative), axis=0)
    return Outcome(t, (extreme + 1) / (resamples + 1), remark=f"{resamples:,} resamples, seed {seed}")


def _as_far(drawn: Floats, observed: Floats, alternative: Alternative) -> NDArray[np.bool_]:
    if alternative == "two-sided":
        drawn, observed = np.abs(drawn), np.abs(observed)
    elif alternative == "less":
        drawn, observed = -drawn, -observed
    return drawn >= observed - TIED


@declare("tost", title="two one-sided t-tests of equivalence", cite="schuirmann1987", symbol="t", equivalence=True)
def equivalence(pairs: Pairs, *, margin: float | None = None, level: float = 0.05) -> Outcome:
    """Greater p-value of the two t-tests that the mean difference is below the margin, and above its negative.

    A small p says that the systems are equivalent: their means differ by less than the margin.
    """
    if margin is None or not 0 < margin < np.inf:
        raise BadSetting("the test 'tost' needs a margin above 0: the greatest difference that does not matter")
    if not level < 0.5:
        raise BadSetting(f"the test 'tost' needs a level below 0.5, not {level:g}")
    freedom = pairs.n_units - 1
    error = pairs.deviation / np.sqrt(pairs.n_units)
    t = studentised(np.abs(pairs.mean) - margin, error)
    return Outcome(
        t,
        t_tail(t, freedom, "less"),
        f"{freedom} degrees of freedom",
        half_width=t_quantile(1 - level, freedom) * error,
        remark=f"margin {margin:g}; the interval has {1 - 2 * level:.0%} confidence, as the two tests ask",
    )


@declare("mcnemar", title="McNemar's test", cite="mcnemar1947", symbol="wins", null="the same share of right answers")
def mcnemar(pairs: Pairs, *, form: str = "exact") -> Outcome:
    """Items that only the first system gets right, against a fair coin tossed for each on which the two differ.

    For items that are right (1) or wrong (0). `form` is exact, mid-p, or chi-square with its correction for
    continuity.
    """
    if not np.isin(pairs.samples.values, (0, 1)).all():
        raise BadSetting("McNemar's test compares right (1) and wrong (0) answers; these values are not all 0 or 1")
    wins = (pairs.difference > 0).sum(axis=0).astype(np.float64)
    losses = (pairs.difference < 0).sum(axis=0).astype(np.float64)
    n_apart, remark = wins + losses, f"{form} form"
    if form == "exact":
        return Outcome(wins, coin_tail(wins, n_apart), remark=remark)
    if form == "mid-p":
        fewer = np.minimum(wins, losses)
        p = coin_tail(fewer, n_apart, "less") + np.where(fewer > 0, coin_tail(fewer - 1, n_apart, "less"), 0)
        return Outcome(wins, p, remark=remark)
    if form == "chi-square":
        chi_square = np.maximum(np.abs(wins - losses) - 1, 0) ** 2 / n_apart
        p = chi_square_tail(chi_square, 1)
        return Outcome(chi_square, p, "1 degree of freedom", remark=remark, symbol="chi-square")
    raise BadSetting(f"McNemar's test has the forms exact, mid-p and chi-square, not {form!r}")
