"""Which of several tied documents comes first; the native engine decides the same in C (native/orders.c).

Decided here: which of two tied documents comes first, unless ties are averaged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter

import numpy as np

from cranfield.arrays import Ints
from cranfield.engines.protocol import TieOrder, Ties
from cranfield.tables.rankings import Batch

_NAMES = 1 << 16  # tied documents whose names are held in memory at once
_ORDER: dict[Ties, TieOrder] = {"name": "name ascending", "given": "as given"}


def order_of(ties: Ties) -> TieOrder:
    """The order in which tied documents are counted; that of trec_eval if the setting needs all orders."""
    return _ORDER.get(ties, "name descending")


def tied_by_query(query: Ints, tie_size: Ints) -> Iterator[Ints]:
    """The judged documents that are tied, by query."""
    rows = np.flatnonzero(tie_size > 1)
    rows = rows[np.argsort(query[rows], kind="stable")]
    return iter(np.split(rows, np.flatnonzero(np.diff(query[rows])) + 1)) if len(rows) else iter(())


def preceding(
    documents: list[bytes], batch: Batch, query: int, descending: Ints, higher: Ints, tie_size: Ints, order: TieOrder
) -> Ints:
    """The number of documents with the same score that precede each of these documents."""
    first, row_of_group, group = np.unique(higher, return_index=True, return_inverse=True)
    size = tie_size[row_of_group]
    end = np.cumsum(size)
    pairs = list(zip(group.tolist(), documents, strict=True))
    before = np.zeros(len(pairs), np.int64)
    for start in range(0, int(end[-1]), _NAMES):  # all documents of a long ranking may be tied
        row = np.arange(start, min(start + _NAMES, int(end[-1])))
        of = np.searchsorted(end, row, side="right")
        names = batch.names(query, descending[first[of] + row - (end - size)[of]])
        tied = list(zip(of.tolist(), names, strict=True))
        if order == "as given":
            place = {pair: start + at for at, pair in enumerate(tied)}
            before += [place.get(pair, 0) for pair in pairs]
        else:
            tied.sort()
            before += [bisect_left(tied, pair) for pair in pairs]
    before -= (end - size)[group]  # groups of higher scores
    return tie_size - 1 - before if order == "name descending" else before


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
