"""Randomisation: the one routine behind sign flips and max-T."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import BadSetting
from cranfield.statistics.pairs import randomised
from cranfield.statistics.resampling import draws, flipped_sums, flips, shuffles, subsets

RNG = np.random.default_rng(5)


def by_hand(difference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every flip, one at a time, in whole numbers: the p-value of each column, and by the greatest of all."""
    n_units, n_columns = difference.shape
    size = np.sqrt((difference.astype(float) ** 2).sum(axis=0))
    alone, together = np.zeros(n_columns), np.zeros(n_columns)
    observed = np.abs(difference.sum(axis=0))
    for flip in range(2**n_units):
        signs = np.array([-1 if flip >> unit & 1 else 1 for unit in range(n_units)])
        sums = np.abs(signs @ difference)
        alone += sums >= observed
        together += (sums / size).max() >= observed / size - 1e-12
    return alone / 2**n_units, together / 2**n_units


@given(st.integers(0, 2**32))
def test_few_units_are_gone_through_to_the_last_flip_and_ties_count(seed):
    difference = np.random.default_rng(seed).integers(-3, 4, (7, 3)) + np.array([[1, 0, 0]] + [[0, 0, 0]] * 6)
    difference[0] = np.where(difference.any(axis=0), difference[0], 1)
    alone, together = by_hand(difference)
    found = randomised(difference * 0.1, 1, 0)  # tenths are not exact: sums that tie differ by a rounding
    assert found.p == pytest.approx(alone, abs=1e-12)
    assert found.greatest == pytest.approx(together, abs=1e-12)
    assert found.exact


def test_a_sampled_p_counts_the_data_as_one_of_the_flips():
    found = randomised(np.ones((25, 1)), 999, 0)
    assert found.p == pytest.approx([1 / 1000])
    assert not found.exact


def test_the_p_of_a_column_does_not_depend_on_the_others():
    difference = RNG.normal(size=(30, 6))
    alone = [randomised(difference[:, [c]], 1_000, 3).p[0] for c in range(6)]
    assert randomised(difference, 1_000, 3).p == pytest.approx(alone, abs=1e-12)


def test_max_t_is_never_below_the_p_of_the_pair_alone():
    found = randomised(RNG.normal(size=(30, 6)), 1_000, 3)
    assert (found.greatest >= found.p).all()


def test_a_scale_changes_nothing():
    difference = RNG.normal(size=(30, 2))
    assert randomised(difference * [1, 1000], 500, 0).greatest == pytest.approx(randomised(difference, 500, 0).greatest)


def test_batches_join_to_every_flip_once():
    whole = np.concatenate(list(flips(10, 1, 0, 1 << 14)))
    assert len(np.unique(whole @ [1, 256])) == 1024


@pytest.mark.parametrize("n_units", [1, 8, 13, 40])
def test_looked_up_or_multiplied_sums_are_those_of_the_flipped_values(n_units):
    flipped = RNG.integers(0, 256, (30, -(-n_units // 8)), np.uint8)
    signs = 1 - 2.0 * np.unpackbits(flipped, axis=1, count=n_units, bitorder="little")
    for n_columns in (1, 3, 20):
        values = RNG.normal(size=(n_units, n_columns))
        assert flipped_sums(values, flipped) == pytest.approx(signs @ values, abs=1e-12)


@pytest.mark.parametrize("width", [1, 5_000])
def test_draws_hold_as_many_units_as_there_are(width):
    drawn = np.concatenate(list(draws(40, 700, 1, width)))
    assert drawn.shape == (700, 40)
    assert (drawn.sum(axis=1) == 40).all()


def test_subsets_have_their_size_and_shuffles_keep_each_units_values():
    assert (np.concatenate(list(subsets(20, 6, 300, 0))).sum(axis=1) == 6).all()
    values = RNG.normal(size=(8, 3))
    for drawn in shuffles(values, 50, 0):
        assert np.sort(drawn, axis=2) == pytest.approx(np.broadcast_to(np.sort(values, axis=1), drawn.shape))


def test_a_number_of_resamples_below_one_is_refused():
    with pytest.raises(BadSetting, match="number of resamples"):
        randomised(RNG.normal(size=(30, 1)), 0, 0)
