"""Measures for incomplete judgments, and measures of how incomplete they are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.declaration import cut_off, refused
from cranfield.measures.registry import measure
from cranfield.settings import Cutoff, Level

_EPSILON = 0.00001  # as in trec_eval
_BEIR_HOLE = "BEIR counts documents not judged for any query; Unjudged@10 counts those not judged for their query"


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
    """Mean over the relevant documents of the proportion of judged non-relevant documents not ranked above them.

    Only the first R judged non-relevant documents count; trec_eval divides by R or their number, whichever is smaller,
    the plain form by R. Uncapped, the plain form counts all of them and may be negative.
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

    Documents with a negative grade were pooled but not sampled.
    """
    relevant = hits.relevant(rel)
    before = hits.running(relevant) - 1
    other = hits.running(hits.judged & ~relevant)
    above = hits.rank - 1.0
    pooled = before + other + hits.running(~hits.judged)
    judged = (before + _EPSILON) / (before + other + 2 * _EPSILON)
    seen = above / hits.rank * np.nan_to_num(ratio(pooled, above))  # in trec_eval's order, which affects the last bit
    expected = 1 / hits.rank + seen * judged
    return ratio(hits.sum(relevant * expected), hits.n_relevant(rel))


@measure("Judged", title="Judged", cite="macavaney2022", higher_is_better=None, linear=True, binary={"k": 1})
def judged(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Proportion of the first k documents that are judged; shorter rankings are not padded."""
    return ratio(hits.count(hits.judged & hits.top(k)), hits.depth(k))


@measure(
    "Unjudged",
    title="Unjudged",
    cite="trec_eval",
    higher_is_better=None,
    aliases=(*cut_off("unj"), refused("Hole@{k}", _BEIR_HOLE)),
    linear=True,
    binary={"k": 1},
)
def unjudged(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Proportion of the first k ranks with an unjudged document."""
    return ratio(hits.depth(k) - hits.count(hits.judged & hits.top(k)), hits.positions(k))
