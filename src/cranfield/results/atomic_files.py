"""Atomic writing of files."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress

unfinished: set[str] = set()  # temporary files to remove if the process is interrupted

_SPECIAL = re.compile(r"/dev/(?!shm/)|/proc/")  # in /dev/shm are files, in memory
_OPEN = re.compile(r"/dev/std(?P<name>in|out|err)|/(dev|proc/self)/fd/(?P<number>[0-9]+)")  # already open
_NUMBERS = {"in": 0, "out": 1, "err": 2}


def save(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write the content to a file, which is unchanged if writing fails.

    The content is written to a temporary file in the same folder, which is then renamed; a link stays a link. Devices
    and pipes are written directly, as is a file in a folder where no other can be created. Files that are already open,
    such as /dev/stdout, are written from their current position.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    if opened := _OPEN.fullmatch(os.fspath(path)):
        _write(_duplicate(_NUMBERS[opened["name"]] if opened["name"] else int(opened["number"]), path), data, path)
        return
    target = os.path.realpath(path)
    mode = _mode(target)
    special = _SPECIAL.match(os.fspath(path)) or not (mode is None or stat.S_ISREG(mode))
    if special or not os.access(os.path.dirname(target), os.W_OK):
        _write(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), data, path)
    elif mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "the file is not writable", os.fspath(path))
    else:
        _replace(target, data, mode)


def _duplicate(number: int, path: str | os.PathLike[str]) -> int:
    try:
        return os.dup(number)
    except (OSError, OverflowError):
        raise OSError(9, "this is not open", os.fspath(path)) from None


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _write(file: int, data: bytes, path: str | os.PathLike[str]) -> None:
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
    except OSError as error:  # the message does not name the file
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _replace(target: str, data: bytes, mode: int | None) -> None:
    part = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.part")
    unfinished.add(part)
    try:
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if mode is not None:
            os.fchmod(file, stat.S_IMODE(mode))
        _write(file, data, target)
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    finally:
        unfinished.discard(part)
