"""Answers of workers, kept under the hash of what they depend on."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select

from cranfield.store import schema
from cranfield.web.guard import Here, now
from cranfield.web.worker import LONGEST, worked


def cached(here: Here, job: str, *, key: Any = None, **arguments: Any) -> Any:
    """The answer of a worker, kept under the hash of what it depends on: these contents and the versions of the code.

    The contents are its arguments, unless a `key` says otherwise.
    It is computed outside the request, which ends with `StillComputing` if that takes long.
    """
    digest = digest_of([job, software(), key if key is not None else arguments])
    answer = kept(here, digest)
    if answer is not None:
        return answer

    def computed(progress: Path) -> Any:
        made = worked(job, seconds=LONGEST, progress=progress, **arguments)
        keep(here, digest, made)
        return made

    return here.jobs.answer(digest, computed)


@cache
def software() -> dict[str, str]:
    """The versions of the packages that compute: after an upgrade, everything is computed again."""
    return {name: version(name) for name in ("cranfield", "numpy", "scipy", "pyarrow")}


def digest_of(content: Any) -> str:
    """The hash under which a value that depends on this content alone is kept."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def kept(here: Here, digest: str) -> Any:
    """The value kept under a hash, if there is one."""
    table = schema.score
    with here.store.read() as connection:
        text = connection.scalar(select(table.c.value).where(table.c.key == digest))
    return None if text is None else json.loads(text)


def keep(here: Here, digest: str, value: Any) -> None:
    """Keep a value under a hash, unless there is one already."""
    table = schema.score

    def added(connection: Connection) -> None:
        if connection.scalar(select(table.c.key).where(table.c.key == digest)) is None:
            connection.execute(insert(table).values(key=digest, value=json.dumps(value), created=now()))

    here.store.write(added)
