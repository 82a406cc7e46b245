"""A folder that was packed as ZIP: its files one after another, none of them written to the disk."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from cranfield.errors import BadInput
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.streams import ReplayedPipe, Stream, opened

MOST = 1_000_000  # files in an archive
_MAGIC = b"PK\x03\x04"


def is_archive(path: str) -> bool:
    """Whether a file is a ZIP archive."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:  # the reader says what is wrong
        return False


def archived(path: str) -> Iterator[tuple[Stream, str]]:
    """The content and the name of each file, in the order of their names; hidden files are passed over."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in _checked(archive, path):
                where = f"{path}: {entry.filename}"
                with archive.open(entry) as file, opened(ReplayedPipe(file, where)) as stream:
                    if stream.peek(len(_MAGIC)).startswith(_MAGIC):
                        raise BadInput(f"{where}: an archive within the archive; extract it first")
                    yield stream, entry.filename
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadInput(f"{path}: the ZIP archive is damaged or not supported ({error})") from None


def _checked(archive: zipfile.ZipFile, path: str) -> list[zipfile.ZipInfo]:
    """The files of an archive, if nothing in it reaches out of it and it unpacks to a size that is to be expected."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST:
        raise BadInput(f"{path}: more than {MOST:,} files in the archive")
    packed = sum(entry.compress_size for entry in entries)
    limits.require_ratio(sum(entry.file_size for entry in entries), packed, path)
    for entry in entries:
        name = PurePosixPath(entry.filename)
        if name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
            raise BadInput(f"{path}: the archive has a file {entry.filename!r} outside of its folder")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BadInput(f"{path}: {entry.filename} is a symbolic link; pack the file itself")
        if entry.flag_bits & 1:
            raise BadInput(f"{path}: {entry.filename} is encrypted; pack it without a password")
    visible = (entry for entry in entries if not any(part.startswith(".") for part in entry.filename.split("/")))
    return sorted(visible, key=lambda entry: entry.filename)
