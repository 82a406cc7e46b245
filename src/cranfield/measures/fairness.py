"""Fairness of exposure: does the attention that documents or groups get fit a target?"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import by_unit, changes, ratio
from cranfield.evidence.hits import Hits
from cranfield.evidence.ranked_items import RankedItems
from cranfield.measures.registry import measure
from cranfield.settings import Cutoff, Level, Persistence

Target = Literal["catalogue", "uniform", "relevant"]
Divergence = Literal["js", "js-nats", "tv"]


@measure(
    "AWRF",
    title="Attention-weighted rank fairness",
    cite="sapiezynski2019",
    undefined="no ranked document has a group, or the target is 'relevant' and no relevant document has one",
)
def rank_fairness(
    ranked: RankedItems,
    *,
    k: Cutoff | None = None,
    p: Persistence | None = None,
    target: Target = "catalogue",
    divergence: Divergence = "js",
    rel: Level = 1,
) -> Floats:
    """1 minus the divergence of the groups' proportions of attention from the target: 1 if they are the same.

    The attention of a rank is 1 / log2(max(rank, 2)) or, with `p`, decreases by this factor from rank to rank. The
    target is the proportion of each group in the table of items ('catalogue'), the same for all groups ('uniform'), or
    its proportion of the relevant documents of the query ('relevant'). The divergence is Jensen and Shannon's in bits
    ('js'), in nats as in the TREC Fair Ranking Track 2021 ('js-nats'), or the total variation distance ('tv').
    Documents without a group are left out.
    """
    rank = ranked.rank.astype(np.float64)
    attention: Floats = 1 / np.log2(np.maximum(rank, 2)) if p is None else p ** (rank - 1)
    exposure = _proportions(ranked.by_group(attention, ranked.top(k)))
    return 1 - _diverging(exposure, _target(ranked, target, rel), divergence)


def _target(ranked: RankedItems, target: Target, rel: float) -> Floats:
    """The target proportion of each group, by unit."""
    if target == "relevant":
        return _proportions(ranked.relevant_by_group(rel))
    n_groups = len(ranked.items.groups)
    group = ranked.items.group
    size = np.ones(n_groups) if target == "uniform" else np.bincount(group[group >= 0], minlength=n_groups)
    return np.broadcast_to(ratio(size, size.sum()), (len(ranked), n_groups))


def _proportions(table: Floats) -> Floats:
    """Each row divided by its sum."""
    return ratio(table, table.sum(axis=1, keepdims=True))


def _diverging(one: Floats, other: Floats, divergence: Divergence) -> Floats:
    """The divergence of the distributions in each row."""
    if divergence == "tv":
        return np.abs(one - other).sum(axis=1) / 2
    middle = (one + other) / 2
    nats = (_relative_entropy(one, middle) + _relative_entropy(other, middle)) / 2
    return nats if divergence == "js-nats" else nats / np.log(2)


def _relative_entropy(one: Floats, other: Floats) -> Floats:
    """Kullback and Leibler's divergence of the distributions in each row; 0 log 0 is 0."""
    positive = one > 0
    log_ratio = np.log(np.where(positive, one, 1) / np.where(positive, other, 1))
    return np.where(np.isnan(one), np.nan, one * log_ratio).sum(axis=1)


@measure("EE_L", title="Expected exposure loss", cite="diaz2020", bounds=(0, np.inf), higher_is_better=False)
def exposure_loss(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1, p: Persistence = 0.5) -> Floats:
    """Squared distance between the exposure of the documents and the target, in which equal grades are equally exposed.

    The exposure of a rank decreases by the factor p from rank to rank. The target is the mean exposure of each document
    over all orders of an ideal ranking of the relevant documents; with rel=0, of all judged documents. It is EE_D minus
    twice EE_R plus the squared target. A run has one ranking per query, so a tie of grades cannot be exposed equally.
    """
    unit, _, target = _targets(hits, rel, p)
    disparity, relevance = exposure_disparity(hits, k=k, p=p), exposure_relevance(hits, k=k, rel=rel, p=p)
    return disparity - 2 * relevance + by_unit(unit, target**2, len(hits))


@measure("EE_D", title="Expected exposure disparity", cite="diaz2020", bounds=(0, np.inf), higher_is_better=None)
def exposure_disparity(hits: Hits, *, k: Cutoff | None = None, p: Persistence = 0.5) -> Floats:
    """Sum of the squared exposures of the ranked documents.

    With one ranking per query it depends only on the length of the ranking.
    """
    return np.asarray((1 - p ** (2.0 * hits.depth(k))) / (1 - p**2), np.float64)


@measure("EE_R", title="Expected exposure relevance", cite="diaz2020", bounds=(0, np.inf))
def exposure_relevance(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1, p: Persistence = 0.5) -> Floats:
    """Sum over the ranked documents of the exposure times the target exposure, as in EE_L."""
    unit, grade, target = _targets(hits, rel, p)
    counted = hits.top(k) & hits.relevant(max(rel, 0))
    level = _level(unit, grade, hits.unit[counted], hits.grade[counted])
    value = np.zeros(len(counted))
    value[counted] = p ** (hits.rank[counted] - 1.0) * target[level]
    return hits.sum(value)


def _targets(hits: Hits, rel: float, p: float) -> tuple[Ints, Floats, Floats]:
    """The query, grade and target exposure of each relevant document, best grade first within the query."""
    relevant = hits.pool_grade >= max(rel, 0)  # negative grades are not judged
    unit, grade = hits.pool_unit[relevant], hits.pool_grade[relevant]
    group = np.cumsum(changes(unit, grade)) - 1
    start = np.searchsorted(group, group)
    above = start - np.searchsorted(unit, unit)
    size = np.bincount(group)[group]
    return unit, grade, (p ** (above * 1.0) - p ** (above + size * 1.0)) / (size * (1 - p))


def _level(unit: Ints, grade: Floats, of_unit: Ints, of_grade: Floats) -> Ints:
    """The first of the documents by query and grade that has the same query and grade as each of the others."""
    known = np.unique(grade)
    key = unit * len(known) - np.searchsorted(known, grade)
    return np.searchsorted(key, of_unit * len(known) - np.searchsorted(known, of_grade))
