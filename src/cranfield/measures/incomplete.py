"""Measures that bear with judgments that are not complete, and those that say how incomplete they are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.evidence.hits import Floats, Hits, ratio
from cranfield.registry import measure
from cranfield.settings import Cutoff, Level

_EPSILON = 0.00001  # as trec_eval has it


@measure(
    "Bpref",
    title="Binary preference",
    cite="buckley2004",
    bounds=(-np.inf, 1),
    names=("BPref",),
    aliases=("bpref", "bpref-l{rel}"),
)
def binary_preference(
    hits: Hits, *, rel: Level = 1, form: Literal["trec", "plain"] = "trec", capped: bool = True
) -> Floats:
    """Mean over the relevant documents of the share of judged documents that are not relevant and not above them.

    Only the first R such documents count; trec_eval divides by R or by their number, whichever is less, the plain form
    by R. Uncapped, the plain form counts all of them and may fall below 0.
    """
    relevant = hits.relevant(rel)
    n_relevant = hits.n_relevant(rel)[hits.unit]
    above = hits.running(hits.judged & ~relevant)
    most = np.minimum(n_relevant, hits.n_nonrelevant(rel)[hits.unit]) if form == "trec" else n_relevant
    counted = np.minimum(above, n_relevant) if capped or form == "trec" else above
    preferred = 1 - np.nan_to_num(ratio(counted, most))
    return ratio(hits.sum(relevant * preferred), hits.n_relevant(rel))


measure(
    "GMBpref",
    title="Geometric mean of binary preference",
    cite="buckley2004",
    aggregate="geometric",
    bounds=(-np.inf, 1),
    aliases=("gm_bpref",),
)(binary_preference)


@measure("infAP", title="Inferred average precision", cite="yilmaz2006", aliases=("infAP",))
def inferred_average_precision(hits: Hits, *, rel: Level = 1) -> Floats:
    """Average precision estimated from judgments of a sample of the pool.

    Documents with a negative grade were in the pool and not in the sample.
    """
    relevant = hits.relevant(rel)
    before = hits.running(relevant) - 1
    other = hits.running(hits.judged & ~relevant)
    above = hits.rank - 1.0
    pooled = before + other + hits.running(~hits.judged)
    judged = (before + _EPSILON) / (before + other + 2 * _EPSILON)
    seen = above / hits.rank * np.nan_to_num(ratio(pooled, above))  # in trec_eval's order, which decides the last bit
    expected = 1 / hits.rank + seen * judged
    return ratio(hits.sum(relevant * expected), hits.n_relevant(rel))


@measure("Judged", title="Judged", cite="ir_measures", higher_is_better=None, linear=True)
def judged(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Share of the first k that was judged; a ranking that ends before k is taken for what it has."""
    return ratio(hits.count(hits.judged & hits.top(k)), hits.depth(k))


@measure(
    "Unjudged",
    title="Unjudged",
    cite="trec_eval",
    higher_is_better=None,
    aliases=("unj_{k}", "unj.{k}", "Hole@{k}"),
    linear=True,
)
def unjudged(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Share of the first k ranks that holds a document nobody judged."""
    return ratio(hits.depth(k) - hits.count(hits.judged & hits.top(k)), hits.positions(k))
