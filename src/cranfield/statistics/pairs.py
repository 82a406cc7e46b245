"""Tests of one pair of systems at a time, on the differences between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs, is_number
from cranfield.frozen import frozen
from cranfield.rounding import ROUNDING, merged, zero_within_rounding
from cranfield.statistics.distributions import (
    Alternative,
    chi_square_quantile,
    chi_square_tail,
    coin_tail,
    require_level,
    t_quantile,
    t_tail,
)
from cranfield.statistics.power import units_needed
from cranfield.statistics.rank_correlation import ranks
from cranfield.statistics.resampling import (
    ENUMERATED,
    FEW,
    PERMUTATIONS,
    RESAMPLES,
    draws,
    flipped_sums,
    flips,
    n_flips,
)
from cranfield.statistics.tests import Outcome, Working, declare, worked
from cranfield.text import counted

# Randomisation tests: the distribution of mean differences under random sign flips


@frozen(eq=False)
class Randomised:
    """The proportion of flips at least as extreme per column, and of flips whose maximum over columns is (max-T).

    Stepping down, the maximum is over the columns that are not more extreme than this one.
    """

    p: Floats
    greatest: Floats  # NaN if not requested
    stepped: Floats  # NaN if not requested
    n_extreme: Floats  # flips at least as extreme, per column
    n_flips: int
    exact: bool

    def remark(self, seed: int) -> str:
        """How the p-values were computed."""
        number = counted(self.n_flips, "permutation")
        return f"all {number}" if self.exact else f"{number}, seed {seed}"


def randomised(
    difference: Floats,
    resamples: int,
    seed: int,
    alternative: Alternative = "two-sided",
    *,
    magnitude: Floats | None = None,
    joint: bool = True,
) -> Randomised:
    """The p-values of the columns of `difference[u, p]`, from sign flips shared by all columns, and joint p-values.

    `magnitude[u, p]` is the magnitude of the values that were subtracted (default: that of the difference); it decides
    which sums are equal up to rounding.
    A matrix product gives the sums of all columns under many flips. Each column is scaled by the root of its sum of
    squares, which flips do not change: its sum is then equivalent to t, and columns are comparable.
    """
    size = np.sqrt((difference**2).sum(axis=0))
    size[size == 0] = 1
    scaled = difference / size
    observed = _extreme(scaled.sum(axis=0), alternative)
    beaten = observed - ROUNDING * (np.abs(difference) if magnitude is None else magnitude).sum(axis=0) / size
    alone, together, stepping = np.zeros((3, len(observed)))
    order = np.argsort(observed, kind="stable")
    width = len(observed) if len(observed) <= FEW else max(scaled.shape)
    for flipped in flips(len(difference), resamples, seed, width):
        sums = _extreme(flipped_sums(scaled, flipped), alternative)
        alone += np.count_nonzero(sums >= beaten, axis=0)
        if joint:
            together += len(sums) - np.searchsorted(np.sort(sums.max(axis=1)), beaten)
            of_less_extreme = np.maximum.accumulate(sums[:, order], axis=1)
            stepping[order] += np.count_nonzero(of_less_extreme >= beaten[order], axis=0)
    exact = len(difference) <= ENUMERATED
    total = n_flips(len(difference), resamples)
    added = 0 if exact else 1  # the observed data count as one of the flips
    greatest, stepped = np.full((2, len(observed)), np.nan)
    if joint:
        greatest = (together + added) / (total + added)
        descending = order[::-1]
        stepped[descending] = np.maximum.accumulate((stepping[descending] + added) / (total + added))
    return Randomised((alone + added) / (total + added), greatest, stepped, alone, total, exact)


def simultaneous_critical_value(difference: Floats, resamples: int, seed: int, level: float) -> float:
    """How many standard errors each mean difference lies from the true one at most, all at once: a quantile of max |t|.

    The distribution is that of sign flips of the differences from their mean. Columns without variance are left out;
    infinite if the units are too few.
    """
    centred = difference - difference.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    scaled = centred[:, size > 0] / size[size > 0]
    width = scaled.shape[1] if scaled.shape[1] <= FEW else max(scaled.shape)
    drawn = [
        np.abs(flipped_sums(scaled, signs)).max(axis=1) for signs in flips(len(difference), resamples, seed, width)
    ]
    greatest, n_units = np.sort(np.concatenate(drawn)), len(difference)
    place = int(np.ceil((1 - level) * len(greatest)))
    if place >= len(greatest):
        return np.inf
    quantile = greatest[place]
    room = n_units - quantile**2
    return float(quantile * np.sqrt((n_units - 1) / room)) if room > ROUNDING * n_units else np.inf


def _extreme(sums: Floats, alternative: Alternative) -> Floats:
    """The sums, with signs such that greater is more extreme."""
    if alternative == "two-sided":
        return np.abs(sums, out=sums)
    return sums if alternative == "greater" else -sums


EXACT, EXACT_TIED = 50, 13  # number of differences up to which SciPy computes exact p-values


def studentised(mean: Floats, error: Floats) -> Floats:
    """Mean divided by standard error; NaN if the error is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, mean / error, np.nan)


