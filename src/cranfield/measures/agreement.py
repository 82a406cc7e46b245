"""Inter-rater agreement, corrected for chance in various ways."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import POWER, apart, ratio
from cranfield.evidence.ratings import Ratings
from cranfield.measures.registry import measure
from cranfield.rounding import LONG_SUMS
from cranfield.settings import Level, Proportion

Weights = Literal["none", "linear", "quadratic"]

_LARGE = 2.0**1022
_CELLS = 1 << 22  # pairs of categories processed together
_ONE_CATEGORY = "all ratings are in one category"
_coefficient = partial(measure, pools=True)


def weighted_agreement(ratings: Ratings, weights: Weights, first: Floats, second: Floats) -> Floats:
    """Sum of `first[a] * second[b]` over all pairs of categories, weighted by their agreement.

    Equal categories have weight 1; with `weights`, the weight of others decreases with their distance.
    """
    if weights == "none":
        return np.asarray((first * second).sum(axis=-1))
    most = _furthest(ratings) ** POWER[weights]
    return np.asarray(first.sum(axis=-1) * second.sum(axis=-1) - apart(first, second, POWER[weights]) / most)


def _furthest(ratings: Ratings) -> int:
    """Distance in places between the first and the last category."""
    ratings.require_order()
    return max(ratings.n_categories - 1, 1)


def observed(ratings: Ratings, weights: Weights = "none") -> Floats:
    """Mean over items of the proportion of rater pairs that agree."""
    if weights == "none":
        return ratings.observed
    n = ratings.n_ratings
    alike = n * (n - 1) - _scattered(ratings, POWER[weights]) / _furthest(ratings) ** POWER[weights]
    return ratings.mean_of_pairs(alike)


def _scattered(ratings: Ratings, power: int) -> Floats:
    """For each item, the sum over ordered pairs of its ratings of their distance in places, or of its square."""
    order = np.lexsort((ratings.category, ratings.item))
    item, place, n = ratings.item[order], ratings.category[order].astype(np.float64), ratings.n_ratings
    if power == 2:
        mean = np.bincount(item, place, len(n)) / np.maximum(n, 1)
        return 2 * n * np.bincount(item, (place - mean[item]) ** 2, len(n))
    rank = np.arange(len(item)) - (np.cumsum(n) - n)[item]  # among the ratings of its item, from 0
    return np.asarray(2 * np.bincount(item, place * (2 * rank - n[item] + 1), len(n)), np.float64)


def beyond_chance(agreement: Floats, chance: Floats) -> Floats:
    """Agreement beyond chance, as a proportion of the possible agreement beyond chance."""
    certain = np.abs(chance - 1) <= LONG_SUMS
    return ratio(np.where(certain, 0, agreement - chance), np.where(certain, 0, 1 - chance))


def _of_ratings(ratings: Ratings) -> Floats:
    """Proportion of each category among all ratings."""
    total = ratings.category_totals(np.ones(len(ratings.unit)))
    return ratio(total, total.sum(axis=1, keepdims=True))


def _of_items(ratings: Ratings) -> Floats:
    """Mean over items of the proportion of each category among the item's ratings."""
    total = ratings.category_totals(ratio(np.ones(len(ratings.unit)), ratings.n_ratings))
    return ratio(total, total.sum(axis=1, keepdims=True))


@_coefficient(
    "Agreement", interval="jeffreys", title="Observed agreement", cite="fleiss1971", undefined="no item has two ratings"
)
def observed_agreement(ratings: Ratings, *, weights: Weights = "none") -> Floats:
    """Mean over items of the proportion of rater pairs that agree."""
    return observed(ratings, weights)


@_coefficient(
    "Kappa",
    interval="jeffreys from 5",
    title="Cohen's kappa",
    cite="cohen1960",
    bounds=(-1, 1),
    names=("CohenKappa",),
    undefined=f"{_ONE_CATEGORY}, the raters are unknown, or no item has two ratings",
)
def cohen_kappa(ratings: Ratings, *, weights: Weights = "none") -> Floats:
    """Agreement of two raters beyond chance, where chance is the product of the raters' own category proportions.

    For more than two raters, the mean over all pairs (Light 1971). Only items that both raters of a pair rated count.
    Weights give partial credit to categories that are close to each other in the scale.
    """
    kappas = np.array([_kappa(ratings, weights, a, b) for a, b in ratings.pairs]).reshape(-1, len(ratings))
    known = ~np.isnan(kappas)
    return ratio(np.where(known, kappas, 0).sum(axis=0), known.sum(axis=0))


