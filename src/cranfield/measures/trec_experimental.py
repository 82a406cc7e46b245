"""trec_eval's experimental measures with graded relevance."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.graded import (
    Gain,
    discounted_cumulative_gain,
    divisor,
    gain_of,
    ideal_by_gain,
    ideal_discounted_cumulative_gain,
    normalised_discounted_cumulative_gain,
)
from cranfield.measures.registry import measure
from cranfield.settings import GainTable


def _discounted(hits: Hits, gains: Floats) -> Floats:
    """The discounted cumulative gain at each hit."""
    return hits.accumulated(gains / divisor(hits.rank))


@measure("G", title="Normalised gain", cite="trec_eval")
def normalised_gain(hits: Hits, *, gain: Gain | GainTable = "linear") -> Floats:
    """Sum of the gains, each divided by log2(2 + the gain missed so far), over the total gain available.

    The missed gain is relative to a gain of 1 at every rank, or more where the ideal ranking has more.
    """
    best, ideal = ideal_by_gain(hits.ideal, gain)
    gains = gain_of(hits.grade, gain)
    possible = hits.rank + best.at_rank(best.accumulated(np.maximum(ideal - 1, 0)), hits)
    return ratio(hits.sum(gains / np.log2(2 + possible - hits.accumulated(gains))), best.sum(ideal))


@measure("Rndcg", title="nDCG at the levels of gain", cite="trec_eval")
def ndcg_at_levels(hits: Hits, *, gain: Gain | GainTable = "linear") -> Floats:
    """Mean of nDCG at the ranks after which the gain of the ideal ranking drops, and at the end of the ranking.

    As in trec_eval, the end counts only if it lies at least two ranks after the last gain of the ideal ranking.
    """
    best, ideal = ideal_by_gain(hits.ideal, gain)
    next_gain = np.append(ideal[1:] * (np.diff(best.unit) == 0), 0.0)[: len(ideal)]
    level = ideal > next_gain
    reached = ratio(hits.at_rank(_discounted(hits, gain_of(hits.grade, gain)), best), _discounted(best, ideal))
    n_worth = best.count(ideal > 0)
    end = (n_worth > 0) & (hits.n_retrieved > n_worth + 1)
    at_end = np.where(end, normalised_discounted_cumulative_gain(hits, gain=gain), 0)
    return ratio(best.sum(np.where(level, reached, 0)) + at_end, best.count(level) + end)


@measure("NdcgRel", title="nDCG at the relevant documents", cite="trec_eval", aliases=("ndcg_rel",))
def ndcg_at_relevant(hits: Hits, *, gain: Gain | GainTable = "linear") -> Floats:
    """Mean over the documents with a gain of nDCG at their ranks; for missing ones, at the end of the ranking."""
    best, ideal = ideal_by_gain(hits.ideal, gain)
    gains = gain_of(hits.grade, gain)
    reached = ratio(_discounted(hits, gains), best.at_rank(_discounted(best, ideal), hits))
    n_worth = best.count(ideal > 0)
    missed = n_worth - hits.count(gains > 0)
    gained, possible = discounted_cumulative_gain(hits, gain=gain), ideal_discounted_cumulative_gain(hits, gain=gain)
    at_end = np.nan_to_num(ratio(missed * gained, possible))
    return ratio(hits.sum(np.where(gains > 0, reached, 0)) + at_end, n_worth)