def degrees(freedom: int) -> str:
    """The degrees of freedom as text."""
    return f"{counted(freedom, 'degree')} of freedom"


@declare("t", title="paired t-test", cite="student1908", symbol="t", varying=True)
def paired_t(pairs: Pairs, *, alternative: Alternative = "two-sided") -> Outcome:
    """Mean difference divided by its standard error, referred to Student's t distribution.

    With a number as the baseline it is the one-sample t-test.
    """
    t, freedom = studentised(pairs.mean, pairs.error), pairs.n_units - 1
    return Outcome(t, t_tail(t, freedom, alternative), degrees(freedom), error=pairs.error)


@declare("wilcoxon", title="Wilcoxon signed-rank test", cite="wilcoxon1945", symbol="W", null="differences around 0")
def wilcoxon(
    pairs: Pairs,
    *,
    alternative: Alternative = "two-sided",
    variant: Literal["wilcox", "pratt"] = "wilcox",
    level: float = 0.05,
) -> Outcome:
    """Sum of the ranks of the absolute differences of one sign, referred to its distribution under random signs.

    Zero differences are left out before ranking (the variant wilcox), or ranked and then left out (pratt), so many
    zeros count against the others. Absolute differences that are equal up to rounding are tied. As in SciPy, p-values
    are exact for few units and from the normal approximation otherwise.
    """
    from scipy.stats import wilcoxon as signed_rank_test

    pratt = variant == "pratt"
    columns = [ranked_values(*both, zeros=pratt) for both in zip(pairs.difference.T, pairs.magnitude.T, strict=True)]
    alike: dict[tuple[int, bool], list[int]] = {}  # by number of differences and ties, as SciPy chooses its method
    for place, column in enumerate(columns):
        alike.setdefault((len(column), len(np.unique(np.abs(column))) < len(column) or 0 in column), []).append(place)
    statistic, p = np.empty((2, len(columns)))
    for places in alike.values():
        table = np.stack([columns[place] for place in places])
        test = signed_rank_test(table, axis=1, alternative=alternative, zero_method=variant)
        statistic[places], p[places] = test.statistic, test.pvalue
    zeros = "zeros ranked, then excluded (Pratt)" if pratt else "zeros excluded"
    remark = f"{_sizes(columns)}, {zeros}; {_counted(alike)}"
    return Outcome(statistic, p, remark=remark, working=[_rank_sums(column, alternative, level) for column in columns])


def ranked_values(difference: Floats, magnitude: Floats, *, zeros: bool = False) -> Floats:
    """The differences to be ranked, without zeros or with them.

    Absolute values that are equal up to rounding are made equal.
    """
    nonzero = difference != 0
    column = np.zeros(len(difference))
    column[nonzero] = np.sign(difference[nonzero]) * merged(np.abs(difference[nonzero]), magnitude[nonzero])
    return column if zeros else column[nonzero]


def signed_ranks(values: Floats) -> Floats:
    """The rank of each absolute difference, 1 for the smallest, with the sign of the difference; 0 for zeros."""
    return np.sign(values) * ranks(-np.abs(values))