def _kappa(ratings: Ratings, weights: Weights, first: int, second: int) -> Floats:
    """Kappa of two raters on each topic."""
    one, other = ratings.by_rater[:, first], ratings.by_rater[:, second]
    both = (one >= 0) & (other >= 0)
    missed = np.abs(one - other) > 0
    if weights != "none":
        missed = (np.abs(one - other) / _furthest(ratings)) ** POWER[weights]
    total = ratings.sum(both)
    chance = weighted_agreement(ratings, weights, ratings.chosen(one, both), ratings.chosen(other, both))
    return beyond_chance(1 - ratio(ratings.sum(both * missed), total), ratio(chance, total**2))


@_coefficient(
    "Fleiss",
    interval="jeffreys from 5",
    title="Fleiss' kappa",
    cite="fleiss1971",
    bounds=(-np.inf, 1),
    names=("FleissKappa", "ScottPi", "Pi"),
    undefined=f"{_ONE_CATEGORY}, or no item has two ratings",
)
def fleiss_kappa(
    ratings: Ratings, *, weights: Weights = "none", margins: Literal["ratings", "items"] = "ratings"
) -> Floats:
    """Agreement of any number of raters beyond chance, where chance is the sum of the squared pooled proportions.

    For two raters it is Scott's pi. Items may have different numbers of ratings: the proportions are then those among
    all ratings, or the mean of those among each item's. Items with a single rating count towards the proportions only,
    so the value may then be below -1.
    """
    proportion = _of_ratings(ratings) if margins == "ratings" else _of_items(ratings)
    return beyond_chance(observed(ratings, weights), weighted_agreement(ratings, weights, proportion, proportion))


@_coefficient(
    "S",
    interval="jeffreys",
    title="Agreement beyond a fixed chance",
    cite="bennett1954",
    bounds=(-1, 1),
    names=("BennettS", "PABAK"),
    undefined="there is only one category, or no item has two ratings",
)
def fixed_kappa(ratings: Ratings, *, chance: Proportion | Literal["uniform"] = "uniform") -> Floats:
    """Agreement beyond chance, where chance is one over the number of categories, or the given probability."""
    fixed = 1 / ratings.n_categories if chance == "uniform" else float(chance)
    return beyond_chance(observed(ratings), np.full(len(ratings), fixed))


@_coefficient(
    "AC1",
    interval="jeffreys",
    title="Gwet's AC1",
    cite="gwet2008",
    bounds=(-1, 1),
    names=("GwetAC1",),
    undefined="there is only one category, or no item has two ratings",
)
def gwet_ac1(ratings: Ratings, *, weights: Weights = "none") -> Floats:
    """Agreement beyond chance, where chance is the probability of agreeing by accident on items that are hard to rate.

    Unlike kappa it stays high when nearly all items belong to one category. With weights it is AC2. Items with a single
    rating count towards the proportions of the categories only.
    """
    proportion = _of_items(ratings)
    size = ratings.n_categories
    credit = weighted_agreement(ratings, weights, np.ones(size), np.ones(size))
    doubt = (proportion * (1 - proportion)).sum(axis=1) * credit
    return beyond_chance(observed(ratings, weights), ratio(doubt, float(size * (size - 1))))


@_coefficient(
    "Alpha",
    interval="jeffreys from 5",
    title="Krippendorff's alpha",
    cite="krippendorff2004",
    bounds=(-np.inf, 1),
    names=("KrippendorffAlpha",),
    undefined=f"{_ONE_CATEGORY}, or no item has two ratings",
)
def krippendorff_alpha(
    ratings: Ratings, *, level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal"
) -> Floats:
    """One minus the observed disagreement within items divided by the expected disagreement between all ratings.

    Items with a single rating are excluded. Categories either match or not (nominal), or differ by the ranks between
    them (ordinal), by their values (interval), or by their difference over their sum (ratio, for numbers from 0).
    """
    n_pairable = ratings.sum(ratings.pairable * ratings.n_ratings)
    if level == "nominal":
        within, between = _apart(ratings, n_pairable)
    elif level == "ratio":
        within, between = _ratios(ratings)
    else:
        within, between = _deviations(ratings, _values(ratings, level))
    return 1 - ratio(within * (n_pairable - 1), between)


def _apart(ratings: Ratings, n_pairable: Floats) -> tuple[Floats, Floats]:
    """The frequency with which two ratings differ, within items and between all ratings."""
    n = ratings.n_ratings
    within = ratings.sum(ratings.pairable * (n - ratio(ratings.n_agreeing, np.where(ratings.pairable, n - 1, 1))))
    total = ratings.category_totals(ratings.pairable.astype(np.float64))
    return within, n_pairable**2 - (total**2).sum(axis=1)


