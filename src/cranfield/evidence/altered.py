"""Hits as they would be: with other judgments, with ties in another order, for fewer queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield.evidence.hits import Floats, Hits, Ints, Mask, stretches


def filled(hits: Hits, grade: float, k: int | None = None) -> Hits:
    """The hits as they would be had every unjudged document among the first k been judged to have this grade."""
    depth, top = hits.depth(k), hits.top(k)
    start = np.cumsum(depth) - depth
    known, open_ = top & hits.judged, top & ~hits.judged
    unit = np.repeat(np.arange(len(hits)), depth)
    rank = np.arange(len(unit)) - start[unit] + 1
    grades = np.full(len(unit), float(grade))
    grades[start[hits.unit[known]] + hits.rank[known] - 1] = hits.grade[known]
    added = np.repeat(np.arange(len(hits)), depth - hits.count(known).astype(np.int64))
    kept = ~_last_of_pool(hits, hits.count(open_))  # a document that gets a grade is no longer without
    pool_unit = np.concatenate([hits.pool_unit[kept], added])
    pool_grade = np.concatenate([hits.pool_grade[kept], np.full(len(added), float(grade))])
    tie, tied = _ties_of(hits, start, depth, rank)
    rows = np.lexsort((np.concatenate([rank, hits.rank[~top]]), np.concatenate([unit, hits.unit[~top]])))
    pool = np.lexsort((-pool_grade, pool_unit))
    return replace(
        hits,
        unit=np.concatenate([unit, hits.unit[~top]])[rows],
        rank=np.concatenate([rank, hits.rank[~top]])[rows],
        grade=np.concatenate([grades, hits.grade[~top]])[rows],
        tie=np.concatenate([tie, hits.tie[~top]])[rows],
        tied=np.concatenate([tied, hits.tied[~top]])[rows],
        pool_unit=pool_unit[pool],
        pool_grade=pool_grade[pool],
    )


def _last_of_pool(hits: Hits, n: Floats) -> Mask:
    """Which documents are the last n of their query's pool: the lowest grades."""
    end = np.searchsorted(hits.pool_unit, hits.pool_unit, side="right")
    return end - np.arange(len(end)) <= n[hits.pool_unit]


def _ties_of(hits: Hits, start: Ints, depth: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """The groups of tied documents for every rank down to a depth, the ranks of each query beginning at start."""
    tie, tied = rank.copy(), np.ones_like(rank)
    group = np.flatnonzero(np.diff(stretches(hits.unit, hits.tie), prepend=-1))
    group = group[(hits.tied[group] > 1) & (hits.tie[group] <= depth[hits.unit[group]])]
    size = np.minimum(hits.tied[group], depth[hits.unit[group]] - hits.tie[group] + 1)
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    rows = np.repeat(start[hits.unit[group]] + hits.tie[group] - 1, size) + within
    tie[rows], tied[rows] = np.repeat(hits.tie[group], size), np.repeat(hits.tied[group], size)
    return tie, tied


def reordered(hits: Hits, *, best: bool) -> Hits:
    """The hits with each group of tied documents in the order that is best, or worst, for the run."""
    order = np.lexsort((-hits.grade if best else hits.grade, hits.tie, hits.unit))
    unit, tie, tied, grade = hits.unit[order], hits.tie[order], hits.tied[order], hits.grade[order]
    group = np.flatnonzero(np.concatenate([[True], (np.diff(unit) != 0) | (np.diff(tie) != 0)])[: len(unit)])
    size = np.diff(np.append(group, len(unit)))
    place = np.arange(len(unit)) - np.repeat(group, size)
    rank = tie + place if best else tie + tied - np.repeat(size, size) + place
    return replace(hits.ranked_anew(unit, rank, grade, hits.n_retrieved), tie=tie, tied=tied)


def only(hits: Hits, chosen: Mask) -> Hits:
    """The hits of the chosen queries."""
    place = np.cumsum(chosen) - 1
    rows, pool = chosen[hits.unit], chosen[hits.pool_unit]
    return Hits(
        queries=tuple(hits.queries[query] for query in np.flatnonzero(chosen)),
        n_retrieved=hits.n_retrieved[chosen],
        unit=place[hits.unit[rows]],
        rank=hits.rank[rows],
        grade=hits.grade[rows],
        pool_unit=place[hits.pool_unit[pool]],
        pool_grade=hits.pool_grade[pool],
        tie=hits.tie[rows],
        tied=hits.tied[rows],
        size=hits.size[chosen],
    )
