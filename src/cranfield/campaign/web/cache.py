"""Worker results, cached under the hash of everything they depend on.

Decided here: when a worker computes something again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select

from cranfield.campaign.store import schema
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.worker_processes import LONGEST, worked

Run = dict[str, Any]  # a row of `store.submissions`


def cached(here: Here, job: str, *, key: Any = None, **arguments: Any) -> Any:
    """A worker's result, cached under the hash of its inputs and of the software versions.

    The inputs are the worker's arguments unless `key` is given.
    It is computed outside the request, which raises `StillComputing` if this takes long.
    """
    digest = digest_of([job, software(), key if key is not None else arguments])
    answer = cached_value(here, digest)
    if answer is not None:
        return answer

    def computed(progress: Path) -> Any:
        made = worked(job, seconds=LONGEST, progress=progress, **arguments)
        keep(here, digest, made)
        return made

    return here.jobs.answer(digest, computed)


def cached_over_runs(here: Here, job: str, runs: Sequence[Run], **arguments: Any) -> Any:
    """A worker's result on submitted runs, cached under their names and hashes, in order, and the other arguments."""
    key = arguments | {"runs": [[run["name"], run["hash"]] for run in runs]}
    return cached(here, job, key=key, runs=paths_of(here, runs), **arguments)


def paths_of(here: Here, runs: Sequence[Run]) -> dict[str, str]:
    """The files of submitted runs, by name."""
    return {run["name"]: str(here.store.folder / "uploads" / run["file"]) for run in runs}


@cache
def software() -> dict[str, str]:
    """The versions of the packages used in computations: after an upgrade, everything is recomputed."""
    return {name: version(name) for name in ("cranfield", "numpy", "scipy", "pyarrow")}


def digest_of(content: Any) -> str:
    """The cache key of a value that depends on this content alone."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def cached_value(here: Here, digest: str) -> Any:
    """The cached value of a hash, if any."""
    table = schema.score
    with here.store.read() as connection:
        text = connection.scalar(select(table.c.value).where(table.c.key == digest))
    return None if text is None else json.loads(text)


def keep(here: Here, digest: str, value: Any) -> None:
    """Cache a value under a hash, unless one is already cached."""
    table = schema.score

    def added(connection: Connection) -> None:
        if connection.scalar(select(table.c.key).where(table.c.key == digest)) is None:
            connection.execute(insert(table).values(key=digest, value=json.dumps(value), created=now()))

    here.store.write(added)
