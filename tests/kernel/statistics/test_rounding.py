"""What differs by no more than rounding does not differ: in tests, in orders and in the choice of queries."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput
from cranfield.evidence.samples import samples
from cranfield.rounding import less, merged, zero_within_rounding
from cranfield.statistics.intervals import mean_interval
from cranfield.statistics.stability import stability
from cranfield.statistics.tests import find, known_tests

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


def test_rounding_is_256_units_in_the_last_place_of_the_size():
    for size in (1.0, 1024.0, 2.0**-20):
        step = size * 2.0**-44
        assert less(np.array([size]), np.array([size - step])) == 0
        assert less(np.array([size]), np.array([size - 1.5 * step])) == 1.5 * step
        assert zero_within_rounding(np.array([-step, 1.5 * step]), size).tolist() == [0, 1.5 * step]
        assert len(set(merged(np.array([size, size - step, size - 3 * step]), np.full(3, size)).tolist())) == 2


def test_ranks_tie_within_rounding():
    assert noisy(2).ranks.tolist() == [[1.5, 1.5], [1.5, 1.5]]


def test_a_mean_of_nothing_but_rounding_is_0():
    assert samples({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}).pairs().mean == [0]


def test_systems_whose_means_differ_by_rounding_have_no_order_to_keep():
    values = {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}
    assert np.mean(values["a"]) != np.mean(values["b"]) or NOISE > 0
    with pytest.raises(BadInput, match="all systems have the same mean"):
        cranfield.select_queries(values, 2)
    assert "no ranking to reproduce" in cranfield.reproduce(values, resamples=10).rows[0].note


def test_all_topics_give_the_order_of_all_also_where_two_systems_tie():
    tied = samples({"a": [0.1, 0.7, 0.3, 0.2], "b": [0.3, 0.2, 0.1, 0.7], "c": [0, 0.1, 0.2, 0.3]})
    found = stability(tied, resamples=20)
    assert found.tau[-1] == pytest.approx(1)
    assert found.topics_needed(0.9) is not None
    assert cranfield.select_queries(dict(zip("abc", tied.values, strict=True)), 4).tau[-1] == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_numbers_that_cannot_be_squared_are_refused(scale):
    with pytest.raises(BadInput, match="too extreme to compute with; rescale all values"):
        cranfield.compare({"a": [scale, 2 * scale, 4 * scale], "b": [3 * scale, scale, scale]})


@pytest.mark.parametrize("scale", [2.0**230, 2.0**-230])
@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "randomisation"])
def test_a_scale_changes_no_p(test, scale):
    a, b = np.random.default_rng(2).random((2, 9))
    plain, scaled = (cranfield.compare({"a": a * s, "b": b * s}, test=test, interval="bca").rows[0] for s in (1, scale))
    assert scaled.p == pytest.approx(plain.p)
    assert (scaled.low / scale, scaled.high / scale) == pytest.approx((plain.low, plain.high))


TENTHS = {"a": [5, 4, 6, 3, 7, 2, 8, 1], "b": [4, 3, 5, 4, 6, 1, 7, 2]}
SCALED = ["wilcoxon", "sign", "randomisation", "bootstrap", "t", "tukey", "nemenyi", "randomised tukey"]


@pytest.mark.parametrize("test", SCALED)
@pytest.mark.parametrize("scale", [10, 100, 1000, 3, 7])
def test_a_p_is_that_of_the_same_values_as_whole_numbers(test, scale):
    scaled = {name: [value / scale for value in row] for name, row in TENTHS.items()}
    found, whole = (cranfield.compare(values, test=test).rows[0].p for values in (scaled, TENTHS))
    assert found == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("test", SCALED)
def test_a_p_is_that_of_the_same_values_moved_up_by_a_million(test):
    moved = {name: [1_000_000 + value / 10 for value in row] for name, row in TENTHS.items()}
    found, whole = (cranfield.compare(values, test=test).rows[0].p for values in (moved, TENTHS))
    assert found == pytest.approx(whole, rel=1e-6)


@pytest.mark.parametrize("test", SCALED)
@pytest.mark.parametrize("start", [2**53, -(2**53) - 40, 2**45])
@pytest.mark.parametrize("interval", ["t", "bca"])
def test_whole_numbers_of_any_size_are_compared_like_small_ones(test, start, interval):
    small = {name: [2 * value for value in row] for name, row in TENTHS.items()}
    large = {name: [start + value for value in row] for name, row in small.items()}
    (found,), (expected,) = (cranfield.compare(values, test=test, interval=interval).rows for values in (large, small))
    assert (found.wins, found.ties, found.losses) == (expected.wins, expected.ties, expected.losses) == (6, 0, 2)
    assert (found.p, found.difference) == (expected.p, expected.difference)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), nan_ok=True)


def test_values_that_vary_by_little_of_their_size_have_an_interval_if_they_are_whole():
    counts = 10**12 + np.arange(10.0)
    low, high, method = mean_interval(counts).of_one
    expected = mean_interval(np.arange(10.0)).of_one
    assert (low - 1e12, high - 1e12) == pytest.approx(expected[:2], abs=1e-3)
    assert method == "t"


def test_whole_numbers_of_any_size_keep_their_order_in_the_stability_of_topics_and_the_choice_of_queries():
    small = {"a": [2, 4, 6, 2], "b": [4, 2, 2, 2], "c": [0, 8, 2, 4]}
    large = {name: [2**53 + value for value in row] for name, row in small.items()}
    chosen = [cranfield.select_queries(values, 3) for values in (large, small)]
    assert (chosen[0].queries, chosen[0].tau.tolist()) == (chosen[1].queries, chosen[1].tau.tolist())
    rows = [cranfield.reproduce(values, resamples=20).rows for values in (large, small)]
    assert str(rows[0]) == str(rows[1])


def test_integers_that_floating_point_would_merge_are_refused(tmp_path):
    values = {"a": [2**53 + 1, 4], "b": [2**53, 5]}
    table = tmp_path / "values.csv"
    table.write_text(f"query,a,b\n1,{2**53 + 1},{2**53}\n2,4,5\n")
    for data in (values, str(table)):
        with pytest.raises(BadInput, match="9007199254740992 and 9007199254740993 are equal when rounded"):
            cranfield.compare(data)


def test_wilcoxon_ties_differences_that_are_equal_but_for_rounding():
    tenths = {name: [value / 10 for value in row] for name, row in TENTHS.items()}
    assert tenths["a"][0] - tenths["b"][0] != tenths["a"][1] - tenths["b"][1]
    assert cranfield.compare(tenths, test="wilcoxon").rows[0].p == pytest.approx(0.2890625)


def test_a_resample_at_the_middle_is_not_as_far_out_as_the_data():
    tenths, whole = ({"a": row, "b": [0, 0, 0]} for row in ([0.1, 0.2, 0.3], [1, 2, 3]))
    found = [cranfield.compare(each, test="bootstrap").rows[0].p for each in (tenths, whole)]
    assert found[0] == found[1]


def test_max_t_counts_ties_within_rounding():
    three = {"a": [1, 2, 3, 4, 2], "b": [2, 3, 1, 1, 1], "c": [3, 1, 2, 5, 4]}
    tenths = {name: [value / 10 for value in row] for name, row in three.items()}
    asked = {"test": "randomisation", "correction": "max-T"}
    found = [[row.adjusted_p for row in cranfield.compare(each, **asked).rows] for each in (tenths, three)]
    assert found[0] == found[1]


@pytest.mark.parametrize("coefficient", ["tau-a", "tau-b", "tau-AP", "spearman", "weighted tau", "concordance", "RBO"])
def test_orders_tie_scores_that_are_equal_but_for_rounding(coefficient):
    noisy, clean = {"a": 0.1 + 0.2, "b": 0.3, "c": 0.1}, {"a": 0.3, "b": 0.3, "c": 0.1}
    other = {"a": 1, "b": 3, "c": 2}
    assert float(cranfield.correlate(noisy, other, coefficient)) == float(
        cranfield.correlate(clean, other, coefficient)
    )
    assert float(cranfield.correlate(other, noisy, coefficient)) == float(
        cranfield.correlate(other, clean, coefficient)
    )


def test_an_order_that_ties_all_but_for_rounding_says_so():
    (row,) = cranfield.correlate({"a": 0.1 + 0.2, "b": 0.3}, {"a": 1, "b": 2}).rows
    assert row.value is None
    assert row.note == "undefined: all items are tied in the first ranking"


def test_measures_that_put_systems_level_but_for_rounding_tie_them():
    qrels = {query: {"r": 1} for query in "xyz"}
    ranks = {"a": (1, 2, 6), "b": (6, 2, 1), "c": (3, 3, 3)}
    assert 1 + 1 / 2 + 1 / 6 != 1 / 6 + 1 / 2 + 1
    runs = {
        name: {q: {f"n{i}": -i for i in range(1, 7)} | {"r": 0.5 - rank} for q, rank in zip("xyz", places, strict=True)}
        for name, places in ranks.items()
    }
    result = cranfield.evaluate(qrels, runs, ["RR", "P@3"])
    (row,) = cranfield.correlate(result, coefficients="tau-b").rows
    assert row.value == pytest.approx(-1)  # a and b tie by both measures, and c comes last by one, first by the other


def test_merged_values_have_no_direction():
    values = np.array([0.3, np.inf, 0.1 + 0.2, -np.inf, np.nan, 1.0, np.inf])
    assert np.array_equal(
        merged(values, np.abs(values)), [0.3, np.inf, 0.3, -np.inf, np.nan, 1, np.inf], equal_nan=True
    )
    assert merged(values[:0], values[:0]).tolist() == []


def test_numbers_of_twelve_digits_are_told_apart():
    low, high = 123456789.123, 123456789.124
    (row,) = cranfield.compare({"a": [high] * 6, "b": [low] * 6}, test="sign").rows
    assert (row.wins, row.ties) == (6, 0)
