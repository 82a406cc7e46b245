"""One-sided tests of one pair of systems: better than a baseline, or at least not worse by more than a margin."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs, is_number
from cranfield.inference.distributions import require_level, t_quantile, t_tail
from cranfield.inference.power import units_needed

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
