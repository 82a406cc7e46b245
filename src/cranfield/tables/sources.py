"""The entry point for runs and judgments: any input becomes canonical tables.

Decided here: whether runs or judgments are a file, a data frame, a dict or rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from cranfield.errors import BadInput, MissingExtra
from cranfield.tables.adapters.changes import not_changed
from cranfield.tables.adapters.chunks import RunTable, judged
from cranfield.tables.adapters.dictionaries import RunDictionary, judged_dictionary
from cranfield.tables.adapters.frames import form_of, frame, is_frame
from cranfield.tables.adapters.spark_inputs import NeedsSpark, is_address, is_in_spark, is_spark_frame
from cranfield.tables.columns import Kind
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource
from cranfield.tables.readers.files import RunFile, read_qrels
from cranfield.tables.readers.recognition import Content
from cranfield.tables.system_names import system_names

if TYPE_CHECKING:
    from cranfield.tables.adapters.rows import RowChunk


# Test collections by name or by layout: ids of ir_datasets (irds:…), and folders in BEIR's layout


_PREFIX = "irds:"
_PARTS: dict[Kind, tuple[str, str]] = {"qrels": ("qrels", "judgments"), "run": ("scoreddocs", "run")}


def is_dataset_id(path: str) -> bool:
    """Whether a path is the id of an ir_datasets collection, such as irds:beir/scifact/test."""
    return path.startswith(_PREFIX)


def dataset_rows(path: str, kind: Kind) -> RowChunk:
    """The judgments of an ir_datasets collection, or its run to rerank; ir_datasets downloads missing data."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtra(f"{path} needs ir_datasets: pip install ir-datasets") from None
    part, called = _PARTS[kind]
    try:
        dataset = ir_datasets.load(path.removeprefix(_PREFIX))
    except KeyError:
        raise BadInput(f"{path}: ir_datasets has no collection of this name; see its catalogue") from None
    if not getattr(dataset, f"has_{part}")():
        raise BadInput(f"{path}: this collection has no {called}; its parts may, such as {path}/test")
    from cranfield.tables.adapters.rows import items  # not needed for files

    return items(_downloaded(dataset, part, path), kind, path)


def _downloaded(dataset: Any, part: str, path: str) -> Iterator[Any]:
    """The rows of a part of a collection; a failed download is explained."""
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except (OSError, RuntimeError, SystemExit) as error:
        raise BadInput(
            f"{path}: ir_datasets has to download this collection and could not ({error or type(error).__name__}); "
            f"run `ir_datasets export {path.removeprefix(_PREFIX)} {part}` where there is a network"
        ) from None


def judgments_path(path: str) -> str:
    """The path of judgments; in a folder with BEIR's layout, qrels/test.tsv or the only file in qrels."""
    folder = os.path.join(path, "qrels")
    if not os.path.isdir(folder):
        return path
    splits = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    chosen = "test.tsv" if "test.tsv" in splits else splits[0] if len(splits) == 1 else None
    if chosen is None:
        raise BadInput(f"{path}: choose one of the judgments in {folder}: {', '.join(splits) or 'none found'}")
    return os.path.join(folder, chosen)


def texts_path(path: str, file: str) -> str:
    """The path of texts; in a folder with BEIR's layout, its file queries.jsonl or corpus.jsonl."""
    inside = os.path.join(path, file)
    return inside if os.path.isfile(inside) else path


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
        from cranfield.tables.adapters.spark import spark_run  # not needed for files

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
        from cranfield.tables.adapters.spark import collected, explained, read_frame  # not needed for files

        with explained(data):
            table = collected(read_frame(data, "qrels")[0])
        return judged(frame(table, "qrels", data), data, "Spark")
    if is_spark_frame(data):
        from cranfield.tables.adapters.spark import text_fields  # not needed for files

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
