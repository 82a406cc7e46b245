"""Beyond-accuracy measures of recommendations: coverage, popularity, novelty, diversity and serendipity."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.evidence.arithmetic import by_unit, ratio
from cranfield.evidence.ranked_items import RankedItems
from cranfield.measures.registry import measure
from cranfield.settings import Count, Cutoff, Level, Proportion

Distance = Literal["cosine", "jaccard"]

_EMPTY = "none of the recommended items is in the table of items"
_listed = partial(measure, undefined=_EMPTY)  # one value per user
_overall = partial(_listed, aggregate="micro", pools=True)  # one value for all users


@_overall(
    "ItemCoverage",
    title="Catalogue coverage",
    cite="ge2010",
    names=("CatalogueCoverage", "CatalogCoverage"),
    undefined="",
)
def item_coverage(ranked: RankedItems, *, k: Cutoff | None = None) -> Floats:
    """Proportion of the items of the catalogue that are recommended to at least one user."""
    return (ranked.times(ranked.top(k)) > 0).mean(axis=1)


@_overall("ItemGini", title="Gini index of item exposure", cite="castells2015", higher_is_better=False,
          names=("GiniIndex",))  # fmt: skip
def item_gini(ranked: RankedItems, *, k: Cutoff | None = None, corrected: bool = False) -> Floats:
    """Inequality of the number of recommendations of each item: 0 if equal for all, near 1 if one item has them all.

    Items that are never recommended count too. The corrected form divides by one item less, so that 1 can be reached.
    """
    times = np.sort(ranked.times(ranked.top(k)), axis=1)
    n_items = times.shape[1]
    weight = 2 * np.arange(1, n_items + 1) - n_items - 1
    return ratio(times @ weight, times.sum(axis=1) * (n_items - 1 if corrected else n_items))


@_overall("ItemEquality", title="Equality of item exposure", cite="castells2015", names=("GiniDiversity",))
def item_equality(ranked: RankedItems, *, k: Cutoff | None = None, corrected: bool = False) -> Floats:
    """The complement of ItemGini: 1 if all items are recommended equally often."""
    return 1 - item_gini(ranked, k=k, corrected=corrected)


@_overall("ItemEntropy", title="Entropy of item exposure", cite="castells2015", bounds=(0, np.inf))
def item_entropy(ranked: RankedItems, *, k: Cutoff | None = None) -> Floats:
    """Entropy in bits of the item of a randomly chosen recommendation."""
    times = ranked.times(ranked.top(k))
    proportion = ratio(times, times.sum(axis=1, keepdims=True))
    return 0 - (proportion * np.log2(np.where(proportion == 0, 1, proportion))).sum(axis=1)


@_listed("ARP", title="Average recommendation popularity", cite="abdollahpouri2019", bounds=(0, np.inf),
         higher_is_better=False, names=("AveragePopularity",))  # fmt: skip
def average_popularity(ranked: RankedItems, *, k: Cutoff | None = None) -> Floats:
    """Mean popularity of the recommended items."""
    return ranked.mean(ranked.items.popularity[ranked.item], ranked.top(k))


@_listed("APLT", title="Average percentage of long-tail items", cite="abdollahpouri2019")
def long_tail_items(ranked: RankedItems, *, k: Cutoff | None = None, tail: Proportion = 0.8) -> Floats:
    """Proportion of the recommended items that belong to the long tail, the least popular part of the catalogue.

    `tail` is the proportion of items in the tail; items as popular as the most popular one in it belong to it too.
    """
    popularity = ranked.items.popularity
    n_tail = int(round(tail * len(popularity), 9))  # 0.29 * 100 is 28.999…
    highest = np.sort(popularity)[n_tail - 1] if n_tail else -np.inf
    return ranked.mean(popularity[ranked.item] <= highest, ranked.top(k))


@_listed("Novelty", title="Mean self-information", cite="zhou2010", bounds=(0, np.inf),
         names=("MeanSelfInformation",))  # fmt: skip
def novelty(ranked: RankedItems, *, k: Cutoff | None = None, users: Count | None = None) -> Floats:
    """Mean self-information of the recommended items in bits: -log2 of the probability of each item.

    The probability is the popularity divided by the number of `users` or, without it, by the total popularity of the
    catalogue. An item that was never used counts as the least popular item that was.
    """
    popularity = ranked.items.popularity
    used = popularity[popularity > 0]
    if not len(used):
        return np.full(len(ranked), np.nan)
    probability = np.maximum(popularity, used.min()) / (users or popularity.sum())
    return ranked.mean(-np.log2(probability)[ranked.item], ranked.top(k))


@_listed("ILD", title="Intra-list diversity", cite="smyth2001", bounds=(0, 2), names=("IntraListDiversity",),
         undefined="fewer than two of the recommended items have features")  # fmt: skip
def intra_list_diversity(ranked: RankedItems, *, k: Cutoff | None = None, distance: Distance = "cosine") -> Floats:
    """Mean distance between the features of two recommended items: 1 - cosine, or the Jaccard distance of their tags.

    Items without any feature are left out.
    """
    features = ranked.items.tags if distance == "jaccard" else ranked.items.features
    described: Mask = np.asarray((features != 0).any(axis=1))
    total, n_pairs = np.zeros(len(ranked)), np.zeros(len(ranked))
    for first, second, unit in ranked.pairs(ranked.top(k) & described[ranked.item]):
        apart = 1 - _similarity(features[first], features[second], distance)
        total += by_unit(unit, apart, len(ranked))
        n_pairs += np.bincount(unit, minlength=len(ranked))
    return ratio(total, n_pairs)


def _similarity(a: Floats, b: Floats, distance: Distance) -> Floats:
    """The similarity of the features in each row."""
    if distance == "cosine":
        return ratio((a * b).sum(axis=1), np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))
    return ratio(((a != 0) & (b != 0)).sum(axis=1), ((a != 0) | (b != 0)).sum(axis=1))


@_listed("Serendipity", title="Serendipity", cite="ge2010")
def serendipity(ranked: RankedItems, *, k: Cutoff | None = None, rel: Level = 1, popular: Count = 10) -> Floats:
    """Proportion of the recommended items that are relevant and not among the most popular ones.

    An obvious recommender suggests the `popular` most popular items; what it does not suggest is unexpected. Items as
    popular as the last of these count as obvious too.
    """
    popularity = ranked.items.popularity
    least = np.sort(popularity)[::-1][min(popular, len(popularity)) - 1]
    return ranked.mean((ranked.grade >= rel) & (popularity[ranked.item] < least), ranked.top(k))
