"""What systems are called whose runs are files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os.path import abspath
from pathlib import Path

from cranfield.errors import BadInput

_PACKED = (".gz", ".gzip", ".zst", ".zstd", ".bz2")
_ENDINGS = {
    *_PACKED,
    *(".txt", ".run", ".trec", ".res", ".results", ".tsv", ".csv", ".json", ".jsonl", ".ndjson"),
    *(".parquet", ".arrow", ".arrows", ".ipc", ".feather"),
}


def system_name(path: str) -> str:
    """The name of a file without its folder, and without the endings that only say what kind it is."""
    if path == "-":
        return "stdin"
    name = Path(path).name
    while (ending := Path(name).suffix).lower() in _ENDINGS:
        name = name[: -len(ending)]
    return name


def system_names(paths: list[str]) -> list[str]:
    """A name for each file, no two alike: where the names alone do not tell them apart, with folders or endings."""
    twice = next((path for place, path in enumerate(paths) if abspath(path) in map(abspath, paths[:place])), None)
    if twice == "-":
        raise BadInput("standard input (-) can be read only once; give files for the other inputs")
    if twice is not None:
        raise BadInput(f"{twice}: this run is given twice")
    return [_distinct(path, [other for other in paths if system_name(other) == system_name(path)]) for path in paths]


def _distinct(path: str, alike: list[str]) -> str:
    """The first way of naming that tells files apart whose names are alike."""
    return next(name(path) for name in _ways(path) if len(set(map(name, alike))) == len(alike))


def _ways(path: str) -> Iterator[Callable[[str], str]]:
    """Ways to name a file: ever more folders before its name without endings, then before its whole name."""
    for last in (system_name, lambda path: Path(path).name):
        for depth in range(len(Path(abspath(path)).parts)):
            yield lambda path, last=last, depth=depth: "/".join([*_folders(path)[-depth:][:depth], last(path)])  # type: ignore[misc]


def _folders(path: str) -> tuple[str, ...]:
    return Path(abspath(path)).parent.parts[1:]


def ending(path: str) -> str:
    """The ending that says what kind a file is, that of its compression left out."""
    endings = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in _PACKED]
    return endings[-1] if endings else ""
