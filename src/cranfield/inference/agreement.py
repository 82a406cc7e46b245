"""Bootstrap intervals of agreement coefficients over items or topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import require_one_of
from cranfield.evidence.ratings import Ratings
from cranfield.evidence.rounding import LONG_SUMS
from cranfield.frozen import frozen
from cranfield.inference.distributions import require_confidence
from cranfield.inference.resampling import COSTLY_RESAMPLES, batches, draws, generator, require_draws
from cranfield.measures.registry import Measure

Resampled = Literal["item", "topic"]


@frozen(eq=False)
class AgreementInterval:
    """The bounds for each topic, NaN if there are none; `note[u]` says why, or qualifies them."""

    low: Floats
    high: Floats
    note: tuple[str, ...]


def agreement_intervals(
    measures: Sequence[Measure],
    ratings: Ratings,
    *,
    confidence: float = 0.95,
    resamples: int = COSTLY_RESAMPLES,
    seed: int = 0,
    resample: Resampled = "item",
) -> list[AgreementInterval]:
    """Bootstrap percentiles of each coefficient per topic, over items; or of all topics pooled, over topics.

    All coefficients are computed on the same resamples.
    """
    require_confidence(confidence)
    require_one_of("resample", resample, Resampled)
    n_units = len(ratings) if resample == "item" else 1
    if resamples == 0:
        return [_absent(n_units, "")] * len(measures)
    if resample == "topic" and len(ratings) < 2:
        return [_absent(1, "no interval: at least 2 topics are needed; got 1")] * len(measures)
    require_draws(resamples, "resamples")
    condensed = ratings.condensed_items
    drawn = _by_item if resample == "item" else _by_topic
    values = [[measure.values(resampled) for measure in measures] for resampled in drawn(condensed, resamples, seed)]
    few = ratings.n_items() < 2 if resample == "item" else np.zeros(1, np.bool_)
    columns = [np.concatenate(blocks).reshape(-1, n_units) for blocks in zip(*values, strict=True)]
    return [_bounds(column, confidence, few) for column in columns]


def _absent(n_units: int, why: str) -> AgreementInterval:
    nothing = np.full(n_units, np.nan)
    return AgreementInterval(nothing, nothing, (why,) * n_units)


def _by_item(ratings: Ratings, resamples: int, seed: int) -> Iterator[Ratings]:
    """Resamples of the items within each topic."""
    rng = generator(seed)
    members = [np.flatnonzero(ratings.unit == unit) for unit in range(len(ratings))]
    for size in batches(resamples, len(ratings.item)):
        weights = np.zeros((size, len(ratings.unit)))
        for items in members:
            count = ratings.weight[items]
            weights[:, items] = rng.multinomial(int(count.sum()), count / count.sum(), size)
        yield ratings.reweighted(weights)


def _by_topic(ratings: Ratings, resamples: int, seed: int) -> Iterator[Ratings]:
    """All items, each as often as its topic is drawn."""
    pooled = ratings.pooled
    for drawn in draws(len(ratings), resamples, seed, len(ratings.item)):
        yield pooled.reweighted(drawn[:, ratings.unit] * ratings.weight)


def _bounds(values: Floats, confidence: float, few: Mask) -> AgreementInterval:
    """Percentiles of the resamples in which the coefficient is defined, `values[resample, topic]`."""
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.full((2, values.shape[1]), np.nan)
    notes = []
    for place, column in enumerate(values.T):
        known = column[~np.isnan(column)]
        why = _why_no_interval(known, len(column), bool(few[place]))
        if not why:
            low[place], high[place] = np.quantile(known, ends, method="weibull")
        partly = f"interval from the {len(known):,} of {len(column):,} resamples in which it is defined"
        notes.append(why or (partly if len(known) < len(column) else ""))
    return AgreementInterval(low, high, tuple(notes))


def _why_no_interval(known: Floats, resamples: int, few: bool) -> str:
    """Why the resamples give no interval; empty if they do."""
    if few:
        return "no interval: at least 2 items are needed; got 1"
    if len(known) < 2:
        return "no interval: the coefficient is undefined in nearly all resamples"
    if np.ptp(known) <= LONG_SUMS:
        if len(known) < resamples:
            defined = f"the {len(known):,} of {resamples:,} resamples in which it is defined"
            return f"no interval: {defined} all give the same value"
        return "no interval: every resample gives the same value"
    return ""
