"""Values for other programs as CSV, safe in spreadsheets, and JSON, with all digits unless fewer are requested.

Decided here: how undefined and infinite numbers are written, and which cells a spreadsheet could run as a formula.
"""

from __future__ import annotations

import io
import math
import os
import re
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

Value = str | float | None  # None where a value is undefined

_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


_UNSEEN = re.compile(r"[^\n -~]")  # possibly unprintable characters


def decoded(text: str) -> str:
    """The text with bytes that are not UTF-8 escaped."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def comma_separated(heads: Sequence[str], rows: Iterable[Sequence[Value]], *, digits: int | None = None) -> str:
    """The rows as CSV; an undefined value is an empty cell."""
    import csv  # not needed for tables

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(safe, heads))
    writer.writerows([_field(value, digits) for value in row] for row in rows)
    return text.getvalue()


def _field(value: Value, digits: int | None) -> Value:
    if isinstance(value, str):
        return safe(value)
    return f"{value:z.{digits}f}" if isinstance(value, float) and digits is not None else value


def safe(text: str) -> str:
    """The text, preceded by an apostrophe if a spreadsheet would run it as a formula."""
    clean = decoded(text)
    start = clean.lstrip()  # spreadsheets may drop white space
    formula = (start[:1] in tuple("=+-@") or clean[:1] in ("\t", "\r")) and not _NUMBER.fullmatch(clean)
    return f"'{clean}" if formula else clean


def json_text(content: Any) -> str:
    """The content as JSON, over several lines; unprintable characters are escaped."""
    import json  # not needed for tables

    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    if text != decoded(text):
        return json_text(_decoded(content))
    return _UNSEEN.sub(_escaped, text) + "\n"


def _escaped(character: re.Match[str]) -> str:
    import json

    return character[0] if character[0].isprintable() else json.dumps(character[0])[1:-1]


def _decoded(content: Any) -> Any:
    if isinstance(content, dict):
        return {decoded(str(key)): _decoded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_decoded(value) for value in content]
    return decoded(content) if isinstance(content, str) else content


def rounded(content: Any, digits: int | None = None) -> Any:
    """Plain values for JSON: None for undefined numbers, infinity as text, and this many decimals if requested."""
    if isinstance(content, dict):
        return {str(name): rounded(value, digits) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(value, digits) for value in content]
    number = content.item() if hasattr(content, "item") else content  # of NumPy
    if not isinstance(number, float):
        return number
    if math.isnan(number):
        return None
    if math.isinf(number):
        return "infinity" if number > 0 else "-infinity"
    return number if digits is None else round(number, digits)


# Atomic writing of files


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
