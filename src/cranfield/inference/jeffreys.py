"""Intervals of functions of counts: quantiles over proportions drawn from their posterior distribution.

The prior is Jeffreys' for the four counts of a binary decision, one half of an item each: two items of which one is
right and one is wrong. Of more counts, each of the two is spread evenly. The intervals then cover in samples in which
some counts are 0, where every resample of a bootstrap has the same zeros.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cranfield.arrays import Floats
from cranfield.inference.intervals import Interval
from cranfield.inference.resampling import generator

METHOD = "jeffreys"


@lru_cache(maxsize=4)  # the measures of one system are computed from the same draws
def drawn_counts(counts: tuple[float, ...], right: tuple[bool, ...], size: float, n_draws: int, seed: int) -> Floats:
    """Draws of the proportions behind counts of right and wrong answers, times their total: one row per draw.

    The sample size, smaller than the total if items are weighted, determines how much draws vary.
    """
    observed, of_right = np.array(counts), np.array(right)
    total = observed.sum()
    prior = np.where(of_right, 1 / max(of_right.sum(), 1), 1 / max((~of_right).sum(), 1))
    weight = generator(seed).standard_gamma(observed * (size / total) + prior, (n_draws, len(observed)))
    drawn = weight * (total / weight.sum(axis=1, keepdims=True))
    drawn.setflags(write=False)
    return drawn


def quantile_interval(value: float, drawn: Floats, confidence: float) -> Interval:
    """The central interval of the values on draws, extended to the value itself."""
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(np.array([min(low, value)]), np.array([max(high, value)]), confidence, METHOD)
