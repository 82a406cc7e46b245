"""Predictions as columns, and the system that each belongs to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.tables.columns import refuse_rows, row
from cranfield.tables.labels import arrow
from cranfield.tables.readers.sheets import Sheet
from cranfield.tables.system_names import by_name

SYSTEM = "predictions"


class SystemColumns(NamedTuple):
    """The columns of one system, as passed."""

    predicted: Any = None
    score: Any = None
    probability: Any = None

    @property
    def flat(self) -> SystemColumns:
        """The same, with a one-column table treated as a column."""
        return SystemColumns(*(column[:, 0] if _is_upright(column) else column for column in self))


def _is_upright(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1


@frozen
class Columns:
    """The source of the columns (with a sheet, a text names one of its columns) and the ids of the items."""

    sheet: Sheet | None
    item: Any = None

    def where(self, place: int) -> str:
        """How errors name a row."""
        row_name = self._at(place)
        return row_name if self.item is None else f"{row_name}, item {self._items[place].as_py()!r}"

    def _at(self, place: int) -> str:
        return row(place) if self.sheet is None else self.sheet.where(place)

    @property
    def _items(self) -> pa.Array:
        items = arrow("item", self.take(self.item))
        if pa.types.is_nested(items.type):
            raise BadInput(f"item: item names must be text or numbers, not {items.type}")
        return items

    def require_items(self, n_items: int) -> None:
        """Refuse duplicate item ids, or a number of ids other than that of the items."""
        if self.item is None:
            return
        known = self._items.dictionary_encode()
        require_length("item", len(known), n_items)
        missing = known.is_null().to_numpy(zero_copy_only=False)
        refuse_rows(missing, self._at, lambda _: "the name of the item is missing")
        if len(known.dictionary) < n_items:
            code = known.indices.to_numpy(zero_copy_only=False)
            again = int(np.setdiff1d(np.arange(n_items), np.unique(code, return_index=True)[1])[0])
            first = int(np.argmax(code == code[again]))
            raise BadInput(f"{self.where(again)}: duplicate item (first at {self._at(first)})")

    def take(self, value: Any) -> Any:
        """The column itself."""
        if isinstance(value, Iterator):
            return list(value)  # columns may be read more than once
        return self.sheet.cells(value) if self.sheet is not None and isinstance(value, str) else value

    def name(self, value: Any) -> str:
        """The name of a column."""
        return value if self.sheet is not None and isinstance(value, str) else SYSTEM


def systems(
    predicted: Any,
    score: Any,
    probability: Any,
    columns: Columns,
    classes: Callable[[], Collection[str]] = frozenset,
    many: bool = False,
) -> dict[str, SystemColumns]:
    """The columns of each system by name; `classes` are those that occur, `many` if items may have several.

    A dict contains several systems, unless it contains one column per class.
    """
    passed = {"predicted": predicted, "score": score, "probability": probability}
    named = {what: _named(what, value, columns, many) for what, value in passed.items() if value is not None}
    if not any(not isinstance(value, Mapping) or value for value in named.values()):
        raise BadSetting("nothing to evaluate: pass predicted labels, scores or probabilities")
    several = {what: value for what, value in named.items() if _by_system(what, value, classes, many)}
    if not several and len(named) == 2 and "predicted" in named:  # labels and scores of one system
        return {SYSTEM: SystemColumns(**named)}
    by_system: dict[str, SystemColumns] = {}
    for what, value in named.items():
        of_systems = by_name(value, f"systems of {what}") if what in several else {columns.name(value): value}
        for name, column in of_systems.items():
            by_system[name] = by_system.get(name, SystemColumns())._replace(**{what: column})
    for name, answer in by_system.items():
        if answer.score is not None and answer.probability is not None:
            raise BadInput(f"{name}: got both scores and probabilities; pass one of them, or name two systems")
    return by_system


def require_other_columns(actual: Any, answers: Mapping[str, SystemColumns], columns: Columns) -> None:
    """Refuse predictions that are the column of actual values itself, named twice by mistake."""
    if columns.sheet is None:
        return
    outputs = _listed(actual)
    for column in (column for answer in answers.values() for column in answer):
        predicted = _listed([*column.values()] if isinstance(column, Mapping) else column)
        pairs = zip(outputs, predicted) if len(outputs) > 1 else ((outputs[0], name) for name in predicted)
        same = next((name for name, other in pairs if name is not None and name == other), None)
        if same is not None:
            raise BadInput(f"the column {same!r} has the actual values, so it cannot hold predictions too")


def _listed(value: Any) -> list[Any]:
    """The names of columns, one or several; None for columns without a name."""
    several = value if isinstance(value, list | tuple) else [value]
    return [name if isinstance(name, str) else None for name in several]


def _named(what: str, values: Any, columns: Columns, many: bool) -> Any:
    """A data frame as a dict of its columns, unless the data are multilabel; anything else unchanged.

    A list of numbers as text is a column, unless there is a sheet whose columns it names.
    """
    if hasattr(values, "tocsr"):  # sparse SciPy matrices; one kind is a dict
        return values.tocsr()
    if (isinstance(values, pa.Table) or has_named_columns(values)) and not many:
        return named_columns(what, values)
    if isinstance(values, Mapping):
        return {name: value if value is None else _named(what, value, columns, many) for name, value in values.items()}
    texts = isinstance(values, list | tuple) and bool(values) and all(isinstance(value, str) for value in values)
    return arrow(what, values) if texts and what != "predicted" and columns.sheet is None else values


def named_columns(what: str, values: Any) -> dict[Any, Any]:
    """The columns of an Arrow table or a data frame by name; a name that occurs twice is refused."""
    names = values.column_names if isinstance(values, pa.Table) else list(values.columns)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"{what}: duplicate column {twice!r} ({names.count(twice)} times)")
    return {name: values[name] for name in names}


def has_named_columns(values: Any) -> bool:
    """Whether an object has named columns."""
    return hasattr(values, "columns") and len(getattr(values, "shape", ())) == 2


def _by_system(what: str, values: Any, classes: Callable[[], Collection[str]], many: bool) -> bool:
    """Whether a dict holds several systems by name, rather than one system, or one column per class."""
    if not isinstance(values, Mapping):
        return False
    if any(isinstance(value, Mapping) or has_named_columns(value) or is_table(value) for value in values.values()):
        return True
    if what == "predicted" and not many:
        return True
    of_classes = sum(key_of(name) in classes() for name in values)
    if what == "predicted" and of_classes:
        raise BadInput(
            "predicted: a dict of labels must be by system; for one column per class, pass a table of 0 and 1"
        )
    if what == "score" and not many:  # a dict with one score column per system is equally likely
        return of_classes < min(len(values), len(classes()))
    return not of_classes


def key_of(label: object) -> str:
    """The key of a label in a dict of classes; true and false in any case."""
    text = str(label)
    return text.lower() if text in ("True", "False", "TRUE", "FALSE") else text


def is_table(values: Any) -> bool:
    """Whether an object has one column per class: a table, several columns, or their names."""
    if isinstance(values, list | tuple):
        return bool(values) and (isinstance(values[0], str | list | tuple) or hasattr(values[0], "__len__"))
    return getattr(values, "ndim", 1) == 2


def require_length(name: str, length: int, n_items: int) -> None:
    """Refuse a column whose length differs from the number of items."""
    if length != n_items:
        raise BadInput(f"{name}: {length} values for {n_items} items; row {min(length, n_items)} has no counterpart")
