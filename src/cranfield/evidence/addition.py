"""Addition of evidence: the columns of the parts concatenated, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import fields, replace
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

Part = TypeVar("Part", bound=Any)


class ByQuery:
    """What all evidence by query has in common; a dataclass adds the columns, `queries` among them.

    `INDEX_OF` names the columns of indices and what each refers to: `queries[unit[i]]` is the query of row i.
    """

    INDEX_OF: ClassVar[Mapping[str, str]] = {"unit": "queries"}
    NEEDS_ITEMS: ClassVar[bool] = False  # whether it is built from a table of items
    queries: Sized

    def __len__(self) -> int:
        return len(self.queries)

    def __add__(self, other: Self) -> Self:
        """The evidence of both, which must have different queries."""
        return concatenated([self, other], self.INDEX_OF)


def concatenated(parts: Sequence[Part], index_of: Mapping[str, str]) -> Part:
    """The parts one after another: their arrays concatenated, and the names of their queries or units.

    Indices are increased by the number of rows that the parts before have. Parts without weights count 1 per item if
    others have some.
    """
    columns: dict[str, Any] = {}
    for name in (field.name for field in fields(parts[0])):
        values = [getattr(part, name) for part in parts]
        if name in ("queries", "units"):
            columns[name] = tuple(chain.from_iterable(values))
        elif isinstance(values[0], ByQuery):
            columns[name] = concatenated(values, values[0].INDEX_OF)
        elif name in index_of:
            before = np.cumsum([0, *(len(getattr(part, index_of[name])) for part in parts[:-1])])
            columns[name] = np.concatenate([value + n for value, n in zip(values, before, strict=True)])
        elif all(isinstance(value, np.ndarray) for value in values):
            columns[name] = np.concatenate(values)
        elif name == "weight" and any(value is not None for value in values):
            columns[name] = np.concatenate([part.weights for part in parts])
    return replace(parts[0], **columns)
