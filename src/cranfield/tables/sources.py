"""The one door for data: anything that holds a run or judgments goes in, and comes out in canonical form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal

from cranfield.errors import BadInput
from cranfield.tables.dictionaries import RunDictionary, judged_dictionary
from cranfield.tables.files import RunFile, read_qrels
from cranfield.tables.frames import form_of, frame, is_frame
from cranfield.tables.items import is_row, items
from cranfield.tables.judgments import Judgments
from cranfield.tables.pieces import RunTable, judged
from cranfield.tables.rankings import RunSource
from cranfield.tables.systems import system_names


def as_runs(data: Any) -> list[RunSource]:
    """Every run in what was given: one run, several, or several by name."""
    if isinstance(data, Mapping) and not _is_nested(data):
        return [as_run(run, str(name)) for name, run in data.items()]
    if not isinstance(data, list | tuple | Iterator) or is_frame(data):
        return [as_run(data)]
    rest = iter(data)
    first = next(rest, None)
    if first is None:
        raise BadInput("there is no run in what was given, nor a row of one")
    several = chain([first], rest)
    return [as_run(several)] if is_row(first) else _several(list(several))


def as_run(data: Any, name: str = "") -> RunSource:
    """The run in what was given, under this name or its own."""
    if isinstance(data, str | os.PathLike):
        return RunFile(os.fspath(data), name)
    if hasattr(data, "parts") and hasattr(data, "whole"):
        return data
    called = name or "run"
    if is_frame(data):
        return RunTable(frame(data, "run", called), called, form_of(data))
    if isinstance(data, Mapping):
        return RunDictionary(data, called)
    if hasattr(data, "to_dict"):
        return RunDictionary(data.to_dict(), name or _own_name(data) or "run", form_of(data))
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return RunTable([items(data, "run", called)], called, "rows")
    raise _unreadable(data, called, "run", "score")


def as_judgments(data: Any, *, form: Literal["qrels", "prefs"] = "qrels") -> Judgments:
    """The judgments in what was given; `form` says whether a file of lines has TREC's four fields, or the five of
    preferences (query, group, subgroup, document, grade)."""
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        return read_qrels(os.fspath(data), form)
    if is_frame(data):
        return judged(frame(data, "qrels", "judgments"), "judgments", form_of(data))
    if isinstance(data, Mapping):
        return judged_dictionary(data, "judgments")
    if hasattr(data, "to_dict"):
        return judged_dictionary(data.to_dict(), _own_name(data) or "judgments", form_of(data))
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return judged([items(data, "qrels", "judgments")], "judgments", "rows")
    raise _unreadable(data, "judgments", "judgments", "grade")


def _is_nested(data: Mapping[Any, Any]) -> bool:
    """Whether a dict is `{query: {document: number}}`, and not one of runs by name."""
    for value in data.values():
        if not isinstance(value, Mapping):
            return False
        if value:
            return not isinstance(next(iter(value.values())), Mapping)
    return True


def _own_name(data: Any) -> str | None:
    name = getattr(data, "name", None)
    return name if isinstance(name, str) and name else None


def _unreadable(data: Any, name: str, kind: str, value: str) -> BadInput:
    return BadInput(
        f"{name}: {data!r:.60} ({type(data).__name__}) holds no {kind}; give a path, a data frame, "
        f"a dict {{query: {{document: {value}}}}}, or rows"
    )


def _several(runs: list[Any]) -> list[RunSource]:
    paths = [os.fspath(run) for run in runs if isinstance(run, str | os.PathLike)]
    names = dict(zip(paths, system_names(paths), strict=True))
    return [
        as_run(run, names[os.fspath(run)] if isinstance(run, str | os.PathLike) else _own_name(run) or f"run {place}")
        for place, run in enumerate(runs, 1)
    ]
