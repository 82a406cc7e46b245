"""Intervals of functions of counts: quantiles over proportions drawn from their posterior distribution.

Jeffreys' prior of a binary decision is half an item that is right and half an item that is wrong in each class. Its
intervals miss rates near 0 or 1 too often, since counts are discrete. Hence bounds are those of two priors that move a
quarter of an item from right to wrong, or back, and cover like mid-P intervals of proportions. They also do in samples
in which some counts are 0, where every resample of a bootstrap has the same zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from cranfield.arrays import Floats
from cranfield.inference.intervals import Interval
from cranfield.inference.resampling import generator

METHOD = "jeffreys"
_RIGHT = 0.25, 0.75  # of the prior's item in each class, in each of two priors


def interval_of_counts(
    value: float,
    counts: tuple[float, ...],
    right: tuple[bool, ...],
    values_of: Callable[[Floats], Floats],
    confidence: float,
    n_draws: int,
    seed: int,
) -> Interval:
    """The interval of a function of counts of right and wrong answers, one of right answers for each class."""
    both = [
        quantile_interval(value, values_of(_drawn_counts(counts, right, share, n_draws, seed)), confidence)
        for share in _RIGHT
    ]
    low, high = np.min([one.low for one in both], axis=0), np.max([one.high for one in both], axis=0)
    return Interval(low, high, confidence, METHOD)


@lru_cache(maxsize=4)  # the measures of one system are computed from the same draws
def _drawn_counts(counts: tuple[float, ...], right: tuple[bool, ...], share: float, n_draws: int, seed: int) -> Floats:
    """Draws of the proportions behind counts, times their total: one row per draw.

    The prior has one item per class, this share of it right and the rest spread evenly over the wrong answers.
    """
    observed, of_right = np.array(counts), np.array(right)
    n_classes, n_wrong = of_right.sum(), (~of_right).sum()
    prior = np.where(of_right, share, (1 - share) * n_classes / max(n_wrong, 1))
    weight = generator(seed).standard_gamma(observed + prior, (n_draws, len(observed)))
    drawn = weight * (observed.sum() / weight.sum(axis=1, keepdims=True))
    drawn.setflags(write=False)
    return drawn


def quantile_interval(value: float, drawn: Floats, confidence: float) -> Interval:
    """The central interval of the values on draws, extended to the value itself."""
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(np.array([min(low, value)]), np.array([max(high, value)]), confidence, METHOD)
