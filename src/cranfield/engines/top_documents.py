"""The first documents of a ranking."""

from __future__ import annotations

from operator import itemgetter

import numpy as np

from cranfield.engines.protocol import Ties
from cranfield.tables.rankings import Batch


def top_documents(batch: Batch, query: int, depth: int, ties: Ties = "trec") -> list[bytes]:
    """The top documents by score; ties by name or as given; if ties are averaged over all orders, as in trec_eval."""
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
    ranked.sort(key=itemgetter(0), reverse=True)  # stable: keeps the order of ties
    return [name for _, name in ranked[:depth]]
