"""Measures of a ranking with graded relevance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.declaration import cut_off, ranx, refused
from cranfield.measures.registry import measure
from cranfield.settings import Cutoff, GainTable, Level, NonNegative, Positive, Range, TopGrade, Value

Gain = Literal["linear", "exp2"]
Discount = Literal["log(i+1)", "log(i)"]
Base = Annotated[float, Range("a number above 1", low=1, open=True)]

_WORTH = {("dcg", "log2"): ("gain", "linear"), ("dcg", "exp-log2"): ("gain", "exp2"), "gains": "gain"}  # ir_measures


_HIGHEST = 1000
_NCG = "use RelCG for the cumulative gain over the ideal one, or nCG for the mean gain over that of the top grade"


def gain_of(grade: Floats, gain: str | tuple[tuple[float, float], ...], rel: float | None = None) -> Floats:
    """The gain of each grade: the grade, 2^grade - 1, or from the table; at least 0, except in a table.

    With rel, lower grades have no gain, regardless of the table.
    """
    if rel is not None:
        return np.where(grade >= rel, gain_of(grade, gain), 0)
    known = np.maximum(grade, 0)
    if gain == "exp2":
        if known.max(initial=0) > _HIGHEST:
            raise BadSetting(f"2^{known.max():g} is too large; gain='exp2' supports grades up to {_HIGHEST}")
        return np.exp2(known) - 1
    for level, value in gain if isinstance(gain, tuple) else ():
        known = np.where(grade == level, value, known)
    return known


def ideal_by_gain(
    best: Hits, gain: str | tuple[tuple[float, float], ...], rel: float | None = None
) -> tuple[Hits, Floats]:
    """The ideal ranking sorted by gain, and its gains: documents with a negative gain are never ideal."""
    if isinstance(gain, tuple):
        best = best.sorted_by(gain_of(best.grade, gain, rel))
    return best, np.maximum(gain_of(best.grade, gain, rel), 0)


def takes_top_grade(options: Mapping[str, Value]) -> bool:
    """Whether a measure with these settings is on a scale whose top grade is that of the judgments."""
    return options.get("top") == "judgments" and options.get("gain") != "binary"


def top_grade(hits: Hits, top: TopGrade) -> Floats:
    """The top grade for each hit: the given one, or the highest in the query's judgments."""
    if top == "judgments":
        raise BadSetting("evidence of some queries does not tell the top grade of all judgments: set top, as in top=3")
    return hits.ideal.greatest(hits.ideal.grade)[hits.unit] if top == "query" else np.full(len(hits.grade), float(top))


def proportion_of_top(hits: Hits, top: TopGrade, gain: Gain = "linear") -> Floats:
    """Each gain divided by that of the top grade."""
    best = top_grade(hits, top)
    return np.nan_to_num(ratio(gain_of(np.minimum(hits.grade, best), gain), gain_of(best, gain)))


def divisor(rank: Ints, kind: Discount = "log(i+1)", base: float = 2) -> Floats:
    """The discount divisor at a rank: the logarithm of the next rank, or of the rank itself from the base on."""
    if kind == "log(i)":
        return np.maximum(1, np.log2(rank) / np.log2(base))
    return np.log2(rank + 1) / np.log2(base)


@measure("CG", title="Cumulative gain", cite="jarvelin2002", bounds=(0, np.inf), linear=True, unjudged_bounds=True)
def cumulative_gain(hits: Hits, *, k: Cutoff | None = None, gain: Gain | GainTable = "linear") -> Floats:
    """Sum of the gains of the first k."""
    return hits.sum(gain_of(hits.grade, gain) * hits.top(k))


@measure("nCG", title="Normalised cumulative gain", cite="weber2023", linear=True, unjudged_bounds=True)
def normalised_cumulative_gain(hits: Hits, *, k: Cutoff | None = None, top: TopGrade = "judgments") -> Floats:
    """Mean over the first k of the grade divided by the top grade: precision for graded relevance.

    The top grade is the highest of all judgments, so that a grade is worth the same in every query.
    """
    return ratio(hits.sum(proportion_of_top(hits, top) * hits.top(k)), hits.positions(k))


@measure(
    "RelCG",
    title="Relative cumulative gain",
    cite="jarvelin2002",
    aliases=(refused("NCG", _NCG), refused("NCG@{k}", _NCG)),
    linear=True,
)
def relative_cumulative_gain(hits: Hits, *, k: Cutoff | None = None, gain: Gain | GainTable = "linear") -> Floats:
    """Cumulative gain divided by the best possible at that depth: relative precision for graded relevance.

    Järvelin and Kekäläinen call it normalised cumulative gain.
    """
    best, gains = ideal_by_gain(hits.ideal, gain)
    return ratio(cumulative_gain(hits, k=k, gain=gain), best.sum(gains * best.top(k)))


