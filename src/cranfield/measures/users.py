"""User models (C/W/L): the mean gain per document inspected by a user who scans from the top.

Each model defines the probability that the user continues to the next document. A document among the first k ranks is
weighted by the probability that it is inspected; unjudged documents have no gain.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.declaration import also, refused
from cranfield.measures.graded import Gain, divisor, gain_of, proportion_of_top, top_grade
from cranfield.measures.registry import measure
from cranfield.settings import Count, Cutoff, GainTable, Level, NonNegative, Persistence, Positive, TopGrade

Numbers = NDArray[np.floating[Any]]
Continuation = Callable[[Floats, Floats], Numbers]
Weight = Callable[[Ints], Numbers]

_CELLS = 1 << 20  # ranks in memory at once
_RANX_RBP = (
    "ranx multiplies by the grade, so its rbp exceeds 1 for grades above 1; use RBP(p=…) for binary relevance, "
    "or RBP(p=…, gain='linear') for grades divided by the top grade"
)
_SCALE = {"max_rel": "top", "min_rel": "bottom", "T": "goal"}  # ir_measures
_model = partial(measure, synonyms=_SCALE)


def scaled(hits: Hits, bottom: float, top: TopGrade) -> Floats:
    """The gain of each hit: from 0 at the bottom grade to 1 at the top one."""
    if not isinstance(top, str) and top <= bottom:
        raise BadSetting(f"top must be above bottom; got top {top} and bottom {bottom}")
    best = top_grade(hits, top)
    above = np.clip(hits.grade, bottom, np.maximum(best, bottom)) - bottom
    return np.nan_to_num(ratio(above, best - bottom))


def _gain_by_rank(hits: Hits, gain: Floats, k: int, weight: Weight) -> Floats:
    """The mean gain if the probability of inspecting a document depends on its rank alone."""
    return hits.sum(gain * hits.top(k) * weight(hits.rank)) / weight(np.arange(1, k + 1)).sum()


def _gain_by_continuation(hits: Hits, gain: Floats, k: int, continuation: Continuation) -> Floats:
    """The mean gain of the documents inspected by a user who decides at each document whether to continue."""
    rank = np.arange(1.0, k + 1)
    value = np.empty(len(hits))
    step = max(1, _CELLS // k)
    for first in range(0, len(hits), step):
        seen = _gains(hits, gain, first, min(first + step, len(hits)), k)
        looks = np.ones_like(seen)
        looks[:, 1:] = np.cumprod(continuation(seen, rank)[:, :-1], axis=1)
        value[first : first + step] = (looks * seen).sum(axis=1) / looks.sum(axis=1)
    return value


def _gains(hits: Hits, gain: Floats, first: int, end: int, k: int) -> Floats:
    """The gain at each of the first k ranks of some queries."""
    rows = np.arange(hits.bounds[first], hits.bounds[end])
    rows = rows[hits.rank[rows] <= k]
    table = np.zeros((end - first, k))
    table[hits.unit[rows] - first, hits.rank[rows] - 1] = gain[rows]
    return table


@measure(
    "RBP",
    title="Rank-biased precision",
    cite="moffat2008",
    aliases=(
        also("rbp", p=0.9, gain="linear", top="query"),  # trec_eval
        also("rbp_p={p}", gain="linear", top="query"),
        *(refused(pattern, _RANX_RBP) for pattern in ("rbp{p}", "rbp{p}-l{rel}", "rbp@{p}", "rbp@{p}-l{rel}")),
    ),
    linear=True,
    unjudged_bounds=True,
)
def rank_biased_precision(
    hits: Hits,
    *,
    k: Cutoff | None = None,
    p: Persistence = 0.8,
    rel: Level = 1,
    gain: Literal["binary"] | Gain | GainTable = "binary",
    top: TopGrade = "judgments",
) -> Floats:
    """Expected proportion of relevant documents among those seen by a user who continues with probability p.

    Documents of grade `rel` or higher are relevant; with a linear or exp2 gain they count in proportion to the top
    grade; with a table, as given there, divided by the largest gain of the table or the top grade if that exceeds 1.
    """
    return (1 - p) * hits.sum(_satisfaction(hits, rel, gain, top) * hits.top(k) * p ** (hits.rank - 1.0))


def _satisfaction(hits: Hits, rel: float, gain: Literal["binary"] | Gain | GainTable, top: TopGrade) -> Floats | Mask:
    if gain == "binary":
        return hits.relevant(rel)
    if isinstance(gain, str):
        return proportion_of_top(hits, top, gain)
    largest = np.maximum(gain_of(top_grade(hits, top), gain), max((1, *(most for _, most in gain))))
    return np.clip(gain_of(hits.grade, gain), 0, largest) / largest


@measure(
    "RBPRes",
    title="Residual of rank-biased precision",
    cite="moffat2008",
    higher_is_better=False,
    aliases=(also("rbp_resid", p=0.9, rule="trec"), also("rbp_resid_p={p}", rule="trec")),
    linear=True,
)
def rank_biased_residual(
    hits: Hits, *, k: Cutoff | None = None, p: Persistence = 0.8, rule: Literal["all", "trec"] = "all"
) -> Floats:
    """Increase in rank-biased precision if all unjudged documents, seen and unseen, were relevant.

    With the rule of trec_eval it is 0 where all retrieved documents are judged, whatever may follow them.
    """
    judged = hits.judged & hits.top(k)
    residual = 1 - (1 - p) * hits.sum(judged * p ** (hits.rank - 1.0))
    return np.where(hits.depth(k) > hits.count(judged), residual, 0) if rule == "trec" else residual


@_model("BPM", title="Bejeweled player model", cite="zhang2017")
def bejeweled_player_model(
    hits: Hits, *, k: Cutoff = 1000, goal: Positive = 1, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Mean gain per document inspected by a user who stops at rank k, or once the goal T is reached."""
    return _gain_by_continuation(
        hits, scaled(hits, bottom, top), k, lambda gain, _: 1.0 * (np.cumsum(gain, axis=1) < goal)
    )


