"""Rank correlation: the worked examples, SciPy, and every way to break ties as oracles."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise, permutations, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import cranfield
from correlation.rank_pairs import correlate
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics import rank_correlation as overlap_module
from cranfield.statistics.rank_correlation import (
    CORRELATIONS,
    METHODS,
    pair_counts,
    rank_biased_overlap,
    rank_coefficient,
    spearman,
    tau_a,
    tau_ap,
    tau_ap_b,
    tau_b,
    weighted_tau,
)

IDEAL = ["L", "J", "B", "P", "D"]
tied_pairs = st.integers(0, 2**32).map(
    lambda seed: np.random.default_rng(seed).integers(0, 5, (2, np.random.default_rng(seed).integers(3, 8))) * 1.0
)


@pytest.mark.parametrize("answer", [["L", "P", "B", "J", "D"], ["L", "J", "D", "P", "B"]])
def test_the_state_capitals(answer):
    assert correlate(IDEAL, answer, "tau-a") == pytest.approx(0.4, abs=1e-9)
    assert correlate(IDEAL, answer, "tau-b") == pytest.approx(0.4, abs=1e-9)


def test_seven_of_ten_preferences_are_satisfied():
    assert correlate(IDEAL, ["L", "P", "B", "J", "D"], "concordance") == pytest.approx(0.7, abs=1e-9)


def test_an_answer_that_is_no_order_of_the_same_has_no_tau():
    with pytest.raises(BadInput, match="2 occur in only one, such as 'D'"):
        correlate(IDEAL, ["L", "J", "X", "B", "P"])


def test_ties_are_neither_concordant_nor_discordant():
    r, s = np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3])
    assert tau_a(r, s) == pytest.approx(0.6666666666666666, abs=1e-9)
    assert tau_b(r, s) == pytest.approx(0.7999999999999999, abs=1e-9)


@given(pair=tied_pairs)
def test_tau_b_spearman_and_weighted_tau_are_scipys(pair):
    a, b = pair
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert all(np.isnan(each(a, b)) for each in (tau_b, spearman, weighted_tau))
        return
    assert tau_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-9)
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
    assert weighted_tau(a, b) == pytest.approx(stats.weightedtau(a, b).statistic, abs=1e-9)


def test_long_orders_have_the_same_tau_as_short_ones():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 50, (2, 700)) * 1.0
    sign = np.sign(a[:, None] - a) * np.sign(b[:, None] - b)
    assert tau_a(a, b) == pytest.approx(sign.sum() / (700 * 699), abs=1e-12)
    assert tau_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)


def broken(values: np.ndarray) -> list[np.ndarray]:
    """Every order that breaks the ties."""
    groups = [np.flatnonzero(values == value) for value in np.unique(values)]
    found = []
    for chosen in product(*(permutations(group) for group in groups)):
        order = np.concatenate([np.array(group) for group in chosen])
        ranked = np.empty(len(values))
        ranked[order] = np.arange(len(values))
        found.append(ranked)
    return found


def plain_tau_ap(first: np.ndarray, second: np.ndarray) -> float:
    """As first published, item by item, for orders without ties."""
    order = np.argsort(-second)
    total = 0.0
    for i in range(1, len(order)):
        total += sum(first[order[j]] > first[order[i]] for j in range(i)) / i
    return 2 * total / (len(order) - 1) - 1


@given(seed=st.integers(0, 2**32))
def test_tau_ap_without_ties_is_as_published(seed):
    a, b = (np.random.default_rng(seed + n).permutation(7) * 1.0 for n in (0, 1))
    for ties in ("kept", "broken"):
        assert tau_ap(a, b, ties=ties) == pytest.approx(plain_tau_ap(a, b), abs=1e-12)


@given(seed=st.integers(0, 2**32))
def test_tau_ap_with_ties_broken_is_the_mean_over_all_ways(seed):
    a, b = np.random.default_rng(seed).integers(0, 3, (2, 5)) * 1.0
    each = [plain_tau_ap(x, y) for x in broken(a) for y in broken(b)]
    assert tau_ap(a, b, ties="broken") == pytest.approx(np.mean(each), abs=1e-9)


def test_tau_ap_weighs_the_top_and_is_symmetric_if_asked():
    order = np.array([6.0, 5, 4, 3, 2, 1])
    top, bottom = np.array([5.0, 6, 4, 3, 2, 1]), np.array([6.0, 5, 4, 3, 1, 2])
    assert tau_ap(order, top) < tau_ap(order, bottom)
    assert tau_ap(order, top, symmetric=True) == tau_ap(top, order, symmetric=True)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("RBO-min", "RBO-residual")])
@given(pair=tied_pairs)
def test_an_order_agrees_wholly_with_itself_ties_and_all(method, pair):
    values = pair[0]
    if np.ptp(values) == 0:
        return
    own = {"ties": "kept"} if method == "RBO" else {}
    whole = len(np.unique(values)) == len(values)
    if method in ("tau-a", "tau-AP-a", "concordance") and not whole:
        return  # they count ties as undecided, or have no ties in a true order
    assert correlate(list(values), list(values), method, **own) == pytest.approx(1)


@pytest.mark.parametrize("method", [name for name in CORRELATIONS if name != "concordance"])
def test_the_opposite_order_gives_minus_one(method):
    values = [0.3, 0.9, 0.1, 0.5]
    assert correlate(values, [-value for value in values], method) == pytest.approx(-1)


def extrapolated(first: str, second: str, p: float) -> float:
    """The formula of Webber, Moffat and Zobel for lists of unequal length, term by term."""
    short, long = sorted((first, second), key=len)
    s, size = len(short), len(long)
    x = [len(set(short[:d]) & set(long[:d])) for d in range(size + 1)]
    total = sum(x[d] / d * p**d for d in range(1, size + 1))
    total += sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, size + 1))
    return (1 - p) / p * total + ((x[size] - x[s]) / size + x[s] / s) * p**size


@pytest.mark.parametrize("ties", ["expected", "kept", "active"])
@pytest.mark.parametrize(
    ("first", "second"), [("abcde", "abcde"), ("abcde", "edcba"), ("abc", "xyz"), ("abcdefg", "xbac"), ("a", "abc")]
)
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_rbo_without_ties_is_as_published(ties, first, second, p):
    expected = extrapolated(first, second, p)
    assert correlate(list(first), list(second), "RBO", p=p, ties=ties) == pytest.approx(expected, abs=1e-12)


@given(seed=st.integers(0, 2**32))
def test_rbo_with_ties_broken_is_the_mean_over_all_ways(seed):
    a, b = np.random.default_rng(seed).integers(0, 3, (2, 5)) * 1.0
    names = "abcde"
    each = [
        rank_biased_overlap(dict(zip(names, x, strict=True)), dict(zip(names, y, strict=True)))
        for x in broken(a)
        for y in broken(b)
    ]
    found = rank_biased_overlap(dict(zip(names, a, strict=True)), dict(zip(names, b, strict=True)))
    assert found == pytest.approx(np.mean(each), abs=1e-9)


def test_infinite_scores_have_a_place_in_the_order():
    for method in METHODS:
        far = correlate([1, float("inf"), float("-inf")], [2, 3, 1], method)
        assert far == correlate([2, 3, 1], [2, 3, 1], method)
    assert correlate([1, float("inf"), float("inf")], [1, 2, 3]) == pytest.approx(correlate([1, 2, 2], [1, 2, 3]))


@pytest.mark.parametrize("method", ["tau-b", "tau-AP", "spearman", "weighted tau"])
def test_an_order_that_ties_all_has_no_coefficient_whichever_it_is(method):
    for which, pair in {"first": ([1, 1, 1], [1, 2, 3]), "second": ([1, 2, 3], [1, 1, 1])}.items():
        (row,) = cranfield.correlate(*pair, method).rows
        assert row.value is None
        assert row.note == f"undefined: all items are tied in the {which} ranking"


def test_the_overlap_of_long_orders_takes_little_memory():
    first, second = ({f"{name}{n}": -n for n in range(2_000)} for name in "ab")
    mixed = dict(zip(first, np.random.default_rng(0).random(2_000).tolist(), strict=True))
    tracemalloc.start()
    assert rank_biased_overlap(first, second) == 0
    assert 0 < rank_biased_overlap(first, mixed, ties="kept") < 1
    assert tracemalloc.get_traced_memory()[1] < 32e6
    tracemalloc.stop()


def test_the_overlap_is_the_same_however_many_depths_are_taken_together(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = ({str(n): float(rng.integers(0, 9)) for n in range(start, start + 30)} for start in (0, 10))
    whole = [rank_biased_overlap(a, b, ties=ties) for ties in ("expected", "kept", "active")]
    monkeypatch.setattr(overlap_module, "_CELLS", 40)
    assert [rank_biased_overlap(a, b, ties=ties) for ties in ("expected", "kept", "active")] == pytest.approx(whole)


@pytest.mark.parametrize("column", [pd.Series, pl.Series, pa.array, lambda values: pa.chunked_array([values])])
def test_series_and_arrow_arrays_are_rankings(column):
    scores, names = [[0.1, 0.4, 0.4, 0.2], [0.3, 0.9, 0.5, 0.1]], [IDEAL, ["L", "P", "B", "J", "D"]]
    expected = stats.kendalltau(*scores).statistic
    assert float(cranfield.correlate(*map(column, scores))) == pytest.approx(expected)
    assert float(cranfield.correlate(*map(column, names))) == pytest.approx(0.4)
    assert cranfield.correlate({"a": column(scores[0]), "b": column(scores[1])}).rows[0].value == pytest.approx(
        expected
    )


def test_a_pandas_index_names_the_scores():
    first, second = pd.Series([3, 2, 1], ["a", "b", "c"]), pd.Series([1, 2, 3], ["c", "b", "a"])
    assert float(cranfield.correlate(first, second)) == 1
    assert float(cranfield.correlate(first, {"a": 1, "b": 2, "c": 3})) == -1
    by_score = pd.Series(["x", "y"], [7, 3])  # names, sorted by something else
    assert float(cranfield.correlate(by_score, ["x", "y"])) == 1
    with pytest.raises(BadInput, match="2 values have the index 'a'"):
        cranfield.correlate(pd.Series([1, 2], ["a", "a"]), second)


@pytest.mark.parametrize("coefficient", ["tau-b", "RBO"])
def test_a_series_and_its_sorted_copy_are_the_same_ranking(coefficient):
    scores = pd.Series([3.0, 1.0, 2.0, 5.0, 4.0])
    assert float(cranfield.correlate(scores, scores.sort_values(), coefficient)) == pytest.approx(1)


@pytest.mark.parametrize("named", [["b", "a"], {"1": 1, "2": 2}, pd.Series([1, 2], index=[1, 2])])
def test_scores_without_names_are_not_matched_with_names(named):
    with pytest.raises(BadInput, match="'first' names its items, but 'second' is a list of scores without names"):
        cranfield.correlate(named, [0.5, 0.4], "RBO")


def test_what_cannot_be_correlated_is_said():
    for mixed in (["a", 1], [None, 2]):
        with pytest.raises(BadInput, match="which is not a number"):
            correlate(mixed, [1, 2])
    for other in (object(), "ab", 3):
        with pytest.raises(BadInput, match="is not a ranking"):
            correlate(other, [1, 2])
    with pytest.raises(BadInput, match="duplicate 'a'"):
        correlate(["a", "b", "a"], ["a", "b"])
    with pytest.raises(BadInput, match="has no score"):
        correlate({"a": 1, "b": float("nan")}, {"a": 1, "b": 2})
    with pytest.raises(BadInput, match="at least two systems are needed for a ranking; got 1"):
        correlate(["a"], ["a"])
    with pytest.raises(BadInput, match="a ranking needs at least 2 items"):
        rank_coefficient({"a": 1.0}, {"a": 2.0}, "tau-b")
    with pytest.raises(BadInput, match="the ranking is empty"):
        correlate([], [])
    with pytest.raises(BadSetting, match="no correlation 'tau'"):
        correlate([1, 2], [2, 1], "tau")
    with pytest.raises(BadSetting, match="tau-b has no setting 'ties'; it has: none"):
        correlate([1, 2], [2, 1], ties="kept")
    with pytest.raises(BadSetting, match="ties must be one of 'kept', 'broken'"):
        correlate([1, 2], [2, 1], "tau-AP", ties="b")
    with pytest.raises(BadSetting, match="ties must be one of 'expected', 'kept', 'active'"):
        correlate([1, 2], [2, 1], "RBO", ties="b")
    for p in (1, 0, -0.5):
        with pytest.raises(BadSetting, match="p must be a number between"):
            correlate([1, 2], [2, 1], "RBO", p=p)


# The examples that Urbano and Marrero publish with ircor, their own implementation
X = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
Y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
ROUNDED = (
    ([0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1], [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1], 0.7321),
    ([0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4], [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6], 0.297),
    ([0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4], [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2], -0.7047),
)


def test_tau_ap_with_ties_is_as_its_authors_publish_it():
    fifths = [round(y * 5) / 5 for y in Y], [round(x * 5) / 5 for x in X]
    assert correlate(X, Y, "tau-AP") == pytest.approx(0.7491182, abs=5e-8)
    assert correlate(X, fifths[0], "tau-AP-a") == pytest.approx(0.6074515, abs=5e-8)
    assert correlate(fifths[1], fifths[0], "tau-AP-b") == pytest.approx(0.6269841, abs=5e-8)
    assert correlate(fifths[1], fifths[0], "tau-AP", symmetric=True) > 0.7  # ties kept: another coefficient
    both = correlate(X, Y, "tau-AP"), correlate(Y, X, "tau-AP")
    assert both[0] != both[1]
    assert correlate(X, Y, "tau-AP", symmetric=True) == pytest.approx(np.mean(both), abs=1e-12)
    for x, y, expected in ROUNDED:
        for pair in ((x, y), (y, x)):
            assert correlate(*pair, "tau-AP-b") == pytest.approx(expected, abs=5e-5)


def test_a_true_order_has_no_ties():
    (row,) = cranfield.correlate([1, 2, 2], [1, 2, 3], "tau-AP-a").rows
    assert row.value is None
    assert row.note == "undefined: the first ranking, taken as the true one, has ties"
    found = cranfield.correlate({"a": [1, 2, 2], "b": [1, 2, 3]}, coefficients=["tau-AP-a", "tau-AP-b"])
    assert "has ties" in found.rows[0].note
    assert found.rows[1].value == pytest.approx(
        (2 * (0 + 1) / 2 - 1 + 1) / 2
    )  # a ties what b has apart, not the reverse


def test_every_coefficient_reaches_the_table_and_the_settings():
    found = cranfield.correlate({"a": [1, 2, 2, 4], "b": [1, 3, 2, 4]}, coefficients=list(METHODS), p=0.8)
    assert [row.coefficient for row in found.rows] == list(METHODS)
    assert {name for name, own in found.settings.items() if own == {"p": 0.8}} == {"RBO", "RBO-min", "RBO-residual"}


def test_long_orders_with_ties_take_little_memory():
    a, b = np.random.default_rng(0).integers(0, 400, (2, 4_000)) * 1.0
    tracemalloc.start()
    small = [np.mean([tau_ap(a[:300], b[:300]), tau_ap(b[:300], a[:300])]), tau_ap_b(a[:300], b[:300])]
    assert all(-1 < value < 1 for value in (*small, tau_ap(a, b, symmetric=True), tau_ap_b(a, b)))
    assert tracemalloc.get_traced_memory()[1] < 64e6
    tracemalloc.stop()


def longest(first: str, second: str, p: float, least: bool) -> float:
    """The least or the greatest RBO of all orders that begin like these, by going on with them in every way.

    Until a depth at which the two can hold the same, after which they hold it for ever, or share nothing new.
    """
    depth = len(set(first) | set(second))
    found = []
    for one, other in product(_gone_on(first, second, "xyz", depth), _gone_on(second, first, "XYZ", depth)):
        common = [len(set(one[:d]) & set(other[:d])) for d in range(1, depth + 1)]
        total = sum(x / d * p ** (d - 1) for d, x in enumerate(common, 1)) * (1 - p)
        after = sum(p ** (d - 1) * (1 - p) / d for d in range(depth + 1, 4_000))
        found.append(total + (common[-1] * after if least else p**depth * (common[-1] == depth)))
    return min(found) if least else max(found)


def _gone_on(order: str, other: str, private: str, depth: int) -> list[str]:
    unseen = [name for name in other if name not in order] + list(private)
    return [order + "".join(more) for more in permutations(unseen, depth - len(order))]


@pytest.mark.parametrize(
    ("first", "second"), [("ab", "ba"), ("abc", "a"), ("ab", "bcd"), ("a", "b"), ("abc", "cab"), ("abd", "ca")]
)
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_the_bounds_of_rbo_are_those_of_all_longer_orders(first, second, p):
    least = correlate(list(first), list(second), "RBO-min", p=p)
    assert least == pytest.approx(longest(first, second, p, least=True), abs=1e-9)
    most = least + correlate(list(first), list(second), "RBO-residual", p=p)
    assert most == pytest.approx(longest(first, second, p, least=False), abs=1e-9)
    assert least <= correlate(list(first), list(second), "RBO", p=p) <= most


@given(seed=st.integers(0, 2**32))
def test_the_bounds_of_rbo_with_ties_are_the_mean_over_all_ways_to_break_them(seed):
    rng = np.random.default_rng(seed)
    a, b = (dict(zip(rng.permutation(list("abcdefg"))[:n], rng.integers(0, 3, n) * 1.0, strict=True)) for n in (4, 5))
    for method in ("RBO-min", "RBO-residual"):
        each = [
            correlate(dict(zip(a, x, strict=True)), dict(zip(b, y, strict=True)), method)
            for x in broken(np.array([*a.values()]))
            for y in broken(np.array([*b.values()]))
        ]
        assert correlate(a, b, method) == pytest.approx(np.mean(each), abs=1e-9)


@given(seed=st.integers(0, 2**32))
def test_seeing_more_of_two_orders_narrows_the_bounds(seed):
    rng = np.random.default_rng(seed)
    a, b = (list(map(str, rng.permutation(12)[:10])) for _ in range(2))
    bounds = [
        (low := correlate(a[:d], b[:d], "RBO-min"), low + correlate(a[:d], b[:d], "RBO-residual")) for d in range(2, 11)
    ]
    for (low, high), (lower, higher) in pairwise(bounds):
        assert low - 1e-12 <= lower <= higher <= high + 1e-12


def test_pairs_are_counted_as_concordant_discordant_and_tied():
    first = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 0.0, "e": 0.0}
    second = {"e": 0.1 + 0.2, "d": 0.3, "c": 5.0, "b": 1.0, "a": 1.0}
    assert pair_counts(first, second) == {
        "pairs": 10,
        "concordant": 6,  # a, b and c are above d and e in both
        "discordant": 1,  # a is above c in the first only
        "tied_in_first": 1,  # b and c
        "tied_in_second": 1,  # a and b
        "tied_in_both": 1,  # d and e, which differ by rounding only
    }
