"""Data on items: one row per item of a catalogue, or per document of a collection."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, CranfieldWarning
from cranfield.frozen import cached_property, frozen
from cranfield.tables.columns import has_role, listed, places
from cranfield.tables.names import Lookup, Names, named
from cranfield.tables.numbers import is_number
from cranfield.tables.totals import refuse_summary

if TYPE_CHECKING:
    from cranfield.tables.readers.sheets import Sheet


POPULARITY = ("popularity", "interactions", "count")
_LISTED = re.compile("[,;]")  # other separators of tags
_MARKED = re.compile(r"[-+]?[0-9][0-9.,' ]*[%€$£]?")
TAGS = ("genres", "genre", "categories", "category", "tags", "tag", "features")
GROUP = "group"


@frozen(eq=False)
class Items:
    """The items of a catalogue, with the columns that the table has.

    `features[i]` is the vector of item i: its numbers, and 1 for each of its tags.
    """

    names: Names
    popularity_column: Floats | None
    group_column: Ints | None  # index among the groups, -1 for items without a group
    groups: tuple[str, ...]
    feature_columns: Floats | None
    feature_names: tuple[str, ...]  # of the columns of numbers and the tags
    source: tuple[str, str, str | None]  # name, format, hash

    def __len__(self) -> int:
        return len(self.names)

    @property
    def popularity(self) -> Floats:
        """How often each item was used, such as its number of interactions."""
        return self._column(self.popularity_column, "a column popularity")

    @property
    def group(self) -> Ints:
        """The group of each item."""
        return self._column(self.group_column, "a column group")

    @property
    def features(self) -> Floats:
        """The feature vector of each item."""
        return self._column(
            self.feature_columns, "features: columns of numbers, or tags in a column genres, categories or tags"
        )

    @property
    def tags(self) -> Floats:
        """The features, if all of them are 0 and 1."""
        if not np.isin(self.features, (0, 1)).all():
            raise BadInput(
                f"{self.source[0]}: the Jaccard distance needs tags, or features of 0 and 1, but {self.largest!r} has "
                "other numbers; remove the column, or use distance=cosine"
            )
        return self.features

    @cached_property
    def largest(self) -> str:
        """The feature with the largest sum of squares."""
        return self.feature_names[int((self.features**2).sum(axis=0).argmax())]

    @cached_property
    def dominance(self) -> float:
        """The proportion of the largest feature in the squared length of all feature vectors."""
        squares = (self.features**2).sum(axis=0)
        return float(squares.max() / squares.sum()) if len(squares) > 1 and squares.any() else 0.0

    def _column(self, column: Any, what: str) -> Any:
        if column is None:
            raise BadInput(f"{self.source[0]}: this measure needs {what}")
        return column

    @cached_property
    def lookup(self) -> Lookup:
        """The index of the items by name."""
        return Lookup(self.names, self.names.hash)


def read_items(data: Any) -> Items:
    """The items of a table with one row per item, or of `{item: {column: value}}`."""
    from cranfield.tables.readers.sheets import as_sheet, rows_by_name  # needs PyArrow

    if isinstance(data, Items):
        return data
    if isinstance(data, Mapping) and all(isinstance(row, Mapping) for row in data.values()):
        data = [{"item": item, **row} for item, row in data.items()]
    sheet = as_sheet(data)
    key, popularity, group = _key(sheet), _one_of(sheet, POPULARITY), _one_of(sheet, (GROUP,))
    names = Names.of(rows_by_name(sheet, key, "item", named))
    if not len(names):
        raise BadInput(f"{sheet.name}: there are no items")
    groups, group_of = ((), None) if group is None else _groups(sheet, group)
    popular = None if popularity is None else _popularity(sheet, popularity)
    used = {key, popularity, group}
    features = {
        name: column
        for place in sheet.table.column_names
        if place not in used and not has_role(place, ("id", "item"))
        for name, column in _features(sheet, place).items()
    }
    _refuse_summaries(sheet, key, [*features.values(), *([] if popular is None else [popular])])
    return Items(
        names,
        popular,
        group_of,
        groups,
        np.stack([*features.values()], axis=1) if features else None,
        tuple(features),
        (sheet.name, sheet.form, sheet.digest),
    )


def _one_of(sheet: Sheet, spellings: Sequence[str]) -> str | None:
    """The column with one of these names, if there is one; several are refused."""
    columns = [name for name in sheet.table.column_names if name.strip().casefold() in spellings]
    if len(columns) > 1:
        raise BadInput(
            f"{sheet.name}: the columns {listed(columns)} could each be the {spellings[0]}; keep only one of them"
        )
    return columns[0] if columns else None


def _refuse_summaries(sheet: Sheet, key: str, columns: Sequence[Floats]) -> None:
    """Refuse a row that sums up the others, such as a last row of totals, which would count as an item."""
    if columns:
        try:
            refuse_summary([str(name) for name in sheet.names(key)], np.stack(columns), "item")
        except BadInput as error:
            raise BadInput(f"{sheet.name}: {error}") from None


def _key(sheet: Sheet) -> str:
    """The column with the names of the items."""
    names = sheet.table.column_names
    for role in ("item", "id"):
        if place := places(names, (role,), sheet.name):
            return names[place[role]]
    raise BadInput(f"{sheet.name}: none of the columns {listed(names)} names the item; call it item")


def _popularity(sheet: Sheet, column: str) -> Floats:
    values = _numbers(sheet, column)
    if values is None or (values < 0).any():
        raise BadInput(f"{sheet.name}: the column {column!r} must hold numbers of 0 or more")
    return values


def _groups(sheet: Sheet, column: str) -> tuple[tuple[str, ...], Ints]:
    cells = [None if value in (None, "") else str(value) for value in sheet.names(column)]
    groups = tuple(sorted({cell for cell in cells if cell is not None}))
    place = {group: index for index, group in enumerate(groups)}
    return groups, np.array([-1 if cell is None else place[cell] for cell in cells], np.int64)


def _features(sheet: Sheet, column: str) -> dict[str, Floats]:
    """The features of a column by name: a column of numbers, or one column per tag; other columns have none."""
    if column.strip().casefold() in TAGS:
        rows = _tags(sheet, column)
        return {
            f"{column}: {tag}": np.array([tag in row for row in rows], np.float64) for tag in sorted(set().union(*rows))
        }
    values = _numbers(sheet, column)
    return {} if values is None else {column: values}


def _tags(sheet: Sheet, column: str) -> list[set[str]]:
    """The tags of each item: lists, or text in which they are separated by |."""
    cells = [[] if cell in (None, "") else cell for cell in sheet.names(column)]
    texts = {place: cell for place, cell in enumerate(cells) if isinstance(cell, str)}
    if not any("|" in cell for cell in texts.values()):
        odd = next((place for place, cell in texts.items() if _LISTED.search(cell)), None)
        if odd is not None:
            raise BadInput(f"{sheet.where(odd)}: {column} {texts[odd]!r}: tags must be separated by |")
    several = [cell if isinstance(cell, list) else str(cell).split("|") for cell in cells]
    return [{str(tag).strip() for tag in tags if str(tag).strip()} for tags in several]


def _refuse_marked(sheet: Sheet, column: str) -> None:
    """Refuse numbers with commas, blanks or signs between their digits: the column would be taken for text."""
    cells = {place: str(cell) for place, cell in enumerate(sheet.names(column)) if cell not in (None, "")}
    odd = [place for place, cell in cells.items() if not is_number(cell)]
    if odd and all(map(_MARKED.fullmatch, cells.values())):
        raise BadInput(f"{sheet.where(odd[0])}: {column} {cells[odd[0]]!r} is not a number")


def _numbers(sheet: Sheet, column: str) -> Floats | None:
    """The numbers of a column; None if it holds text."""
    values = sheet.column(column).to_pylist()
    if not all(value is None or isinstance(value, int | float) for value in values):
        _refuse_marked(sheet, column)
        return None
    for place, value in enumerate(values):
        if value is None or not np.isfinite(value):
            raise BadInput(f"{sheet.where(place)}: {column} is {'missing' if value is None else value}")
    return np.array(values, np.float64)


# Attributes of systems, such as cost, time and storage, with one row per system


Info = Mapping[str, Mapping[str, float | str | None]]  # by column and system

_RESERVED = ("system", "measure", "aggregate", "value", "low", "high", "interval", "undefined")


class SystemInfo(NamedTuple):
    """The columns by system, and where they come from."""

    columns: Info
    source: tuple[str, str, str | None]  # name, format, hash


def read_system_info(data: Any, systems: Sequence[str], measures: Sequence[str] = ()) -> SystemInfo:
    """The columns of a table with one row per system, or of `{system: {column: value}}`; numbers or text.

    A column with the name of a measure of the results is refused: a table would have two of them.
    """
    from cranfield.tables.readers.sheets import as_sheet, rows_by_name  # needs PyArrow

    if isinstance(data, Mapping) and all(isinstance(row, Mapping) for row in data.values()):
        data = [{"system": system, **row} for system, row in data.items()]
    sheet = as_sheet(data)
    names = sheet.table.column_names
    place_of = places(names, ("system",), sheet.name)
    if not place_of:
        raise BadInput(f"{sheet.name}: none of the columns {listed(names)} names the system; call it system")
    key_column = names[place_of["system"]]
    reserved = {*_RESERVED, *(measure.lower() for measure in measures)}
    taken = next((name for name in names if name != key_column and name.strip().lower() in reserved), None)
    if taken is not None:
        raise BadInput(f"{sheet.name}: the column {taken!r} conflicts with a column of the results; rename it")
    known = rows_by_name(sheet, key_column, "system", str)
    missing = [system for system in systems if system not in known]
    if missing:
        raise BadInput(f"{sheet.name}: there is no row for {missing[0]!r}, only for {listed(known)}")
    if unused := [system for system in known if system not in systems]:
        warnings.warn(f"{sheet.name}: {listed(unused)} not evaluated", CranfieldWarning, stacklevel=3)
    columns = {}
    for name in names:
        if name != key_column:
            values = sheet.column(name).to_pylist()
            columns[name] = {system: _value(sheet, name, known[system], values[known[system]]) for system in systems}
    return SystemInfo(columns, (sheet.name, sheet.form, sheet.digest))


def _value(sheet: Sheet, column: str, place: int, value: Any) -> float | str | None:
    if value is None or isinstance(value, str):
        return value or None
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise BadInput(f"{sheet.where(place)}: {column} is {value!r}, which is neither a number nor text")
    return value


def numeric_columns(info: Info) -> list[str]:
    """The columns that hold a number for some system and no text."""
    return [
        name
        for name, values in info.items()
        if any(value is not None for value in values.values())
        and not any(isinstance(value, str) for value in values.values())
    ]
