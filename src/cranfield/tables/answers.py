"""What systems say, as columns: where these come from, and which belong to which system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.errors import BadInput, BadSetting
from cranfield.tables.labels import arrow, row
from cranfield.tables.sheets import Sheet

SYSTEM = "predictions"


class Answers(NamedTuple):
    """The columns of one system, as they were given."""

    predicted: Any = None
    score: Any = None
    probability: Any = None

    @property
    def flat(self) -> Answers:
        """The same, a table of one column taken for the column."""
        return Answers(*(given[:, 0] if _is_upright(given) else given for given in self))


def _is_upright(given: Any) -> bool:
    return isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 1


@dataclass(frozen=True)
class Columns:
    """Where columns come from: with a sheet, a text is the name of one; and what the items are called."""

    sheet: Sheet | None
    item: Any = None

    def where(self, place: int) -> str:
        """How a row is named."""
        found = self._at(place)
        return found if self.item is None else f"{found}, item {self._items[place].as_py()!r}"

    def _at(self, place: int) -> str:
        return row(place) if self.sheet is None else self.sheet.where(place)

    @property
    def _items(self) -> pa.Array:
        return arrow("item", self.take(self.item))

    def require_items(self, n_items: int) -> None:
        """Refuse items that are called the same, or that are not as many as there are."""
        if self.item is None:
            return
        known = self._items.dictionary_encode()
        require_length("item", len(known), n_items)
        if len(known.dictionary) < n_items:
            code = known.indices.to_numpy(zero_copy_only=False)
            again = int(np.setdiff1d(np.arange(n_items), np.unique(code, return_index=True)[1])[0])
            first = int(np.argmax(code == code[again]))
            raise BadInput(f"{self.where(again)}: this item appears again (first at {self._at(first)})")

    def take(self, value: Any) -> Any:
        """The column itself."""
        return self.sheet.column(value) if self.sheet is not None and isinstance(value, str) else value

    def name(self, value: Any) -> str:
        """What a column is called."""
        return value if self.sheet is not None and isinstance(value, str) else SYSTEM


def systems(predicted: Any, score: Any, probability: Any, columns: Columns) -> dict[str, Answers]:
    """The columns of each system by its name; those of a dict are of several systems."""
    found: dict[str, Answers] = {}
    for what, given in (("predicted", predicted), ("score", score), ("probability", probability)):
        if given is None:
            continue
        given = _named(given)
        several = dict(given) if _several(given, what) else {columns.name(given): given}
        for name, value in several.items():
            found[str(name)] = found.get(str(name), Answers())._replace(**{what: value})
    if not found:
        raise BadSetting("there is nothing to assess: give predicted labels, scores or probabilities")
    if len(found) == 2 and not any(isinstance(_named(given), Mapping) for given in (predicted, score)):
        label, scored = found.values()
        return {SYSTEM: Answers(label.predicted, scored.score, scored.probability)}
    return found


def _named(given: Any) -> Any:
    """A data frame as a dict of its columns; anything else as it is."""
    if isinstance(given, pa.Table):
        return dict(zip(given.column_names, given.columns, strict=True))
    if hasattr(given, "columns") and len(getattr(given, "shape", ())) == 2:
        return {name: given[name] for name in given.columns}
    return given


def _several(given: Any, what: str) -> bool:
    """Whether a dict holds systems: one of probabilities holds classes, unless its values hold classes themselves."""
    if not isinstance(given, Mapping):
        return False
    first = next(iter(given.values()), None)
    return what != "probability" or isinstance(first, Mapping) or is_table(first)


def is_table(given: Any) -> bool:
    """Whether something has a column a class: a table, several columns, or their names."""
    if isinstance(given, list | tuple):
        return bool(given) and (isinstance(given[0], str | list | tuple) or hasattr(given[0], "__len__"))
    return getattr(given, "ndim", 1) == 2


def require_length(name: str, length: int, n_items: int) -> None:
    """Refuse a column that is longer or shorter than there are items."""
    if length != n_items:
        raise BadInput(
            f"{name}: there are {length} of them for {n_items} items; row {min(length, n_items)} has no match"
        )
