"""Addition of evidence: the parts concatenated, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np

Part = TypeVar("Part", bound=Any)


def concatenated(parts: Sequence[Part], **offset: Callable[[Part], int]) -> Part:
    """The parts one after another: their arrays concatenated, and the names of their queries or units.

    `offset` says, for each column of places, how many places the parts before have taken. Parts without weights
    count 1 per item if others have some.
    """
    columns: dict[str, Any] = {}
    for name in (field.name for field in fields(parts[0])):
        values = [getattr(part, name) for part in parts]
        if name in ("queries", "units"):
            columns[name] = tuple(chain.from_iterable(values))
        elif name in offset:
            before = np.cumsum([0, *map(offset[name], parts[:-1])])
            columns[name] = np.concatenate([value + n for value, n in zip(values, before, strict=True)])
        elif all(isinstance(value, np.ndarray) for value in values):
            columns[name] = np.concatenate(values)
        elif name == "weight" and any(value is not None for value in values):
            columns[name] = np.concatenate([part.weights for part in parts])
    return replace(parts[0], **columns)
