"""Counting on this machine: batches go through a few threads, and only what is judged is kept."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, repeat
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.found import Found
from cranfield.tables.dictionaries import Dictionary
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import Batch, Part, RunSource

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
TieOrder = Literal["name descending", "name ascending", "as given"]
Precision = Literal["double", "single"]
Progress = Callable[[int], None]  # told how many bytes of the run are done


class Counted(NamedTuple):
    """What one batch adds to the count."""

    queries: list[bytes]
    unit: Ints
    n_retrieved: Ints
    place: Ints
    rank: Ints
    tie: Ints
    tied: Ints
    n_disordered: int
    n_tied: int


class Scattered(Exception):
    """A query's rows lie in several parts of the run."""


def found(
    run: RunSource,
    judged: Judgments,
    *,
    order: TieOrder = "name descending",
    precision: Precision = "double",
    progress: Progress | None = None,
) -> Found:
    """The ranks of the judged documents in a run."""
    try:
        parts = _threaded(lambda part: counted(part(), judged, order, precision), run.parts(), progress)
        counts = _distinct(parts)
    except Scattered:
        counts = [counted(run.whole(), judged, order, precision)]
    return _gathered(counts, judged)


def counted(batch: Batch, judged: Judgments, order: TieOrder, precision: Precision) -> Counted:
    """The ranks of the judged documents in a batch: for each, how many scored higher, and the order among equals."""
    scores = _rounded(batch.scores, precision)
    query, place, score = batch.judged(judged)
    score = _rounded(score, precision)
    start, end = batch.starts[:-1], batch.starts[1:]
    ranked, disordered = _descending(scores, start, end)
    higher = _count(ranked, start[query], end[query], score, inclusive=False)
    tied = _tied(ranked, start[query] + higher, end[query], score)
    rank = higher + 1
    for rows in _tied_by_query(query, tied):
        own = query[rows[0]]
        descending = np.argsort(-scores[start[own] : end[own]], kind="stable")
        among = _order_among_equals(batch, own, descending, higher[rows], tied[rows], order)
        rank[rows] += [among[name] for name in judged.documents.take(place[rows]).tolist()]
    return Counted(
        queries=batch.queries,
        unit=np.fromiter(map(judged.number.get, batch.queries, repeat(-1)), np.int64, len(batch.queries)),
        n_retrieved=end - start,
        place=place,
        rank=rank,
        tie=higher + 1,
        tied=tied,
        n_disordered=0 if isinstance(batch, Dictionary) else len(disordered),  # a dict has no ranks to contradict
        n_tied=_n_tied(ranked, start),
    )


def _rounded(scores: Floats, precision: Precision) -> Floats:
    return scores.astype(np.float32).astype(np.float64) if precision == "single" else scores


def _descending(scores: Floats, start: Ints, end: Ints) -> tuple[Floats, Ints]:
    """The scores of each query, highest first, and the queries that did not come in that order."""
    rising = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    disordered = np.unique(np.searchsorted(start, np.setdiff1d(rising, start), side="right") - 1)
    if len(disordered):
        scores = scores.copy()
    for query in disordered:
        scores[start[query] : end[query]] = np.sort(scores[start[query] : end[query]])[::-1]
    return scores, disordered


def _count(scores: Floats, low: Ints, high: Ints, value: Floats, *, inclusive: bool) -> Ints:
    """How many of the descending scores between low and high are above the value, or at least it."""
    above = np.greater_equal if inclusive else np.greater
    count = np.zeros(len(low), np.int64)
    step = 1 << int((high - low).max(initial=0)).bit_length()
    while step := step // 2:
        reached = low + count + (step - 1)
        count += step * ((reached < high) & above(scores[np.minimum(reached, len(scores) - 1)], value))
    return count


def _tied(scores: Floats, first: Ints, end: Ints, value: Floats) -> Ints:
    """How many of the descending scores from the first on have the value."""
    tied = np.ones(len(first), np.int64)
    again = np.flatnonzero((first + 1 < end) & (scores[np.minimum(first + 1, len(scores) - 1)] == value))
    tied[again] = _count(scores, first[again], end[again], value[again], inclusive=True)
    return tied


def _tied_by_query(query: Ints, tied: Ints) -> Iterator[Ints]:
    """The judged documents that stand in a tie, query by query."""
    rows = np.flatnonzero(tied > 1)
    rows = rows[np.argsort(query[rows], kind="stable")]
    return iter(np.split(rows, np.flatnonzero(np.diff(query[rows])) + 1)) if len(rows) else iter(())


def _order_among_equals(
    batch: Batch, query: int, descending: Ints, higher: Ints, tied: Ints, order: TieOrder
) -> dict[bytes, int]:
    """How many of its equals come before each document of a query that is tied with a judged one."""
    first, one = np.unique(higher, return_index=True)
    size = tied[one]
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    group = np.repeat(first, size)
    names = batch.names(query, descending[group + within])
    if order != "as given":
        names = [name for _, name in sorted(zip(group.tolist(), names, strict=True))]
    if order == "name descending":
        within = np.repeat(size, size) - 1 - within
    return dict(zip(names, within.tolist(), strict=True))


def _n_tied(scores: Floats, start: Ints) -> int:
    equal = np.setdiff1d(np.flatnonzero(scores[1:] == scores[:-1]) + 1, start)
    return len(np.unique(np.searchsorted(start, equal, side="right")))


def _threaded(count: Callable[[Part], Counted], parts: Iterable[Part], progress: Progress | None) -> Iterator[Counted]:
    """The counts of the parts in order, with one part in hand for each thread and no more in memory."""
    workers = min(4, os.cpu_count() or 1)
    waiting: deque[tuple[Part, Future[Counted]]] = deque()
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        try:
            for part in chain(parts, [None] * workers):  # past the last part, wait for those in hand
                if part is not None:
                    waiting.append((part, pool.submit(count, part)))
                if waiting and (part is None or len(waiting) > workers):
                    first, future = waiting.popleft()
                    yield future.result()
                    done += first.size
                    if progress is not None:
                        progress(done)
        finally:
            for _, future in waiting:
                future.cancel()


def _distinct(counts: Iterable[Counted]) -> list[Counted]:
    seen: set[bytes] = set()
    kept = []
    for count in counts:
        if not seen.isdisjoint(count.queries):
            raise Scattered
        seen.update(count.queries)
        kept.append(count)
    return kept


def _gathered(counts: list[Counted], judged: Judgments) -> Found:
    n_queries, n_documents = len(judged.queries), len(judged.documents)
    n_retrieved, answered = np.zeros(n_queries, np.int64), np.zeros(n_queries, np.bool_)
    rank, tie, tied = (np.zeros(n_documents, np.int64) for _ in range(3))
    for count in counts:
        known = count.unit >= 0
        n_retrieved[count.unit[known]] = count.n_retrieved[known]
        answered[count.unit[known]] = True
        rank[count.place], tie[count.place], tied[count.place] = count.rank, count.tie, count.tied
    return Found(
        n_retrieved=n_retrieved,
        rank=rank,
        tie=tie,
        tied=tied,
        answered=answered,
        n_unjudged_queries=sum(int((count.unit < 0).sum()) for count in counts),
        n_disordered_queries=sum(count.n_disordered for count in counts),
        n_tied_queries=sum(count.n_tied for count in counts),
    )
