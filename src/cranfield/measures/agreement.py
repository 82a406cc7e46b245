"""Agreement of raters, beyond chance as each coefficient estimates it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.evidence.hits import ratio
from cranfield.evidence.ratings import Floats, Ratings
from cranfield.registry import measure
from cranfield.settings import Level, Share

Weights = Literal["none", "linear", "quadratic"]

ONE_CATEGORY = "where every rating falls in one category"


def credit(ratings: Ratings, weights: Weights) -> Floats:
    """How far two categories agree: 1 for the same, less by how many places they lie apart."""
    if weights != "none":
        ratings.require_order()
    place = np.arange(ratings.n_categories)
    apart = np.abs(place[:, None] - place) / max(len(place) - 1, 1)
    return {"none": (apart == 0).astype(np.float64), "linear": 1 - apart, "quadratic": 1 - apart**2}[weights]


def observed(ratings: Ratings, weights: Weights = "none") -> Floats:
    """The mean over items of the share of the pairs of its raters that agree."""
    n = ratings.n_ratings
    pairs = np.where(ratings.pairable, n * (n - 1), 1)
    if weights == "none":
        item, _, count = ratings.cells
        agreeing = np.bincount(item, weights=count * (count - 1), minlength=len(n))
    else:
        counts = ratings.counts()
        agreeing = ((counts @ credit(ratings, weights)) * counts).sum(axis=1) - n
    return ratio(ratings.sum(ratings.pairable * agreeing / pairs), ratings.sum(ratings.pairable))


def beyond(agreement: Floats, chance: Floats) -> Floats:
    """The agreement beyond chance, as a share of what was left to agree on."""
    certain = np.isclose(chance, 1, rtol=0, atol=1e-12)
    return ratio(np.where(certain, 0, agreement - chance), np.where(certain, 0, 1 - chance))


def _of_ratings(ratings: Ratings) -> Floats:
    """The share of each category among all ratings."""
    share = ratings.shares(np.ones(len(ratings.unit)))
    return ratio(share, share.sum(axis=1, keepdims=True))


def _of_items(ratings: Ratings) -> Floats:
    """The mean over items of the share of each category among the item's ratings."""
    share = ratings.shares(ratio(np.ones(len(ratings.unit)), ratings.n_ratings))
    return ratio(share, share.sum(axis=1, keepdims=True))


@measure(
    "Agreement", title="Observed agreement", cite="fleiss1971", undefined="where no item has two ratings", pools=True
)
def observed_agreement(ratings: Ratings, *, weights: Weights = "none") -> Floats:
    """Mean over the items of the share of the pairs of raters that agree."""
    return observed(ratings, weights)


@measure(
    "Kappa",
    title="Cohen's kappa",
    cite="cohen1960",
    bounds=(-1, 1),
    names=("CohenKappa",),
    undefined=f"{ONE_CATEGORY}; where it is not known who rated; where no item has two ratings",
    pools=True,
)
def cohen_kappa(ratings: Ratings, *, weights: Weights = "none") -> Floats:
    """Agreement of two raters beyond chance, chance being the product of each one's own shares of the categories.

    Of more than two raters it is the mean over every two (Light 1971). Weights give credit for categories that lie
    near each other, by their places.
    """
    near = credit(ratings, weights)
    each = np.array([_kappa(ratings.table(a, b), near) for a, b in ratings.pairs]).reshape(-1, len(ratings))
    known = ~np.isnan(each)
    return ratio(np.where(known, each, 0).sum(axis=0), known.sum(axis=0))


def _kappa(table: Floats, near: Floats) -> Floats:
    total = table.sum(axis=(1, 2))
    first, second = table.sum(axis=2), table.sum(axis=1)
    agreement = ratio((table * near).sum(axis=(1, 2)), total)
    return beyond(agreement, ratio(((first @ near) * second).sum(axis=1), total**2))


@measure(
    "Fleiss",
    title="Fleiss' kappa",
    cite="fleiss1971",
    bounds=(-1, 1),
    names=("FleissKappa", "ScottPi", "Pi"),
    undefined=f"{ONE_CATEGORY}; where no item has two ratings",
    pools=True,
)
def fleiss_kappa(
    ratings: Ratings, *, weights: Weights = "none", margins: Literal["ratings", "items"] = "ratings"
) -> Floats:
    """Agreement of any number of raters beyond chance, chance being the squared shares of the pooled categories.

    Of two raters it is Scott's pi. Items may have unequal numbers of ratings: the shares are then those among all
    ratings, or the mean of those among each item's. Items with one rating count in the shares alone.
    """
    share = _of_ratings(ratings) if margins == "ratings" else _of_items(ratings)
    chance = ((share @ credit(ratings, weights)) * share).sum(axis=1)
    return beyond(observed(ratings, weights), chance)


