"""A zipped folder, read file by file without extracting anything to disk."""

from __future__ import annotations

import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from cranfield.errors import BadInput
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.streams import ReplayedPipe, Stream, opened

MOST = 1_000_000  # most files in an archive
_MAGIC, _EMPTY = b"PK\x03\x04", b"PK\x05\x06"
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(NotImplementedError, RuntimeError, EOFError, OSError, ValueError),
)


def is_archive(path: str) -> bool:
    """Whether a file is a ZIP archive."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) in (_MAGIC, _EMPTY)
    except OSError:  # the reader reports what is wrong
        return False


def archived(path: str) -> Iterator[tuple[Stream, str]]:
    """The content and name of each file, sorted by name; hidden files are skipped."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in _checked(archive, path):
                where = f"{path}: {entry.filename}"
                with archive.open(entry) as file, opened(ReplayedPipe(file, where)) as stream:
                    if stream.peek(len(_MAGIC)).startswith(_MAGIC):
                        raise BadInput(f"{where}: archives inside an archive are not supported; extract it first")
                    yield stream, entry.filename
    except BadInput:
        raise
    except _DAMAGED as error:
        raise BadInput(f"{path}: the ZIP archive is damaged or not supported ({error})") from None


def _checked(archive: zipfile.ZipFile, path: str) -> list[zipfile.ZipInfo]:
    """The files of an archive, after checking that all paths stay inside it and that their sizes are plausible."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST:
        raise BadInput(f"{path}: more than {MOST:,} files in the archive")
    packed = sum(entry.compress_size for entry in entries)
    limits.require_ratio(sum(entry.file_size for entry in entries), packed, path)
    for entry in entries:
        name = PurePosixPath(entry.filename)
        if name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
            raise BadInput(f"{path}: the path {entry.filename!r} leads outside the archive")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BadInput(f"{path}: {entry.filename} is a symbolic link; pack the file itself")
        if entry.flag_bits & 1:
            raise BadInput(f"{path}: {entry.filename} is encrypted; pack it without a password")
    visible = (entry for entry in entries if not any(part.startswith(".") for part in entry.filename.split("/")))
    return sorted(visible, key=lambda entry: entry.filename)
