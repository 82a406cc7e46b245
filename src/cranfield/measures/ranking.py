"""Measures of a ranking with binary relevance."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.declaration import also, cut_off, ranx
from cranfield.measures.registry import measure
from cranfield.measures.sets import relevant_in_top
from cranfield.rounding import NEAR
from cranfield.settings import ELEVEN_RECALLS, Cutoff, Level, Numbers, Positive, Recall

Rounding = Literal["trec9", "trec10", "exact"]
_TREC = {"rounding": "trec10"}  # of the names of trec_eval, whose version 10 rounds


@measure(
    "RR",
    title="Reciprocal rank",
    cite="voorhees1999",
    names=("MRR",),
    aliases=("recip_rank", *ranx("mrr"), "recip_rank_cut_{k}"),
    linear=True,
    binary={"k": 1},
    unjudged_bounds=True,
)
def reciprocal_rank(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Reciprocal of the rank of the first relevant document; 0 if none is among the first k."""
    return hits.at_first(hits.relevant(rel) & hits.top(k), 1 / hits.rank)


@measure(
    "Success",
    title="Success",
    cite="trec_eval",
    names=("HitRate", "HR"),
    aliases=(*cut_off("success"), *ranx("hit_rate")),
    linear=True,
    binary={},
    unjudged_bounds=True,
)
def success(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """1 if any of the first k documents is relevant, else 0."""
    counted = hits.relevant(rel) & hits.top(k)
    return hits.at_first(counted, counted)


def _precisions(hits: Hits, k: int | None, rel: float) -> Floats:
    """The precision at each relevant hit among the first k, 0 at the others."""
    relevant = hits.relevant(rel) & hits.top(k)
    return relevant * hits.running(relevant) / hits.rank


@measure(
    "AP",
    title="Average precision",
    cite="harman1992",
    names=("MAP",),
    aliases=("map", *cut_off("map_cut"), "map@{k}", "map-l{rel}", "map@{k}-l{rel}"),
    linear=True,
)
def average_precision(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Mean over all relevant documents of the precision at the rank of each.

    Relevant documents that are not among the first k contribute 0.
    """
    return ratio(hits.sum(_precisions(hits, k, rel)), hits.n_relevant(rel))


measure(
    "GMAP",
    title="Geometric mean average precision",
    cite="robertson2006",
    aggregate="geometric",
    aliases=("gm_map",),
    linear=True,
)(average_precision)


@measure(
    "Rprec",
    title="R-precision",
    cite="harman1992",
    names=("RPrec",),
    aliases=("Rprec", "r-precision", "r-precision-l{rel}", "Rprec_mult_{multiple}", "Rprec_mult.{multiple}"),
    linear=True,
)
def r_precision(hits: Hits, *, rel: Level = 1, multiple: Positive = 1) -> Floats:
    """Precision at rank R, the number of relevant documents, or at a multiple of R."""
    rank = np.floor(multiple * hits.n_relevant(rel) + (0.9 if multiple != 1 else 0))
    return ratio(hits.count(hits.relevant(rel) & (hits.rank <= rank[hits.unit])), rank)


@measure(
    "BEP",
    title="Break-even point",
    cite="vanrijsbergen1979",
    linear=True,
    undefined="no document is relevant, or fewer documents were retrieved than are relevant",
)
def break_even_point(hits: Hits, *, rel: Level = 1) -> Floats:
    """The value at which precision equals recall: the precision of the first R documents."""
    relevant = hits.n_relevant(rel)
    value = ratio(hits.count(hits.relevant(rel) & (hits.rank <= relevant[hits.unit])), relevant)
    return np.where(hits.n_retrieved >= relevant, value, np.nan)


def documents_for(recall: float, n_relevant: Floats, rounding: Rounding) -> Floats:
    """The number of relevant documents that reach this recall."""
    if rounding == "exact":
        return np.ceil(recall * n_relevant - NEAR)  # three of five are 0.6, although 0.6 * 5 is not exact in binary
    return np.floor(recall * n_relevant + (0.9 if rounding == "trec9" else 0.5))


def _best_from(hits: Hits, relevant: Mask, needed: Floats) -> Floats:
    """The highest precision at any rank from the `needed`-th relevant document on."""
    reached = relevant & (hits.running(relevant) >= needed[hits.unit])
    return hits.greatest(reached * (hits.running(relevant) / hits.rank))


def _defined(value: Floats, hits: Hits, rel: float) -> Floats:
    """The value where there are relevant documents, else NaN."""
    return np.where(hits.n_relevant(rel) > 0, value, np.nan)


@measure(
    "IPrec",
    title="Interpolated precision",
    cite="harman1992",
    aliases=(also("iprec_at_recall_{recall}", **_TREC), also("iprec_at_recall.{recall}", **_TREC)),
)
def interpolated_precision(hits: Hits, *, recall: Recall, rel: Level = 1, rounding: Rounding = "trec9") -> Floats:
    """Highest precision at any rank whose recall is at least the given one.

    The number of documents required for a recall of 0.15 out of 10 depends on the rounding: trec_eval up to version 9,
    and tools built on it, add 0.9 and truncate; trec_eval 10 rounds; `exact` rounds up.
    """
    needed = documents_for(recall, hits.n_relevant(rel), rounding)
    return _defined(_best_from(hits, hits.relevant(rel), needed), hits, rel)


@measure("IAP", title="Interpolated average precision", cite="salton1983", aliases=(also("11pt_avg", **_TREC),))
def interpolated_average_precision(
    hits: Hits, *, rel: Level = 1, levels: Numbers = ELEVEN_RECALLS, rounding: Rounding = "trec9"
) -> Floats:
    """Mean of the interpolated precision at eleven recall levels, or at the given ones."""
    if not all(0 <= level <= 1 for level in levels):
        raise BadSetting(f"levels must be recalls from 0 to 1, not {list(levels)}")
    values = [interpolated_precision(hits, recall=level, rel=rel, rounding=rounding) for level in levels]
    return sum(values, np.zeros(len(hits))) / len(levels)  # the order of NumPy's sum would depend on the batch


@measure("PAtR", title="Precision at a recall", cite="weber2019")
def precision_at_recall(
    hits: Hits, *, recall: Recall, rel: Level = 1, reading: Literal["first", "highest"] = "first"
) -> Floats:
    """Precision at the rank where the recall is first reached, or the highest from there on; 0 if never reached."""
    relevant, needed = hits.relevant(rel), documents_for(recall, hits.n_relevant(rel), "exact")
    if reading == "highest":
        return _defined(_best_from(hits, relevant, needed), hits, rel)
    there = relevant & (hits.running(relevant) == np.maximum(needed, 1)[hits.unit])
    return _defined(hits.sum(there * hits.running(relevant) / hits.rank), hits, rel)


@measure("SysEff", title="System efficiency", cite="weber2019")
def system_efficiency(hits: Hits, *, rel: Level = 1) -> Floats:
    """1 - d/√2, where d is the smallest distance of a precision-recall point from precision 1 and recall 1."""
    relevant = hits.relevant(rel)
    count = hits.running(relevant)
    distance = np.hypot(1 - count / hits.rank, 1 - np.nan_to_num(ratio(count, hits.n_relevant(rel)[hits.unit])))
    return _defined(hits.greatest(relevant * (1 - distance / np.sqrt(2))), hits, rel)


@measure("AUPR", title="Area under the precision-recall curve", cite="davis2006")
def area_under_precision_recall(
    hits: Hits, *, rel: Level = 1, rule: Literal["trapezoid", "step", "interpolated"] = "trapezoid"
) -> Floats:
    """Area under the precision-recall points, joined by lines, by steps, or by interpolated steps.

    The line starts at recall 0 with precision 1. The area under the steps is average precision. That under the lines is
    never larger, because precision is lowest just before a relevant document.
    """
    relevant = hits.relevant(rel)
    count = hits.running(relevant)
    height = count / hits.rank
    if rule == "interpolated":
        height = hits.greatest_below(relevant * height)
    if rule == "trapezoid":
        before = np.where(hits.rank > 1, (count - 1) / np.maximum(hits.rank - 1, 1), 1.0)
        height = (before + height) / 2
    return ratio(hits.sum(relevant * height), hits.n_relevant(rel))


@measure("BinG", title="Binary G", cite="trec_eval", aliases=("binG",))
def binary_g(hits: Hits, *, rel: Level = 1) -> Floats:
    """Mean over the relevant documents of 1/log2(2 + the number of non-relevant documents above)."""
    relevant = hits.relevant(rel)
    others = hits.rank - hits.running(relevant)
    return ratio(hits.sum(relevant / np.log2(2.0 + others)), hits.n_relevant(rel))


@measure(
    "Yaap", title="Yet another average precision", cite="robertson2012", bounds=(-np.inf, np.inf), aliases=("yaap",)
)
def yaap(hits: Hits, *, rel: Level = 1) -> Floats:
    """Log odds of average precision, with one document added on each side."""
    relevant = hits.n_relevant(rel)
    gained = hits.sum(_precisions(hits, None, rel))
    return np.log((1 + gained) / (1 + relevant - gained))


@measure(
    "Accuracy",
    title="Pairwise accuracy",
    cite="macavaney2022",
    undefined="no relevant document was retrieved, or no other one",
)
def pairwise_accuracy(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of pairs of a relevant and a non-relevant retrieved document that are in the right order."""
    relevant = hits.relevant(rel) & hits.top(k)
    n_found = relevant_in_top(hits, k, rel)
    others = hits.depth(k) - n_found
    below = others[hits.unit] - (hits.rank - hits.running(relevant))
    return ratio(hits.sum(relevant * below), n_found * others)
