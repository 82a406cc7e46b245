"""Values of systems on units they share, such as queries, folds or items, from a file or a data frame."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cranfield.errors import BadInput
from cranfield.tables.sheets import Sheet, as_sheet

Values = dict[str, dict[str, dict[str, Any]]]  # by measure, system and unit

# the last is what Arrow calls the index of a pandas frame
_UNITS = ("query", "topic", "fold", "split", "item", "document", "group", "unit", "id", "__index_level_0__")
_NEEDED = "leave the row out for all systems, or say what it counts as"
_ROW = "row"  # what a unit is called where nothing says it
UNNAMED = "value"  # what the values are called where nothing says it


@dataclass(frozen=True)
class Valued:
    """What a unit is called, and the values `{measure: {system: {unit: value}}}`, in the order they were given in."""

    unit: str
    values: Values
    name: str
    form: str
    digest: str | None


def read_values(data: Any) -> Valued:
    """The values in a file or a data frame.

    A row a value, with columns system, value, the unit's and, if there are several, measure; or a row a unit, with a
    column a system.
    """
    sheet = as_sheet(data)
    tidy = {"system", "value"} <= set(sheet.table.column_names)
    unit, values = _from_rows(sheet) if tidy else _from_columns(sheet)
    return Valued(unit, values, sheet.name, sheet.form, sheet.digest)


def _from_rows(sheet: Sheet) -> tuple[str, Values]:
    others = [name for name in sheet.table.column_names if name not in ("system", "value", "measure")]
    unit = next((name for name in others if name.casefold() in _UNITS), others[0] if len(others) == 1 else None)
    if unit is None:
        raise BadInput(f"{sheet.name}: no column says which {', '.join(_UNITS[:-2])} or {_UNITS[-2]} a value is of")
    several = "measure" in sheet.table.column_names
    column = {name: sheet.column(name).to_pylist() for name in ("system", unit, "value")}
    measures = sheet.column("measure").to_pylist() if several else [UNNAMED] * len(sheet.table)
    found: Values = {}
    rows = zip(measures, column["system"], column[unit], column["value"], strict=True)
    for place, (measure, system, of, value) in enumerate(rows):
        known = found.setdefault(str(measure), {}).setdefault(str(system), {})
        if str(of) in known:
            raise BadInput(f"{sheet.where(place)}: {system} has a value for {unit} {str(of)!r} already")
        if value is None:
            raise BadInput(f"{sheet.where(place)}: {system} has no value for {unit} {str(of)!r}; {_NEEDED}")
        known[str(of)] = value
    return unit, found


def _from_columns(sheet: Sheet) -> tuple[str, Values]:
    names = sheet.table.column_names
    texts = [name for name in names if not _is_number(sheet.column(name))]
    unit = next((name for name in names if name.casefold() in _UNITS), texts[0] if texts else None)
    systems = [name for name in names if name != unit]
    odd = next((name for name in systems if name in texts), None)
    if odd is not None:
        raise BadInput(f"{sheet.name}: column {odd!r} holds no numbers; a column a system, and one for the unit, do")
    units = range(1, len(sheet.table) + 1) if unit is None else sheet.column(unit).to_pylist()
    keys = list(map(str, units))
    twice = next((key for key, times in Counter(keys).items() if times > 1), None)
    if twice is not None:
        raise BadInput(f"{sheet.name}: {unit} {twice!r} has two rows; one a {unit} is needed")
    values = {name: sheet.column(name).to_pylist() for name in systems}
    for name, column in values.items():
        if None in column:
            raise BadInput(f"{sheet.where(column.index(None))}: {name} has no value; {_NEEDED}")
    return _ROW if unit in (None, _UNITS[-1]) else str(unit), {
        UNNAMED: {name: dict(zip(keys, column, strict=True)) for name, column in values.items()}
    }


def _is_number(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_null(column.type))
