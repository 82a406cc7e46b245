"""Tests of all systems at once, whose p-values for pairs allow for the number of systems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.samples import Pairs, settled
from cranfield.inference.catalogue import Omnibus, Outcome, declare
from cranfield.inference.distributions import chi_square_tail, f_tail, range_quantile, range_tail
from cranfield.inference.randomisation import TIED
from cranfield.inference.resampling import shuffles
from cranfield.inference.significance import studentised

Floats = NDArray[np.float64]


@declare("tukey", title="Tukey's HSD after two-way ANOVA", cite="tukey1953", symbol="q", simultaneous=True)
def tukey(pairs: Pairs, *, level: float = 0.05) -> Outcome:
    """Mean difference over the standard error that systems and units leave unexplained, against the greatest range.

    The analysis of variance takes out the differences between units, as a paired test does: with two systems it is
    the paired t-test.
    """
    values = pairs.samples.values
    n_systems, n_units = values.shape
    freedom = (n_systems - 1) * (n_units - 1)
    mean = values.mean(axis=1, keepdims=True)
    left = values - mean - values.mean(axis=0) + values.mean()
    error = float(settled(np.sqrt((left**2).sum() / freedom / n_units), pairs.samples.size))
    apart = settled(mean - values.mean(), pairs.samples.size)
    between = float(n_units * (apart**2).sum() / (n_systems - 1))
    q = studentised(pairs.mean, np.full(len(pairs), error))
    return Outcome(
        q,
        np.where(np.isinf(q), 0.0, range_tail(np.where(np.isinf(q), 0, q), n_systems, freedom)),
        f"{n_systems} systems, {freedom} degrees of freedom",
        half_width=np.full(len(pairs), range_quantile(1 - level, n_systems, freedom) * error),
        omnibus=_analysis(between, n_units * error**2, n_systems - 1, freedom),
    )


def _analysis(between: float, within: float, above: int, below: int) -> Omnibus:
    ratio = float(studentised(np.array(between), np.array(within)))
    p = 0.0 if np.isinf(ratio) else float(f_tail(ratio, above, below))
    return Omnibus("two-way ANOVA of systems and units", f"F({above}, {below})", ratio, p)


@declare(
    "randomised tukey",
    title="randomised Tukey's HSD",
    cite="carterette2012",
    symbol="mean difference",
    simultaneous=True,
)
def randomised_tukey(pairs: Pairs, *, shuffled: int = 10_000, seed: int = 0) -> Outcome:
    """Share of the shuffles of the systems' values within each unit whose best and worst mean lie as far apart."""
    values = np.ascontiguousarray(pairs.samples.values.T)
    observed = pairs.mean
    beaten = np.abs(observed) - TIED * pairs.samples.size
    extreme = np.zeros(len(pairs))
    for drawn in shuffles(values, shuffled, seed):
        means = drawn.mean(axis=1)
        spread = np.sort(means.max(axis=1) - means.min(axis=1))
        extreme += len(spread) - np.searchsorted(spread, beaten)
    return Outcome(observed, (extreme + 1) / (shuffled + 1), remark=f"{shuffled:,} shuffles, seed {seed}")


@declare(
    "nemenyi",
    title="Nemenyi's test after Friedman's",
    cite="nemenyi1963",
    symbol="q",
    null="the same mean rank",
    simultaneous=True,
)
def nemenyi(pairs: Pairs) -> Outcome:
    """Difference of the mean ranks of two systems over its standard error, against the greatest range."""
    ranks = pairs.samples.ranks
    n_systems, n_units = ranks.shape
    mean = ranks.mean(axis=1)
    q = (mean[pairs.first] - mean[pairs.second]) / np.sqrt(n_systems * (n_systems + 1) / (12 * n_units))
    return Outcome(
        q,
        range_tail(q, n_systems, np.inf),
        f"{n_systems} systems",
        omnibus=_friedman(ranks),
        remark="mean ranks: " + ", ".join(f"{n} {r:.4g}" for n, r in zip(pairs.samples.systems, mean, strict=True)),
    )


def _friedman(ranks: Floats) -> Omnibus:
    n_systems, n_units = ranks.shape
    spread = float(((ranks - (n_systems + 1) / 2) ** 2).sum() / (n_systems - 1))  # smaller where values are tied
    apart = float(((ranks.sum(axis=1) - n_units * (n_systems + 1) / 2) ** 2).sum())
    chi_square = apart / spread if spread else 0.0  # no unit puts any system above another
    p = float(chi_square_tail(chi_square, n_systems - 1))
    freedom = f" with {n_systems - 1} degrees of freedom"
    return Omnibus("Friedman's test", "chi-square", chi_square, p, freedom)
