"""MTEB results: one JSON file per model and task, with one value per measure, split and language."""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

from cranfield.errors import BadInput, CranfieldWarning
from cranfield.tables.readers.streams import bytes_of

_SPLIT = "test"
_ABOUT = ("hf_subset", "languages")  # keys that are not scores
_CARD = "model_meta.json"
_SHOWN = 5  # measures named in a warning


def is_mteb_folder(path: str) -> bool:
    """Whether a folder contains MTEB results: one folder per model (perhaps per revision) and one file per task."""
    return os.path.isdir(path) and next(_files(path), None) is not None


def mteb_rows(path: str) -> list[dict[str, Any]]:
    """One row per model, task and measure: system, task, measure and value."""
    rows = []
    first: dict[tuple[str, str, str], str] = {}
    splits: dict[str, tuple[str, str]] = {}  # of each task, and a file with it
    for model, file in _files(path):
        for row in _rows(file):
            split = row.pop("split")
            known, elsewhere = splits.setdefault(row["task"], (split, file))
            if split != known:
                raise BadInput(f"{file}: {row['task']} has the split {split!r} here, but {known!r} in {elsewhere}")
            other = first.setdefault((model, row["task"], row["measure"]), file)
            if other != file:
                raise BadInput(f"{file}: {other} also has a result of {model} on {row['task']}; keep one revision")
            rows.append({"system": model, **row})
    return _of_all_tasks(rows, path)


def _of_all_tasks(rows: list[dict[str, Any]], path: str) -> list[dict[str, Any]]:
    """The rows of the measures that every result has, and a warning that names the others."""
    results = {(row["system"], row["task"]) for row in rows}
    n_values = Counter(row["measure"] for row in rows if _is_value(row["value"]))
    measures = dict.fromkeys(row["measure"] for row in rows)
    left_out = [measure for measure in measures if n_values[measure] < len(results)]
    if len(left_out) == len(measures):
        raise BadInput(f"{path}: there is no measure that all tasks have; compare tasks of one type")
    if left_out:
        named = ", ".join(left_out[:_SHOWN]) + (f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else "")
        warnings.warn(f"{path}: left out, without a value for some task: {named}", CranfieldWarning, stacklevel=2)
    return [row for row in rows if row["measure"] not in left_out]


def _is_value(value: float) -> bool:
    """Whether this is a value: MTEB writes NaN where a measure is undefined."""
    return isinstance(value, int) or math.isfinite(value)


def _files(path: str) -> Iterator[tuple[str, str]]:
    """The model and the path of each file of results."""
    for folder, folders, names in os.walk(path):
        folders.sort()
        model = os.path.relpath(folder, path).split(os.sep)[0].replace("__", "/")
        for name in sorted(names):
            if name.endswith(".json") and name != _CARD and model != ".":
                yield model, os.path.join(folder, name)


def _split_of(scores: dict[str, Any], file: str) -> str:
    """The split that counts: test, or the only one, since some tasks, such as MSMARCO, have only dev."""
    if _SPLIT not in scores and len(scores) != 1:
        raise BadInput(f"{file}: there is no split {_SPLIT!r}; keep the scores of one split ({', '.join(scores)})")
    return _SPLIT if _SPLIT in scores else next(iter(scores))


def _rows(file: str) -> Iterator[dict[str, Any]]:
    from cranfield.tables.readers.json_values import json_value

    content = json_value(bytes_of(file), file)
    scores = content.get("scores") if isinstance(content, dict) else None
    split = _split_of(scores, file) if isinstance(scores, dict) else ""
    records: Any = scores[split] if isinstance(scores, dict) else None
    are_objects = isinstance(records, list) and records and all(isinstance(record, dict) for record in records)
    if not are_objects or not isinstance(content.get("task_name"), str):
        raise BadInput(f"{file}: not an MTEB result, which needs task_name and scores")
    for record in records:
        subset = record.get("hf_subset", "default")
        task = content["task_name"] if subset == "default" else f"{content['task_name']} {subset}"
        for measure, value in record.items():
            if measure not in _ABOUT and isinstance(value, int | float) and not isinstance(value, bool):
                yield {"task": task, "split": split, "measure": measure, "value": value}
