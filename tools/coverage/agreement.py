"""Agreement of raters who know the category of an item with some probability and guess otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from cranfield.agreement.result import standard_measures
from cranfield.evidence.ratings import Ratings, ratings
from cranfield.measures.registry import Measure
from cranfield.statistics.agreement import AgreementInterval, agreement_intervals
from cranfield.statistics.rates import IntervalEstimate
from cranfield.tables.raters import as_ratings
from tools.coverage.tally import DataSet

PREVALENCES = (0.05, 0.2, 0.5)
SHAPES = {  # raters, ratings per item, categories and kappa
    "2 raters, 2 categories, kappa 0": (2, 2, 2, 0.0),
    "2 raters, 2 categories, kappa 0.4": (2, 2, 2, 0.4),
    "2 raters, 2 categories, kappa 0.8": (2, 2, 2, 0.8),
    "3 raters, 2 categories, kappa 0.6": (3, 3, 2, 0.6),
    "2 raters, 4 grades, kappa 0.5": (2, 2, 4, 0.5),
    "5 raters, 2 categories, kappa 0.6": (5, 5, 2, 0.6),
    "10 raters, 3 per item, 2 categories, kappa 0.5": (10, 3, 2, 0.5),
    "20 raters, 4 per item, 3 grades, kappa 0.7": (20, 4, 3, 0.7),
}
VARIANTS = 4
CROWD = 2  # times fewer samples with many raters, which take long
DRAWS = 400
MANY = 10**9  # items of a population


def _proportions(n_categories: int, prevalence: float) -> np.ndarray:
    """The prevalence of all categories but the first together; higher grades are rarer."""
    others = 1.0 / np.arange(1, n_categories)
    return np.append(1 - prevalence, prevalence * others / others.sum())


def _probabilities(patterns: np.ndarray, proportions: np.ndarray, kappa: float) -> np.ndarray:
    """The probability of each pattern of ratings."""
    known = np.sqrt(kappa)
    by_true = [
        true * np.prod(known * (patterns == category) + (1 - known) * proportions[patterns], axis=1)
        for category, true in enumerate(proportions)
    ]
    return np.sum(by_true, axis=0)


def _patterns(patterns: np.ndarray, n_categories: int) -> Ratings:
    """One item for each pattern of ratings."""
    rows = [(item, f"r{rater}", int(one)) for item, row in enumerate(patterns) for rater, one in enumerate(row)]
    order = [float(category) for category in range(n_categories)]
    return ratings(as_ratings(rows, order=order)).pooled


def data_sets(shape: str, prevalence: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples of items rated by all raters: how many items have each pattern of ratings."""
    n_raters, n_per_item, n_categories, kappa = SHAPES[shape]
    random = np.random.default_rng(seed)
    patterns = np.array([*product(range(n_categories), repeat=n_per_item)])
    rated = _patterns(patterns, n_categories)
    every = standard_measures(rated)
    for variant in range(VARIANTS):
        way = 2 * (variant + 0.5) / VARIANTS - 1
        proportions = _proportions(n_categories, prevalence * (1 + 0.1 * way))
        probability = _probabilities(patterns, proportions, kappa * (1 + 0.05 * way))
        population = replace(rated, weight=probability / probability.sum() * MANY)
        true = {str(measure): float(measure.values(population)[0]) for measure in every}
        for _ in range(n_sets // (VARIANTS if n_raters == n_per_item else VARIANTS * CROWD)):
            count = random.multinomial(n_items, probability / probability.sum())
            if n_raters == n_per_item:
                sample = replace(rated, weight=count.astype(float))
            else:
                sample = _crowd(rated, np.repeat(patterns, count, axis=0), n_raters, random)
            bounds = agreement_intervals(every, sample, resamples=DRAWS)
            yield true, {str(measure): _estimate(measure, sample, one) for measure, one in zip(every, bounds)}


def _crowd(rated: Ratings, given: np.ndarray, n_raters: int, random: np.random.Generator) -> Ratings:
    """The ratings of items by some of the raters each, chosen at random."""
    n_items, n_per_item = given.shape
    chosen = random.permuted(np.tile(np.arange(n_raters), (n_items, 1)), axis=1)[:, :n_per_item]
    return replace(
        rated,
        raters=tuple(f"r{rater}" for rater in range(n_raters)),
        unit=np.zeros(n_items, np.int64),
        weight=np.ones(n_items),
        item=np.repeat(np.arange(n_items), n_per_item),
        rater=chosen.ravel(),
        category=given.ravel(),
    )


def _estimate(measure: Measure, sample: Ratings, found: AgreementInterval) -> IntervalEstimate:
    value = float(measure.values(sample)[0])
    return IntervalEstimate(value, float(found.low[0]), float(found.high[0]), 0.95, found.method[0])
