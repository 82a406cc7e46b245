"""The folder of the demonstration: its files, and a record of them, so that nothing else is overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256

from cranfield.demo.experiments import file_names
from cranfield.errors import BadSetting
from cranfield.results.writing import save

RECORD = "SHA256SUMS"  # in the format of sha256sum


def require_own(folder: str, *, beside: Iterable[str] = ()) -> None:
    """Refuse a folder with other files than those of an earlier demonstration, or with files changed since then."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise BadSetting(f"{folder} is a file; choose another folder with --folder")
    present = {*os.listdir(folder)} - {RECORD, *beside} if os.path.isdir(folder) else set[str]()
    if others := sorted(present - file_names()):
        raise BadSetting(f"{folder} contains other files, such as {others[0]}; choose another folder with --folder")
    written = _record(folder)
    if not written and present == file_names():
        return  # a demonstration before there was a record
    if changed := sorted(name for name in present if _digest(folder, name) not in written):
        raise BadSetting(
            f"{folder}/{changed[0]} was not written by cranfield demo, or has been changed since; move it, or choose "
            "another folder with --folder"
        )


def save_files(folder: str, files: Mapping[str, str]) -> None:
    """Write files into the folder, after their record, so that an interrupted demonstration can be repeated."""
    os.makedirs(folder, exist_ok=True)
    contents = {name: text.encode("utf-8", "backslashreplace") for name, text in files.items()}
    record = _record(folder) | {sha256(content).hexdigest(): name for name, content in contents.items()}
    save(os.path.join(folder, RECORD), "".join(f"{digest}  {name}\n" for digest, name in record.items()))
    for name, content in contents.items():
        save(os.path.join(folder, name), content)


def clear_record(folder: str) -> None:
    """Drop from the record the contents that have been replaced."""
    current = {digest: name for digest, name in _record(folder).items() if _digest(folder, name) == digest}
    save(os.path.join(folder, RECORD), "".join(f"{digest}  {name}\n" for digest, name in current.items()))


def _record(folder: str) -> dict[str, str]:
    """The names of the files that were written, by digest."""
    path = os.path.join(folder, RECORD)
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        return {digest: name.strip() for digest, _, name in (line.partition("  ") for line in lines)}


def _digest(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return sha256(file.read()).hexdigest()
