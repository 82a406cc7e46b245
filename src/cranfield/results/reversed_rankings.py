"""Whether a run ranks the wrong way round, as if lower scores were better: distances, negated scores, ranks.

Decided here: whether a run ranks the wrong way round, for the warning and the finding.
"""

from __future__ import annotations

import math

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.counterfactual import from_the_bottom, only
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.inference.distributions import t_tail
from cranfield.measures.ranking import average_precision, pairwise_accuracy

LOW = 0.3  # accuracy of pairs, of which a random order has half right
_FEWEST = 5  # queries that tell
_SHORTEST = 5  # documents of a ranking that tells
_READ = 1000  # queries examined; more would not change the answer
_LEVEL = 1e-3
_BETTER = 2.0  # ratio of the values


@frozen
class Reversed:
    """Mean average precision as ranked and from the bottom up, over so many queries."""

    ranked: float
    from_the_bottom: float
    n_queries: int


def reversed_ranking(hits: Hits, *, low: float = LOW) -> Reversed | None:
    """What a run is worth from the bottom up, if that is far better on so many queries that chance cannot explain it.

    Relevant documents stand below the others in most pairs: of all retrieved documents and, where enough are judged,
    of these alone. A bad system ranks at random, with half of the pairs in the right order.
    """
    some = hits if len(hits) <= _READ else only(hits, np.arange(len(hits)) < _READ)
    accuracy, among_judged = _pairs_in_order(some), _pairs_in_order(some.condensed)
    if not _is_low(accuracy, low) or (len(among_judged) >= _FEWEST and among_judged.mean() > low):
        return None
    known = some.n_relevant() > 0
    ranked, other = (float(average_precision(one)[known].mean()) for one in (some, from_the_bottom(some)))
    return Reversed(ranked, other, int(known.sum())) if other >= _BETTER * ranked else None


def _pairs_in_order(hits: Hits) -> Floats:
    """The proportion of pairs of a relevant and another document that are in order, of queries that have such pairs."""
    accuracy = pairwise_accuracy(hits)
    return accuracy[~np.isnan(accuracy) & (hits.n_retrieved >= _SHORTEST)]


def _is_low(accuracy: Floats, low: float) -> bool:
    """Whether the mean is far below one half, and not by chance."""
    n = len(accuracy)
    if n < _FEWEST or accuracy.mean() > low:
        return False
    error = float(accuracy.std(ddof=1)) / math.sqrt(n)
    return not error or float(t_tail(np.array((accuracy.mean() - 0.5) / error), n - 1, "less")) < _LEVEL
