"""Attributes of systems, such as cost, time and storage, with one row per system."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cranfield.errors import BadInput, CranfieldWarning
from cranfield.tables.column_roles import listed, places

if TYPE_CHECKING:
    from cranfield.tables.readers.sheets import Sheet

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