def _rank_sums(column: Floats, alternative: Alternative, level: float) -> Working:
    rank, n = signed_ranks(column), int((column != 0).sum())
    sums = {"positive_ranks": float(rank[rank > 0].sum()), "negative_ranks": float(np.abs(rank[rank < 0]).sum())}
    figures = {"nonzero": float(n), **sums, "expected": float(np.abs(rank).sum()) / 2}
    if n > EXACT or n < len(column) or len(np.unique(np.abs(column))) < n:
        return figures
    least = largest_rank_sum(n, level / (2 if alternative == "two-sided" else 1))
    if least is None:
        return figures | {"region": f"no W of {counted(n, 'nonzero difference')} is significant at this level"}
    bound = n * (n + 1) // 2 - least if alternative == "greater" else least
    return figures | {
        "critical": float(bound),
        "region": f"H0 is rejected if W is {bound} or {'more' if alternative == 'greater' else 'less'}",
    }


def largest_rank_sum(n: int, level: float) -> int | None:
    """The largest sum of ranks of one sign of n untied differences that has a lower tail below the level."""
    ways = np.ones(1)  # ways[s]: sets of ranks with the sum s; exact, since below 2^53
    for rank in range(1, n + 1):
        wider = np.zeros(len(ways) + rank)
        wider[: len(ways)] += ways
        wider[rank:] += ways
        ways = wider
    below = int((np.cumsum(ways) / 2.0**n < level).sum())
    return below - 1 if below else None


def _sizes(columns: list[Floats]) -> str:
    least, *_, most = sorted(2 * [len(column) for column in columns])
    return counted(least, "difference") if least == most else f"{least} to {most} differences"


def _counted(alike: Iterable[tuple[int, bool]]) -> str:
    """How SciPy computes p-values for these numbers of differences, with or without ties."""
    exact = {n <= (EXACT_TIED if tied else EXACT) for n, tied in alike}
    if len(exact) > 1:
        few = f"up to {EXACT} differences, or {EXACT_TIED} with ties"
        return f"exact p-values for {few}, otherwise from the normal approximation"
    return "exact p-values" if exact.pop() else "p-values from the normal approximation"


@declare("sign", title="sign test", cite="conover1999", symbol="positive differences", null="as many wins as losses")
def sign(pairs: Pairs, *, alternative: Alternative = "two-sided", level: float = 0.05) -> Outcome:
    """Number of units won, referred to a binomial distribution with probability 1/2; zero differences are left out."""
    wins = (pairs.difference > 0).sum(axis=0).astype(np.float64)
    losses = (pairs.difference < 0).sum(axis=0)
    return Outcome(
        wins,
        coin_tail(wins, wins + losses, alternative),
        working=worked(
            partial(_wins_needed, alternative, level),
            nonzero=wins + losses,
            losses=losses,
            expected=(wins + losses) / 2,
        ),
    )


def _wins_needed(alternative: Alternative, level: float, figures: Mapping[str, float]) -> str:
    """The numbers of positive differences for which H0 is rejected."""
    n = int(figures["nonzero"])
    wins = np.arange(n + 1.0)
    rejected = wins[coin_tail(wins, np.full(n + 1, float(n)), alternative) < level].astype(np.int64)
    many, few = rejected[rejected > n / 2], rejected[rejected < n / 2]
    either = [*([f"{many.min()} or more"] if len(many) else []), *([f"{few.max()} or fewer"] if len(few) else [])]
    of_n = f"of {counted(n, 'nonzero difference')}"
    if not either:
        return f"no number {of_n} is significant at this level"
    return f"H0 is rejected if {', or '.join(either)} {of_n} are positive"


@declare("randomisation", title="paired randomisation test", cite="fisher1935", symbol="mean difference")
def randomisation(
    pairs: Pairs, *, alternative: Alternative = "two-sided", resamples: int = PERMUTATIONS, seed: int = 0
) -> Outcome:
    """Proportion of random swaps of the two systems' values within units that give a mean difference at least as large.

    All swaps are enumerated for 20 units or fewer; otherwise `resamples` of them are drawn, and the data count as one
    more.
    """
    result = randomised(pairs.difference, resamples, seed, alternative, magnitude=pairs.magnitude, joint=False)
    return Outcome(pairs.mean, result.p, remark=result.remark(seed), working=arrangements(result))


def arrangements(result: Randomised) -> list[Working]:
    """The number of arrangements, enumerated or drawn, and how many are at least as extreme as the data."""
    return worked(
        None, **{"arrangements" if result.exact else "permutations": result.n_flips}, extreme=result.n_extreme
    )


