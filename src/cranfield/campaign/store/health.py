"""Read-only checks of a campaign's data.

Decided here: what `cranfield doctor` checks.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, select, text

from cranfield.campaign.rules.events import content_hash
from cranfield.campaign.store import schema
from cranfield.campaign.store.database import read_only
from cranfield.frozen import frozen

FIXED = (3, 51, 3)  # the first SQLite release in which a checkpoint cannot corrupt the file under another connection
RUN_FILE = re.compile(r"[0-9a-f]{32}")  # the names under which uploads are stored
State = Literal["ok", "caution", "fault"]


@frozen
class Check:
    """One check and its outcome."""

    state: State
    words: str


def examined(folder: Path, url: str | None) -> Iterator[Check]:
    """Checks of the database, the files of the runs and the versions of the qrels."""
    with read_only(folder, url) as connection:
        yield from _database(connection)
        yield _links(connection)
        yield from _runs(connection, folder / "uploads")
        yield from _qrels(connection)
    yield _private(folder)


def _database(connection: Connection) -> Iterator[Check]:
    if connection.dialect.name != "sqlite":
        yield Check("ok", f"PostgreSQL {connection.scalar(text('SHOW server_version'))}")
        return
    damage = list(connection.scalars(text("PRAGMA integrity_check")))
    yield Check("ok", "the database is intact") if damage == ["ok"] else Check("fault", f"the database: {damage[0]}")
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < FIXED:
        least = ".".join(map(str, FIXED))
        words = "run a single server on the folder, and let no other program write to it"
        yield Check("caution", f"SQLite {version} is older than {least}: {words}")
    else:
        yield Check("ok", f"SQLite {version}")


def _links(connection: Connection) -> Check:
    """Whether every judgment belongs to an assignment."""
    event, share = schema.event, schema.assignment
    lost = connection.execute(
        select(event.c.id)
        .outerjoin(share, (share.c.id == event.c.assignment) & (share.c.account == event.c.account))
        .where(event.c.assignment.is_not(None), share.c.id.is_(None))
    ).all()
    if lost:
        return Check("fault", f"{len(lost)} judgments belong to no assignment")
    return Check("ok", "all judgments belong to an assignment")


def _runs(connection: Connection, uploads: Path) -> Iterator[Check]:
    runs = connection.execute(select(schema.run.c.name, schema.run.c.file, schema.run.c.hash)).all()
    faults = [Check("fault", fault) for run in runs if (fault := _fault(run.name, uploads, run.file, run.hash))]
    yield from faults or [Check("ok", f"the files of all {len(runs)} runs are unchanged since they were submitted")]
    unknown = {path.name for path in uploads.iterdir()} - {run.file for run in runs} if uploads.is_dir() else set()
    if unknown:
        words = f"{len(unknown)} files in {uploads} belong to no run; interrupted uploads leave them behind"
        yield Check("caution", words)


def _fault(name: str, uploads: Path, file: str, expected: str) -> str:
    if not RUN_FILE.fullmatch(file):
        return f"run {name!r} refers to {file!r}, which is not the name of an uploaded file"
    path = uploads / file
    if not path.is_file():
        return f"the file of run {name!r} is missing: {path}"
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return "" if digest == expected else f"the file of run {name!r} has changed since it was submitted: {path}"


def _qrels(connection: Connection) -> Iterator[Check]:
    rows = connection.execute(select(schema.qrels.c.version, schema.qrels.c.hash, schema.qrels.c.text)).all()
    changed = [row.version for row in rows if content_hash(row.text) != row.hash]
    for version in changed:
        yield Check("fault", f"version {version} of the qrels does not match its hash")
    if not changed:
        yield Check("ok", f"all {len(rows)} versions of the qrels match their hashes")


def _private(folder: Path) -> Check:
    if folder.stat().st_mode & 0o077:
        return Check("caution", f"other users of this machine can read {folder}: chmod 700 {folder}")
    return Check("ok", f"only its owner can read {folder}")
