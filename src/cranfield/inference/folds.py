"""Tests on cross-validation folds: their training sets overlap, so the plain t-test rejects too often."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.rounding import zero_within_rounding
from cranfield.evidence.samples import Pairs
from cranfield.inference.distributions import Alternative, f_quantile, f_tail, t_quantile, t_tail
from cranfield.inference.significance import degrees, studentised
from cranfield.inference.test_catalogue import Outcome, declare, worked


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
