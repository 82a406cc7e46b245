"""The check of a submitted run: every line is read, with remarks on what may surprise its authors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cranfield.errors import BadInput
from cranfield.tables.names import decode
from cranfield.tables.rankings import Batch

LONGEST_LINE = 1 << 20  # of runs; documents may be longer
LOOKED_UP, MOST_LOOKED_UP = 10, 5_000  # documents per topic and in all that are looked up in the collection
CHUNK = 1 << 20


def check_run(path: str, topics: list[str]) -> dict[str, Any]:
    """The size of a run, and remarks on it; an invalid line raises an error that names it."""
    from cranfield.engines.tie_breaking import top_documents
    from cranfield.tables.readers.streams import limits
    from cranfield.tables.sources import as_runs

    limits.line = min(limits.line, LONGEST_LINE)
    is_ascii = _is_ascii(path)
    (source,) = as_runs({"the run": path})
    seen: set[str] = set()
    first: dict[str, None] = {}  # documents, in order
    n_rows = 0
    for part in source.parts():
        batch = part()
        names = [decode(name) for name in batch.queries]
        if scattered := not seen.isdisjoint(names):  # scattered over the file: check all of it at once
            batch = source.whole()
            seen, n_rows, names = set(), 0, [decode(name) for name in batch.queries]
        if not is_ascii:
            _require_unicode(batch)
        seen.update(names)
        n_rows += len(batch.scores)
        for place in range(len(names)):
            if len(first) < MOST_LOOKED_UP:
                first |= dict.fromkeys(map(decode, top_documents(batch, place, LOOKED_UP)))
        if scattered:
            break
    if not n_rows:
        raise BadInput("the file is empty")
    return {"n_rows": n_rows, "first": list(first)} | _topics_of_run(seen, set(topics))


def _topics_of_run(seen: set[str], known: set[str]) -> dict[str, Any]:
    """The number of topics that belong to the benchmark, and remarks on the others."""
    if not seen & known:
        raise BadInput(f"no topic of the run belongs to the benchmark; the first is {min(seen)!r}")
    remarks = []
    if missing := sorted(known - seen):
        remarks.append(f"topics missing from the run: {some(missing)}")
    if unknown := sorted(seen - known):
        remarks.append(f"topics unknown to the benchmark: {some(unknown)}")
    return {"n_topics": len(seen & known), "remarks": remarks}


def some(names: list[str]) -> str:
    """The first names and the number of others."""
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _is_ascii(path: str) -> bool:
    """Whether all bytes of a file are ASCII, so that its ids need not be checked one by one."""
    with Path(path).open("rb") as file:
        return all(chunk.isascii() for chunk in iter(lambda: file.read(CHUNK), b""))


def _require_unicode(batch: Batch) -> None:
    """Refuse ids that are not UTF-8: neither the database nor JSON can hold them."""
    for place, query in enumerate(batch.queries):
        n_documents = int(batch.starts[place + 1] - batch.starts[place])
        for name in (query, *batch.names(place, np.arange(n_documents))):
            try:
                name.decode("utf-8")
            except UnicodeDecodeError:
                raise BadInput(f"topic {decode(query)!r}: the id {name!r} is not valid UTF-8") from None
