"""The entry point for runs and judgments: any input becomes canonical tables.

Decided here: whether runs or judgments are a file, a data frame, a dict or rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, Literal

from cranfield.errors import BadInput
from cranfield.tables.adapters.changes import not_changed
from cranfield.tables.adapters.chunks import RunTable, judged
from cranfield.tables.adapters.dictionaries import RunDictionary, judged_dictionary
from cranfield.tables.adapters.frames import form_of, frame, is_frame
from cranfield.tables.adapters.known_collections import dataset_rows, is_dataset_id, judgments_path
from cranfield.tables.adapters.spark_inputs import NeedsSpark, is_address, is_in_spark, is_spark_frame
from cranfield.tables.column_roles import Kind
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource
from cranfield.tables.readers.files import RunFile, read_qrels
from cranfield.tables.readers.recognition import Content
from cranfield.tables.system_names import system_names


@not_changed("the runs")
def as_runs(data: Any) -> list[RunSource]:
    """Every run in the input: one run, several, or several by name."""
    if isinstance(data, Mapping) and not _is_nested(data):
        return [as_run(run, str(name)) for name, run in data.items()]
    if not isinstance(data, list | tuple | Iterator) or is_frame(data):
        return [as_run(data)]
    rest = iter(list(data) if isinstance(data, list) else data)
    first = next(rest, None)
    if first is None:
        raise BadInput("there is no run: the input is empty")
    several = chain([first], rest)
    if isinstance(first, str | os.PathLike):
        return _several(list(several))
    from cranfield.tables.adapters.rows import is_row  # not needed for files

    return [as_run(several)] if is_row(first) else _several(list(several))


def as_run(data: Any, name: str = "") -> RunSource:
    """The run in the input, under this name or its own."""
    if is_in_spark(data):
        from cranfield.tables.adapters.spark_frames import spark_run  # not needed for files

        return spark_run(data, name or _own_name(data) or "")
    if isinstance(data, str) and is_dataset_id(data):
        return RunTable([dataset_rows(data, "run")], name or data, "ir_datasets")
    if isinstance(data, str | os.PathLike):
        return RunFile(os.fspath(data), name)
    if hasattr(data, "parts") and hasattr(data, "whole"):
        return data
    called = name or _own_name(data) or "run"
    content = _in_memory(data, "run", called)
    if content.nested is not None:
        return RunDictionary(content.nested, called, content.form)
    return RunTable(list(content.chunks), called, content.form)


def as_judgments(data: Any, *, form: Literal["qrels", "prefs"] = "qrels") -> Judgments:
    """The judgments in the input; `form` says whether a file of lines has TREC's four fields, or the five of
    preferences (query, group, subgroup, document, grade)."""
    if isinstance(data, Judgments):
        return data
    if is_address(data):
        with suppress(NeedsSpark):
            return read_qrels(data, form)
        from cranfield.tables.adapters.spark_frames import collected, explained, read_frame  # not needed for files

        with explained(data):
            table = collected(read_frame(data, "qrels")[0])
        return judged(frame(table, "qrels", data), data, "Spark")
    if is_spark_frame(data):
        from cranfield.tables.adapters.spark_frames import text_fields  # not needed for files

        return judged(frame(text_fields(data).toArrow(), "qrels", "judgments"), "judgments", form_of(data))
    if isinstance(data, str) and is_dataset_id(data):
        return judged([dataset_rows(data, "qrels")], data, "ir_datasets")
    if isinstance(data, str | os.PathLike):
        return read_qrels(judgments_path(os.fspath(data)), form)
    name = _own_name(data) or "judgments"
    content = _in_memory(data, "qrels", name)
    if content.nested is not None:
        return judged_dictionary(content.nested, name, content.form)
    return judged(content.chunks, name, content.form)


def _in_memory(data: Any, kind: Kind, name: str) -> Content:
    """The content of a data frame, a dict, an object that provides one, or rows."""
    if is_frame(data):
        return Content(form_of(data), iter(frame(data, kind, name)))
    if isinstance(data, Mapping):
        return Content("dict", nested=data)
    if hasattr(data, "to_dict"):
        return Content(form_of(data), nested=data.to_dict())
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        from cranfield.tables.adapters.rows import items  # not needed for files

        return Content("rows", iter([items(data, kind, name)]))
    content_name, value = ("a run", "score") if kind == "run" else ("judgments", "grade")
    raise BadInput(
        f"{name}: {data!r:.60} ({type(data).__name__}) does not contain {content_name}; pass a path, a data frame, "
        f"a dict {{query: {{document: {value}}}}}, or rows"
    )


def _is_nested(data: Mapping[Any, Any]) -> bool:
    """Whether a dict is `{query: {document: number}}` rather than runs by name."""
    for value in data.values():
        if not isinstance(value, Mapping):
            return False
        if value:
            return not isinstance(next(iter(value.values())), Mapping)
    return True


def _own_name(data: Any) -> str | None:
    name = getattr(data, "name", None)
    return name if isinstance(name, str) and name else None


def _several(runs: list[Any]) -> list[RunSource]:
    paths = [os.fspath(run) for run in runs if isinstance(run, str | os.PathLike)]
    names = dict(zip(paths, system_names(paths), strict=True))
    return [
        as_run(run, names[os.fspath(run)] if isinstance(run, str | os.PathLike) else _own_name(run) or f"run {place}")
        for place, run in enumerate(runs, 1)
    ]