@measure(
    "DCG",
    title="Discounted cumulative gain",
    cite="jarvelin2002",
    bounds=(0, np.inf),
    aliases=(*ranx("dcg"), *ranx("dcg_burges", gain="exp2")),
    synonyms=_WORTH,
    linear=True,
    unjudged_bounds=True,
)
def discounted_cumulative_gain(
    hits: Hits,
    *,
    k: Cutoff | None = None,
    gain: Gain | GainTable = "linear",
    discount: Discount = "log(i+1)",
    base: Base = 2,
    rel: Level | None = None,
) -> Floats:
    """Sum of the gains of the first k, each divided by a logarithm of its rank.

    With rel, lower grades have no gain.
    """
    if k is not None and type(hits) is Hits:
        hits = hits.truncated(k)  # the others would add 0
    return hits.sum(gain_of(hits.grade, gain, rel) * hits.top(k) / divisor(hits.rank, discount, base))


@measure(
    "IDCG",
    title="Ideal discounted cumulative gain",
    cite="jarvelin2002",
    bounds=(0, np.inf),
    aliases=("ideal_dcg",),
    higher_is_better=None,
    linear=True,
)
def ideal_discounted_cumulative_gain(
    hits: Hits,
    *,
    k: Cutoff | None = None,
    gain: Gain | GainTable = "linear",
    discount: Discount = "log(i+1)",
    base: Base = 2,
    ideal: Literal["judged", "retrieved"] = "judged",
    rel: Level | None = None,
) -> Floats:
    """Discounted cumulative gain of the best ranking of all judged documents, or of the retrieved ones.

    With rel, lower grades have no gain.
    """
    if k is None or isinstance(gain, tuple):  # a table of gains may reorder documents
        best = hits.ideal if ideal == "judged" else hits.resorted
    else:
        best = hits.ideal_top(k) if ideal == "judged" else hits.resorted.truncated(k)
    best, gains = ideal_by_gain(best, gain, rel)
    return best.sum(gains * best.top(k) / divisor(best.rank, discount, base))


@measure(
    "nDCG",
    title="Normalised discounted cumulative gain",
    cite="jarvelin2002",
    names=("NDCG",),
    aliases=(*cut_off("ndcg_cut"), *ranx("ndcg"), *ranx("ndcg_burges", gain="exp2")),
    synonyms=_WORTH,
    linear=True,
)
def normalised_discounted_cumulative_gain(
    hits: Hits,
    *,
    k: Cutoff | None = None,
    gain: Gain | GainTable = "linear",
    discount: Discount = "log(i+1)",
    base: Base = 2,
    ideal: Literal["judged", "retrieved"] = "judged",
    rel: Level | None = None,
) -> Floats:
    """Discounted cumulative gain divided by that of the ideal ranking.

    By default the ideal ranking contains all judged documents of the query, retrieved or not (see `ideal`). With rel,
    lower grades have no gain, in the ideal ranking either.
    """
    return ratio(
        discounted_cumulative_gain(hits, k=k, gain=gain, discount=discount, base=base, rel=rel),
        ideal_discounted_cumulative_gain(hits, k=k, gain=gain, discount=discount, base=base, ideal=ideal, rel=rel),
    )


@measure("ERR", title="Expected reciprocal rank", cite="chapelle2009", unjudged_bounds=True)
def expected_reciprocal_rank(hits: Hits, *, k: Cutoff | None = None, top: Positive = 4) -> Floats:
    """Expected reciprocal of the rank at which a user scanning from the top is satisfied.

    A document of grade g satisfies with probability (2^g - 1)/2^top; grades above the top grade count as the top grade.
    """
    satisfied = (np.exp2(np.clip(hits.grade, 0, top)) - 1) / np.exp2(top)
    return hits.sum(satisfied * hits.product_above(1 - satisfied) * hits.top(k) / hits.rank)


@measure("nERR", title="Normalised expected reciprocal rank", cite="chapelle2009")
def normalised_expected_reciprocal_rank(hits: Hits, *, k: Cutoff | None = None, top: Positive = 4) -> Floats:
    """Expected reciprocal rank divided by that of the ideal ranking."""
    return ratio(expected_reciprocal_rank(hits, k=k, top=top), expected_reciprocal_rank(hits.ideal, k=k, top=top))


@measure("Q", title="Q-measure", cite="sakai2004", names=("QMeasure",))
def q_measure(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1, beta: NonNegative = 1) -> Floats:
    """Average precision with the blended ratio: (relevant documents + gain so far) / (rank + ideal gain so far)."""
    relevant = hits.relevant(rel) & hits.top(k)
    gained = hits.accumulated(np.where(relevant, hits.grade, 0))
    best = hits.ideal
    ideal = best.at_rank(best.accumulated(np.where(best.relevant(rel), best.grade, 0)), hits)
    blended = (hits.running(relevant) + beta * gained) / (hits.rank + beta * ideal)
    return ratio(hits.sum(relevant * blended), hits.n_relevant(rel))


@measure("GAP", title="Graded average precision", cite="robertson2010", linear=True)
def graded_average_precision(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Expected average precision over all relevance thresholds a user may have, each grade equally likely."""
    judged_in_top = hits.judged & hits.top(k)
    agreed = np.zeros(len(hits.grade))
    for level, step in hits.levels:
        above = judged_in_top & (hits.grade >= level[hits.unit])
        agreed += step[hits.unit] * above * hits.running(above)
    gains = np.bincount(hits.pool_unit, weights=np.maximum(hits.pool_grade, 0), minlength=len(hits))
    return ratio(hits.sum(agreed / hits.rank), gains)
