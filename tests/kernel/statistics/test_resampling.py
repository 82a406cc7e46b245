"""What is drawn at random: the same whatever fits in memory at a time, each outcome as likely as it should be."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from cranfield.errors import BadSetting
from cranfield.statistics import resampling
from cranfield.statistics.pairs import randomised
from cranfield.statistics.resampling import (
    batches,
    draws,
    flipped_sums,
    flips,
    generator,
    n_flips,
    require_draws,
    shuffles,
    subsets,
)

VALUES = np.random.default_rng(5).normal(size=(7, 3))


@pytest.mark.parametrize(
    ("n_draws", "width", "sizes"),
    [
        (6, 3, [2, 2, 2]),
        (5, 3, [2, 2, 1]),
        (1, 3, [1]),
        (3, 7, [1, 1, 1]),
        (2, 100, [1, 1]),
        (9, 0, [7, 2]),
        (0, 3, []),
    ],
)
def test_so_many_draws_are_made_at_a_time_as_fit(n_draws, width, sizes, monkeypatch):
    monkeypatch.setattr(resampling, "_BATCH", 7)
    assert list(batches(n_draws, width)) == sizes


DRAWN = {
    "few flips": lambda: flips(9, 1, 0, 3),
    "many flips": lambda: flips(70, 50, 3, 3),
    "draws": lambda: draws(11, 50, 3, 2),
    "subsets": lambda: subsets(11, 4, 50, 3),
    "shuffles": lambda: shuffles(VALUES, 50, 3),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("size", [1, 50, 100, 333])
def test_what_is_drawn_does_not_depend_on_how_much_is_drawn_at_a_time(name, size, monkeypatch):
    whole = list(DRAWN[name]())
    assert len(whole) == 1
    monkeypatch.setattr(resampling, "_BATCH", size)
    parts = list(DRAWN[name]())
    assert len(parts) > 1
    np.testing.assert_array_equal(np.concatenate(parts), whole[0])


def test_a_batch_is_no_wider_than_what_is_made_of_it(monkeypatch):
    monkeypatch.setattr(resampling, "_BATCH", 100)
    assert {len(each) for each in flips(70, 50, 0, 25)} == {4, 2}
    assert {len(each) for each in flips(70, 50, 0, 2)} == {11, 6}  # nine bytes each
    assert {len(each) for each in draws(11, 50, 0, 25)} == {4, 2}
    assert {len(each) for each in draws(11, 50, 0)} == {9, 5}
    assert {len(each) for each in subsets(11, 4, 50, 0)} == {9, 5}
    assert {len(each) for each in shuffles(VALUES, 50, 0)} == {4, 2}


def test_all_flips_are_gone_through_up_to_twenty_units_and_drawn_beyond():
    assert n_flips(20, 5) == 2**20
    assert n_flips(21, 5) == 5
    for n_units in (1, 3, 8, 9):
        (packed,) = flips(n_units, 1, 0, 1)
        bits = np.unpackbits(packed, axis=1, bitorder="little")[:, :n_units]
        assert {tuple(row) for row in bits.tolist()} == set(product((0, 1), repeat=n_units))
        assert packed.shape == (2**n_units, math.ceil(n_units / 8))


@pytest.mark.parametrize("n_units", [21, 64, 65, 130])
def test_each_sign_is_flipped_in_half_of_the_flips_and_any_two_in_a_quarter(n_units):
    packed = np.concatenate(list(flips(n_units, 4_000, 1, 1)))
    assert packed.shape == (4_000, math.ceil(n_units / 8))
    bits = np.unpackbits(packed, axis=1, count=n_units, bitorder="little").astype(float)
    both = bits.T @ bits / 4_000
    assert np.diag(both) == pytest.approx(np.full(n_units, 0.5), abs=0.045)
    assert both[~np.eye(n_units, dtype=bool)] == pytest.approx(0.25, abs=0.04)


def test_every_unit_is_drawn_once_in_the_mean_and_is_in_its_share_of_the_subsets():
    drawn = np.concatenate(list(draws(6, 6_000, 1)))
    assert drawn.mean(axis=0) == pytest.approx(np.ones(6), abs=0.05)
    assert drawn.var(axis=0) == pytest.approx(np.full(6, 5 / 6), abs=0.06)
    inside = np.concatenate(list(subsets(6, 2, 6_000, 1)))
    assert inside.mean(axis=0) == pytest.approx(np.full(6, 1 / 3), abs=0.03)
    assert (np.concatenate(list(subsets(6, 6, 3, 1)))).all()
    assert np.concatenate(list(subsets(6, 1, 3, 1))).sum(axis=1).tolist() == [1, 1, 1]


def test_every_value_of_a_unit_goes_to_every_system_as_often():
    drawn = np.concatenate(list(shuffles(VALUES, 6_000, 1)))
    for unit, system, value in product(range(7), range(3), range(3)):
        assert (drawn[:, unit, system] == VALUES[unit, value]).mean() == pytest.approx(1 / 3, abs=0.03)
    first, second = drawn[:, 0, 0] == VALUES[0, 0], drawn[:, 1, 0] == VALUES[1, 0]
    assert (first & second).mean() == pytest.approx(1 / 9, abs=0.02)  # each unit is shuffled on its own


@pytest.mark.parametrize("n_columns", [1, 8, 9])
@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_p_values_alone_and_together_are_counted_over_every_flip(n_columns, side):
    difference = np.random.default_rng(8).integers(-3, 5, (6, n_columns)) * 0.1
    difference[0] += 0.7
    scaled = difference / np.sqrt((difference**2).sum(axis=0))
    turned = {"two-sided": np.abs, "greater": lambda x: x, "less": lambda x: -x}[side]
    observed = turned(scaled.sum(axis=0))
    sums = np.array([turned(np.array(signs) @ scaled) for signs in product((1, -1), repeat=6)])
    found = randomised(difference, 1, 0, side)
    assert found.p == pytest.approx((sums >= observed - 1e-12).mean(axis=0), abs=1e-12)
    greatest = sums.max(axis=1)[:, None]
    assert found.greatest == pytest.approx((greatest >= observed - 1e-12).mean(axis=0), abs=1e-12)
    assert np.isnan(randomised(difference, 1, 0, side, joint=False).greatest).all()


@pytest.mark.parametrize("n_columns", [2, 9])
def test_sampled_p_values_are_counted_over_the_flips_drawn_and_the_data(n_columns, monkeypatch):
    difference = np.random.default_rng(9).normal(0.2, 1, (30, n_columns))
    scaled = difference / np.sqrt((difference**2).sum(axis=0))
    packed = np.concatenate(list(flips(30, 200, 4, 1)))
    signs = 1 - 2.0 * np.unpackbits(packed, axis=1, count=30, bitorder="little")
    sums, observed = np.abs(signs @ scaled), np.abs(scaled.sum(axis=0))
    for size in (1 << 20, 100):  # in one batch, and in several
        monkeypatch.setattr(resampling, "_BATCH", size)
        found = randomised(difference, 200, 4)
        assert found.p == pytest.approx(((sums >= observed).sum(axis=0) + 1) / 201, abs=1e-12)
        together = (sums.max(axis=1)[:, None] >= observed).sum(axis=0)
        assert found.greatest == pytest.approx((together + 1) / 201, abs=1e-12)
        assert (found.n_flips, found.exact) == (200, False)
        assert found.remark(4) == "200 permutations, seed 4"


def test_sums_that_differ_by_the_rounding_of_large_values_are_equal():
    large = np.array([1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.3, 1e6, 1e6, 1e6])
    difference = (large - 1e6)[:, None]  # 0.1 + 0.2 - 0.3 is 0 but for the rounding of a million
    found = randomised(difference * [[1], [1], [-1], [1], [1], [1]], 1, 0, magnitude=large[:, None])
    assert found.p == 1  # nothing is less extreme than 0
    assert randomised(np.zeros((4, 1)), 1, 0).p == 1


def test_columns_without_any_difference_leave_the_others_alone():
    difference = np.stack([np.zeros(6), np.arange(6.0)], axis=1)
    assert randomised(difference, 1, 0).p.tolist() == [1, 2 / 32]
    assert flipped_sums(difference, np.array([[0], [63]], np.uint8)).tolist() == [[0, 15], [0, -15]]


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None])
def test_a_seed_is_a_whole_number_from_0(seed):
    with pytest.raises(BadSetting, match="seed must be a non-negative integer"):
        generator(seed)
    assert generator(np.int64(3)).random() == generator(3).random() == np.random.default_rng(3).random()


@pytest.mark.parametrize("n", [0, -1, 2.0, "9"])
def test_at_least_one_draw_is_made(n):
    with pytest.raises(BadSetting, match="number of splits must be a positive integer"):
        require_draws(n, "splits")
    require_draws(1, "splits")
    require_draws(np.int64(1), "splits")


@pytest.mark.parametrize("size", [0, 7])
def test_a_subset_has_between_one_unit_and_all(size):
    with pytest.raises(BadSetting, match=f"a subset of 6 units must contain between 1 and 6 of them, not {size}"):
        next(subsets(6, size, 1, 0))
