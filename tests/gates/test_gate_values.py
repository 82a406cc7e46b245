"""What is noticed about values: copies, repeated rows, and names that say that lower is better."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cranfield.evidence.samples import Samples
from cranfield.gates.evidence import _copies, is_copy
from cranfield.results.samples import may_be_lower
from cranfield.tables.names import spelled_alike

ONE = Samples(("a",), ("q1", "q2"), np.array([[0.1, 0.2]]))
VALUES = np.random.default_rng(1).beta(2, 2, 40)


@pytest.mark.parametrize("copy", [
    VALUES, VALUES + 1e-12, VALUES.astype(np.float32).astype(float), np.round(VALUES, 4), np.floor(VALUES * 1e3) / 1e3,
    np.ceil(VALUES * 100) / 100,
])  # fmt: skip
@pytest.mark.parametrize("scale", [1, 100, 1e-3])
def test_a_copy_is_one_up_to_rounding(copy, scale):
    assert is_copy(scale * VALUES, scale * copy)
    assert is_copy(scale * copy, scale * VALUES)


@pytest.mark.parametrize("other", [
    VALUES + 2e-4, np.where(np.arange(40) == 3, VALUES + 0.05, VALUES), np.zeros(40), np.round(VALUES, 1),
])  # fmt: skip
def test_other_values_are_no_copy(other):
    assert not is_copy(VALUES, other)


def occurrences(values: np.ndarray) -> np.ndarray:
    return np.unique(values, axis=1, return_counts=True)[1]


@pytest.mark.parametrize("times", [2, 3, 7])
def test_repeated_rows_are_noticed_although_some_are_not_repeated(times):
    pairs = np.random.default_rng(2).beta(2, 2, (2, 30))
    assert _copies(occurrences(np.hstack([np.repeat(pairs, times, axis=1), pairs[:, :1] / 2]))) == times


@pytest.mark.parametrize("draw", [
    lambda chance, n: chance.binomial(1, 0.4, (2, n)),
    lambda chance, n: chance.binomial(5, 0.4, (2, n)) / 5,
    lambda chance, n: 1 / chance.geometric(0.3, (1, n)),
    lambda chance, n: chance.integers(1, 6, (2, n)),
    lambda chance, n: np.round(chance.beta(2, 2, (2, n)), 2),
])  # fmt: skip
def test_values_that_occur_several_times_by_chance_are_not_repeated_rows(draw):
    found = Counter(
        _copies(occurrences(draw(np.random.default_rng(seed), n))) > 1 for seed in range(60) for n in (12, 50, 300)
    )
    assert found[True] <= 1


def test_names_are_alike_that_differ_in_spelling_only():
    assert len(set(spelled_alike(["q1", "Q1", " q1 ", "q01", "q1.0", "ｑ1", "q\u200b1"]))) == 1
    assert spelled_alike(["q1", "q2", "q10", "q100"]) == ["q1", "q2", "q10", "q100"]
    assert len(set(spelled_alike(["1", "10", "100", "É1", "e1", "a-1", "a1"]))) == 7


@pytest.mark.parametrize(
    "name", ["latency", "response_time", "timeMs", "WER", "test-loss", "meanRank", "p95_ms", "nll"]
)
def test_a_name_may_say_that_lower_is_better(name):
    assert may_be_lower(name, ONE)


@pytest.mark.parametrize("name", ["sentiment", "multimedia", "accuracy_x", "better", "rank_quality", "value", "MAE"])
def test_other_names_do_not_or_are_known(name):
    assert not may_be_lower(name, ONE)
