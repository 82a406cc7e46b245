"""Orders of systems by hand: agreement counted pair by pair, swaps bin by bin, queries chosen one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from correlation.rank_pairs import correlate
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples
from cranfield.statistics import rank_correlation as correlation
from cranfield.statistics import stability as query_selection
from cranfield.statistics.effects import effects
from cranfield.statistics.intervals import bootstrap, mean_interval
from cranfield.statistics.rank_correlation import concordance, spearman, tau_a, tau_ap, tau_ap_b, tau_b
from cranfield.statistics.resampling import subsets
from cranfield.statistics.splits import halves, k_fold
from cranfield.statistics.stability import Stability, Swaps, discriminative_power, select_queries, stability, swap_rate
from cranfield.statistics.stability import tau_b as tau_of_pairs
from cranfield.statistics.tests import find

RNG = np.random.default_rng(31)


def some(n_systems: int, n_queries: int, seed: int = 0) -> Samples:
    """Values in tenths, so that systems tie on many queries, and some in the mean."""
    values = np.random.default_rng(seed).integers(0, 6, (n_systems, n_queries)) / 10
    return Samples(tuple(f"s{s}" for s in range(n_systems)), tuple(f"q{q}" for q in range(n_queries)), values)


def agreeing(first: list[float], second: list[float]) -> int:
    return sum(
        int(np.sign(first[i] - first[j]) * np.sign(second[i] - second[j]))
        for i, j in combinations(range(len(first)), 2)
    )


@pytest.mark.parametrize("small", [2, 500])
@pytest.mark.parametrize("levels", [(2, 20), (20, 2), (3, 3), (1, 5), (1, 1)])
def test_tau_is_counted_pair_by_pair_however_long_the_orders(small, levels, monkeypatch):
    monkeypatch.setattr(correlation, "_SMALL", small)
    for n in (3, 4, 11):
        a, b = (RNG.integers(0, most, n) * 1.0 for most in levels)
        count, pairs = agreeing(list(a), list(b)), n * (n - 1) / 2
        assert tau_a(a, b) == pytest.approx(count / pairs, abs=1e-12)
        assert concordance(a, b) == pytest.approx((count / pairs + 1) / 2, abs=1e-12)
        untied = [sum(x[i] != x[j] for i, j in combinations(range(n), 2)) for x in (a, b)]
        if min(untied):
            assert tau_b(a, b) == pytest.approx(count / np.sqrt(untied[0] * untied[1]), abs=1e-12)
            assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
        else:
            assert np.isnan([tau_b(a, b), spearman(a, b)]).all()


def plain_tau_ap_b(first: np.ndarray, second: np.ndarray) -> float:
    """For each item below the top group, the share of those above it that the other order has above it too."""
    both = []
    for true, order in ((first, second), (second, first)):
        shares = []
        for item in range(len(order)):
            above = [other for other in range(len(order)) if order[other] > order[item]]
            if above:
                shares.append(sum(true[other] > true[item] for other in above) / len(above))
        both.append(2 * np.mean(shares) - 1)
    return float(np.mean(both))


def plain_tau_ap_kept(first: np.ndarray, second: np.ndarray) -> float:
    shares = []
    for item in range(len(second)):
        above = [other for other in range(len(second)) if second[other] > second[item]]
        if above:
            shares.append(sum(np.sign(first[other] - first[item]) for other in above) / len(above))
    return float(np.mean(shares))


@pytest.mark.parametrize("cells", [1, 10, 25, 1 << 20])
def test_tau_ap_is_counted_item_by_item_whatever_is_compared_at_a_time(cells, monkeypatch):
    monkeypatch.setattr(correlation, "_CELLS", cells)
    for _ in range(10):
        a, b = (np.append(RNG.integers(0, 5, 8), [0, 4]) * 1.0 for _ in range(2))
        assert tau_ap_b(a, b) == pytest.approx(plain_tau_ap_b(a, b), abs=1e-12)
        kept = plain_tau_ap_kept(a, b), plain_tau_ap_kept(b, a)
        assert tau_ap(a, b) == pytest.approx(kept[0], abs=1e-12)
        assert tau_ap(a, b, symmetric=True) == pytest.approx(np.mean(kept), abs=1e-12)
        halves = tau_ap(a, b, ties="broken"), tau_ap(b, a, ties="broken")
        assert tau_ap(a, b, ties="broken", symmetric=True) == pytest.approx(np.mean(halves), abs=1e-12)


@pytest.mark.parametrize("method", ["tau-AP", "tau-AP-b"])
def test_an_order_that_ties_all_has_no_tau_ap_on_either_side(method):
    for pair in (([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [1, 1, 1])):
        assert np.isnan(correlate(*pair, method))
    assert tau_ap(np.ones(3), np.arange(3.0), ties="broken") == 0


def means(samples: Samples, inside: np.ndarray) -> np.ndarray:
    return samples.values[:, inside].mean(axis=1).round(12)


@pytest.mark.parametrize("n_queries", [2, 3, 8, 9])
def test_swaps_are_counted_in_bins_of_the_difference_on_the_one_half(n_queries):
    data, half = some(5, n_queries), n_queries // 2
    size, swapped = [], []
    for inside in np.concatenate(list(subsets(n_queries, half, 40, 6))):
        rest = np.flatnonzero(~inside)[n_queries % 2 :]
        here, there = means(data, inside), means(data, rest)
        for i, j in combinations(range(5), 2):
            size.append(abs(here[i] - here[j]))
            swapped.append((here[i] - here[j]) * (there[i] - there[j]) < 0)
    found = swap_rate(data, resamples=40, n_bins=4, seed=6)
    greatest = max(size)
    assert found.edge == pytest.approx([greatest * part / 4 for part in range(5)])
    places = [min(int(each / greatest * 4 + 1e-9), 3) for each in size]
    assert found.n_pairs.tolist() == [places.count(place) for place in range(4)]
    for place in range(4):
        own = [swap for swap, at in zip(swapped, places, strict=True) if at == place]
        assert found.rate[place] == pytest.approx(np.mean(own) if own else np.nan, nan_ok=True)
    assert (found.overall, found.n_topics) == (pytest.approx(np.mean(swapped)), half)


def test_systems_that_never_differ_never_swap():
    found = swap_rate(Samples(("a", "b"), ("1", "2"), np.ones((2, 2))), resamples=3, n_bins=2)
    assert (found.overall, found.edge.tolist(), found.n_pairs.tolist()) == (0, [0, 0.5, 1], [3, 0])


@pytest.mark.parametrize(
    ("rate", "needed"),
    [([0.3, 0.04, 0.05], 1), ([0.3, 0.06, 0.0], 2), ([0.0, 0.06, np.nan], np.nan), ([0.04, np.nan, 0.05], 0)],
)
def test_the_difference_needed_is_the_least_from_which_on_swaps_are_rare(rate, needed):
    swaps = Swaps(0.1, 5, np.arange(4.0), np.array(rate), np.ones(3, np.int64))
    assert swaps.needed() == pytest.approx(needed, nan_ok=True)
    assert swaps.needed(1.0) == 0


def test_stability_of_two_topics_and_of_every_tenth():
    data = some(4, 2, 3)
    found = stability(data, resamples=5)
    assert found.size.tolist() == [1, 2]
    assert found.tau[-1] == 1
    assert stability(some(3, 25), resamples=2).size.tolist() == [2, 5, 8, 10, 12, 15, 18, 20, 22, 25]
    assert stability(some(3, 7), resamples=2, sizes=[6, 1]).size.tolist() == [1, 6]
    enough = Stability(np.array([2, 5, 9]), np.array([0.5, 0.9, 0.95]), np.zeros(3))
    assert (enough.topics_needed(), enough.topics_needed(0.91), enough.topics_needed(0.96)) == (5, 9, None)


@pytest.mark.parametrize("seed", range(4))
def test_tau_from_differences_is_scipys_and_0_where_all_tie(seed):
    rng = np.random.default_rng(seed)
    whole, *others = rng.integers(0, 4, (5, 6)) * 1.0
    first, second = np.triu_indices(6, 1)
    apart = np.array([each[first] - each[second] for each in others])
    wanted = [stats.kendalltau(each, whole).statistic for each in others]
    assert tau_of_pairs(apart, whole[first] - whole[second]) == pytest.approx(wanted)
    assert tau_of_pairs(np.zeros((2, 15)), whole[first] - whole[second]).tolist() == [0, 0]


def test_discriminative_power_counts_the_pairs_below_the_level():
    data = some(6, 30)
    p = find("t")(data.pairs()).p
    for level in (0.01, 0.3, float(np.sort(p)[7])):
        found = discriminative_power(data, level=level, test="t")
        assert found == pytest.approx(sum(each < level for each in p) / 15)


def test_orders_need_two_systems_and_two_topics():
    with pytest.raises(BadInput, match="at least 2 systems are needed"):
        discriminative_power(Samples(("a",), ("1",), np.ones((1, 1))))
    with pytest.raises(BadInput, match="subsets need at least 1 queries; got 0"):
        discriminative_power(Samples(("a", "b"), (), np.ones((2, 0))))
    for asked in (swap_rate, stability):
        with pytest.raises(BadInput, match="subsets need at least 2 queries; got 1"):
            asked(Samples(("a", "b"), ("1",), np.array([[0.1], [0.2]])))


def plain_tau(values: np.ndarray, chosen: list[int], pairs: list[tuple[int, int]]) -> float:
    here, whole = values[:, chosen].mean(axis=1).round(12), values.mean(axis=1).round(12)
    signs = [(np.sign(here[i] - here[j]), np.sign(whole[i] - whole[j])) for i, j in pairs]
    untied = sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)
    return float(sum(a * b for a, b in signs) / np.sqrt(untied)) if untied else 0.0


def plain_choice(values: np.ndarray, k: int, pairs: list[tuple[int, int]]) -> tuple[list[int], list[float]]:
    """One query after the other: the greatest tau, then the means that lie closest to those of all, then the first."""
    chosen: list[int] = []
    wanted = values.mean(axis=1) - values.mean()
    for _ in range(k):
        worth = {}
        for query in set(range(values.shape[1])) - {*chosen}:
            own = values[:, [*chosen, query]].mean(axis=1)
            off = ((own - own.mean() - wanted) ** 2).sum()
            worth[query] = (-round(plain_tau(values, [*chosen, query], pairs), 9), round(float(off), 12), query)
        chosen.append(min(worth, key=worth.__getitem__))
    return chosen, [plain_tau(values, chosen[: n + 1], pairs) for n in range(k)]


@pytest.mark.parametrize("seed", range(5))
def test_queries_are_chosen_by_tau_and_then_by_how_close_their_means_are(seed):
    data = Samples(tuple("abcde"), tuple(map(str, range(9))), np.random.default_rng(seed).random((5, 9)))
    pairs = list(combinations(range(5), 2))
    chosen, tau = plain_choice(data.values, 6, pairs)
    found = select_queries(data, 6, seed=2)
    assert found.queries == tuple(map(str, chosen))
    assert found.tau == pytest.approx(tau)
    rng = np.random.default_rng(2)
    unseen, chance = [], []
    for _ in range(10):
        order = rng.permutation(5)
        asked, others = data.values[order[:2]], data.values[order[2:]]
        picked, _ = plain_choice(asked, 6, [(0, 1)])
        three = list(combinations(range(3), 2))
        unseen.append([plain_tau(others, picked[: n + 1], three) for n in range(6)])
    for _ in range(50):
        picked = rng.permutation(9)[:6].tolist()
        chance.append([plain_tau(data.values, picked[: n + 1], pairs) for n in range(6)])
    assert found.unseen == pytest.approx(np.mean(unseen, axis=0))
    assert found.chance == pytest.approx(np.mean(chance, axis=0))


def test_four_systems_have_two_that_were_not_asked_and_three_have_not():
    four, three = select_queries(some(4, 9, 1), 2), select_queries(some(3, 9, 1), 2)
    assert not np.isnan(four.unseen).any()
    assert four.notes == ()
    assert np.isnan(three.unseen).tolist() == [True, True]
    assert three.notes == (query_selection._FEW,)


def test_of_many_pairs_of_systems_some_are_drawn(monkeypatch):
    data = Samples(tuple("abcdef"), tuple(map(str, range(8))), np.random.default_rng(3).random((6, 8)))
    whole = select_queries(data, 3)
    monkeypatch.setattr(query_selection, "_MOST_PAIRS", 15)
    assert select_queries(data, 3).tau.tolist() == whole.tau.tolist()
    monkeypatch.setattr(query_selection, "_MOST_PAIRS", 7)
    kept = np.random.default_rng(0).choice(15, 7, replace=False)
    pairs = [list(combinations(range(6), 2))[place] for place in kept]
    chosen, tau = plain_choice(data.values, 3, pairs)
    found = select_queries(data, 3)
    assert (found.queries, found.tau.tolist()) == (tuple(map(str, chosen)), pytest.approx(tau))


@pytest.mark.parametrize("k", [0, 4, True, 1.0])
def test_between_one_query_and_all_can_be_chosen(k):
    with pytest.raises(BadSetting, match="k must be between 1 and the number of queries, 3"):
        select_queries(some(3, 3), k)


def plain_overlap(first: dict[str, float], second: dict[str, float], p: float, ties: str) -> float:
    """RBO_ext document by document, after Corsi and Urbano 2024: how far each is among the first d of both orders."""
    short, long = sorted((first, second), key=len)

    def part(order: dict[str, float], name: str, depth: int) -> float:
        top = 1 + sum(score > order[name] for score in order.values())
        size = sum(score == order[name] for score in order.values())
        if ties == "active":
            return float(top <= depth)
        return min(max((depth - top + 1) / size, 0), 1)

    def amount(order: dict[str, float], depth: int) -> float:
        return sum(part(order, name, depth) ** 2 for name in order)

    agreement = []
    for depth in range(1, len(long) + 1):
        common = sum(part(short, name, depth) * part(long, name, depth) for name in short.keys() & long.keys())
        unseen = max(depth - len(short), 0)
        a, b = amount(short, depth) + unseen, amount(long, depth)
        below = {"active": (a + b) / 2, "kept": np.sqrt(a * b), "expected": depth}[ties]
        if unseen:
            common += unseen * agreement[len(short) - 1]
        agreement.append(common / below)
    total = sum((1 - p) * p ** (depth - 1) * each for depth, each in enumerate(agreement, 1))
    return float(total + p ** len(long) * agreement[-1])


@pytest.mark.parametrize("ties", ["expected", "kept", "active"])
@pytest.mark.parametrize("p", [0.3, 0.9])
def test_the_overlap_of_orders_with_ties_is_counted_document_by_document(ties, p):
    for n_first, n_second in ((6, 6), (4, 8), (9, 3), (1, 5)):
        for _ in range(5):
            names = [RNG.permutation(list("abcdefghij"))[:n].tolist() for n in (n_first, n_second)]
            a, b = ({name: float(RNG.integers(0, 4)) for name in each} for each in names)
            assert correlate(a, b, "RBO", p=p, ties=ties) == pytest.approx(plain_overlap(a, b, p, ties), abs=1e-12)


def test_the_seed_is_0_where_nobody_says_otherwise():
    data = Samples(tuple("abcd"), tuple(map(str, range(12))), np.random.default_rng(3).random((4, 12)))
    for asked in (
        lambda **seed: [split.test.tolist() for split in halves(12, **seed)],
        lambda **seed: [split.test.tolist() for split in k_fold(12, 4, **seed)],
        lambda **seed: swap_rate(data, resamples=9, **seed).rate.tolist(),
        lambda **seed: stability(data, resamples=9, **seed).tau.tolist(),
        lambda **seed: select_queries(data, 3, **seed).chance.tolist(),
        lambda **seed: effects(data.pairs(), interval="bca", **seed).low.tolist(),
        lambda **seed: bootstrap(data.values.T, 0.9, resamples=50, **seed).low.tolist(),
        lambda **seed: mean_interval(data.values[0], 0.9, "bca", resamples=50, **seed).low.tolist(),
    ):
        np.testing.assert_array_equal(asked(), asked(seed=0))
        assert asked(seed=0) != asked(seed=1)
