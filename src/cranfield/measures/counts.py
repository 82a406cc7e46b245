"""Counts of queries, documents and judgments."""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.hits import Hits
from cranfield.measures.declaration import ranx
from cranfield.measures.registry import measure
from cranfield.measures.sets import relevant_in_top
from cranfield.settings import Cutoff, Level

_ANY = (0, np.inf)
_count = partial(measure, aggregate="sum", bounds=_ANY, pools=True, linear=True)


@_count("NumQ", title="Queries", higher_is_better=None, aliases=("num_q",))
def n_queries(hits: Hits) -> Floats:
    """Number of queries evaluated."""
    return hits.size.astype(np.float64)


@_count("NumRet", title="Documents retrieved", higher_is_better=None, aliases=("num_ret",))
def n_retrieved(hits: Hits, *, k: Cutoff | None = None, rel: Level | None = None) -> Floats:
    """Number of documents retrieved; with rel, only those with at least that grade."""
    return hits.depth(k).astype(np.float64) if rel is None else relevant_in_top(hits, k, rel)


@_count("NumRel", title="Relevant documents", higher_is_better=None, aliases=("num_rel",))
def n_relevant(hits: Hits, *, rel: Level = 1) -> Floats:
    """Number of relevant documents, retrieved or not."""
    return hits.n_relevant(rel)


@_count("NumRelRet", title="Relevant documents retrieved", aliases=("num_rel_ret",), unjudged_bounds=True)
def n_relevant_retrieved(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Number of relevant documents among the first k."""
    return relevant_in_top(hits, k, rel)


@measure(
    "Hits",
    title="Relevant documents retrieved, per query",
    bounds=_ANY,
    aliases=ranx("hits"),
    linear=True,
    unjudged_bounds=True,
)
def hits_per_query(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Number of relevant documents among the first k, averaged over queries.

    This is ranx's hits; NumRelRet, like trec_eval's num_rel_ret, is the sum over queries. The Hits@k of papers on
    knowledge graphs, 1 if any of the first k is relevant, is Success@k.
    """
    return relevant_in_top(hits, k, rel)


@_count(
    "NumNonrelRet",
    title="Documents retrieved that were judged not relevant",
    higher_is_better=False,
    aliases=("num_nonrel_judged_ret",),
)
def n_nonrelevant_retrieved(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Number of documents among the first k that were judged not relevant."""
    return hits.count(hits.judged & ~hits.relevant(rel) & hits.top(k))


@_count("NumJudged", title="Documents judged", higher_is_better=None)
def n_judged(hits: Hits) -> Floats:
    """Number of documents judged, retrieved or not."""
    return hits.n_judged()


@_count("NumUnjudgedRet", title="Documents retrieved without a judgment", higher_is_better=None)
def n_unjudged_retrieved(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Number of unjudged documents among the first k."""
    return hits.depth(k) - hits.count(hits.judged & hits.top(k))
