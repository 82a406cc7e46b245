"""The expected value of a measure over all orders of the tied documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.counterfactual import only
from cranfield.evidence.hits import Hits
from cranfield.evidence.possible_orders import Spread, orders
from cranfield.measures.registry import Measure

LIMIT = 1000
SEED = 0
_TOGETHER = 64  # queries whose orders are held in memory at once


class Expected(NamedTuple):
    """Expected values, and the number of queries for which they are estimated from random orders."""

    values: Floats
    n_estimated: int


def expected(measure: Measure, hits: Hits, *, limit: int = LIMIT, seed: int = SEED) -> Expected:
    """The mean of the measure over the orders of each query's tied documents.

    Exact for measures that are linear in the ranks of single documents, and for queries with at most `limit` orders;
    otherwise the mean over `limit` random orders drawn with the seed.
    """
    tied_queries = np.unique(hits.unit[hits.tie_size > 1])
    if not len(tied_queries):
        return Expected(measure.values(hits), 0)
    if measure.declaration.linear and not _judges_by_rank(measure):
        evidence, settings = measure.prepared(hits)
        return Expected(measure.declaration.function(Spread(evidence), **settings), 0)
    values, n_estimated = np.array(measure.values(hits)), 0
    for block in np.split(tied_queries, range(_TOGETHER, len(tied_queries), _TOGETHER)):
        ordered, query, complete = orders(only(hits, np.isin(np.arange(len(hits)), block)), limit, seed)
        values[block] = np.bincount(query, weights=measure.values(ordered)) / np.bincount(query)
        n_estimated += int((~complete).sum())
    return Expected(values, n_estimated)


def _judges_by_rank(measure: Measure) -> bool:
    """Whether the order of the documents determines which unjudged ones, above a cutoff, get a grade."""
    options = measure.options
    return options.get("k") is not None and options.get("unjudged") not in (None, "skip")


def expected_micro(measure: Measure, hits: Hits) -> float:
    """The expected value of the measure over pooled queries, over orders of tied documents; NaN if unknown."""
    if measure.declaration.linear and not _judges_by_rank(measure):
        evidence, settings = measure.prepared(hits)
        return float(measure.declaration.function(Spread(evidence).pooled, **settings).item())
    return measure.micro(hits) if measure.options.get("k") is None else float("nan")
