"""Rank correlation: the worked examples, SciPy, and every way to break ties as oracles."""

from __future__ import annotations

import tracemalloc
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.errors import BadInput, BadSetting
from cranfield.inference import overlap
from cranfield.inference.correlation import CORRELATIONS, spearman, tau_a, tau_ap, tau_b, weighted_tau
from cranfield.inference.orders import METHODS, correlate
from cranfield.inference.overlap import rank_biased_overlap

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
    with pytest.raises(BadInput, match="2 are in one alone, such as 'D'"):
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


@pytest.mark.parametrize("method", METHODS)
@given(pair=tied_pairs)
def test_an_order_agrees_wholly_with_itself_ties_and_all(method, pair):
    values = pair[0]
    if np.ptp(values) == 0:
        return
    own = {"ties": "kept"} if method == "RBO" else {}
    whole = len(np.unique(values)) == len(values)
    if method in ("tau-a", "concordance") and not whole:
        return  # they count ties as undecided
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
    with pytest.raises(BadInput, match="in the first order all are tied"):
        correlate([1, 1, 1], [1, 2, 3], method)
    with pytest.raises(BadInput, match="in the second order all are tied"):
        correlate([1, 2, 3], [1, 1, 1], method)


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
    monkeypatch.setattr(overlap, "_CELLS", 40)
    assert [rank_biased_overlap(a, b, ties=ties) for ties in ("expected", "kept", "active")] == pytest.approx(whole)


def test_what_cannot_be_correlated_is_said():
    for mixed in (["a", 1], [None, 2]):
        with pytest.raises(BadInput, match="where a score is needed"):
            correlate(mixed, [1, 2])
    for other in (object(), "ab", 3):
        with pytest.raises(BadInput, match="is no order"):
            correlate(other, [1, 2])
    with pytest.raises(BadInput, match="stands twice"):
        correlate(["a", "b", "a"], ["a", "b"])
    with pytest.raises(BadInput, match="has no score"):
        correlate({"a": 1, "b": float("nan")}, {"a": 1, "b": 2})
    with pytest.raises(BadInput, match="one alone has no order"):
        correlate(["a"], ["a"])
    with pytest.raises(BadInput, match="nothing in the order"):
        correlate([], [])
    with pytest.raises(BadSetting, match="no correlation 'tau'"):
        correlate([1, 2], [2, 1], "tau")
    with pytest.raises(BadSetting, match="tau-b has no setting 'p'; it has: none"):
        correlate([1, 2], [2, 1], p=0.5)
    with pytest.raises(BadSetting, match="kept or broken"):
        correlate([1, 2], [2, 1], "tau-AP", ties="b")
    with pytest.raises(BadSetting, match="expected, kept or active"):
        correlate([1, 2], [2, 1], "RBO", ties="b")
    with pytest.raises(BadSetting, match="p must lie"):
        correlate([1, 2], [2, 1], "RBO", p=1)
