"""Scores of two classes at every threshold, and probabilities in bins, against items counted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.items import LabelSets
from cranfield.evidence.probabilities import binned
from cranfield.evidence.thresholds import Steps, Thresholds, pooled, thresholds

Item = tuple[bool, float, float]  # positive, score, weight; in quarters, hence exact


def items(seed: int, n: int, levels: int, weighted: bool) -> list[Item]:
    rng = np.random.default_rng([seed, n, levels, weighted])
    return [
        (bool(rng.integers(2)), int(rng.integers(levels)) / 4, int(rng.integers(4)) / 4 if weighted else 1.0)
        for _ in range(n)
    ]


def built(given: list[Item], weighted: bool) -> Thresholds:
    actual, score, weight = (np.array(column) for column in zip(*given, strict=True)) if given else [np.zeros(0)] * 3
    return thresholds(actual.astype(np.bool_), score, weight if weighted else None)


CASES = [
    pytest.param(items(seed, n, levels, weighted), weighted, id=f"{n} items, {levels} scores, {weighted}, {seed}")
    for weighted in (False, True)
    for n, levels in ((1, 2), (2, 1), (5, 3), (9, 40), (30, 6), (30, 400))
    for seed in range(3)
]
cases = pytest.mark.parametrize(("given", "weighted"), CASES)


def reached(given: list[Item], threshold: float) -> tuple[float, float]:
    """True and false positives at a threshold."""
    tp, fp = (sum(w for yes, score, w in given if yes is kind and score >= threshold) for kind in (True, False))
    return tp, fp


def points(steps: Steps) -> list[tuple[float, float, float]]:
    return list(zip(*(column.tolist() for column in steps), strict=True))


def at(given: list[Item], scores: Any) -> list[tuple[float, float, float]]:
    return [(score, *reached(given, score)) for score in sorted(scores, reverse=True)]


@cases
def test_what_is_reached_at_every_threshold(given: list[Item], weighted: bool) -> None:
    made, given = built(given, weighted), [item for item in given if item[2]]
    positive = {score for yes, score, _ in given if yes}
    assert points(made.steps) == at(given, positive)
    assert points(made.from_nothing) == at(given, {*positive, np.inf})
    assert points(made.every) == at(given, {score for _, score, _ in given})
    scores = sorted(positive, reverse=True)
    assert made.above.tolist() == [sum(w for yes, s, w in given if not yes and s > score) for score in scores]
    assert made.at_score.tolist() == [sum(w for yes, s, w in given if yes and s == score) for score in scores]
    assert made.missed.tolist() == [sum(w for yes, s, w in given if yes and s < score) for score in scores]
    assert made.n_positive == sum(w for yes, _, w in given if yes)
    assert made.n_negative == sum(w for yes, _, w in given if not yes)
    assert made.one_class == (len({yes for yes, _, _ in given}) < 2)
    assert made.weighted is weighted
    assert sorted(made.weights.tolist()) == sorted(w for _, _, w in given)


@cases
def test_pairs_in_order_are_counted_twice_and_ties_once(given: list[Item], weighted: bool) -> None:
    made = built(given, weighted)
    pairs = [(p, n, v * w) for yes, p, v in given if yes for no, n, w in given if not no]
    assert made.ordered == sum(weight * (2 * (p > n) + (p == n)) for p, n, weight in pairs)
    assert made.disordered == sum(weight * (2 * (p < n) + (p == n)) for p, n, weight in pairs)
    assert made.inverted.ordered == made.disordered
    assert made.inverted.disordered == made.ordered


@cases
def test_the_best_thresholds_are_those_that_no_other_beats(given: list[Item], weighted: bool) -> None:
    made, given = built(given, weighted), [item for item in given if item[2]]
    every = at(given, {*(score for _, score, _ in given), np.inf})
    best = [
        (score, tp, fp)
        for score, tp, fp in every
        if not any((a >= tp and b <= fp) and (a, b) != (tp, fp) for _, a, b in every)
    ]
    assert [(tp, fp) for _, tp, fp in points(made.best)] == list(dict.fromkeys((tp, fp) for _, tp, fp in best))
    for score, tp, fp in points(made.best):
        assert reached(given, score) == (tp, fp)
    cells = made.cells(made.best)
    assert (cells.tp.tolist(), cells.fp.tolist()) == (made.best.tp.tolist(), made.best.fp.tolist())
    assert (cells.tp + cells.fn).tolist() == [made.n_positive] * len(cells)
    assert (cells.fp + cells.tn).tolist() == [made.n_negative] * len(cells)


@cases
def test_cells_at_thresholds_of_choice(given: list[Item], weighted: bool) -> None:
    made = built(given, weighted)
    for threshold in (-1.0, 0.0, 0.25, 0.3, 0.5, 1e9, np.inf):
        (tp,), (fp,), (fn,), (tn,) = (cell.tolist() for cell in made.at(threshold).counts)
        assert (tp, fp) == reached(given, threshold)
        assert (tp + fn, fp + tn) == (made.n_positive, made.n_negative)


@cases
def test_scores_are_pooled(given: list[Item], weighted: bool) -> None:
    other = [(True, 0.25, 1.0), (False, 0.5, 1.0)]
    made = built(given, weighted)
    for both in (made + built(other, weighted), pooled((built(other, False), made))):
        assert points(both.every) == at(
            [*(item for item in given if item[2]), *other], {s for _, s, w in given + other if w}
        )


def test_negated_scores_keep_their_weights() -> None:
    turned = thresholds(np.array([True, False, True]), np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 4.0])).inverted
    assert (turned.positive.tolist(), turned.negative.tolist()) == ([-3, -1], [-2])
    assert (turned.positive_weight.tolist(), turned.negative_weight.tolist()) == ([1, 4], [2])  # type: ignore[union-attr]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bins", [1, 2, 4, 7])
@pytest.mark.parametrize("by", ["width", "count"])
def test_items_are_gathered_by_probability(weighted: bool, bins: int, by: Any) -> None:
    for seed in range(4):
        given = [(yes, score, w if w else 1.0) for yes, score, w in items(seed, 25, 5, weighted)]
        made = built(given, weighted)
        found = binned(made, bins, by)
        edges = np.linspace(0, 1, bins + 1)
        if by == "count":
            times = [round(4 * w) if weighted else 1 for _, _, w in given]
            lightest = min(times)
            shares = np.repeat([score for _, score, _ in given], np.array(times) // lightest)
            if any(each % lightest for each in times):
                continue
            edges = np.quantile(shares, edges)
        assert (found.lower.tolist(), found.upper.tolist()) == (edges[:-1].tolist(), edges[1:].tolist())
        for place in range(bins):
            low = -np.inf if place == 0 else edges[place]
            high = np.inf if place == bins - 1 else edges[place + 1]
            inside = [item for item in given if low < item[1] <= high]
            assert found.n[place] == sum(w for _, _, w in inside)
            assert found.positive[place] == sum(w for yes, _, w in inside if yes)
            assert found.predicted[place] == pytest.approx(sum(w * score for _, score, w in inside))
    assert binned(built([], weighted), bins, by).n.tolist() == [0] * bins
    default = binned(made, bins)
    assert default.upper.tolist() == np.linspace(0, 1, bins + 1)[1:].tolist()


GIVEN = np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])
ACTUAL = np.array([0, 1, 1, 2], np.int8)
WEIGHT = np.array([1.0, 2.0, 4.0, 8.0])


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])
def test_scores_of_classes(weight: Any) -> None:
    made = ClassScores(("a", "b", "c"), ACTUAL, GIVEN, weight)
    counts = np.ones(4) if weight is None else weight
    assert made.total == counts.sum()
    assert made.weights.tolist() == counts.tolist()
    assert made.size.tolist() == [counts[0], counts[1] + counts[2], counts[3]]
    assert made.of_actual.tolist() == [0.5, 0.25, 0.5, 0.75]
    others = [[each for code, each in enumerate(row) if code != own] for row, own in zip(GIVEN, ACTUAL, strict=True)]
    assert made.highest_other.tolist() == [max(row) for row in others]
    assert made.predicted.tolist() == [0, 2, 0, 2]
    assert made.top.positive.tolist() == [0.5, 0.75]
    assert made.top.negative.tolist() == [0.5, 0.5]
    assert made.thresholds(1).positive.tolist() == [0.25, 0.5]
    assert made.thresholds(1).n_negative == counts[0] + counts[3]
    assert made.sum(np.arange(4.0)) == (np.arange(4) * counts).sum()
    some = made.take(np.array([3, 3, 0]))
    assert (some.actual.tolist(), some.score.tolist()) == ([2, 2, 0], GIVEN[[3, 3, 0]].tolist())
    assert some.weights.tolist() == counts[[3, 3, 0]].tolist()
    both = made + ClassScores(("a", "b", "c"), ACTUAL[:1], GIVEN[:1])
    assert both.weights.tolist() == [*counts, 1]
    assert (both.weight is None) == (weight is None)
    assert (both.actual.tolist(), both.score.tolist()) == ([*ACTUAL, 0], [*GIVEN.tolist(), GIVEN[0].tolist()])


def test_sets_of_labels() -> None:
    plain, weighted = LabelSets(np.array([0, 2, 0])), LabelSets(np.array([1, 0]), np.array([0.5, 2.0]))
    assert (plain.right, plain.total, weighted.right, weighted.total) == (2, 3, 2, 2.5)
    both = plain + weighted
    assert (both.wrong.tolist(), both.weights.tolist()) == ([0, 2, 0, 1, 0], [1, 1, 1, 0.5, 2])
    assert (plain + plain).weight is None
    assert (weighted + plain).weights.tolist() == [0.5, 2, 1, 1, 1]


@pytest.mark.parametrize("positive", [True, False])
def test_bins_of_equal_count_hold_items_of_one_class_too(positive: bool) -> None:
    found = binned(built([(positive, score, 1.0) for score in (0.0, 0.25, 0.5, 0.5, 0.75)], False), 2, "count")
    assert (found.lower.tolist(), found.upper.tolist()) == ([0, 0.5], [0.5, 0.75])
    assert found.n.tolist() == [4, 1]
    assert found.positive.tolist() == ([4, 1] if positive else [0, 0])
