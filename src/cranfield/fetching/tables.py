"""Fetched results as tables."""

from __future__ import annotations

from dataclasses import replace

from cranfield.fetching.fetch import SHOWN, Fetched
from cranfield.present.table import Column, Table, listed, row
from cranfield.text import counted


def tables(fetched: Fetched, *, digits: int) -> list[Table]:
    """What was fetched, how long the engine took, and which queries failed."""
    latency = listed(fetched.latency, digits=digits)
    made = [replace(latency, title="Latency in milliseconds", notes=fetched.notes)]
    failed = [query for query in fetched.queries if query.error is not None]
    if failed:
        rows = tuple(row(query.query, query.error) for query in failed[:SHOWN])
        more = len(failed) - len(rows)
        notes = (f"… and {counted(more, 'more query')}",) * bool(more)
        made.append(Table((Column("query"), Column("error")), rows, title="Failed queries", notes=notes))
    if any(query.stable is not None for query in fetched.queries):
        n = sum(query.stable is False for query in fetched.queries)
        made[-1] = replace(made[-1], notes=(*made[-1].notes, f"queries with other results when repeated: {n}"))
    return made