def _ratios(ratings: Ratings) -> tuple[Floats, Floats]:
    """Squared difference of ratings divided by their sum, within items and between all ratings."""
    ratings.require_amounts()
    scale = ratings.scale / (2 if ratings.scale.max() > _LARGE else 1)  # the sum of any two is finite
    item, category, count = ratings.cells
    n = ratings.n_ratings
    n_cells = np.bincount(item, minlength=len(n))
    start = np.cumsum(n_cells) - n_cells
    first = np.repeat(np.arange(len(item)), n_cells[item])  # every pair of categories assigned to an item
    second = np.arange(len(first)) - np.repeat(np.cumsum(n_cells[item]) - n_cells[item], n_cells[item])
    second += start[item[first]]
    apart = count[first] * count[second] * _relative(scale[category[first]], scale[category[second]])
    disagreement = np.bincount(item[first], weights=apart, minlength=len(n))
    within = ratings.sum(ratings.pairable * disagreement / np.where(ratings.pairable, n - 1, 1))
    total = ratings.category_totals(ratings.pairable.astype(np.float64))
    step = max(_CELLS // len(scale), 1)
    parts = (slice(at, at + step) for at in range(0, len(scale), step))
    between = sum((total[:, part] * (total @ _relative(scale[:, None], scale[part]))).sum(axis=1) for part in parts)
    return within, np.asarray(between, np.float64)


def _relative(a: Floats, b: Floats) -> Floats:
    """The squared difference over the sum, 0 for two zeros."""
    total = a + b
    return np.square(np.divide(a - b, total, out=np.zeros_like(total), where=total > 0))


def _values(ratings: Ratings, level: str) -> Floats:
    """The value of each rating: its category's, or the mean rank of its category among the topic's ratings."""
    if level == "interval":
        return _rescaled(ratings)
    ratings.require_order()
    total = ratings.category_totals(ratings.pairable.astype(np.float64))
    rank = np.cumsum(total, axis=1) - total / 2
    return rank[ratings.unit[ratings.item], ratings.category]


def _rescaled(ratings: Ratings) -> Floats:
    """The value of each rating in a unit and from an origin of its topic.

    Squares of large or small numbers, and means of numbers that lie close, would lose digits. Ratings that do not count
    have no influence on that: beside one of them, all others could vanish.
    """
    counts = (ratings.pairable & (ratings.weight > 0))[ratings.item]
    value = np.where(counts, ratings.scale[ratings.category], 0)
    topic = ratings.unit[ratings.item]
    largest, least = np.zeros(len(ratings)), np.full(len(ratings), np.inf)
    np.maximum.at(largest, topic, np.abs(value))
    _, exponent = np.frexp(largest)
    value = np.ldexp(value, -exponent[topic])
    np.minimum.at(least, topic[counts], value[counts])
    return value - np.where(np.isfinite(least), least, 0)[topic]


def _deviations(ratings: Ratings, value: Floats) -> tuple[Floats, Floats]:
    """Squared distances of ratings within items and between all, computed from their means to keep memory linear."""
    n = ratings.n_ratings
    counts = ratings.pairable[ratings.item]
    item, value = ratings.item[counts], value[counts]
    mean = np.bincount(item, weights=value, minlength=len(n)) / np.maximum(n, 1)
    squares = np.bincount(item, weights=(value - mean[item]) ** 2, minlength=len(n))
    within = ratings.sum(ratings.pairable * squares * n / np.where(ratings.pairable, n - 1, 1))
    size = ratings.sum(ratings.pairable * n)
    middle = ratio(ratings.sum(ratings.pairable * n * mean), size)
    spread = np.bincount(item, weights=(value - middle[ratings.unit[item]]) ** 2, minlength=len(n))
    return within, size * ratings.sum(spread)


@_coefficient(
    "Overlap",
    interval="jeffreys",
    title="Overlap of relevant sets",
    cite="voorhees2000",
    undefined="no rater finds any item relevant",
)
def overlap(ratings: Ratings, *, rel: Level = 1) -> Floats:
    """Number of items that all raters find relevant, divided by the number that any rater finds relevant."""
    item, category, count = ratings.cells
    relevant = count * (ratings.scale[category] >= rel)
    n_relevant = np.bincount(item, weights=relevant, minlength=len(ratings.unit))
    by_any = ratings.pairable & (n_relevant > 0)
    return ratio(ratings.sum(by_any & (n_relevant == ratings.n_ratings)), ratings.sum(by_any))
