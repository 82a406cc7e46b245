"""What differs by no more than rounding does not differ: in tests, in orders and in the choice of queries."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput
from cranfield.evidence.samples import samples
from cranfield.inference.catalogue import find, known_tests
from cranfield.inference.reproducibility import stability

NOISE = 0.1 + 0.2 - 0.3
PAIRED = [name for name in known_tests() if name not in ("mcnemar", "tost", "corrected t")]


def noisy(n_units: int = 10):
    """Two systems that are the same on every unit, but for the rounding of one sum."""
    same = [0.5] * (n_units - 1)
    return samples({"a": [0.1 + 0.2, *same], "b": [0.3, *same]})


@pytest.mark.parametrize("test", PAIRED)
def test_rounding_is_no_difference(test):
    assert find(test)(noisy().pairs()).p == [1]


@pytest.mark.parametrize("test", PAIRED)
def test_rounding_everywhere_is_no_difference(test):
    (row,) = cranfield.compare({"a": [0.1 + 0.2] * 10, "b": [0.3] * 10}, test=test).rows
    assert (row.p, row.wins, row.ties, row.difference) == (1, 0, 10, 0)


def test_rounding_changes_no_analysis_of_variance():
    omnibus = find("tukey")(noisy().pairs()).omnibus
    assert (omnibus.statistic, omnibus.p) == (0, 1)


def test_a_difference_that_varies_by_rounding_does_not_vary():
    base = np.random.default_rng(1).random(10)
    assert (base + 1e-6 - base).std() > 0
    assert samples({"a": base + 1e-6, "b": base}).pairs().deviation == [0]


def test_ranks_tie_within_rounding():
    assert noisy(2).ranks.tolist() == [[1.5, 1.5], [1.5, 1.5]]


def test_a_mean_of_nothing_but_rounding_is_0():
    assert samples({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}).pairs().mean == [0]


def test_systems_whose_means_differ_by_rounding_have_no_order_to_keep():
    values = {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}
    assert np.mean(values["a"]) != np.mean(values["b"]) or NOISE > 0
    with pytest.raises(BadInput, match="all systems have the same mean"):
        cranfield.select_queries(values, 2)
    assert "no order that could be reproduced" in cranfield.reproduce(values, draws=10).rows[0].note


def test_all_topics_give_the_order_of_all_also_where_two_systems_tie():
    tied = samples({"a": [0.1, 0.7, 0.3, 0.2], "b": [0.3, 0.2, 0.1, 0.7], "c": [0, 0.1, 0.2, 0.3]})
    found = stability(tied, draws=20)
    assert found.tau[-1] == pytest.approx(1)
    assert found.topics_needed(0.9) is not None
    assert cranfield.select_queries(dict(zip("abc", tied.values, strict=True)), 4).tau[-1] == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_numbers_that_cannot_be_squared_are_refused(scale):
    with pytest.raises(BadInput, match="multiply all of them by the same number"):
        cranfield.compare({"a": [scale, 2 * scale, 4 * scale], "b": [3 * scale, scale, scale]})


@pytest.mark.parametrize("scale", [2.0**230, 2.0**-230])
@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "randomisation"])
def test_a_scale_changes_no_p(test, scale):
    a, b = np.random.default_rng(2).random((2, 9))
    plain, scaled = (cranfield.compare({"a": a * s, "b": b * s}, test=test, interval="bca").rows[0] for s in (1, scale))
    assert scaled.p == pytest.approx(plain.p)
    assert (scaled.low / scale, scaled.high / scale) == pytest.approx((plain.low, plain.high))
