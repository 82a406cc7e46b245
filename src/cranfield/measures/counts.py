"""Counts: how much there was to evaluate."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.hits import Floats, Hits
from cranfield.measures.sets import found
from cranfield.registry import measure
from cranfield.settings import Cutoff, Level

_ANY = (0, np.inf)


@measure(
    "NumQ",
    title="Queries",
    aggregate="sum",
    bounds=_ANY,
    pools=True,
    higher_is_better=None,
    aliases=("num_q",),
    linear=True,
)
def n_queries(hits: Hits) -> Floats:
    """Number of queries evaluated."""
    return hits.size.astype(np.float64)


@measure(
    "NumRet",
    title="Documents retrieved",
    aggregate="sum",
    bounds=_ANY,
    pools=True,
    higher_is_better=None,
    aliases=("num_ret",),
    linear=True,
)
def n_retrieved(hits: Hits, *, k: Cutoff | None = None, rel: Level | None = None) -> Floats:
    """Number of documents retrieved; with rel, of those with at least that grade."""
    return hits.depth(k).astype(np.float64) if rel is None else found(hits, k, rel)


@measure(
    "NumRel",
    title="Relevant documents",
    aggregate="sum",
    bounds=_ANY,
    pools=True,
    higher_is_better=None,
    aliases=("num_rel",),
    linear=True,
)
def n_relevant(hits: Hits, *, rel: Level = 1) -> Floats:
    """Number of relevant documents, retrieved or not."""
    return hits.n_relevant(rel)


@measure(
    "NumRelRet",
    title="Relevant documents retrieved",
    aggregate="sum",
    bounds=_ANY,
    pools=True,
    aliases=("num_rel_ret", "hits", "hits@{k}", "hits-l{rel}", "hits@{k}-l{rel}"),
    linear=True,
)
def n_relevant_retrieved(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Number of relevant documents among the first k."""
    return found(hits, k, rel)


@measure(
    "NumNonrelRet",
    title="Documents retrieved that were judged not relevant",
    aggregate="sum",
    bounds=_ANY,
    pools=True,
    higher_is_better=False,
    aliases=("num_nonrel_judged_ret",),
    linear=True,
)
def n_nonrelevant_retrieved(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Number of documents among the first k that were judged not relevant."""
    return hits.count(hits.judged & ~hits.relevant(rel) & hits.top(k))


@measure(
    "NumJudged", title="Documents judged", aggregate="sum", bounds=_ANY, pools=True, higher_is_better=None, linear=True
)
def n_judged(hits: Hits) -> Floats:
    """Number of documents judged, retrieved or not."""
    return hits.n_judged()


@measure(
    "NumUnjudgedRet",
    title="Documents retrieved without a judgment",
    aggregate="sum",
    bounds=_ANY,
    pools=True,
    higher_is_better=None,
    linear=True,
)
def n_unjudged_retrieved(hits: Hits, *, k: Cutoff | None = None) -> Floats:
    """Number of documents among the first k that nobody judged."""
    return hits.depth(k) - hits.count(hits.judged & hits.top(k))
