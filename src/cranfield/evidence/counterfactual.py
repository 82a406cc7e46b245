"""Counterfactual hits: with other judgments, with ties in another order, for a subset of the queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.arithmetic import changes
from cranfield.evidence.hits import TOGETHER, Hits
from cranfield.tables.names import Names


def filled(hits: Hits, grade: float, k: int | None = None) -> Hits:
    """The hits if every unjudged document among the first k had this grade."""
    depth, top = hits.depth(k), hits.top(k)
    start = np.cumsum(depth) - depth
    known, open_ = top & hits.judged, top & ~hits.judged
    unit = np.repeat(np.arange(len(hits)), depth)
    rank = np.arange(len(unit)) - start[unit] + 1
    grades = np.full(len(unit), float(grade))
    grades[start[hits.unit[known]] + hits.rank[known] - 1] = hits.grade[known]
    added = np.repeat(np.arange(len(hits)), depth - hits.count(known).astype(np.int64))
    still_open = ~_last_of_pool(hits, hits.count(open_))  # a pooled document that gets a grade is no longer unjudged
    pool_unit = np.concatenate([hits.pool_unit[still_open], added])
    pool_grade = np.concatenate([hits.pool_grade[still_open], np.full(len(added), float(grade))])
    tie_start, tie_size = _ties_of(hits, start, depth, rank)
    rows = np.lexsort((np.concatenate([rank, hits.rank[~top]]), np.concatenate([unit, hits.unit[~top]])))
    pool = np.lexsort((-pool_grade, pool_unit))
    return replace(
        hits,
        unit=np.concatenate([unit, hits.unit[~top]])[rows],
        rank=np.concatenate([rank, hits.rank[~top]])[rows],
        grade=np.concatenate([grades, hits.grade[~top]])[rows],
        tie_start=np.concatenate([tie_start, hits.tie_start[~top]])[rows],
        tie_size=np.concatenate([tie_size, hits.tie_size[~top]])[rows],
        pool_unit=pool_unit[pool],
        pool_grade=pool_grade[pool],
    )


def with_missed(hits: Hits, n: Ints, grade: float) -> Hits:
    """The hits if each query had n more documents of this grade, none of which was retrieved."""
    added = np.repeat(np.arange(len(hits)), n)
    pool_unit, pool_grade = np.append(hits.pool_unit, added), np.append(hits.pool_grade, np.full(len(added), grade))
    order = np.lexsort((-pool_grade, pool_unit))
    return replace(hits, pool_unit=pool_unit[order], pool_grade=pool_grade[order])


def _last_of_pool(hits: Hits, n: Floats) -> Mask:
    """Which documents are the last n, those with the lowest grades, in the pool of their query."""
    end = np.searchsorted(hits.pool_unit, hits.pool_unit, side="right")
    return end - np.arange(len(end)) <= n[hits.pool_unit]


def _ties_of(hits: Hits, start: Ints, depth: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """The tie group of every rank down to a depth; the ranks of each query begin at `start`."""
    tie_start, tie_size = rank.copy(), np.ones_like(rank)
    group = np.flatnonzero(changes(hits.unit, hits.tie_start))
    group = group[hits.tie_start[group] <= depth[hits.unit[group]]]
    size = np.minimum(hits.tie_size[group], depth[hits.unit[group]] - hits.tie_start[group] + 1)
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    rows = np.repeat(start[hits.unit[group]] + hits.tie_start[group] - 1, size) + within
    tie_start[rows], tie_size[rows] = np.repeat(hits.tie_start[group], size), np.repeat(hits.tie_size[group], size)
    return tie_start, tie_size


def reordered(hits: Hits, *, best: bool) -> Hits:
    """The hits with tied documents in the order that is best, or worst, for the run."""
    order = np.arange(len(hits.unit))
    same = ~changes(hits.unit, hits.tie_start)
    rows = np.flatnonzero(same | np.append(same[1:], False))  # hits that share a score with another one
    grade = -hits.grade[rows] if best else hits.grade[rows]
    order[rows] = rows[np.lexsort((grade, hits.tie_start[rows], hits.unit[rows]))]
    unit, tie_start, tie_size, grade = hits.unit[order], hits.tie_start[order], hits.tie_size[order], hits.grade[order]
    group = np.flatnonzero(changes(unit, tie_start))
    size = np.diff(np.append(group, len(unit)))
    place = np.arange(len(unit)) - np.repeat(group, size)
    rank = tie_start + place if best else tie_start + tie_size - np.repeat(size, size) + place
    return replace(hits.ranked_anew(unit, rank, grade, hits.n_retrieved), tie_start=tie_start, tie_size=tie_size)


def only(hits: Hits, chosen: Mask) -> Hits:
    """The hits of the chosen queries."""
    place = np.cumsum(chosen) - 1
    rows, pool = np.flatnonzero(chosen[hits.unit]), np.flatnonzero(chosen[hits.pool_unit])
    return _selected(hits, np.flatnonzero(chosen), rows, pool, place[hits.unit[rows]], place[hits.pool_unit[pool]])


def parts(hits: Hits, size: int = TOGETHER) -> Iterator[Hits]:
    """The hits of this many queries at a time, so that computations on them need little memory."""
    if len(hits) <= size:
        yield hits
        return
    starts = np.append(np.arange(0, len(hits), size), len(hits))
    edges = [np.searchsorted(unit, starts.astype(unit.dtype)) for unit in (hits.unit, hits.pool_unit)]
    for n, first in enumerate(starts[:-1]):
        queries = np.arange(first, starts[n + 1])
        rows, pool = (slice(*edge[n : n + 2]) for edge in edges)
        yield _selected(hits, queries, rows, pool, hits.unit[rows] - first, hits.pool_unit[pool] - first).widened()


def _selected(hits: Hits, queries: Ints, rows: Ints | slice, pool: Ints | slice, unit: Ints, pool_unit: Ints) -> Hits:
    """The hits of some queries, given their rows and the new numbers of the queries of these rows."""
    names = hits.queries
    return replace(
        hits,
        queries=names.take(queries) if isinstance(names, Names) else tuple(names[query] for query in queries),
        n_retrieved=hits.n_retrieved[queries],
        unit=unit,
        rank=hits.rank[rows],
        grade=hits.grade[rows],
        pool_unit=pool_unit,
        pool_grade=hits.pool_grade[pool],
        tie_start=hits.tie_start[rows],
        tie_size=hits.tie_size[rows],
        size=hits.size[queries],
    )


def from_the_bottom(hits: Hits) -> Hits:
    """The hits if every ranking were reversed."""
    order = np.lexsort((-hits.rank, hits.unit))
    unit = hits.unit[order]
    return hits.ranked_anew(unit, hits.n_retrieved[unit] + 1 - hits.rank[order], hits.grade[order], hits.n_retrieved)
