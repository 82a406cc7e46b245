"""Counting on this machine: a few threads process batches and keep only judged documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.engines.protocol import Precision, Progress, TieOrder
from cranfield.engines.tie_breaking import preceding, tied_by_query
from cranfield.errors import BadInput
from cranfield.evidence.judged_ranks import DOCUMENTS, LONGEST, SAMPLED, STRANGERS, JudgedRanks
from cranfield.tables.adapters.dictionaries import Dictionary, RunDictionary
from cranfield.tables.judgments import MOST_GRADES, Judgments
from cranfield.tables.names import Hashes
from cranfield.tables.numbers import merged
from cranfield.tables.rankings import Batch, Part, RunSource
from cranfield.tables.threads import Result, in_threads, one_by_one

NAME = "local"

_SMALL = 4 << 20  # bytes of a run that fits in about one part and needs no threads


Whole = NDArray[np.integer[Any]]  # of any size


class Counted(NamedTuple):
    """The counts of one batch."""

    unit: Whole
    unjudged: Hashes  # of the queries
    n_retrieved: Whole
    place: Whole
    rank: Whole
    tie_start: Whole
    tie_size: Whole
    n_disordered: int
    n_tied: int
    n_merged: int
    strangers: list[bytes]  # some unjudged queries
    sample: list[tuple[int, list[bytes]]]  # some judged queries, and documents retrieved for them
    graded: bool


class Scattered(Exception):
    """The rows of a query are in several parts of the run."""


def judged_ranks(
    run: RunSource,
    judged: Judgments,
    *,
    order: TieOrder = "name descending",
    precision: Precision = "double",
    progress: Progress | None = None,
) -> JudgedRanks:
    """The ranks of the judged documents in a run."""
    try:
        return together(each_part(lambda part: counted(part(), judged, order, precision), run, progress), judged)
    except Scattered:
        return together([counted(run.whole(), judged, order, precision)], judged)


def each_part(count: Callable[[Part], Result], run: RunSource, progress: Progress | None) -> Iterator[Result]:
    """The function applied to each part of a run, in order; in threads unless the run is small or a dict."""
    done = 0
    alone = isinstance(run, RunDictionary) or (run.size is not None and run.size < _SMALL)
    for part, result in (one_by_one if alone else in_threads)(count, run.parts()):
        yield result
        done += part.size
        if progress is not None:
            progress(done)


def counted(batch: Batch, judged: Judgments, order: TieOrder, precision: Precision) -> Counted:
    """The ranks of the judged documents in a batch: for each, the number of higher scores, and its order among ties."""
    scores = rounded(batch.scores, precision)
    unit = judged.units(batch.queries)
    query, place, score = batch.judged(judged, unit)
    score = rounded(score, precision)
    start, end = batch.starts[:-1], batch.starts[1:]
    ranked, disordered = _descending(scores, start, end)
    higher = _count(ranked, start[query], end[query], score, inclusive=False)
    tie_size = _tied(ranked, start[query] + higher, end[query], score)
    rank = higher + 1
    for rows in tied_by_query(query, tie_size):
        first_query = query[rows[0]]
        descending = np.argsort(-scores[start[first_query] : end[first_query]], kind="stable")
        documents = judged.documents.take(place[rows]).tolist()
        rank[rows] += preceding(documents, batch, first_query, descending, higher[rows], tie_size[rows], order)
    return Counted(
        unit=unit,
        unjudged=batch.queries.hash[unit < 0],
        n_retrieved=end - start,
        place=place,
        rank=rank,
        tie_start=higher + 1,
        tie_size=tie_size,
        n_disordered=0 if isinstance(batch, Dictionary) else len(disordered),  # a dict has no rank column
        n_tied=_n_tied(ranked, start),
        n_merged=_n_merged(batch),
        strangers=batch.queries.take(np.flatnonzero(unit < 0)[:STRANGERS]).tolist(),
        sample=_sample(batch, unit),
        graded=judged.odd_grade is not None and _like_grades(scores, judged.odd_grade),
    )


def _sample(batch: Batch, unit: Ints) -> list[tuple[int, list[bytes]]]:
    """Some retrieved documents of some judged queries."""
    size = np.minimum(np.diff(batch.starts), DOCUMENTS)
    some = np.flatnonzero((unit >= 0) & (size > 0))[:SAMPLED].tolist()
    return [(int(unit[query]), batch.names(query, np.arange(size[query]))) for query in some]


def _like_grades(scores: Floats, odd: float) -> bool:
    """Whether the scores look like grades: few distinct integers, none larger than plausible grades."""
    small = odd != np.rint(odd) or np.abs(scores).max(initial=0) <= MOST_GRADES
    if not (small and (scores == np.rint(scores)).all()):
        return False
    return len(np.unique(scores, return_counts=True)[0]) <= MOST_GRADES


def rounded(scores: Floats, precision: Precision) -> Floats:
    """The scores in this precision."""
    if precision == "double":
        return scores
    with np.errstate(over="ignore"):  # overflows to infinity in 32 bits
        return scores.astype(np.float32).astype(np.float64)


def _descending(scores: Floats, start: Ints, end: Ints) -> tuple[Floats, Ints]:
    """The scores of each query, highest first, and the queries that were not sorted that way."""
    disordered = _queries_with(scores[1:] > scores[:-1], start)
    if len(disordered):
        scores = scores.copy()
    for query in disordered:
        scores[start[query] : end[query]] = np.sort(scores[start[query] : end[query]])[::-1]
    return scores, disordered


def _count(scores: Floats, low: Ints, high: Ints, value: Floats, *, inclusive: bool) -> Ints:
    """The number of descending scores between low and high that exceed the value, or that are at least equal to it."""
    above = np.greater_equal if inclusive else np.greater
    count = np.zeros(len(low), np.int64)
    step = 1 << int((high - low).max(initial=0)).bit_length()
    while step := step // 2:
        reached = low + count + (step - 1)
        count += step * ((reached < high) & above(scores[np.minimum(reached, len(scores) - 1)], value))
    return count


def _tied(scores: Floats, first: Ints, end: Ints, value: Floats) -> Ints:
    """The number of descending scores, from the first, that equal the value."""
    tie_size = np.ones(len(first), np.int64)
    again = np.flatnonzero((first + 1 < end) & (scores[np.minimum(first + 1, len(scores) - 1)] == value))
    tie_size[again] = _count(scores, first[again], end[again], value[again], inclusive=True)
    return tie_size


def _n_tied(scores: Floats, start: Ints) -> int:
    return len(_queries_with(scores[1:] == scores[:-1], start))


def _n_merged(batch: Batch) -> int:
    """The number of queries with distinct integer scores that are equal as floating-point numbers."""
    written = batch.written
    if written is None:
        return 0
    ranges = zip(batch.starts[:-1].tolist(), batch.starts[1:].tolist(), strict=True)
    return sum(merged(written[start:end], batch.scores[start:end]) is not None for start, end in ranges)


def _queries_with(neighbours: Mask, start: Ints) -> Ints:
    """The queries with a masked pair of adjacent rows; the mask has one entry per row but the first."""
    within = neighbours.copy()
    within[start[(start > 0) & (start <= len(within))] - 1] = False  # a query's first row and the last of another
    query = np.searchsorted(start, np.flatnonzero(within) + 1, side="right") - 1
    return query[np.diff(query, prepend=-1) > 0]


def _zeros(n: int) -> Ints:
    """A column of 32-bit numbers: half the memory, and enough for any rank."""
    return np.zeros(n, np.int32)


def together(counts: Iterable[Counted], judged: Judgments) -> JudgedRanks:
    """The counts of all batches, which must not share a query."""
    n_queries, n_documents = len(judged.queries), len(judged.documents)
    n_retrieved, answered = _zeros(n_queries), np.zeros(n_queries, np.bool_)
    rank = tie_start = _zeros(n_documents)  # one column for both, unless documents are tied
    tie_size = None
    unjudged, n_disordered, n_tied, n_merged = [], 0, 0, 0
    strangers: list[bytes] = []
    sample: list[tuple[int, list[bytes]]] = []
    graded = True
    for count in counts:
        known = slice(None) if (count.unit >= 0).all() else count.unit >= 0
        unit = count.unit[known]
        if answered[unit].any():
            raise Scattered
        if count.n_retrieved.max(initial=0) > LONGEST:
            raise BadInput(f"a ranking of more than {LONGEST:,} documents cannot be evaluated")
        n_retrieved[unit], answered[unit] = count.n_retrieved[known], True
        if tie_size is None and (count.tie_size > 1).any():
            tie_start, tie_size = rank.copy(), np.minimum(rank, 1)
        place = count.place.astype(np.intp)  # once, for all columns
        rank[place] = count.rank
        if tie_size is not None:
            tie_start[place], tie_size[place] = count.tie_start, count.tie_size
        unjudged.append(count.unjudged)
        n_disordered += count.n_disordered
        n_tied += count.n_tied
        n_merged += count.n_merged
        strangers += count.strangers[: STRANGERS - len(strangers)]
        sample += count.sample[: SAMPLED - len(sample)]
        graded &= count.graded
    n_unjudged = sum(map(len, unjudged))
    if len(unjudged) > 1 and len(np.unique(np.concatenate(unjudged), return_counts=True)[0]) < n_unjudged:
        raise Scattered
    if tie_size is None:
        tie_size = np.broadcast_to(np.int64(1), n_documents) if rank.all() else np.minimum(rank, 1)
    seen = tuple(sorted(strangers)), tuple(sample), graded  # names in one order, however the run was read
    return JudgedRanks(
        n_retrieved, rank, tie_start, tie_size, answered, n_unjudged, n_disordered, n_tied, n_merged, *seen
    )