@declare("bootstrap", title="paired bootstrap test", cite="efron1993", symbol="t", varying=True)
def bootstrap(
    pairs: Pairs, *, alternative: Alternative = "two-sided", resamples: int = RESAMPLES, seed: int = 0
) -> Outcome:
    """Proportion of resamples of the centred differences whose t is at least as large as the observed one."""
    difference = pairs.difference
    n_units, n_pairs = difference.shape
    centred = difference - difference.mean(axis=0)
    error = pairs.error
    t = studentised(pairs.mean, error)
    near = ROUNDING * pairs.size / error * (1 + np.abs(t))  # the effect of rounding on mean and error
    extreme = np.zeros(n_pairs)
    for drawn in draws(n_units, resamples, seed, n_pairs):
        mean = zero_within_rounding(drawn @ centred / n_units, pairs.size)
        square = drawn @ centred**2 / n_units
        spread = np.maximum(zero_within_rounding(square - mean**2, square), 0) / (n_units - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn_t = np.where(mean == 0, 0.0, mean / np.sqrt(spread))  # infinite if only one unit is drawn
        extreme += np.count_nonzero(_as_far(drawn_t, t, near, alternative), axis=0)
    remark = f"{counted(resamples, 'resample')}, seed {seed}"
    figures = worked(deviation=pairs.deviation, error=error, resamples=resamples, extreme=extreme)
    return Outcome(t, (extreme + 1) / (resamples + 1), remark=remark, working=figures)


def _as_far(drawn: Floats, observed: Floats, near: Floats, alternative: Alternative) -> Mask:
    if alternative == "two-sided":
        drawn, observed = np.abs(drawn), np.abs(observed)
    elif alternative == "less":
        drawn, observed = -drawn, -observed
    return drawn >= observed - near


@declare(
    "tost",
    title="two one-sided t-tests of equivalence",
    cite="schuirmann1987",
    symbol="t",
    equivalence=True,
    varying=True,
)
def equivalence(pairs: Pairs, *, margin: float | None = None, level: float = 0.05) -> Outcome:
    """The larger p-value of two one-sided t-tests: that the mean difference is below the margin and above its negative.

    A small p-value shows that the systems are equivalent: their means differ by less than the margin.
    """
    if margin is None or not 0 < margin < np.inf:
        raise BadSetting("the test 'tost' needs a margin above 0: the largest difference that is negligible")
    if not level < 0.5:
        raise BadSetting(f"the test 'tost' needs a level below 0.5, not {level:g}")
    freedom, error = pairs.n_units - 1, pairs.error
    t = studentised(np.abs(pairs.mean) - margin, error)
    critical = t_quantile(1 - level, freedom)
    return Outcome(
        t,
        t_tail(t, freedom, "less"),
        degrees(freedom),
        half_width=critical * error,
        remark=f"margin {margin:g}",
        working=worked(
            lambda _: f"H0 is rejected if t is below {-critical:.4g}",
            deviation=pairs.deviation,
            error=error,
            above_lower=studentised(pairs.mean + margin, error),
            below_upper=studentised(pairs.mean - margin, error),
            critical=-critical,
        ),
    )


@declare("mcnemar", title="McNemar's test", cite="mcnemar1947", symbol="wins", null="the same proportion correct")
def mcnemar(
    pairs: Pairs, *, variant: Literal["exact", "mid-p", "chi-square"] = "exact", level: float = 0.05
) -> Outcome:
    """Items that only the first system gets right, among those on which the two differ, referred to a fair coin.

    For items that are right (1) or wrong (0). The variant chi-square has the correction for continuity.
    """
    if not np.isin(pairs.samples.values, (0, 1)).all():
        raise BadSetting("McNemar's test compares right (1) and wrong (0) answers; these values are not all 0 or 1")
    wins = (pairs.difference > 0).sum(axis=0).astype(np.float64)
    losses = (pairs.difference < 0).sum(axis=0).astype(np.float64)
    n_apart, remark, cells = wins + losses, f"variant {variant}", _both_and_one(pairs, wins, losses)
    if variant == "exact":
        figures = worked(partial(_wins_needed, "two-sided", level), **cells)
        return Outcome(wins, coin_tail(wins, n_apart), remark=remark, working=figures)
    if variant == "mid-p":
        fewer = np.minimum(wins, losses)
        p = coin_tail(fewer, n_apart, "less") + np.where(fewer > 0, coin_tail(fewer - 1, n_apart, "less"), 0)
        return Outcome(wins, p, remark=remark, working=worked(None, **cells))
    chi_square, critical = np.maximum(np.abs(wins - losses) - 1, 0) ** 2 / n_apart, chi_square_quantile(1 - level, 1)
    region = f"H0 is rejected if chi-square is above {critical:.4g}"
    figures = worked(lambda _: region, **cells, critical=critical)
    p = chi_square_tail(chi_square, 1)
    return Outcome(chi_square, p, degrees(1), remark=remark, symbol="chi-square", working=figures)


def _both_and_one(pairs: Pairs, wins: Floats, losses: Floats) -> dict[str, Floats]:
    """The contingency table of right and wrong answers."""
    right = pairs.samples.values
    both = (right[pairs.first] * right[pairs.second]).sum(axis=1)
    cells = {"nonzero": wins + losses, "only_first": wins, "only_second": losses, "both_right": both}
    return cells | {"both_wrong": pairs.n_units - wins - losses - both}


# One-sided tests of one pair of systems: better than a baseline, or at least not worse by more than a margin


POWER = 0.8  # power for which the number of units needed is computed


class Superiority(NamedTuple):
    """The improvement of the first system of a pair, and the p-value of the hypothesis that it is -margin or less.

    `bound` is the one-sided confidence limit of the improvement: the hypothesis is rejected where it exceeds -margin.
    """

    improvement: float
    bound: float
    p: float


def superiority(pairs: Pairs, margin: float, level: float) -> Superiority:
    """The one-sided t-test of superiority, or with a margin above 0 of non-inferiority.

    If the differences have no variance, only their sign is tested. Folds have the variance of the corrected t-test.
    Fewer units than a test of signs needs show nothing, however little their differences vary.
    """
    require_one_sided(margin, level)
    improvement, n_units = _improvement(pairs), pairs.n_units
    if n_units == 1 or pairs.deviation[0] == 0:
        p, bound = 0.5**n_units if improvement > -margin else 1.0, improvement
    else:
        error = standard_error(pairs)
        p = float(t_tail(np.array((improvement + margin) / error), n_units - 1, "greater"))
        bound = improvement - float(t_quantile(1 - level, n_units - 1)) * error
    if n_units < least_units(level):
        return Superiority(improvement, -math.inf, max(p, 0.5**n_units))
    return Superiority(improvement, bound, p)


def standard_error(pairs: Pairs) -> float:
    """The standard error of the mean difference; for folds with common training data that of the corrected t-test."""
    return float(pairs.deviation[0]) * math.sqrt(1 / pairs.n_units + pairs.samples.overlap)


def units_to_show(pairs: Pairs, margin: float, level: float) -> int | None:
    """The number of units needed to show the observed improvement, or with a margin equality; None if none suffices."""
    shift = margin or _improvement(pairs)
    if shift <= 0 or pairs.n_units < 2 or pairs.samples.overlap:
        return None
    deviation = float(pairs.deviation[0])
    if deviation == 0:
        return least_units(level)
    try:
        needed = units_needed(shift, deviation, power=POWER, level=level, alternative="greater")
    except BadSetting:  # more than can be computed
        return None
    return max(needed, least_units(level))


def least_units(level: float) -> int:
    """The fewest units on which a test of signs can be significant: 2**-n is below the level."""
    return math.floor(-math.log2(level)) + 1


def require_one_sided(margin: float, level: float) -> None:
    """Refuse a margin or a level that a one-sided test cannot have."""
    require_level(level)
    if not level < 0.5:
        raise BadSetting(f"a one-sided test needs a level below 0.5, not {level:g}")
    if not is_number(margin) or not 0 <= margin < math.inf:
        raise BadSetting(f"the margin must be a number of 0 or more, not {margin!r}")


def _improvement(pairs: Pairs) -> float:
    """The mean difference, positive if the first system is better."""
    return float(pairs.mean[0]) * (-1 if pairs.samples.lower_is_better else 1)
