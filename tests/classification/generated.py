"""Generated predictions: ties, weights, tiny and one-sided classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Thresholds, thresholds

AWKWARD = (0.01, 0.1, 0.2, 0.3, 0.7, 1 / 3, 1.0, 2.5)  # weights whose sums round
SCALES = (1e-20, 1e-3, 1 / 3, 7.0, 1e12)


class Sample(NamedTuple):
    """Items with a probability each."""

    actual: NDArray[np.int64]
    score: NDArray[np.float64]
    weight: NDArray[np.float64] | None


def sample(seed: int, n: int, prevalence: float, levels: int | None, weighted: bool) -> Sample:
    """Items of two classes, their scores on few levels or all different; both classes occur."""
    rng = np.random.default_rng(seed)
    actual = (rng.random(n) < prevalence).astype(np.int64)
    actual[:2] = (0, 1)
    score = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * actual - 1)))
    if levels is not None:
        score = np.round(score * levels) / levels
    return Sample(actual, score, rng.integers(1, 6, n) / 2 if weighted else None)


SAMPLES = {
    f"{n} items, {prevalence:.0%} positive, {levels or 'any'} levels{', weighted' * weighted}": sample(
        17 * n + (levels or 0), n, prevalence, levels, weighted
    )
    for n, prevalence, levels in [
        (2, 0.5, None),
        (7, 0.3, 3),
        (40, 0.5, 4),
        (60, 0.02, 10),
        (60, 0.98, 10),
        (300, 0.3, None),
        (1000, 0.1, 1),
        (1000, 0.5, 100),
        (3000, 0.002, None),
        (3000, 0.9, 1000),
    ]
    for weighted in (False, True)
}


def evidence(given: Sample) -> Thresholds:
    """The scores of a sample."""
    return thresholds(given.actual == 1, given.score, given.weight)


@st.composite
def cells_of_units(draw: st.DrawFn, least: int = 1) -> Cells:
    """Counts of a few units, zeros among them."""
    n = draw(st.integers(least, 5))
    counts = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 400)), min_size=n, max_size=n)
    return Cells(*(np.array(draw(counts), np.float64) for _ in range(4)))


@st.composite
def scores_of_items(draw: st.DrawFn) -> Thresholds:
    """Scores between 0 and 1 of a few positives and negatives, with ties."""
    level = st.sampled_from((0.0, 0.1, 0.25, 0.3, 0.5, 0.55, 0.75, 0.9, 1.0))
    positive, negative = (draw(st.lists(level, min_size=1, max_size=12)) for _ in range(2))
    return Thresholds(np.sort(positive), np.sort(negative))
