"""How the order of documents with the same score affects a result."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.counterfactual import only, reordered
from cranfield.evidence.hits import Hits
from cranfield.results.rankings import Result


def tie_bounds(result: Result) -> tuple[Floats, Floats]:
    """The lowest and the highest aggregate over the best and the worst order of ties, by system and measure."""
    low = result.aggregated()
    high = low.copy()
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
                for bound, extreme in ((low, np.fmin), (high, np.fmax)):
                    moved = result.values[s, m].copy()
                    moved[tied] = extreme.reduce(values)
                    bound[s, m] = result.aggregate_of(s, m, moved)
    return low, high
