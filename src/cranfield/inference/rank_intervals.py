"""Confidence intervals of rank correlations, over topics or over the ranked items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import merged
from cranfield.frozen import cached_property, frozen
from cranfield.inference.correlation import CORRELATIONS
from cranfield.inference.distributions import require_confidence, t_quantile
from cranfield.inference.intervals import Interval, absent, jackknife
from cranfield.inference.item_resampling import rows_without_group
from cranfield.inference.rank_biased_overlap import OVERLAPS
from cranfield.inference.rank_orders import rank_coefficient
from cranfield.inference.resampling import STANDARD_ERROR_RESAMPLES, draws
from cranfield.measures.settings import CONFIDENCE

FEWEST_ITEMS = 10
MOST_ITEMS = 2_000  # with more items, leaving each out takes too long
_GROUPS = 50  # of items left out in turn; items one by one up to this many
_UNIT_RANGE = ("concordance", *OVERLAPS)

Scores = Mapping[str, float]


@frozen(eq=False)
class TopicValues:
    """The values whose means over topics rank the systems: `values[ranking][system, topic]`, NaN if not counted.

    The topics are the same, in the same order, for all rankings; higher values are better.
    """

    systems: Mapping[str, Sequence[str]]
    values: Mapping[str, Floats]
    confidence: float = CONFIDENCE
    resamples: int = STANDARD_ERROR_RESAMPLES
    seed: int = 0

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return next(iter(self.values.values())).shape[1]

    @cached_property
    def resampled(self) -> dict[str, Floats]:
        """Each ranking by bootstrap resamples of the topics, the same for all: `scores[resample, system]`."""
        weights = [*draws(self.n_topics, self.resamples, self.seed, width=max(map(len, self.systems.values())))]
        rankings = {}
        for name, values in self.values.items():
            known = ~np.isnan(values)
            sums = np.concatenate([weight @ np.where(known, values, 0.0).T for weight in weights])
            counts = np.concatenate([weight @ known.T for weight in weights])
            means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
            rankings[name] = np.array([merged(row, np.abs(row)) for row in means])
        return rankings

    def interval(self, names: tuple[str, str], coefficient: str, value: float, **settings: Any) -> Interval:
        """The interval of the mean coefficient over other sets of as many topics: t with the bootstrap standard error.

        Rankings by resamples are less similar than those by the topics themselves, so only their spread is used. The
        interval is not one for infinitely many topics, which resampling cannot provide.
        """
        require_confidence(self.confidence)
        if self.n_topics < 2:
            return absent(self.confidence, "at least 2 topics are needed to estimate variance")
        drawn = self._drawn(names, coefficient, settings)
        if np.isnan(drawn).any():
            return absent(self.confidence, f"undefined in {np.isnan(drawn).sum()} of {len(drawn)} resamples")
        half = t_quantile((1 + self.confidence) / 2, self.n_topics - 1) * drawn.std(ddof=1)
        if half == 0:
            return absent(self.confidence, "every resample gives the same value")
        bounds = Interval(np.array([value - half]), np.array([value + half]), self.confidence, "bootstrap over topics")
        return bounds.within(range_of(coefficient))

    def _drawn(self, names: tuple[str, str], coefficient: str, settings: Mapping[str, Any]) -> Floats:
        """The coefficient of two rankings in each resample."""
        (one, other), (first, second) = (self.systems[name] for name in names), (self.resampled[name] for name in names)
        if np.isnan(first).any() or np.isnan(second).any():
            return np.full(self.resamples, np.nan)
        if coefficient in OVERLAPS:
            scored = ((dict(zip(one, a, strict=True)), dict(zip(other, b, strict=True))) for a, b in zip(first, second))
            return np.array([OVERLAPS[coefficient](a, b, **settings) for a, b in scored])
        place = [list(other).index(name) for name in one]
        function = CORRELATIONS[coefficient]
        return np.array([function(a, b, **settings) for a, b in zip(first, second[:, place], strict=True)])


def interval_over_items(
    first: Scores, second: Scores, coefficient: str, value: float, confidence: float = CONFIDENCE, **settings: Any
) -> Interval:
    """The jackknife interval over items: the coefficient for other similar items, treated as a random sample.

    RBO has none: its value depends on the few items at the top, and the jackknife undercovers.
    """
    require_confidence(confidence)
    if coefficient in OVERLAPS:
        return absent(confidence, f"{coefficient} has no interval over items; pass values by topic")
    names = list(first)
    if not FEWEST_ITEMS <= len(names) <= MOST_ITEMS:
        return absent(confidence, f"an interval over items needs {FEWEST_ITEMS} to {MOST_ITEMS:,} items")
    left_out = np.empty(min(len(names), _GROUPS))
    for group, rows in enumerate(rows_without_group(len(names), len(left_out))):
        one, other = ({names[row]: scores[names[row]] for row in rows} for scores in (first, second))
        left_out[group] = rank_coefficient(one, other, coefficient, **settings)
    if np.isnan(left_out).any():
        return absent(confidence, "undefined without some items")
    if np.ptp(left_out) == 0:
        return absent(confidence, "leaving out any item gives the same value")
    bounds = jackknife(value, left_out, confidence).within(range_of(coefficient))
    return Interval(bounds.low, bounds.high, confidence, "jackknife over items")


def range_of(coefficient: str) -> tuple[float, float]:
    """The smallest and the largest value of a coefficient."""
    return (0.0, 1.0) if coefficient in _UNIT_RANGE else (-1.0, 1.0)
