"""The jackknife of a value over items, on the scale of its measure."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.inference.distributions import t_quantile
from cranfield.inference.intervals import Interval, absent
from cranfield.inference.scales import interval_on_scale

METHOD = "jackknife"


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
    return interval_on_scale(value, error, reach, bounds, confidence, METHOD)
