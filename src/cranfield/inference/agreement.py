"""Intervals of agreement coefficients: over items from draws of their frequencies, over topics by the jackknife."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import require_one_of
from cranfield.evidence.ratings import Ratings
from cranfield.frozen import frozen
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import Interval
from cranfield.inference.item_resampling import GROUPS, rows_without_group
from cranfield.inference.jackknife import jackknife_interval
from cranfield.inference.jeffreys import quantile_interval
from cranfield.inference.resampling import COSTLY_RESAMPLES, batches, generator, require_draws
from cranfield.measures.declaration import NoInterval
from cranfield.measures.registry import Measure
from cranfield.measures.settings import CONFIDENCE

Resampled = Literal["item", "topic"]

PATTERNS = 64  # most ways of disagreeing that the prior distribution has
RATINGS = 2_000  # most ratings of them


@frozen(eq=False)
class AgreementInterval:
    """The bounds for each topic, NaN if there are none; `note[u]` says why."""

    low: Floats
    high: Floats
    note: tuple[str, ...]


def agreement_intervals(
    measures: Sequence[Measure],
    ratings: Ratings,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = COSTLY_RESAMPLES,
    seed: int = 0,
    resample: Resampled = "item",
) -> list[AgreementInterval]:
    """The interval of each coefficient per topic, for other items; or of all topics pooled, for other topics.

    All coefficients are computed on the same draws.
    """
    require_confidence(confidence)
    require_one_of("resample", resample, Resampled)
    n_units = len(ratings) if resample == "item" else 1
    if resamples == 0:
        return [_absent(n_units, "")] * len(measures)
    if resample == "topic":
        return _over_topics(measures, ratings, confidence)
    require_draws(resamples, "resamples")
    condensed = ratings.condensed_items
    values = [[measure.values(drawn) for measure in measures] for drawn in _drawn(condensed, resamples, seed)]
    columns = [np.concatenate(blocks).reshape(-1, n_units) for blocks in zip(*values, strict=True)]
    return [
        _bounds(measure, measure.values(condensed), column, condensed, confidence)
        for measure, column in zip(measures, columns, strict=True)
    ]


def _absent(n_units: int, why: str) -> AgreementInterval:
    nothing = np.full(n_units, np.nan)
    return AgreementInterval(nothing, nothing, (why,) * n_units)


# over items


def _drawn(ratings: Ratings, resamples: int, seed: int) -> Iterator[Ratings]:
    """The items with weights drawn from the posterior distribution of their frequencies in each topic."""
    rng, (with_prior, prior) = generator(seed), _with_prior(ratings)
    size = np.bincount(ratings.unit, ratings.weight, len(ratings))
    members = [np.flatnonzero(with_prior.unit == unit) for unit in range(len(ratings))]
    for n_draws in batches(resamples, len(with_prior.item)):
        weight = rng.standard_gamma(with_prior.weight + prior, (n_draws, len(prior)))
        for unit, items in enumerate(members):
            weight[:, items] *= size[unit] / weight[:, items].sum(axis=1, keepdims=True)
        yield with_prior.reweighted(weight)


def _with_prior(ratings: Ratings) -> tuple[Ratings, Floats]:
    """The ratings with further items of weight 0, and what the prior distribution adds to the weight of each item.

    It adds one item on which raters agree and one on which they do not, in equal parts over the ways to do so: for two
    raters and two categories, Jeffreys' prior. They have as many ratings as most items, from all raters in turn.
    """
    n_ratings = max(int(np.median(ratings.n_ratings[ratings.pairable])), 2)
    patterns = _patterns(ratings.n_categories, n_ratings)
    agreeing = (patterns == patterns[:, :1]).all(axis=1)
    one = np.where(agreeing, 1 / max(agreeing.sum(), 1), 1 / max((~agreeing).sum(), 1))
    n_units, n_items = len(ratings), len(ratings.unit)
    n_added = n_units * len(patterns)
    added = replace(
        ratings,
        unit=np.append(ratings.unit, np.repeat(np.arange(n_units), len(patterns))),
        weight=np.append(ratings.weight, np.zeros(n_added)),
        item=np.append(ratings.item, n_items + np.repeat(np.arange(n_added), n_ratings)),
        rater=np.append(ratings.rater, np.arange(n_added * n_ratings) % max(len(ratings.raters), 1)),
        category=np.append(ratings.category, np.tile(patterns.ravel(), n_units)),
    )
    return added, np.append(np.zeros(n_items), np.tile(one, n_units))


def _patterns(n_categories: int, n_ratings: int) -> Ints:
    """Ways to rate an item: all, if they are few; otherwise those that agree, and random ones that do not."""
    most = max(min(PATTERNS, RATINGS // n_ratings), 2)
    if n_categories**n_ratings <= most:
        return np.array([*product(range(n_categories), repeat=n_ratings)], np.int64)
    agreed = np.unique(np.linspace(0, n_categories - 1, most).round().astype(np.int64))
    others = generator(0).integers(0, n_categories, (most, n_ratings))
    others = others[(others != others[:, :1]).any(axis=1)]
    return np.concatenate([np.repeat(agreed[:, None], n_ratings, axis=1), others])


def _bounds(measure: Measure, value: Floats, drawn: Floats, ratings: Ratings, confidence: float) -> AgreementInterval:
    """Quantiles of the values on draws, `drawn[draw, topic]`."""
    ends, notes = np.full((2, len(value)), np.nan), []
    n_items, minority = ratings.n_items(), _minority(ratings)
    for place, column in enumerate(drawn.T):
        why = _why_no_interval(measure, int(n_items[place]), float(minority[place]), column)
        if not why and not np.isnan(value[place]):
            interval = quantile_interval(float(value[place]), column, confidence)
            ends[:, place] = interval.low[0], interval.high[0]
        notes.append(why)
    return AgreementInterval(ends[0], ends[1], tuple(notes))


def _minority(ratings: Ratings) -> Floats:
    """The number of items rated outside the most frequent category of each topic, in proportion to their ratings."""
    total = ratings.category_totals(np.asarray(1 / np.maximum(ratings.n_ratings, 1)))
    return np.asarray(total.sum(axis=1) - total.max(axis=1))


def _why_no_interval(measure: Measure, n_items: int, minority: float, drawn: Floats) -> str:
    """Why there is no interval; empty if there is one."""
    declared = measure.declaration.interval
    if isinstance(declared, NoInterval):
        return f"no interval: {declared.reason}"
    if n_items < 2:
        return "no interval: at least 2 items are needed; got 1"
    if minority < measure.declaration.fewest_of_class:
        return f"no interval: fewer than {measure.declaration.fewest_of_class} items outside the most frequent category"
    return "" if np.isfinite(drawn).all() else "no interval: the coefficient is undefined for some frequencies of items"


# over topics


def _over_topics(measures: Sequence[Measure], ratings: Ratings, confidence: float) -> list[AgreementInterval]:
    """The jackknife over topics or groups of topics."""
    if len(ratings) < 2:
        return [_absent(1, "no interval: at least 2 topics are needed; got 1")] * len(measures)
    pooled, n_groups = ratings.pooled, min(len(ratings), GROUPS)
    among = np.array([np.isin(ratings.unit, topics) for topics in rows_without_group(len(ratings), n_groups)])
    fewer = pooled.reweighted(among * ratings.weight)
    left_out = [measure.values(fewer) for measure in measures]
    intervals = [
        jackknife_interval(float(measure.values(pooled)[0]), values, measure.declaration.bounds, confidence)
        for measure, values in zip(measures, left_out, strict=True)
    ]
    return [_of_one(interval) for interval in intervals]


def _of_one(interval: Interval) -> AgreementInterval:
    return AgreementInterval(interval.low, interval.high, (interval.reason and f"no interval: {interval.reason}",))
