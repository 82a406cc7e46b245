"""Backups: one archive of the database and the runs, each file with its hash; it can be restored to either database.

The database in the archive is always SQLite, so a campaign can move from a file to PostgreSQL and back.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, func, insert, select, text

from cranfield.campaign.store import schema
from cranfield.campaign.store.database import FILE, Store, read_only
from cranfield.campaign.store.health import RUN_FILE, examined
from cranfield.errors import BadInput
from cranfield.frozen import frozen

FORMAT = 1
MANIFEST, UPLOADS = "manifest.json", "uploads"
AT_ONCE = 1_000
CHUNK = 1 << 20
_NAME = re.compile(rf"{re.escape(FILE)}|{UPLOADS}/{RUN_FILE.pattern}")


@frozen
class Backup:
    """The contents of an archive."""

    n_rows: dict[str, int]  # by table
    hashes: dict[str, str]  # SHA-256 of each file
    size: int  # total bytes of the files

    @property
    def n_runs(self) -> int:
        """The number of run files."""
        return len(self.hashes) - 1


def backup(folder: Path, url: str | None, archive: Path) -> Backup:
    """Write an archive of a campaign, even while it is served: a consistent snapshot of the database, and its runs."""
    if archive.exists():
        raise BadInput(f"{archive} already exists; choose another name")
    partial = archive.with_name(f".{archive.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=archive.parent) as aside, read_only(folder, url) as connection:
            copy = Store(Path(aside))
            try:
                n_rows = copy.write(lambda target: _copied(connection, target))
            finally:
                copy.close()
            runs = connection.execute(select(schema.run.c.file, schema.run.c.hash, schema.run.c.name)).all()
            with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
                written = _written(stream, Path(aside) / FILE, folder / UPLOADS, runs, n_rows)
                stream.flush()
                os.fsync(stream.fileno())
        partial.replace(archive)
    finally:
        partial.unlink(missing_ok=True)
    return written


def restore(archive: Path, folder: Path, url: str | None) -> Backup:
    """Restore a campaign from an archive into a new folder, after checking all hashes and what `doctor` checks."""
    if (folder / FILE).exists() or (folder / UPLOADS).exists():
        raise BadInput(f"{folder} already contains a campaign; choose a new folder")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        extracted = _extracted(archive, Path(aside))
        source = Store(Path(aside))  # migrates the tables of an earlier release
        try:
            faults = [check.words for check in examined(Path(aside), None) if check.state == "fault"]
            if faults:
                raise BadInput(f"{archive} is damaged: {'; '.join(faults)}")
            target = Store(folder, url)
            try:
                with source.read() as connection:
                    n_rows = target.write(lambda opened: _restored(connection, opened))
                for name in extracted.hashes:
                    if name != FILE:
                        (Path(aside) / name).replace(folder / name)
            finally:
                target.close()
        finally:
            source.close()
    return Backup(n_rows, extracted.hashes, extracted.size)


def _copied(source: Connection, target: Connection) -> dict[str, int]:
    """Copy all tables except the sessions: after a restore everyone signs in again."""
    return {
        table.name: sum(_copied_part(target, table, rows) for rows in _parts(source, table))
        for table in schema.metadata.sorted_tables
        if table is not schema.session
    }


def _copied_part(target: Connection, table: Any, rows: list[dict[str, Any]]) -> int:
    target.execute(insert(table), rows)
    return len(rows)


def _parts(source: Connection, table: Any) -> Iterator[list[dict[str, Any]]]:
    rows = source.execution_options(yield_per=AT_ONCE).execute(select(table).order_by(*table.primary_key.columns))
    for part in rows.partitions():
        yield [dict(row._mapping) for row in part]


def _restored(source: Connection, target: Connection) -> dict[str, int]:
    if target.scalar(select(func.count()).select_from(schema.account)):
        raise BadInput("the database already contains a campaign; use an empty one")
    n_rows = _copied(source, target)
    if target.dialect.name == "postgresql":  # otherwise new rows would reuse existing ids
        for table in schema.metadata.sorted_tables:
            if "id" in table.c:
                next_id = f"(SELECT COALESCE(MAX(id), 0) + 1 FROM {table.name})"
                target.execute(text(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {next_id}, false)"))
    return n_rows


def _written(stream: IO[bytes], database: Path, uploads: Path, runs: Any, n_rows: dict[str, int]) -> Backup:
    """Write the database, the run files listed in it, and a manifest with the hash of each."""
    hashes, size = {}, 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in ((FILE, database), *((f"{UPLOADS}/{run.file}", uploads / run.file) for run in runs)):
            try:
                with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
                    hashes[name], n_bytes = _copied_bytes(source, target)
            except FileNotFoundError:
                raise BadInput(f"{path} is missing") from None
            size += n_bytes
        for run in runs:
            if hashes[f"{UPLOADS}/{run.file}"] != run.hash:
                raise BadInput(f"the file of run {run.name!r} is damaged: its hash has changed since it was submitted")
        manifest = {"format": FORMAT, "files": hashes, "size": size, "rows": n_rows}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return Backup(n_rows, hashes, size)


def _copied_bytes(source: IO[bytes], target: IO[bytes], most: float = math.inf) -> tuple[str, int]:
    """Copy a file and return its hash and size."""
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(CHUNK):
        size += len(chunk)
        if size > most:
            raise BadInput("a file of the archive is larger than its manifest states")
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest(), size


def _extracted(archive: Path, into: Path) -> Backup:
    """Extract the files of an archive after checking their names and hashes."""
    try:
        with zipfile.ZipFile(archive) as opened:
            manifest = json.loads(opened.read(MANIFEST))
            if manifest.get("format") != FORMAT:
                raise BadInput(f"{archive} is a backup from a later release of cranfield")
            hashes, size = dict(manifest["files"]), int(manifest["size"])
            if FILE not in hashes or any(not _NAME.fullmatch(name) for name in hashes):
                raise BadInput(f"{archive} is not a cranfield backup")
            (into / UPLOADS).mkdir(mode=0o700)
            for name, expected in hashes.items():
                with opened.open(name) as source, (into / name).open("xb") as target:
                    digest, _ = _copied_bytes(source, target, most=size)
                if digest != expected:
                    raise BadInput(f"{archive} is damaged: the hash of {name} does not match its manifest")
            return Backup(dict(manifest["rows"]), hashes, size)
    except (zipfile.BadZipFile, KeyError, TypeError, AttributeError, ValueError, EOFError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{archive} is not a cranfield backup, or it is damaged: {error}") from None
    except OSError as error:
        raise BadInput(f"{archive}: {error.strerror or error}") from None
