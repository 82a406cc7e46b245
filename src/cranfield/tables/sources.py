"""The one door for data: anything that holds a run or judgments goes in, and comes out in canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from cranfield.errors import BadInput
from cranfield.tables.files import RunFile, read_qrels
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names
from cranfield.tables.rankings import Batch, Dictionary, RunSource


@dataclass(frozen=True)
class RunDictionary:
    """A run as a dict of dicts."""

    run: Mapping[str, Mapping[str, float]]
    name: str

    def parts(self) -> Iterator[Callable[[], Batch]]:
        yield self.whole

    def whole(self) -> Batch:
        return Dictionary(self.run)


def as_runs(data: Any) -> list[RunSource]:
    """Every run in what was given: one run, several, or several by name."""
    if isinstance(data, Mapping) and not _is_run(data):
        return [as_run(run, str(name)) for name, run in data.items()]
    if isinstance(data, list | tuple):
        return [as_run(run, f"run {place}") for place, run in enumerate(data, 1)]
    return [as_run(data, "run")]


def _is_run(data: Mapping[Any, Any]) -> bool:
    first = next(iter(data.values()), None)
    return isinstance(first, Mapping) and not isinstance(next(iter(first.values()), 0.0), Mapping)


def as_run(data: Any, name: str) -> RunSource:
    """The run in what was given."""
    if isinstance(data, str | PathLike):
        path = fspath(data)
        return RunFile(path, Path(path).name)
    if isinstance(data, Mapping):
        return RunDictionary(data, name)
    raise BadInput(f"{name}: cannot read a run from {type(data).__name__}")


def as_judgments(data: Any) -> Judgments:
    """The judgments in what was given."""
    if isinstance(data, str | PathLike):
        return read_qrels(fspath(data))
    if isinstance(data, Mapping):
        rows = [(query, document, grade) for query, judged in data.items() for document, grade in judged.items()]
        return judgments(
            Names.of(r[0] for r in rows), Names.of(r[1] for r in rows), np.array([r[2] for r in rows], float)
        )
    raise BadInput(f"cannot read judgments from {type(data).__name__}")
