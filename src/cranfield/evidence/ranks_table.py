"""Judged ranks as an Arrow table, keyed by query and document, to travel between processes and machines."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.judgments import Judgments, paired
from cranfield.tables.names import Names, decode, encode

_COUNTS = ("n_unjudged_queries", "n_disordered_queries", "n_tied_queries", "n_merged_queries", "graded")
_RANKS = ("rank", "tie_start", "tie_size")
_ABOUT = b"cranfield.judged_ranks"  # key of the rows that are not about a single query


def ranks_table(ranks: JudgedRanks, judged: Judgments) -> pa.Table:
    """One row per retrieved judged document, and one without a document per query, with the size of its ranking."""
    unit, place = np.flatnonzero(ranks.answered), np.flatnonzero(ranks.rank)
    of_query, of_document = np.arange(len(unit) + len(place)) < len(unit), np.concatenate([unit * 0, place])
    queries = judged.queries.take(np.concatenate([unit, judged.document_unit[place]])).tolist()
    columns = {
        "query": pa.array(queries, pa.binary()),
        "document": pa.array([*[None] * len(unit), *judged.documents.take(place).tolist()], pa.binary()),
        "n_retrieved": pa.array(np.concatenate([ranks.n_retrieved[unit], place * 0]), pa.int64(), mask=~of_query),
    } | {name: pa.array(getattr(ranks, name)[of_document], pa.int64(), mask=of_query) for name in _RANKS}
    return pa.table(columns).replace_schema_metadata({_ABOUT: json.dumps(_about(ranks, judged))})


def ranks_from(table: pa.Table, judged: Judgments) -> JudgedRanks:
    """The judged ranks in a table, for the same judgments in any order."""
    try:
        about = json.loads((table.schema.metadata or {})[_ABOUT])
    except KeyError:
        raise BadInput("this table does not contain judged ranks") from None
    queries = Names.from_arrow(table["query"])
    unit, of_query = judged.units(queries), table["document"].is_null().to_numpy()
    place = _places(judged, queries, Names.from_arrow(table["document"].fill_null(b"")))
    if (unit < 0).any() or (place[~of_query] < 0).any():
        row = int(np.argmax((unit < 0) | (~of_query & (place < 0))))
        raise BadInput(f"row {row} (counting from 0): query {decode(queries[row])!r} or its document is not judged")
    n_retrieved, answered = np.zeros(len(judged.queries), np.int64), np.zeros(len(judged.queries), np.bool_)
    n_retrieved[unit[of_query]] = table["n_retrieved"].fill_null(0).to_numpy()[of_query]
    answered[unit[of_query]] = True
    rank, tie_start, tie_size = (np.zeros(len(judged.documents), np.int64) for _ in _RANKS)
    for name, column in zip(_RANKS, (rank, tie_start, tie_size), strict=True):
        column[place[~of_query]] = table[name].fill_null(0).to_numpy()[~of_query]
    sample = [(judged.units(Names.of([query]))[0].item(), list(map(encode, seen))) for query, seen in about["sample"]]
    return JudgedRanks(
        n_retrieved,
        rank,
        tie_start,
        tie_size,
        answered,
        strangers=tuple(map(encode, about["strangers"])),
        sample=tuple(sample),
        **{name: about[name] for name in _COUNTS},
    )


def _about(ranks: JudgedRanks, judged: Judgments) -> dict[str, Any]:
    """The counts over all queries, and the names kept for inspection."""
    sample = [(decode(judged.queries[unit]), list(map(decode, seen))) for unit, seen in ranks.sample]
    return {name: getattr(ranks, name) for name in _COUNTS} | {
        "strangers": list(map(decode, ranks.strangers)),
        "sample": sample,
    }


def _places(judged: Judgments, queries: Names, documents: Names) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The place of each pair of query and document among the judged documents, -1 where there is none."""
    place = np.full(len(documents), -1, np.int64)
    row, at = judged.lookup.find(documents, paired(documents.hash, queries.hash))
    same = judged.units(queries)[row] == judged.document_unit[at]
    place[row[same]] = at[same]
    return place
