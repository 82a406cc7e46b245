"""Uploaded files, stored under names chosen by the server.

Decided here: where an uploaded file goes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from fastapi import UploadFile

from cranfield.campaign.store.database import Store
from cranfield.campaign.web.fields import visible_lines
from cranfield.errors import BadInput, NotSaved

CHUNK = 1 << 20
LONGEST_NAME = 200
SYNCED = 16 * CHUNK  # how much may wait to be written to disk: the commit of a judgment would wait for all of it
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def file_name(upload: UploadFile) -> str:
    """The name of the file on the sender's machine, for names derived from it; never a path on this one."""
    return PurePosixPath(visible_lines(upload.filename or "").replace("\\", "/")).name[-LONGEST_NAME:]


@contextmanager
def received(store: Store, upload: UploadFile, *, keep: bool = True) -> Iterator[tuple[Path, str, int]]:
    """The file in the upload folder, with its hash and size; removed if a later step fails, or unless it is kept."""
    path = store.folder / "uploads" / secrets.token_hex(16)
    try:
        digest, size = _written(upload, path)
        if not size:
            raise BadInput("the file is empty")
        yield path, digest, size
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if not keep:
        path.unlink(missing_ok=True)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """An empty file next to another one, removed at the end."""
    made = path.with_name(secrets.token_hex(16))
    made.touch(mode=0o600)
    try:
        yield made
    finally:
        made.unlink(missing_ok=True)


def _written(upload: UploadFile, path: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("xb") as file:
            while chunk := upload.file.read(CHUNK):
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
                if size % SYNCED < CHUNK:
                    os.fsync(file.fileno())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if error.errno in NO_SPACE:
            raise NotSaved(f"the file was not saved: {error.strerror}") from None
        raise
    return digest.hexdigest(), size
