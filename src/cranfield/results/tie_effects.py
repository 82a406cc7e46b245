"""How the order of documents with the same score affects a result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.counterfactual import only, reordered
from cranfield.evidence.hits import Hits
from cranfield.results.rankings import Result


def tie_bounds(result: Result) -> tuple[Floats, Floats]:
    """The lowest and the highest aggregate over the best and the worst order of ties, by system and measure."""
    low = result.aggregated()
    high = low.copy()
    for s, m, lowest, highest in tied_values(result):
        low[s, m], high[s, m] = result.aggregate_of(s, m, lowest), result.aggregate_of(s, m, highest)
    return low, high


def tied_values(result: Result) -> Iterator[tuple[int, int, Floats, Floats]]:
    """Systems and measures that ties may affect, with the lowest and the highest value of each query."""
    for s, system in enumerate(result.systems):
        hits = result.evidence.get(system)
        if hits is None or not (hits.tie_size > 1).any():
            continue
        tied = np.zeros(len(hits), np.bool_)
        tied[hits.unit[hits.tie_size > 1]] = True
        of_tied = only(hits, tied)
        orders = [reordered(of_tied, best=best) for best in (True, False)]
        for m, measure in enumerate(result.measures):
            if measure.declaration.evidence is Hits:
                values = np.array([result.values[s, m, tied], *(measure.values(order) for order in orders)])
                lowest, highest = result.values[s, m].copy(), result.values[s, m].copy()
                lowest[tied], highest[tied] = np.fmin.reduce(values), np.fmax.reduce(values)
                yield s, m, lowest, highest
