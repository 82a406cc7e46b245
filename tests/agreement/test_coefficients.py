"""Coefficients of agreement: the worked examples, published figures, and scikit-learn, statsmodels, krippendorff."""

from __future__ import annotations

from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from counted_ratings import from_counts, from_table, of_topic
from cranfield import agree
from cranfield.errors import BadInput
from cranfield.evidence.ratings import Ratings, ratings
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from cranfield.tables.ratings import rated

LEVELS = ("nominal", "ordinal", "interval", "ratio")

# Two judges, each of whom finds most documents relevant.
TABLE = [[20, 12], [4, 4]]

# Fourteen experts, ten documents, five categories.
COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

# Four raters, twelve items, some ratings missing: the example of Krippendorff and of Gwet.
NA = np.nan
FOUR = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3],
        [NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA],
    ]
)


def grid(table: np.ndarray) -> Ratings:
    """The ratings of a table of raters by items, NaN where there is none."""
    rater, item = np.indices(table.shape)
    return ratings(rated(table.ravel(), item.ravel(), rater.ravel()))


def value(name: str, of: Ratings) -> float:
    (found,) = parse(name, "ratings").values(of)
    return float(found)


tables = st.integers(0, 2**32).map(lambda seed: _drawn(np.random.default_rng(seed)))


def _drawn(rng: np.random.Generator) -> np.ndarray:
    table = rng.integers(0, rng.integers(2, 6), (rng.integers(2, 5), rng.integers(6, 30))).astype(float)
    table[:, :2] = [0, 1]  # two categories at least, and agreement on them
    table[rng.random(table.shape) < 0.2] = np.nan
    return table


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Agreement", 0.6),
        ("Kappa", 0.09090909090909091),
        ("ScottPi", 0.047619047619047616),
        ("Fleiss", 0.047619047619047616),
        ("S", 0.2),
        ("S(chance=0.5)", 0.2),
        ("AC1", 0.3103448275862069),
        ("Alpha", 0.05952380952380952),
    ],
)
def test_two_judges_agree_on_60_percent_and_hardly_beyond_chance(name, expected):
    assert value(name, from_table(TABLE)) == pytest.approx(expected, abs=1e-9)


def test_fourteen_experts():
    assert value("Agreement", from_counts(COUNTS)) == pytest.approx(0.378021978021978, abs=1e-9)
    assert value("Fleiss", from_counts(COUNTS)) == pytest.approx(0.20993070442195524, abs=1e-9)


def test_the_agreement_on_each_document():
    each = [value("Agreement", from_counts([row])) for row in COUNTS]
    expected = [
        1.0,
        0.25274725274725274,
        0.3076923076923077,
        0.43956043956043955,
        0.32967032967032966,
        0.46153846153846156,
        0.24175824175824176,
        0.17582417582417584,
        0.2857142857142857,
        0.2857142857142857,
    ]
    assert each == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Agreement", 0.8181818),
        ("Fleiss(margins='items')", 0.76117),
        ("AC1", 0.77544),
        ("Alpha", 0.74342),
        ("Alpha(level='ordinal')", 0.815),
        ("Alpha(level='interval')", 0.849),
        ("Alpha(level='ratio')", 0.797),
    ],
)
def test_the_published_figures_of_four_raters(name, expected):
    assert value(name, grid(FOUR)) == pytest.approx(expected, abs=5e-4 if "level" in name else 5e-6)


@given(table=tables)
@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_krippendorffs(level, table):
    data = grid(table)
    if len(np.unique(data.category[data.pairable[data.item]])) < 2:
        assert np.isnan(value(f"Alpha(level={level!r})", data))
    else:
        expected = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
        assert value(f"Alpha(level={level!r})", data) == pytest.approx(expected, abs=1e-9)


