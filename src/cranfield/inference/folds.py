"""Tests on folds of cross-validation, whose training sets overlap, so that a plain t-test finds too much."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, settled
from cranfield.inference.catalogue import Outcome, declare
from cranfield.inference.distributions import Alternative, f_quantile, f_tail, t_quantile, t_tail
from cranfield.inference.significance import studentised

Floats = NDArray[np.float64]


@declare("corrected t", title="corrected resampled t-test", cite="nadeau2003", symbol="t")
def corrected_t(
    pairs: Pairs, *, alternative: Alternative = "two-sided", overlap: float | None = None, level: float = 0.05
) -> Outcome:
    """Mean difference over a standard error that allows for the training data the folds share.

    The variance of the mean is that of the folds times 1/K + overlap, the overlap being the size of a test fold
    over the size of its training set.
    """
    shared = pairs.samples.overlap if overlap is None else overlap
    if not shared > 0:
        raise BadSetting(
            "the corrected t-test needs the overlap: the size of a test fold over that of its training set"
        )
    freedom = pairs.n_units - 1
    error = pairs.deviation * np.sqrt(1 / pairs.n_units + shared)
    t = studentised(pairs.mean, error)
    return Outcome(
        t,
        t_tail(t, freedom, alternative),
        f"{freedom} degrees of freedom",
        half_width=t_quantile(1 - level / 2, freedom) * error,
        error=error,
        remark=f"overlap {shared:.4g}",
    )


@declare("5x2cv", title="5×2 cross-validation test", cite="dietterich1998", symbol="F")
def five_by_two(pairs: Pairs, *, form: Literal["F", "t"] = "F", level: float = 0.05) -> Outcome:
    """Differences on the ten halves of five random splits in two, over the variance within the splits.

    Units are taken two by two, as the halves of one split. The form F takes all ten differences (Alpaydın 1999),
    the form t the first alone (Dietterich 1998). The interval holds the differences that the test would not reject.
    """
    _require_halves(pairs)
    halves = pairs.difference.reshape(5, 2, -1)
    within = ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum(axis=(0, 1))
    error = settled(np.sqrt(within / 5), pairs.size)
    if form == "t":
        t = studentised(halves[0, 0], error)
        half = t_quantile(1 - level / 2, 5) * error
        return Outcome(t, t_tail(t, 5), "5 degrees of freedom", half, halves[0, 0], remark="form t", symbol="t")
    f = studentised((halves**2).mean(axis=(0, 1)), error**2)
    room = f_quantile(1 - level, 10, 5) * error**2 - 0.9 * pairs.deviation**2  # beside what the ten vary by
    half = np.sqrt(np.where(room >= 0, room, np.nan))
    return Outcome(f, f_tail(f, 10, 5), "10 and 5 degrees of freedom", half, remark="form F")


def _require_halves(pairs: Pairs) -> None:
    if pairs.n_units != 10:
        raise BadInput(f"5×2 cross-validation has 10 values a system, two a split; there are {pairs.n_units}")
    overlap = pairs.samples.overlap
    if overlap and not 0.5 < overlap < 2:
        raise BadInput(
            f"5×2 cross-validation tests on halves; of these folds each is {overlap:.3g} times as large as what it was "
            "trained on: use the test 'corrected t'"
        )
