"""How sure an agreement is: intervals by resampling items or topics, and what a coefficient is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.ratings import Ratings
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import Interval, absent
from cranfield.inference.resampling import batches, draws, generator, require_draws
from cranfield.registry import Measure

Floats = NDArray[np.float64]
Resampled = Literal["item", "topic"]

BANDS = ((0.8, "excellent"), (0.6, "good"), (0.4, "fair"), (0.2, "slight"))
NOT_ASKED = "none was asked for"
LOWEST = "task too confusing or dataset too poor"


def band(value: float) -> str:
    """What an agreement beyond chance is called.

    >>> band(0.7), band(0.09)
    ('good', 'task too confusing or dataset too poor')
    """
    return "" if np.isnan(value) else next((name for above, name in BANDS if value > above), LOWEST)


def agreement_interval(
    measure: Measure,
    ratings: Ratings,
    *,
    confidence: float = 0.95,
    resamples: int = 1_000,
    seed: int = 0,
    resample: Resampled = "item",
) -> Interval:
    """Quantiles of the coefficient of each topic over resampled items; or of all together, over resampled topics."""
    require_confidence(confidence)
    if resample not in ("item", "topic"):
        raise BadSetting(f"items or topics can be resampled, not {resample!r}")
    n_units = len(ratings) if resample == "item" else 1
    if resample == "topic" and len(ratings) < 2:
        return absent(1, confidence, "1 topic only: how topics vary cannot be told from fewer than 2")
    if resamples == 0:
        return absent(n_units, confidence, NOT_ASKED)
    require_draws(resamples, "resamples")
    condensed = ratings.condensed_items
    drawn = _by_item if resample == "item" else _by_topic
    values = np.concatenate([measure.values(each) for each in drawn(condensed, resamples, seed)])
    values = values.reshape(-1, n_units)
    if resample == "item":
        values[:, ratings.n_items() < 2] = np.nan  # drawn again, one item is always the same
    return _bounds(values, confidence, f"percentile bootstrap over {resample}s")


def _by_item(ratings: Ratings, resamples: int, seed: int) -> Iterator[Ratings]:
    """Each topic with as many of its items as it has, drawn again."""
    rng = generator(seed)
    members = [np.flatnonzero(ratings.unit == unit) for unit in range(len(ratings))]
    for size in batches(resamples, len(ratings.item)):
        weights = np.zeros((size, len(ratings.unit)))
        for items in members:
            count = ratings.weight[items]
            weights[:, items] = rng.multinomial(int(count.sum()), count / count.sum(), size)
        yield ratings.reweighted(weights)


def _by_topic(ratings: Ratings, resamples: int, seed: int) -> Iterator[Ratings]:
    """All items, those of a topic as often as the topic is drawn."""
    pooled = ratings.pooled
    for drawn in draws(len(ratings), resamples, seed, len(ratings.item)):
        yield pooled.reweighted(drawn[:, ratings.unit] * ratings.weight)


def _bounds(values: Floats, confidence: float, method: str) -> Interval:
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    known = ~np.isnan(values)
    low, high = np.full((2, values.shape[1]), np.nan)
    some = known.sum(axis=0) > 1
    if some.any():
        low[some], high[some] = np.nanquantile(values[:, some], ends, axis=0, method="weibull")
    missing = int((~known).sum())
    remark = f" ({missing} of {values.size} resamples were undefined)" if missing else ""
    return Interval(low, high, confidence, method + remark)
