"""Tests on folds of cross-validation, whose training sets overlap, so that a plain t-test finds too much."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs
from cranfield.inference.catalogue import Outcome, declare
from cranfield.inference.distributions import Alternative, f_tail, t_quantile, t_tail
from cranfield.inference.significance import deviation, studentised

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
        raise BadSetting("the corrected t-test needs overlap=…, the size of a test fold over that of its training set")
    difference = pairs.difference
    freedom = len(difference) - 1
    error = deviation(difference) * np.sqrt(1 / len(difference) + shared)
    t = studentised(difference.mean(axis=0), error)
    return Outcome(
        t,
        t_tail(t, freedom, alternative),
        f"{freedom} degrees of freedom",
        half_width=t_quantile(1 - level / 2, freedom) * error,
        remark=f"overlap {shared:.4g}",
    )


@declare("5x2cv", title="5×2 cross-validation test", cite="dietterich1998", symbol="F")
def five_by_two(pairs: Pairs, *, form: Literal["F", "t"] = "F", level: float = 0.05) -> Outcome:
    """Differences on the ten halves of five random splits in two, over the variance within the splits.

    Units are taken two by two, as the halves of one split. The form F takes all ten differences (Alpaydın 1999),
    the form t the first alone (Dietterich 1998).
    """
    if pairs.n_units != 10:
        raise BadInput(f"5×2 cross-validation has 10 values a system, two a split; there are {pairs.n_units}")
    halves = pairs.difference.reshape(5, 2, -1)
    variance = ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    error = np.sqrt(variance.mean(axis=0))
    half_width = t_quantile(1 - level / 2, 5) * error
    if form == "t":
        t = studentised(halves[0, 0], error)
        return Outcome(t, t_tail(t, 5), "5 degrees of freedom", half_width, remark="form t")
    f = studentised((halves**2).sum(axis=(0, 1)), 2 * variance.sum(axis=0))
    return Outcome(f, f_tail(f, 10, 5), "10 and 5 degrees of freedom", half_width, remark="form F")
