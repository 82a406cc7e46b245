"""Names of systems: of the files of their runs, or of the keys of a dict.

Decided here: what a system is called, and when two names are the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from os.path import abspath, basename, splitext  # pathlib is slow to import
from typing import Any

from cranfield.errors import BadInput

_PACKED = (".gz", ".gzip", ".zst", ".zstd", ".bz2")
_ENDINGS = {
    *_PACKED,
    *(".txt", ".run", ".trec", ".res", ".results", ".tsv", ".csv", ".json", ".jsonl", ".ndjson"),
    *(".parquet", ".arrow", ".arrows", ".ipc", ".feather"),
}


def system_name(path: str) -> str:
    """The name of a file without its folder and its format extensions."""
    if path == "-":
        return "stdin"
    name = basename(path)
    while (parts := splitext(name))[1].lower() in _ENDINGS:
        name = parts[0]
    return name


def system_names(paths: list[str], called: str = "run") -> list[str]:
    """Distinct names for the files: where file names alone are ambiguous, with folders or extensions."""
    first = {abspath(path): place for place, path in reversed(list(enumerate(paths)))}
    twice = next((path for place, path in enumerate(paths) if first[abspath(path)] < place), None)
    if twice == "-":
        raise BadInput("standard input (-) can be read only once; give files for the other inputs")
    if twice is not None:
        raise BadInput(f"{twice}: duplicate {called}")
    alike: dict[str, list[str]] = {}
    for path in paths:
        alike.setdefault(system_name(path), []).append(path)
    return [_distinct(path, alike[system_name(path)]) for path in paths]


def _distinct(path: str, alike: list[str]) -> str:
    """A name that differs from those of the other files: with folders, as few as needed, or else with extensions."""
    folders = {file: abspath(file).split(os.sep)[1:-1] for file in alike}
    schemes = (
        {file: "/".join([*folders[file][-depth:][:depth], last(file)]) for file in alike}
        for last in (system_name, basename)
        for depth in range(len(folders[path]) + 2)
    )
    return next(names[path] for names in schemes if len(set(names.values())) == len(alike))


def by_name(values: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """The values by the text of their names, which must be distinct."""
    named = {str(name): value for name, value in values.items()}
    if len(named) < len(values):
        twice, _ = Counter(map(str, values)).most_common(1)[0]
        raise BadInput(f"duplicate {twice!r} among the {what}: names are compared as text and must be distinct")
    return named


def ending(path: str) -> str:
    """The file extension that indicates the format, ignoring compression."""
    rest, last = splitext(basename(path).lower())
    while last in _PACKED:
        rest, last = splitext(rest)
    return last
