"""The first documents of a ranking."""

from __future__ import annotations

from operator import itemgetter

import numpy as np

from cranfield.engines.evaluation import Ties
from cranfield.tables.rankings import Batch


def top_documents(batch: Batch, query: int, depth: int, ties: Ties = "trec") -> list[bytes]:
    """The top documents by score; ties by name or as given, and as trec_eval breaks them where all orders count."""
    scores = batch.scores[batch.starts[query] : batch.starts[query + 1]]
    if len(scores) > depth:
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        place = np.flatnonzero(scores >= least)
    else:
        place = np.arange(len(scores))
    names = batch.names(query, place)
    ranked = list(zip(scores[place].tolist(), names, strict=True))
    if ties != "given":
        ranked.sort(key=itemgetter(1), reverse=ties != "name")
    ranked.sort(key=itemgetter(0), reverse=True)  # which leaves ties as they are
    return [name for _, name in ranked[:depth]]
