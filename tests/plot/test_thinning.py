"""A thinned curve looks like the whole one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield import plot
from cranfield.classification.plots.curves import DOMAIN, recalls, where_equal
from cranfield.classification.plots.scorers import coarse
from cranfield.evidence.curves import det, gains, precision_recall, roc
from cranfield.evidence.thresholds import thresholds
from cranfield.measures.scores import equal_error_rate
from cranfield.present.plots.data import BOX, FEW, TOLERANCE, coarsened, levels, thinned
from cranfield.statistics.distributions import normal_cdf

PIXELS = 40.0  # few, so that short curves are thinned too
FEWER = 4.0  # and so that boxes hold several points


@st.composite
def curves(draw: st.DrawFn) -> np.ndarray:
    """Points whose x never falls: on a grid, so that many share a column, or anywhere."""
    n = draw(st.integers(2, 300))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    x = np.sort(rng.choice([rng.random(n), rng.integers(0, 9, n) / 8, rng.beta(0.2, 0.2, n)]))
    y = rng.choice([rng.random(n), np.sort(rng.random(n)), rng.integers(0, 2, n).astype(float)])
    return np.column_stack([x, y])


def farthest(points: np.ndarray, line: np.ndarray) -> float:
    """How far the farthest of the points is from a line through other points."""
    start, way = line[:-1], np.diff(line, axis=0)
    length = np.maximum((way**2).sum(axis=1), 1e-300)
    along = np.clip(((points[:, None] - start) * way).sum(axis=2) / length, 0, 1)
    nearest = start + along[:, :, None] * way
    return float(np.sqrt(((points[:, None] - nearest) ** 2).sum(axis=2)).min(axis=1).max())


def filled(line: np.ndarray) -> np.ndarray:
    """Points all along a line."""
    steps = np.linspace(0, 1, 8)[:, None, None]
    return (line[:-1] + steps * np.diff(line, axis=0)).reshape(-1, 2)


@given(curves())
def test_no_point_is_farther_than_half_a_pixel_from_the_other_curve(curve: np.ndarray) -> None:
    kept = thinned(curve[:, 0], curve[:, 1], domain=(0, 1), pixels=PIXELS, few=0)
    whole, part = curve * PIXELS, curve[kept] * PIXELS
    if len(part) > 1:
        assert farthest(filled(whole), part) <= TOLERANCE + 1e-9
        assert farthest(filled(part), whole) <= TOLERANCE + 1e-9


@given(curves())
def test_both_ends_and_all_extremes_are_kept(curve: np.ndarray) -> None:
    kept = thinned(curve[:, 0], curve[:, 1], domain=(0, 1), pixels=PIXELS, few=0)
    assert kept[0] == 0
    assert kept[-1] == len(curve) - 1
    assert curve[kept, 1].min() == curve[:, 1].min()
    assert curve[kept, 1].max() == curve[:, 1].max()
    assert len(kept) <= 4 * (PIXELS / TOLERANCE + 1)


def test_a_short_curve_is_drawn_whole() -> None:
    x = np.linspace(0, 1, FEW)
    assert len(thinned(x, x, domain=(0, 1), pixels=PIXELS)) == FEW


@pytest.mark.parametrize("draw", [plot.roc, plot.precision_recall, plot.prg, plot.det], ids=lambda draw: draw.__name__)
def test_a_long_curve_is_drawn_with_few_points_and_says_so(draw: object) -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(200_000) < 0.3
    drawn = draw(thresholds(actual, rng.normal(size=200_000) + actual))  # type: ignore[operator]
    assert drawn.data.num_rows < 5_000
    assert "points drawn; the curve is accurate to 0.5 pixels" in drawn.notes[-1]


@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_coarse_scores_have_the_same_curve_within_half_a_pixel(seed: int, digits: int) -> None:
    rng = np.random.default_rng(seed)
    actual = rng.random(3_000) < rng.uniform(0.05, 0.95)
    scores = thresholds(actual, np.round(rng.normal(size=3_000) + 2 * actual, digits))
    steps = levels(0, 1, PIXELS)
    drawn = coarsened(scores, steps, steps)
    whole, part = (np.column_stack([fallout, recall]) * PIXELS for _, fallout, recall in map(roc, (scores, drawn)))
    assert farthest(filled(whole), part) <= TOLERANCE + 1e-9
    assert farthest(filled(part), whole) <= TOLERANCE + 1e-9
    assert len(part) <= 4 * len(steps) + 4


@pytest.mark.parametrize(
    ("of", "levels_of"),
    [
        (lambda scores: precision_recall(scores, every=True)[1:], lambda _: levels(0, 1, FEWER, BOX)),
        (lambda scores: gains(scores)[1:], lambda scores: recalls(scores, FEWER)),
    ],
    ids=["precision-recall", "gains"],
)
@given(seed=st.integers(0, 2**32 - 1), digits=st.integers(0, 4))
def test_coarse_scores_have_the_same_precision_within_a_tenth_of_a_pixel(
    of: Any, levels_of: Any, seed: int, digits: int
) -> None:
    rng = np.random.default_rng(seed)
    actual = rng.random(3_000) < rng.uniform(0.05, 0.95)
    scores = thresholds(actual, np.round(rng.normal(size=3_000) + rng.uniform(0, 3) * actual, digits))
    drawn = coarse(scores, levels_of(scores), FEWER)
    whole, part = (np.clip(np.column_stack(of(each)), -1, 1) * FEWER for each in (scores, drawn))
    assert farthest(whole[whole[:, 1] >= 0], part) <= BOX + 1e-9
    assert farthest(part[part[:, 1] >= 0], whole) <= BOX + 1e-9
    assert len(drawn.positive) < len(scores.positive) + len(scores.negative)


@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_the_equal_error_rate_is_that_of_the_whole_curve(seed: int, digits: int) -> None:
    rng = np.random.default_rng(seed)
    actual = rng.random(FEW + 500) < rng.uniform(0.02, 0.98)
    scores = thresholds(actual, np.round(rng.normal(size=FEW + 500) + rng.uniform(-1, 4) * actual, digits))
    rates = normal_cdf(levels(*DOMAIN, PIXELS))
    coarse_curve = det(coarsened(scores, rates, 1 - rates), every=True)
    around = where_equal(scores, coarse_curve)
    assert float(equal_error_rate(around)) == pytest.approx(float(equal_error_rate(scores)), abs=1e-12)
