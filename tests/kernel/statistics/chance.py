"""Collections made up for a claim about chance: what must hold of p-values and of intervals over two thousand."""

from __future__ import annotations

import numpy as np
from scipy import stats

from cranfield.evidence.samples import Pairs, Samples

N_COLLECTIONS = 2_000
LEAST_P = 0.01  # below it a test of uniformity is taken to fail; seeds are fixed, so that it fails always or never


def side_by_side(values: np.ndarray) -> Pairs:
    """The pairs of `values[collection, system, unit]`."""
    n_collections, _, n_units = values.shape
    names = tuple(f"{system}{c}" for c in range(n_collections) for system in "ab")
    samples = Samples(names, tuple(map(str, range(n_units))), values.reshape(-1, n_units))
    first = np.arange(n_collections) * 2
    return Pairs(samples, first, first + 1)


def require_uniform(p: np.ndarray, *, steps: bool = False) -> None:
    """Refuse p-values that are not uniform; those that come in steps are spread over the step first."""
    if steps:
        reached = np.concatenate([[0.0], np.unique(p.round(12))])
        place = np.searchsorted(reached, p.round(12))
        p = reached[place] - np.random.default_rng(0).random(len(p)) * np.diff(reached)[place - 1]
    assert stats.kstest(p, "uniform").pvalue > LEAST_P


def covered(low: np.ndarray, high: np.ndarray, truth: float | np.ndarray) -> float:
    """The share of the intervals that hold the truth."""
    return float(((low <= truth) & (truth <= high)).mean())
