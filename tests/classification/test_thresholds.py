"""Scores of two classes: where they stand among each other, and the points that draw their curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from classification.generated import SAMPLES, Sample, evidence, scores_of_items
from cranfield.evidence import scores as sorted_scores
from cranfield.evidence.arithmetic import summed
from cranfield.evidence.scores import score_ranks
from cranfield.evidence.thresholds import Steps, Thresholds, pooled

samples = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


@pytest.mark.parametrize(("n_scores", "n_others"), [(0, 5), (5, 0), (3, 400), (400, 3), (300, 300), (1, 1)])
@pytest.mark.parametrize("levels", [3, 50, 10**9])
def test_scores_stand_where_counting_puts_them(n_scores: int, n_others: int, levels: int) -> None:
    rng = np.random.default_rng(n_scores + n_others)
    scores, others = np.unique(rng.integers(0, levels, n_scores) / 7), np.sort(rng.integers(0, levels, n_others) / 7)
    found = score_ranks(scores, others)
    assert found.below.tolist() == [int((others < score).sum()) for score in scores]
    assert found.not_above.tolist() == [int((others <= score).sum()) for score in scores]


def test_scores_are_merged_the_same_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores, others = np.unique(rng.integers(0, 900, 500)), np.sort(rng.integers(0, 900, 400))
    whole = score_ranks(scores.astype(float), others.astype(float))
    monkeypatch.setattr(sorted_scores, "_BLOCK", 7)
    parts = score_ranks(scores.astype(float), others.astype(float))
    assert [column.tolist() for column in parts] == [column.tolist() for column in whole]


def corners(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points at which a way turns, gone through one by one."""
    kept: list[tuple[float, float]] = []
    for point in dict.fromkeys(points):
        while len(kept) > 1 and _straight(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _straight(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    level, upright = a[1] == b[1] == c[1], a[0] == b[0] == c[0]
    return level or upright


@given(scores=scores_of_items())
def test_the_path_is_the_roc_curve_without_what_lies_on_its_straight_ways(scores: Thresholds) -> None:
    every = [(0, 0), *zip(scores.every.fp.tolist(), scores.every.tp.tolist(), strict=True)]
    path = list(zip(scores.path.fp.tolist(), scores.path.tp.tolist(), strict=True))
    assert path == corners(every)
    _is_reached(scores, scores.path)


@samples
def test_rises_are_where_recall_changes_and_just_before(sample: Sample) -> None:
    scores = evidence(sample)
    _, tp, fp = (column.tolist() for column in scores.every)
    last = len(tp) - 1
    wanted = [i for i in range(len(tp)) if i == last or tp[i] != tp[i + 1] or tp[i] != (tp[i - 1] if i else 0)]
    assert scores.rises.tp.tolist() == [tp[i] for i in wanted]
    assert scores.rises.fp.tolist() == [fp[i] for i in wanted]
    _is_reached(scores, scores.rises)


def _is_reached(scores: Thresholds, steps: Steps) -> None:
    """At the threshold of each point, its counts are reached."""
    cells = scores.at(steps.score)
    assert cells.tp.tolist() == steps.tp.tolist()
    assert cells.fp.tolist() == steps.fp.tolist()


def test_a_class_alone_has_a_path_too() -> None:
    nothing: NDArray[np.float64] = np.empty(0)
    negatives, positives = Thresholds(nothing, np.array([1.0, 2.0])), Thresholds(np.array([1.0, 2.0]), nothing)
    assert [column.tolist() for column in negatives.path] == [[np.inf, 1.0], [0, 0], [0, 2]]
    assert [column.tolist() for column in positives.path] == [[np.inf, 1.0], [0, 2], [0, 0]]
    assert len(Thresholds(nothing, nothing).path.tp) == 1


def test_scores_of_several_are_pooled() -> None:
    one, other = (evidence(SAMPLES[name]) for name in list(SAMPLES)[2:4])
    together = pooled((one, other, one))
    assert together.positive.tolist() == sorted([*one.positive, *other.positive, *one.positive])
    assert together.n_positive == one.n_positive * 2 + other.n_positive


def test_sums_of_many_rows_are_those_of_all_at_once() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random(50_000), rng.random(50_000)
    assert float(summed(lambda a, b: a * b, first, second)) == pytest.approx((first * second).sum(), rel=1e-14)
    assert float(summed(np.log, first[:0])) == 0
