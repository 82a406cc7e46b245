"""MTEB results: one JSON file per model and task, with one value per measure, split and language."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from cranfield.errors import BadInput

_SPLIT = "test"
_ABOUT = ("hf_subset", "languages")  # keys that are not scores
_CARD = "model_meta.json"


def is_mteb_folder(path: str) -> bool:
    """Whether a folder contains MTEB results: one folder per model (perhaps per revision) and one file per task."""
    return os.path.isdir(path) and next(_files(path), None) is not None


def mteb_rows(path: str) -> list[dict[str, Any]]:
    """One row per model, task and measure: system, task, measure and value."""
    rows = []
    first: dict[tuple[str, str, str], str] = {}
    for model, file in _files(path):
        for row in _rows(file):
            other = first.setdefault((model, row["task"], row["measure"]), file)
            if other != file:
                raise BadInput(f"{file}: {other} also has a result of {model} on {row['task']}; keep one revision")
            rows.append({"system": model, **row})
    if not rows:
        raise BadInput(f"{path}: there are no MTEB results with scores of the split {_SPLIT!r}")
    return rows


def _files(path: str) -> Iterator[tuple[str, str]]:
    """The model and the path of each file of results."""
    for folder, folders, names in os.walk(path):
        folders.sort()
        model = os.path.relpath(folder, path).split(os.sep)[0].replace("__", "/")
        for name in sorted(names):
            if name.endswith(".json") and name != _CARD and model != ".":
                yield model, os.path.join(folder, name)


def _rows(file: str) -> Iterator[dict[str, Any]]:
    from cranfield.tables.readers.json_values import json_value

    with open(file, "rb") as data:
        content = json_value(data.read(), file)
    scores = content.get("scores") if isinstance(content, dict) else None
    records: Any = scores.get(_SPLIT, []) if isinstance(scores, dict) else None
    are_objects = isinstance(records, list) and all(isinstance(record, dict) for record in records)
    if not are_objects or not isinstance(content.get("task_name"), str):
        raise BadInput(f"{file}: not an MTEB result, which needs task_name and scores")
    for record in records:
        subset = record.get("hf_subset", "default")
        task = content["task_name"] if subset == "default" else f"{content['task_name']} {subset}"
        for measure, value in record.items():
            if measure not in _ABOUT and isinstance(value, int | float) and not isinstance(value, bool):
                yield {"task": task, "measure": measure, "value": value}
