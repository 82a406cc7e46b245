"""Intervals of agreement coefficients: over items from draws of their frequencies, over topics by the jackknife."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import require_one_of
from cranfield.evidence.ratings import Ratings
from cranfield.frozen import frozen
from cranfield.measures.declaration import NoInterval
from cranfield.measures.registry import Measure
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import chi_square_tail, normal_tail, require_confidence, t_quantile
from cranfield.statistics.intervals import Interval, jackknife_interval
from cranfield.statistics.item_resampling import GROUPS, rows_without_group
from cranfield.statistics.rates import quantile_interval
from cranfield.statistics.resampling import COSTLY_RESAMPLES, batches, generator, require_draws

Resampled = Literal["item", "topic"]

PATTERNS = 64  # most ways of disagreeing that the prior distribution has
RATINGS = 2_000  # most ratings of them
FEW = 20  # with fewer items, intervals of coefficients that estimate chance agreement are too short
COMMON = 0.5  # of the items that two of several raters need in common: the mean over pairs with few is biased towards 0


@frozen(eq=False)
class AgreementInterval:
    """The bounds for each topic, NaN if there are none; `method[u]` is the method, or why there are none."""

    low: Floats
    high: Floats
    method: tuple[str, ...]


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
    reasons = {measure: _reasons(measure, condensed) for measure in measures}
    bounded = [measure for measure in reasons if not all(reasons[measure])]
    values = [[measure.values(drawn) for measure in bounded] for drawn in _drawn(condensed, resamples, seed) if bounded]
    columns = [np.concatenate(blocks).reshape(-1, n_units) for blocks in zip(*values, strict=True)]
    drawn = dict(zip(bounded, columns, strict=True))
    return [_bounds(measure, drawn.get(measure), condensed, reasons[measure], confidence) for measure in measures]


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

    It adds half an item on which raters agree and half an item on which they do not, in equal parts over the ways to
    do so: Jeffreys' prior of the proportion of agreement. They have as many ratings as most items, from all raters in
    turn.
    """
    n_ratings = max(int(np.median(ratings.n_ratings[ratings.pairable])), 2)
    patterns = _patterns(ratings.n_categories, n_ratings)
    agreeing = (patterns == patterns[:, :1]).all(axis=1)
    one = 0.5 / np.where(agreeing, max(agreeing.sum(), 1), max((~agreeing).sum(), 1))
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


def _bounds(
    measure: Measure, drawn: Floats | None, ratings: Ratings, reasons: Sequence[str], confidence: float
) -> AgreementInterval:
    """Quantiles of the values on draws, `drawn[draw, topic]`."""
    ends, methods, value = np.full((2, len(ratings)), np.nan), list(reasons), measure.values(ratings)
    n_items = ratings.n_items()
    for place in np.flatnonzero(~np.isnan(value)):
        if drawn is None or methods[place]:
            continue
        if not np.isfinite(drawn[:, place]).all():
            methods[place] = "none: the coefficient is undefined for some frequencies of items"
            continue
        corrected = measure.declaration.fewest_of_class > 0
        wider = _allowing_for_size(confidence, int(n_items[place])) if corrected else confidence
        interval = quantile_interval(float(value[place]), drawn[:, place], wider)
        ends[:, place], methods[place] = (interval.low[0], interval.high[0]), interval.method
    return AgreementInterval(ends[0], ends[1], tuple(methods))


def _allowing_for_size(confidence: float, n_items: int) -> float:
    """The probability that an interval needs so that it is longer as Student's t is than the normal distribution.

    Draws of frequencies vary as those of n + 1 items; few items also estimate chance agreement badly.
    """
    reach = t_quantile((1 + confidence) / 2, n_items - 1) * np.sqrt((n_items + 1) / (n_items - 1))
    return 1 - float(normal_tail(np.array([reach]))[0])


def _reasons(measure: Measure, ratings: Ratings) -> list[str]:
    """Why a coefficient has no interval in each topic, whatever the draws; empty if it has one."""
    n_items, minority, sparse = ratings.n_items().tolist(), _minority(ratings).tolist(), _sparse(measure, ratings)
    return [_why_no_interval(measure, *figures) or pairs for *figures, pairs in zip(n_items, minority, sparse)]


def _minority(ratings: Ratings) -> Floats:
    """The number of items rated outside the most frequent category of each topic, in proportion to their ratings."""
    total = ratings.category_totals(np.asarray(1 / np.maximum(ratings.n_ratings, 1)))
    return np.asarray(total.sum(axis=1) - total.max(axis=1))