@measure(
    "SDCG",
    title="Scaled discounted cumulative gain",
    cite="moffat2013",
    linear=True,
    unjudged_bounds=True,
    synonyms=_SCALE | {("dcg", "log2"): (None, None)},
)
def scaled_discounted_cumulative_gain(
    hits: Hits, *, k: Cutoff = 1000, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Discounted cumulative gain of the first k divided by that of k documents of the top grade."""
    return _gain_by_rank(hits, scaled(hits, bottom, top), k, lambda rank: 1 / divisor(rank))


@_model("INSQ", title="INSQ", cite="moffat2012", linear=True, unjudged_bounds=True)
def insq(
    hits: Hits, *, k: Cutoff = 1000, goal: Positive = 1, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Mean gain for a user with goal T who continues from rank i with probability ((i + 2T - 1)/(i + 2T))²."""
    return _gain_by_rank(hits, scaled(hits, bottom, top), k, lambda rank: (2 * goal / (rank + 2 * goal - 1)) ** 2)


@_model("INST", title="INST", cite="moffat2015")
def inst(
    hits: Hits, *, k: Cutoff = 1000, goal: Positive = 1, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Mean gain as for INSQ, where a user who has gained g expects only T - g more: 2T is replaced by 2T - g."""

    def continuation(gain: Floats, rank: Floats) -> Numbers:
        left = rank + 2 * goal - np.cumsum(gain, axis=1)
        return ((left - 1) / left) ** 2

    return _gain_by_continuation(hits, scaled(hits, bottom, top), k, continuation)


@_model("NERR8", title="Nearly expected reciprocal rank, cut off", cite="azzopardi2021")
def nearly_err_cut_off(hits: Hits, *, k: Cutoff = 1000, top: TopGrade = "judgments", bottom: NonNegative = 0) -> Floats:
    """Mean gain for a user who continues with probability 1 - gain, down to rank k."""
    return _gain_by_continuation(hits, scaled(hits, bottom, top), k, lambda gain, _: 1 - gain)


@_model("NERR9", title="Nearly expected reciprocal rank, discounted", cite="azzopardi2021")
def nearly_err_discounted(
    hits: Hits, *, k: Cutoff = 1000, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Mean gain for a user who continues from rank i with probability (1 - gain) i/(i + 1), down to rank k."""
    return _gain_by_continuation(hits, scaled(hits, bottom, top), k, lambda gain, rank: (1 - gain) * rank / (rank + 1))


@_model("NERR10", title="Nearly expected reciprocal rank, with patience", cite="azzopardi2021")
def nearly_err_with_patience(
    hits: Hits, *, k: Cutoff = 1000, p: Persistence = 0.9, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Mean gain for a user who continues with probability p (1 - gain)."""
    return _gain_by_continuation(hits, scaled(hits, bottom, top), k, lambda gain, _: p * (1 - gain))


@_model("NERR11", title="Nearly expected reciprocal rank, with a goal", cite="azzopardi2021")
def nearly_err_with_goal(
    hits: Hits, *, k: Cutoff = 1000, goal: Positive = 1, top: TopGrade = "judgments", bottom: NonNegative = 0
) -> Floats:
    """Mean gain for a user with goal T who continues from rank i: (1 - gain) ((i + 2T - 1)/(i + 2T))²."""

    def continuation(gain: Floats, rank: Floats) -> Numbers:
        return (1 - gain) * ((rank + 2 * goal - 1) / (rank + 2 * goal)) ** 2

    return _gain_by_continuation(hits, scaled(hits, bottom, top), k, continuation)


@measure("Compat", title="Compatibility", cite="clarke2021")
def compatibility(hits: Hits, *, p: Persistence = 0.95, normalize: bool = True, depth: Count | None = None) -> Floats:
    """Rank-biased overlap with the ideal ranking: the mean overlap at all depths i, weighted by p^i.

    The ideal ranking has the relevant documents by grade, those of the same grade in the order of the run, missing ones
    last. Normalised values are divided by the overlap of the ideal ranking with itself. The overlap extends to the end
    of the longer ranking, as in ir_measures, or to the given depth: the authors' compatibility.py uses depth=1000.
    """
    best = hits.ideal
    longer = np.maximum(hits.n_retrieved, best.count(best.grade > 0).astype(np.int64))
    deep = longer if depth is None else np.full_like(longer, depth)
    overlap = _overlap(hits, np.maximum(hits.rank, _ideal_rank(hits)), deep, p)
    return ratio(overlap, _overlap(best, best.rank, deep, p) if normalize else (1 - p**deep) / (1 - p))


def _overlap(hits: Hits, since: Ints, depth: Ints, p: float) -> Floats:
    """Sum over all depths i of p^(i - 1)/i times the number of relevant documents in both rankings."""
    place = np.arange(1, int(depth.max(initial=0)) + 1)
    total = np.concatenate([[0.0], np.cumsum(p ** (place - 1.0) / place)])
    deep = depth[hits.unit]
    return hits.sum((hits.grade > 0) * (total[deep] - total[np.minimum(since - 1, deep)]))


def _ideal_rank(hits: Hits) -> Ints:
    """The rank of each hit in the ideal ranking: by grade, then as in the run, missing documents last."""
    levels = np.unique(hits.pool_grade)
    pool = hits.pool_unit * len(levels) - np.searchsorted(levels, hits.pool_grade)
    level = hits.unit * len(levels) - np.searchsorted(levels, hits.grade)
    order = np.lexsort((hits.rank, level))
    before = np.arange(len(order)) - np.searchsorted(level[order], level[order])
    rank = np.empty_like(hits.rank)
    rank[order] = np.searchsorted(pool, level[order]) + before + 1
    return rank - np.searchsorted(hits.pool_unit, hits.unit)
