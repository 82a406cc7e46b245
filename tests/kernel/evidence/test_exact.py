"""Quotients, roots and sums: in floating point and in fractions, by their definitions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from cranfield.evidence import arithmetic as hull_module
from cranfield.evidence import arithmetic as sums_module
from cranfield.evidence.arithmetic import (
    apart,
    clip_to_bounds,
    decimal,
    fractions,
    from_top,
    parted,
    quantiles,
    ratio,
    root,
    summed,
    up_to,
    upper_hull,
)
from cranfield.evidence.cells import Cells, cells
from cranfield.evidence.residuals import Residuals, power_of
from cranfield.evidence.scores import beginnings, score_ranks
from cranfield.rounding import LONG_SUMS, NEAR, ROUNDING


def test_what_is_divided_by_nothing_is_undefined() -> None:
    top = np.array([1.0, 0.0, 3.0])
    for bottom, wanted in (
        (np.array([2.0, 0.0, 0.0]), [0.5, np.nan, np.nan]),
        (np.array([2.0, 4.0, 6.0]), [0.5, 0, 0.5]),
        (np.array([4.0]), [0.25, 0, 0.75]),
        (np.array([0.0]), [np.nan] * 3),
        (np.array(4.0), [0.25, 0, 0.75]),
        (4, [0.25, 0, 0.75]),
        (4.0, [0.25, 0, 0.75]),
        (0, [np.nan] * 3),
        (0.0, [np.nan] * 3),
    ):
        np.testing.assert_array_equal(ratio(top, bottom), wanted)
    np.testing.assert_array_equal(ratio(np.array([1e300]), 1e-300), [np.inf])
    np.testing.assert_array_equal(ratio(np.array([1e300, 1.0]), np.array([1e-300, 0.0])), [np.inf, np.nan])
    exact = ratio(fractions(top), fractions(np.array([3.0, 0.0, 9.0])))
    assert (exact[0], exact[2], math.isnan(exact[1])) == (Fraction(1, 3), Fraction(1, 3), True)
    assert ratio(fractions(top), fractions(np.array([3.0]))).tolist() == [Fraction(1, 3), 0, 1]


def test_rounding_past_a_bound_is_taken_back_and_more_is_not() -> None:
    low, high = 0.0, 1.0
    for beyond in (NEAR / 2, NEAR * 0.99):
        assert clip_to_bounds(np.array([-beyond, 1 + beyond, 0.5]), (low, high)).tolist() == [0, 1, 0.5]
        assert clip_to_bounds(np.array([1 + beyond]), (low, high)).tolist() == [1]
    far = [-1.5 * NEAR, 1 + 1.5 * NEAR, 0.0, 1.0]
    assert clip_to_bounds(np.array(far), (low, high)).tolist() == far
    for single in far:
        assert clip_to_bounds(np.array([single]), (low, high)).tolist() == [single]
    assert clip_to_bounds(fractions(np.array([2.0, -1.0])), (low, high)).tolist() == [2, -1]


def test_the_sizes_of_rounding_are_what_their_comments_say() -> None:
    assert (ROUNDING / 2.0**-52, LONG_SUMS / ROUNDING, NEAR / LONG_SUMS) == (256, 256, 64)
    assert abs(1 - 0.999999999999) > ROUNDING  # decimals of 12 digits stay apart
    assert abs(sum([0.1] * 500) - 50) <= ROUNDING * 50  # sums of 500 are joined


def test_roots_keep_the_sign() -> None:
    assert root(np.array([4.0, -9.0, 0.0])).tolist() == [2, -3, 0]
    assert root(fractions(np.array([4.0, -9.0, 0.25]))).tolist() == [2, -3, 0.5]
    assert [decimal(0.7), decimal(1e-3), decimal(3)] == [Fraction(7, 10), Fraction(1, 1000), 3]


def test_cells_and_what_they_add_up_to() -> None:
    four = cells([1, 10], [2, 20], [4, 40], [8, 80])
    assert len(four) == 2
    assert four.positive.tolist() == [5, 50]
    assert four.negative.tolist() == [10, 100]
    assert four.accepted.tolist() == [3, 30]
    assert four.rejected.tolist() == [12, 120]
    assert four.total.tolist() == [15, 150]
    assert [each.tolist() for each in four.pooled.counts] == [[11], [22], [44], [88]]
    assert [each.tolist() for each in (four + four).counts] == [[2, 20], [4, 40], [8, 80], [16, 160]]
    assert [each.tolist() for each in four.inverted.counts] == [[4, 40], [8, 80], [1, 10], [2, 20]]
    assert [each.tolist() for each in four.take(np.array([1])).counts] == [[10], [20], [40], [80]]
    assert [each.tolist() for each in four.exact.counts] == [each.tolist() for each in four.counts]
    assert isinstance(four.exact.tp[0], Fraction)
    assert [each.tolist() for each in cells(1, 2, 3, 4).counts] == [[1], [2], [3], [4]]


@pytest.mark.parametrize("place", range(4))
def test_counts_are_whole_below_two_to_the_power_of_53(place: int) -> None:
    for value, whole in ((2.0**53 - 1, True), (2.0**53, False), (0.5, False), (0.0, True)):
        each = [np.array([1.0, 2.0]) for _ in range(4)]
        each[place][1] = value
        assert Cells(*each).whole is whole


@pytest.mark.parametrize("block", [1, 3, 7, 8, 1 << 14])
def test_sums_are_the_same_however_many_rows_are_taken_at_a_time(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums_module, "_BLOCK", block)
    first, second = np.arange(7.0), np.arange(7.0)[::-1] ** 2
    assert float(summed(lambda a, b: a * b, first, second)) == sum(x * y for x, y in zip(first, second, strict=True))
    assert summed(np.log, first[:0]) == 0
    assert summed(lambda a: a, first).dtype == np.float64


def test_running_sums_from_both_ends() -> None:
    weight = np.array([1.0, 2.0, 4.0])
    assert from_top(weight).tolist() == [7, 6, 4, 0]
    assert up_to(weight).tolist() == [0, 1, 3, 7]
    below, above = parted(np.array([0.1, 0.5, 0.5]), weight, np.array([0.0, 0.1, 0.5, 0.6]))
    assert (below.tolist(), above.tolist()) == ([0, 0, 1, 7], [7, 7, 6, 0])
    below, above = parted(np.array([0.1, 0.5, 0.5]), None, np.array([0.0, 0.1, 0.5, 0.6]))
    assert (below.tolist(), above.tolist()) == ([0, 0, 1, 3], [3, 3, 2, 0])


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_sums_over_pairs_by_how_far_apart_they_are(power: int, n: int) -> None:
    rng = np.random.default_rng(n)
    first, second = rng.integers(0, 5, (2, 3, n))
    found = apart(first, second, power)
    for row in range(3):
        pairs = [(i, j) for i in range(n) for j in range(n)]
        assert found[row] == sum(first[row, i] * second[row, j] * abs(i - j) ** power for i, j in pairs)


@pytest.mark.parametrize("few", [2, 5, 256])
def test_the_upper_hull_has_no_point_above_it_and_turns_at_each_of_its_points(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hull_module, "_FEW", few)
    rng = np.random.default_rng(5)
    for _ in range(30):
        points = np.unique(np.cumsum(rng.integers(0, 3, (20, 2)), axis=0), axis=0)
        x, y = points.T
        corners = upper_hull(x, y).tolist()
        assert (corners[0], corners[-1]) == (0, len(x) - 1)
        ways = list(itertools.pairwise(corners))
        for a, b in ways:
            assert all((x[b] - x[a]) * (y[c] - y[a]) <= (y[b] - y[a]) * (x[c] - x[a]) for c in range(len(x)))
        for (a, b), (_, c) in itertools.pairwise(ways):
            assert (x[b] - x[a]) * (y[c] - y[a]) < (y[b] - y[a]) * (x[c] - x[a])
    assert upper_hull(np.array([0]), np.array([0])).tolist() == [0]


@pytest.mark.parametrize("sparse", [1, 8, 1000])
def test_scores_stand_among_others_in_every_way(sparse: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.evidence.scores._SPARSE", sparse)
    monkeypatch.setattr("cranfield.evidence.scores._BLOCK", 4)
    rng = np.random.default_rng(sparse)
    for n_scores, n_others, levels in ((9, 9, 5), (1, 30, 40), (30, 1, 40), (20, 20, 1000), (0, 4, 9), (4, 0, 9)):
        scores, others = (
            np.unique(rng.integers(0, levels, n_scores) / 7),
            np.sort(rng.integers(0, levels, n_others) / 7),
        )
        below, not_above = score_ranks(scores, others)
        assert below.tolist() == [sum(other < score for other in others) for score in scores]
        assert not_above.tolist() == [sum(other <= score for other in others) for score in scores]
        assert (below is not_above) == (not set(scores) & set(others))
        assert beginnings(others).tolist() == [i for i in range(n_others) if i == 0 or others[i] != others[i - 1]]


def test_weights_count_like_repeated_values_in_quantiles() -> None:
    rng = np.random.default_rng(2)
    shares = np.linspace(0, 1, 11)
    for scale in (1.0, 7.0, 0.1, 1 / 3, 0.7) * 4:
        value, times = rng.integers(0, 9, 12) / 7, rng.integers(0, 9, 12)
        times[0] = 1
        wanted = np.quantile(np.repeat(value, times), shares)
        np.testing.assert_array_equal(quantiles(value, times * scale, shares), wanted)
    np.testing.assert_array_equal(quantiles(value, None, shares), np.quantile(value, shares))


def test_weights_in_tenths_are_whole_multiples_of_the_smallest_in_quantiles() -> None:
    value, times = np.arange(6.0), np.array([1, 6, 5, 3, 3, 1])
    assert (times * 0.1 / 0.1 != times).any()  # 0.6000000000000001
    np.testing.assert_array_equal(
        quantiles(value, times * 0.1, np.linspace(0, 1, 11)),
        np.quantile(np.repeat(value, times), np.linspace(0, 1, 11)),
    )


def test_residuals_and_how_they_spread() -> None:
    actual, predicted = np.array([1.0, 2.0, 3.0, 6.0]), np.array([2.0, 2.0, 5.0, 1.0])
    plain, weighted = Residuals(actual, predicted), Residuals(actual, predicted, np.array([1.0, 2.0, 1.0, 4.0]))
    assert (len(plain), plain.total, weighted.total) == (4, 4, 8)
    assert plain.error.tolist() == [1, 0, 2, -5]
    assert (plain.mean(plain.error), weighted.mean(weighted.error)) == (-0.5, -17 / 8)
    assert (plain.median(plain.error), weighted.median(weighted.error)) == (0.5, -2.5)
    assert plain.summary == (4, -0.5, pytest.approx(np.std(plain.error, ddof=1)), -5, -1.25, 0.5, 1.25, 2)
    assert weighted.summary[3:] == (-5, -5, -2.5, 0.25, 2)
    worth = 64 / 22
    variance = sum(w * (e + 17 / 8) ** 2 for w, e in zip((1, 2, 1, 4), (1, 0, 2, -5), strict=True)) / 8
    assert weighted.summary.deviation == pytest.approx(math.sqrt(variance * worth / (worth - 1)))
    assert weighted.variance(weighted.error) == pytest.approx(variance)
    both = plain + weighted
    assert (both.actual.tolist(), both.weight.tolist()) == ([*actual, *actual], [1, 1, 1, 1, 1, 2, 1, 4])  # type: ignore[union-attr]
    assert (plain + plain).weight is None
    assert weighted.take(np.array([3, 3, 0])).weight.tolist() == [4, 4, 1]  # type: ignore[union-attr]
    assert plain.take(np.array([3, 3, 0])).error.tolist() == [-5, -5, 1]
    nothing = Residuals(actual[:0], actual[:0])
    assert nothing.summary.n == 0
    assert all(math.isnan(each) for each in nothing.summary[1:])
    assert (math.isnan(nothing.mean(nothing.error)), math.isnan(nothing.median(nothing.error))) == (True, True)
    assert math.isnan(Residuals(actual[:1], predicted[:1]).summary.deviation)
    assert Residuals(np.full(3, 0.1), np.full(3, 0.3)).summary.deviation == 0


def test_values_that_are_all_the_same_do_not_differ_from_their_mean_though_it_rounds() -> None:
    same, given = np.full(3, 0.1), Residuals(np.zeros(3), np.array([1.0, 2.0, 6.0]))
    assert same.mean() != 0.1
    assert (given.centred(same).tolist(), given.variance(same)) == ([0, 0, 0], 0)
    assert given.centred(given.predicted).tolist() == [-2, -1, 3]
    assert Residuals(same[:0], same[:0]).centred(same[:0]).tolist() == []


def test_squares_neither_vanish_nor_overflow() -> None:
    for scale in (1e-200, 1e200):
        value = np.array([3.0, 4.0]) * scale
        given = Residuals(np.zeros(2), value)
        assert given.root_mean_square(value) == pytest.approx(scale * math.sqrt(12.5), rel=1e-14)
    assert [power_of(np.array(each)) for each in ([0.75], [1.0, -3.0], [0.0], [])] == [0, 2, 0, 0]


def test_half_the_weight_lies_between_two_values_though_sums_round() -> None:
    weight = np.array([0.1, 0.2, 0.3])  # 0.1 + 0.2 is more than 0.3
    given = Residuals(np.zeros(3), np.array([1.0, 2.0, 4.0]), weight)
    assert given.median(given.error) == 3
    off = Residuals(np.zeros(3), np.array([1.0, 2.0, 4.0]), weight + np.array([0, 1e-9, 0]))
    assert off.median(off.error) == 2