def _sparse(measure: Measure, ratings: Ratings) -> list[str]:
    """Why a mean over pairs of several raters has no interval in each topic; empty if it has one."""
    if measure.name != "Kappa" or len(ratings.raters) < 3:
        return [""] * len(ratings)
    fewest, rarest = np.full((2, len(ratings)), np.inf)
    for one, other in (ratings.by_rater[:, pair].T for pair in ratings.pairs):
        both = (one >= 0) & (other >= 0)
        total = ratings.chosen(one, both) + ratings.chosen(other, both)
        n_common = total.sum(axis=1) / 2
        some = n_common > 0
        fewest[some] = np.minimum(fewest, n_common)[some]
        rarest[some] = np.minimum(rarest, n_common - total.max(axis=1) / 2)[some]
    least = measure.declaration.fewest_of_class
    return [
        "none: a mean over pairs of raters, of whom two have less than half of the items in common"
        if n_common < max(FEW, COMMON * n_items)
        else f"none: fewer than {least} items of two of the raters are outside the most frequent category"
        if rare < least
        else ""
        for n_common, rare, n_items in zip(fewest.tolist(), rarest.tolist(), ratings.n_items().tolist())
    ]


def _why_no_interval(measure: Measure, n_items: int, minority: float) -> str:
    """Why this many items allow no interval; empty if they do."""
    declared = measure.declaration.interval
    if isinstance(declared, NoInterval):
        return f"none: {declared.reason}"
    if n_items < 2:
        return "none: at least 2 items are needed; got 1"
    least = measure.declaration.fewest_of_class
    if minority < least:
        return f"none: fewer than {least} items outside the most frequent category"
    if least and n_items < FEW:
        return f"none: fewer than {FEW} items"
    return ""


# over topics


def _over_topics(measures: Sequence[Measure], ratings: Ratings, confidence: float) -> list[AgreementInterval]:
    """The jackknife over topics or groups of topics."""
    if len(ratings) < 2:
        return [_absent(1, "none: at least 2 topics are needed; got 1")] * len(measures)
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
    return AgreementInterval(
        interval.low, interval.high, (f"none: {interval.reason}" if interval.reason else interval.method,)
    )


# Agreement of two raters: analytic standard errors of kappa, and chi-square and Cramér's V of their table


class KappaErrors(NamedTuple):
    """The standard error of kappa, its standard error under chance agreement, and z and p of the test of that."""

    error: float
    error_by_chance: float
    z: float
    p: float


class Association(NamedTuple):
    """Chi-square of independence with its degrees of freedom and p-value, and Cramér's V."""

    chi_square: float
    freedom: int
    p: float
    cramer_v: float


def kappa_errors(counts: Floats, credit: Floats) -> KappaErrors:
    """Standard errors of kappa with a weight for every pair of categories (Fleiss, Cohen and Everitt 1969).

    NaN if chance agreement is certain.
    """
    n = counts.sum()
    p = counts / n
    first, second = p.sum(axis=1), p.sum(axis=0)
    expected = float((credit * np.outer(first, second)).sum())
    if expected == 1:
        return KappaErrors(np.nan, np.nan, np.nan, np.nan)
    kappa = (float((credit * p).sum()) - expected) / (1 - expected)
    by_margins = (credit @ second)[:, None] + first @ credit
    spread = float((p * (credit - by_margins * (1 - kappa)) ** 2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    by_chance = float((np.outer(first, second) * (credit - by_margins) ** 2).sum()) - expected**2
    error, under_null = (float(np.sqrt(max(v, 0.0) / n)) / (1 - expected) for v in (spread, by_chance))
    z = kappa / under_null if under_null else np.nan
    return KappaErrors(error, under_null, z, float(normal_tail(np.array(z))))


def association(counts: Floats) -> Association:
    """Pearson's chi-square of a table, without unused categories; NaN if one is left."""
    used = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    least = min(used.shape) - 1
    if least < 1:
        return Association(np.nan, 0, np.nan, np.nan)
    expected = np.outer(used.sum(axis=1), used.sum(axis=0)) / used.sum()
    chi_square = float(((used - expected) ** 2 / expected).sum())
    freedom = (used.shape[0] - 1) * (used.shape[1] - 1)
    v = float(np.sqrt(chi_square / (used.sum() * least)))
    return Association(chi_square, freedom, float(chi_square_tail(chi_square, freedom)), v)