@measure(
    "S",
    title="Agreement beyond a fixed chance",
    cite="bennett1954",
    bounds=(-1, 1),
    names=("BennettS", "PABAK"),
    undefined="where there is one category; where no item has two ratings",
    pools=True,
)
def fixed_kappa(ratings: Ratings, *, chance: Share | Literal["uniform"] = "uniform") -> Floats:
    """Agreement beyond chance, chance being one over the number of categories, or the share given."""
    fixed = 1 / ratings.n_categories if chance == "uniform" else float(chance)
    return beyond(observed(ratings), np.full(len(ratings), fixed))


@measure(
    "AC1",
    title="Gwet's AC1",
    cite="gwet2008",
    bounds=(-1, 1),
    names=("GwetAC1",),
    undefined="where there is one category; where no item has two ratings",
    pools=True,
)
def gwet_ac1(ratings: Ratings, *, weights: Weights = "none") -> Floats:
    """Agreement beyond chance, chance being how often a random rating would meet one where categories are in doubt.

    It stays high where nearly all items are of one category, when kappa falls. With weights it is AC2.
    """
    share = _of_items(ratings)
    size = ratings.n_categories
    doubt = (share * (1 - share)).sum(axis=1) * credit(ratings, weights).sum()
    return beyond(observed(ratings, weights), ratio(doubt, float(size * (size - 1))))


@measure(
    "Alpha",
    title="Krippendorff's alpha",
    cite="krippendorff2004",
    bounds=(-np.inf, 1),
    names=("KrippendorffAlpha",),
    undefined=f"{ONE_CATEGORY}; where no item has two ratings",
    pools=True,
)
def krippendorff_alpha(ratings: Ratings, *, level: Literal["nominal", "ordinal", "interval"] = "nominal") -> Floats:
    """One less the disagreement within items over that between all ratings, items with one rating left out.

    Categories differ or not (nominal), differ by the ranks between them (ordinal), or by their values (interval).
    """
    n_pairable = ratings.sum(ratings.pairable * ratings.n_ratings)
    if level == "nominal":
        within, between = _apart(ratings, n_pairable)
    else:
        within, between = _deviations(ratings, _values(ratings, level))
    return 1 - ratio(within * (n_pairable - 1), between)


def _apart(ratings: Ratings, n_pairable: Floats) -> tuple[Floats, Floats]:
    """How often two ratings differ, within items and between all."""
    n = ratings.n_ratings
    item, _, count = ratings.cells
    same = np.bincount(item, weights=count * (count - 1), minlength=len(n))
    within = ratings.sum(ratings.pairable * (n - ratio(same, np.where(ratings.pairable, n - 1, 1))))
    total = ratings.shares(ratings.pairable.astype(np.float64))
    return within, n_pairable**2 - (total**2).sum(axis=1)


def _values(ratings: Ratings, level: str) -> Floats:
    """The value of each rating: its category's, or the mean rank of its category among the topic's ratings."""
    if level == "interval":
        return ratings.scale[ratings.category]
    ratings.require_order()
    total = ratings.shares(ratings.pairable.astype(np.float64))
    rank = np.cumsum(total, axis=1) - total / 2
    return rank[ratings.unit[ratings.item], ratings.category]


def _deviations(ratings: Ratings, value: Floats) -> tuple[Floats, Floats]:
    """How far ratings lie apart, within items and between all: from their means, so that memory stays linear."""
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


@measure(
    "Overlap",
    title="Overlap of relevant sets",
    cite="voorhees2000",
    undefined="where no rater finds any item relevant",
    pools=True,
)
def overlap(ratings: Ratings, *, rel: Level = 1) -> Floats:
    """Items that all of their raters find relevant, over those that any does."""
    item, category, count = ratings.cells
    relevant = count * (ratings.scale[category] >= rel)
    n_relevant = np.bincount(item, weights=relevant, minlength=len(ratings.unit))
    found = ratings.pairable & (n_relevant > 0)
    return ratio(ratings.sum(found & (n_relevant == ratings.n_ratings)), ratings.sum(found))
