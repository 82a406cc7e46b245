"""Ranks of scores among others, counted one by one, whichever of the two are fewer."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.evidence.scores import score_ranks


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("n_scores", "n_others"), [(40, 1), (40, 4), (40, 5), (9, 9), (4, 40), (1, 40), (3, 0), (0, 3)]
)
def test_others_below_and_not_above_are_counted(n_scores: int, n_others: int, seed: int) -> None:
    rng = np.random.default_rng([seed, n_scores, n_others])
    distinct = np.sort(rng.choice(np.arange(2.0, 60), n_scores, replace=False))
    others = np.sort(rng.integers(0, 63, n_others).astype(np.float64))  # some below and above all scores
    found = score_ranks(distinct, others)
    assert found.below.tolist() == [sum(other < score for other in others) for score in distinct]
    assert found.not_above.tolist() == [sum(other <= score for other in others) for score in distinct]


def test_others_above_all_scores_are_below_none() -> None:
    found = score_ranks(np.arange(20.0), np.array([25.0]))
    assert not found.below.any()
    assert not found.not_above.any()
