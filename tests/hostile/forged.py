"""Saved results with other values than they can have, as an attacker might write them."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

_DOCUMENT = "result.json"
_MOST = 6  # elements of a list that are changed
_OTHERS: tuple[Any, ...] = (
    *(None, "x", -1, 1e9, [], {}, True, "AP(", [1]),
    *({"$tuple": []}, {"$map": []}, {"$float": "nan"}, {"$bytes": "ff"}, {"$measure": "AP", "kind": "ranking"}),
)
_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "as text": lambda array: array.astype("U5"),
    "in single precision": lambda array: array.astype(np.float32),
    "one shorter": lambda array: array[:-1],
    "empty": lambda array: array[:0],
    "flat": lambda array: array.ravel(),
    "with another axis": lambda array: array[None],
    "negative": lambda array: -array - 1,
    "far beyond": lambda array: array + 1000,
    "not a number": lambda array: array + np.nan,
}
_OF_NUMBERS = ("in single precision", "negative", "far beyond", "not a number")


def forged(saved: Path, seed: int, most: int) -> Iterator[tuple[str, bytes]]:
    """What was changed, and the file with it: so many values, and as many arrays, at random."""
    with zipfile.ZipFile(saved) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    content = json.loads(entries[_DOCUMENT])
    values = [(place, other) for place in _places(content["result"]) for other in (*_OTHERS, ...)]
    arrays = [(name, how) for name in sorted(entries.keys() - {_DOCUMENT}) for how in _ARRAYS]
    chance = random.Random(seed)
    for place, other in chance.sample(values, min(most, len(values))):
        changed = json.dumps(content | {"result": _with(content["result"], place, other)}).encode()
        yield f"{place} is {other}", _archive(entries | {_DOCUMENT: changed})
    for name, how in chance.sample(arrays, min(most, len(arrays))):
        array = np.load(io.BytesIO(entries[name]))
        if array.ndim and (array.dtype.kind in "fi" or how not in _OF_NUMBERS):
            data = io.BytesIO()
            np.save(data, _ARRAYS[how](array))
            yield f"{name} is {how}", _archive(entries | {name: data.getvalue()})


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a value of the document is, from the outside in; not the document itself."""
    if place:
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value[:_MOST]) if isinstance(value, list) else ()
    for key, own in inner:
        yield from _places(own, (*place, key))


def _with(content: Any, place: tuple[Any, ...], other: Any) -> Any:
    """The document with another value at a place, or without one for an ellipsis."""
    changed = deepcopy(content)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    if other is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = other
    return changed


def _archive(entries: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file.getvalue()