@given(table=tables)
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_of_two_is_scikit_learns(weights, table):
    both = table[:2][:, ~np.isnan(table[:2]).any(axis=0)].astype(int)
    labels = np.unique(both)
    if len(labels) < 2:
        return
    expected = cohen_kappa_score(*both, labels=labels, weights=None if weights == "none" else weights)
    assert value(f"Kappa(weights={weights!r})", grid(both * 1.0)) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_kappa_of_three_is_the_mean_over_every_two():
    three = np.random.default_rng(1).integers(0, 3, (3, 40)).astype(float)
    pairs = [value("Kappa", grid(three[[a, b]])) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert value("Kappa", grid(three)) == pytest.approx(np.mean(pairs))


@given(st.integers(0, 2**32))
def test_fleiss_is_statsmodels_where_all_have_as_many_ratings(seed):
    counts = np.random.default_rng(seed).multinomial(4, [0.5, 0.3, 0.2], 12)
    assert value("Fleiss", from_counts(counts)) == pytest.approx(fleiss_kappa(counts), abs=1e-9)


@given(table=tables)
def test_unequal_numbers_of_ratings_by_hand(table):
    data, counts = grid(table), grid(table).counts()
    n = counts.sum(axis=1)
    two = n >= 2
    agreed = ((counts**2).sum(axis=1) - n)[two] / (n * (n - 1))[two]
    share = counts.sum(axis=0) / n.sum()
    expected = (agreed.mean() - (share**2).sum()) / (1 - (share**2).sum())
    assert value("Fleiss", data) == pytest.approx(expected, abs=1e-9)


@given(table=tables)
def test_weights_change_nothing_where_there_are_two_categories(table):
    data = grid(np.where(np.isnan(table), np.nan, np.minimum(table, 1)))
    for name in ("Kappa", "Fleiss", "AC1", "Agreement"):
        plain = value(name, data)
        assert value(f"{name}(weights='linear')", data) == pytest.approx(plain, abs=1e-9, nan_ok=True)
        assert value(f"{name}(weights='quadratic')", data) == pytest.approx(plain, abs=1e-9, nan_ok=True)


CREDIT = {
    "none": lambda a, b, top: float(a == b),
    "linear": lambda a, b, top: 1 - abs(a - b) / top,
    "quadratic": lambda a, b, top: 1 - ((a - b) / top) ** 2,
}


def pairwise(table: np.ndarray, weights: str, top: int) -> float:
    """The mean over items of the credit that the pairs of their raters get, pair by pair."""
    each = []
    for column in table.T:
        said = [value for value in column if not np.isnan(value)]
        if len(said) > 1:
            pairs = [(a, b) for i, a in enumerate(said) for j, b in enumerate(said) if i != j]
            each.append(np.mean([CREDIT[weights](a, b, top) for a, b in pairs]))
    return float(np.mean(each))


@given(table=tables)
@pytest.mark.parametrize("weights", list(CREDIT))
def test_ac1_and_ac2_are_as_gwet_writes_them_pair_by_pair(weights, table):
    said = np.unique(table[~np.isnan(table)])
    table = np.searchsorted(said, table) + np.where(np.isnan(table), np.nan, 0.0)
    size = len(said)
    if size < 2 or not (~np.isnan(table)).sum(axis=0).max() > 1:
        return
    agreed = pairwise(table, weights, size - 1)
    own = [column[~np.isnan(column)] for column in table.T]
    share = [np.mean([(column == k).mean() for column in own if len(column)]) for k in range(size)]
    credit = sum(CREDIT[weights](a, b, size - 1) for a in range(size) for b in range(size))
    chance = credit / (size * (size - 1)) * sum(p * (1 - p) for p in share)
    assert value(f"AC1(weights={weights!r})", grid(table)) == pytest.approx((agreed - chance) / (1 - chance), abs=1e-9)
    assert value(f"Agreement(weights={weights!r})", grid(table)) == pytest.approx(agreed, abs=1e-9)
    if weights == "none":
        assert value("S", grid(table)) == pytest.approx((agreed - 1 / size) / (1 - 1 / size), abs=1e-9)


def test_overlap_is_what_all_find_over_what_any_finds():
    judged = grid(np.array([[1, 1, 0, 1, 0], [1, 0, 0, 1, 1]], float))
    assert value("Overlap", judged) == pytest.approx(2 / 4)
    assert np.isnan(value("Overlap", grid(np.zeros((2, 3)))))


def test_one_category_leaves_nothing_to_agree_on():
    same = grid(np.ones((2, 5)))
    for name in ("Kappa", "Fleiss", "Alpha", "S"):
        assert np.isnan(value(name, same))
    assert value("Agreement", same) == 1


@pytest.mark.parametrize("name", list(declarations("ratings")))
@given(table=tables)
def test_a_topic_is_scored_alone_and_ratings_add(name, table):
    rater, item = np.indices(table.shape)
    data = ratings(rated(table.ravel(), item.ravel(), rater.ravel(), (item % 2).ravel()))
    even, odd = (of_topic(data, topic) for topic in range(2))
    measure = parse(name, "ratings")
    alone = np.concatenate([measure.values(even), measure.values(odd)])
    assert np.array_equal(measure.values(data), alone, equal_nan=True)
    assert np.array_equal(measure.values(even + odd), alone, equal_nan=True)


@pytest.mark.parametrize("name", list(declarations("ratings")))
@given(table=tables)
def test_items_rated_alike_may_be_put_together(name, table):
    twice = grid(np.hstack([table, table]))
    measure = parse(name, "ratings")
    assert measure.values(twice.condensed_items) == pytest.approx(measure.values(twice), abs=1e-12, nan_ok=True)


@given(table=tables)
def test_the_order_of_raters_and_items_does_not_matter(table):
    rng = np.random.default_rng(0)
    other = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    for name in declarations("ratings"):
        assert value(name, grid(other)) == pytest.approx(value(name, grid(table)), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("unit", [1e308 / 5, 5e-324, 1e-300, 1e154])
def test_alpha_is_the_same_in_any_unit(level, unit):
    name = f"Alpha(level={level!r})"
    assert value(name, grid(FOUR * unit)) == pytest.approx(value(name, grid(FOUR)), rel=1e-9)


@pytest.mark.parametrize("alone", [5e307, -5e307, 1e160])
def test_a_rating_that_does_not_count_does_not_make_the_others_vanish(alone):
    """With two raters of one item, the observed disagreement is the expected one; another item has a single rating."""
    two = grid(np.array([[0, alone], [1, NA]]))
    assert value("Alpha(level='interval')", two) == 0
    three = np.array([[0, 1, 2, alone], [1, 1, 3, NA]])
    assert value("Alpha(level='interval')", grid(three)) == value("Alpha(level='interval')", grid(three[:, :3]))
    weighted = two.reweighted(np.array([[1, 0], [1, 5]]))
    assert parse("Alpha(level='interval')", "ratings").values(weighted).tolist() == [0, 0]
    other = replace(grid(np.array([[0, alone], [1, 0]])), weight=np.array([1.0, 0.0]))
    assert value("Alpha(level='interval')", other) == 0


def test_a_topic_is_scored_alone_however_large_the_ratings_of_another():
    small = [("t1", "a", "r", 0.5), ("t1", "a", "s", 1.5), ("t1", "b", "r", 2.5), ("t1", "b", "s", 2.5)]
    large = [("t2", "a", "r", 5e307), ("t2", "a", "s", -5e307), ("t2", "b", "r", 1.0), ("t2", "b", "s", 1.0)]
    alone, both = (agree(rows, "Alpha(level='interval')", counts=False, resamples=0) for rows in (small, small + large))
    (wanted,) = (row["value"] for row in alone.records()["agreement"] if row["scope"] == "all")
    (found,) = (row["value"] for row in both.records()["agreement"] if row["name"] == "t1")
    assert found == wanted


def test_large_numbers_that_lie_close_lose_no_digits():
    name = "Alpha(level='interval')"
    assert value(name, grid(FOUR * 2 + 2.0**53)) == pytest.approx(value(name, grid(FOUR)), rel=1e-12)


def test_the_most_extreme_numbers_are_as_far_apart_as_any():
    ends = np.array([[-1e308, 1e308, 0, 1e308], [-1e308, 1e308, 1e-320, -1e308]])
    small = np.array([[-1.0, 1, 0, 1], [-1, 1, 0, -1]])
    name = "Alpha(level='interval')"
    assert value(name, grid(ends)) == pytest.approx(value(name, grid(small)), rel=1e-9)


@pytest.mark.parametrize("table", [[[-1.0, 0, 2], [0, 0, 2]]])
def test_what_has_no_true_zero_has_no_ratios(table):
    with pytest.raises(BadInput, match="needs non-negative numbers with a true zero; the categories are -1, 0, 2"):
        value("Alpha(level='ratio')", grid(np.array(table)))
    with pytest.raises(BadInput, match="categories are no, yes"):
        value("Alpha(level='ratio')", from_table(TABLE, categories=("no", "yes")))


def test_alpha_of_a_hundred_thousand_values_needs_no_table_of_them():
    rng = np.random.default_rng(2)
    item = np.repeat(np.arange(50_000), 2)
    values = rng.normal(size=50_000)[item] + rng.normal(size=100_000)
    data = ratings(rated(values, item))
    assert data.n_categories == 100_000
    for level in ("interval", "ordinal"):
        assert value(f"Alpha(level={level!r})", data) == pytest.approx(0.5, abs=0.03)
