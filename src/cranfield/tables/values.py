"""Values of systems on shared units such as queries, folds or items, from a file or a data frame."""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import pyarrow as pa

from cranfield.errors import BadInput, CranfieldWarning
from cranfield.frozen import frozen
from cranfield.tables.columns import has_role, listed, places
from cranfield.tables.numbers import is_number
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.tables.readers.streams import bytes_of

# MTEB results: one JSON file per model and task, with one value per measure, split and language


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


Values = dict[str, dict[str, dict[str, Any]]]  # by measure, system and unit
Shape = Literal["values", "orders"]

_UNITS = ("query", "item", "fold", "unit")
_WORDS = (*_UNITS, "topic", "document", "split", "group")  # words for units
_NEEDED = "remove the row for all systems, or fill in a value"
_ROW = "row"  # default name of a unit
_FEW = 3  # up to this many consecutive integers may be values
UNNAMED = "value"  # default name of the values


@frozen
class ValueTable:
    """The word for a unit, and the values `{measure: {system: {unit: value}}}` in their original order.

    Without a column of units, `named` is False, and they are numbered.
    """

    unit: str
    values: Values
    name: str
    form: str
    digest: str | None
    named: bool = True


def read_values(data: Any, shape: Shape = "values") -> ValueTable:
    """The values in a file or a data frame.

    One row per value, with columns system, value, the unit and, if there are several, measure; or one row per unit and
    one column per system. In a table of orders each row is a ranked item, which may be a system, and an item without a
    score is not in that ranking.
    """
    is_mteb = isinstance(data, str | os.PathLike) and is_mteb_folder(os.fspath(data))
    sheet = replace(as_sheet(mteb_rows(str(data))), name=str(data), form="MTEB") if is_mteb else as_sheet(data)
    unit: str | None
    if shape == "orders":
        unit, values = _from_columns(sheet, (*_UNITS, "system"), gaps=True)
    elif len(places(sheet.table.column_names, ("system", "value"), sheet.name)) == 2:
        unit, values = _from_rows(sheet)
    else:
        unit, values = _from_columns(sheet, _UNITS)
    return ValueTable(unit or _ROW, values, sheet.name, sheet.form, sheet.digest, unit is not None)


def unit_column(names: Sequence[str], where: str, unit_roles: Sequence[str] = _UNITS) -> str | None:
    """The column that names the unit of a row, if there is one; two candidates are refused."""
    place_of = places(names, unit_roles, where)
    if len(set(place_of.values())) > 1:
        both = listed(names[place] for place in place_of.values())
        raise BadInput(f"{where}: the columns {both} could each name the unit of a row; keep only one of them")
    place_of = place_of or places(names, ("id",), where)
    return names[next(iter(place_of.values()))] if place_of else None


def _unit_word(unit: str | None) -> str:
    """The word for a unit, from the name of its column: that of its role, unless the name is such a word itself."""
    if unit is None or has_role(unit, ("id",)):
        return _ROW
    role = next((role for role in _UNITS if has_role(unit, (role,))), unit)
    return unit.casefold() if unit.casefold() in _WORDS else role


def _from_rows(sheet: Sheet) -> tuple[str, Values]:
    names = sheet.table.column_names
    place_of = places(names, ("system", "value", "measure"), sheet.name)
    others = [name for place, name in enumerate(names) if place not in place_of.values()]
    unit = unit_column(others, sheet.name)
    if unit is None and len(others) == 1:
        unit = others[0]
    if unit is None:
        raise BadInput(
            f"{sheet.name}: no column among {listed(names)} names the unit of a value; call it {', '.join(_WORDS)}"
        )
    system, value = sheet.names(names[place_of["system"]]), sheet.column(names[place_of["value"]]).to_pylist()
    measure = sheet.names(names[place_of["measure"]]) if "measure" in place_of else [UNNAMED] * len(system)
    units, values = sheet.names(unit), Values()
    for place, (of_measure, of_system, of_unit) in enumerate(zip(measure, system, units, strict=True)):
        if not {None, ""}.isdisjoint((of_measure, of_system, of_unit)):
            raise BadInput(f"{sheet.where(place)}: the system, the measure or the {unit} of the value is missing")
        known_values = values.setdefault(str(of_measure), {}).setdefault(str(of_system), {})
        if str(of_unit) in known_values:
            raise BadInput(f"{sheet.where(place)}: {of_system} already has a value for {unit} {str(of_unit)!r}")
        if value[place] is None:
            raise BadInput(f"{sheet.where(place)}: {of_system} has no value for {unit} {str(of_unit)!r}; {_NEEDED}")
        known_values[str(of_unit)] = value[place]
    return _unit_word(unit), _alike(sheet, values)


def _alike(sheet: Sheet, values: Values) -> Values:
    """The values with the systems of all measures in one order; every measure needs all systems on the same units."""
    systems = list(dict.fromkeys(system for by_system in values.values() for system in by_system))
    (first, reference), *_ = values.items()
    for measure, by_system in values.items():
        missing = [system for system in systems if system not in by_system]
        if missing:
            raise BadInput(f"{sheet.name}: {missing[0]} has no value of {measure}; every measure needs all systems")
        here, there = (table[systems[0]].keys() for table in (by_system, reference))
        if here != there:
            raise BadInput(
                f"{sheet.name}: {systems[0]} has {len(here)} values of {measure} and {len(there)} of {first}, "
                f"{len(here ^ there)} of them for different units; every measure needs the same units"
            )
    return {measure: {system: by_system_[system] for system in systems} for measure, by_system_ in values.items()}


def _from_columns(sheet: Sheet, unit_roles: Sequence[str], *, gaps: bool = False) -> tuple[str | None, Values]:
    """The word for a unit, None without a column of units, and the values."""
    names = sheet.table.column_names
    texts = [name for name in names if not _is_number(sheet.column(name))]
    unit = unit_column(names, sheet.name, unit_roles)
    unit = texts[0] if unit is None and texts else unit
    if unit is not None and not gaps and has_role(unit, ("system", "measure")):
        raise BadInput(
            f"{sheet.name}: the column {unit!r} names systems or measures, but rows must be units: one row per query, "
            "fold or item and one column per system, or columns system, value and query"
        )
    systems = [name for name in names if name != unit]
    _require_systems(sheet, systems, texts, unit, counting_up=gaps)
    units = range(1, len(sheet.table) + 1) if unit is None else sheet.names(unit)
    _require_once(sheet, unit, units)
    keys = list(map(str, units))
    values = {name: sheet.column(name).to_pylist() for name in systems}
    for name, column in values.items():
        if None in column and not gaps:
            raise BadInput(f"{sheet.where(column.index(None))}: {name} has no value; {_NEEDED}")
        if all(value is None for value in column):
            raise BadInput(f"{sheet.name}: {name} has no scores; its column is empty")
    word = None if unit is None else _unit_word(unit)
    return word, {UNNAMED: {name: _present(keys, column) for name, column in values.items()}}


def _present(keys: Sequence[str], column: Sequence[Any]) -> dict[str, Any]:
    """The values that are not missing, by unit."""
    return {key: value for key, value in zip(keys, column, strict=True) if value is not None}


def _require_systems(
    sheet: Sheet, systems: Sequence[str], texts: Sequence[str], unit: str | None, counting_up: bool
) -> None:
    """Refuse columns that do not belong to a system: text, other roles, and row numbers."""
    odd = next((name for name in systems if name in texts), None)
    if odd is not None:
        _require_numbers(sheet, odd)
        read_as = f"; {unit!r} is read as the unit" if unit is not None else ""
        raise BadInput(
            f"{sheet.name}: column {odd!r} contains no numbers{read_as}; one column per system and one for the unit "
            "are needed"
        )
    named = next((name for name in systems if has_role(name)), None)
    if named is not None:
        raise BadInput(
            f"{sheet.name}: column {named!r} would be read as a system, but its name suggests otherwise; remove it, or "
            "rename it if it is a system"
        )
    if not counting_up and unit is None:
        _refuse_row_numbers(sheet, systems)


def _refuse_row_numbers(sheet: Sheet, systems: Sequence[str]) -> None:
    """Refuse a column that numbers the rows, or that identifies them by whole numbers beside values from 0 to 1."""
    columns = {name: sheet.column(name).to_pylist() for name in systems}
    numbers = next((name for name, column in columns.items() if _counts_up(column)), None)
    if numbers is None and len(systems) > 1 and _identifies(*columns.values()):
        numbers = systems[0]
    if numbers is not None:
        raise BadInput(
            f"{sheet.name}: column {numbers!r} numbers the rows; rename it to id if it identifies them, or add a "
            "column of units if it holds the values of a system"
        )


def _require_numbers(sheet: Sheet, name: str) -> None:
    """Refuse the first text in a column of numbers."""
    cells = sheet.names(name)
    numeric = [cell is None or is_number(str(cell)) for cell in cells]
    if any(numeric) and not all(numeric):
        place = numeric.index(False)
        raise BadInput(f"{sheet.where(place)}: {name} is {cells[place]!r}, which is not a number")


def _counts_up(values: Sequence[Any]) -> bool:
    return len(values) > _FEW and None not in values and values == [values[0] + place for place in range(len(values))]


def _identifies(first: Sequence[Any], *others: Sequence[Any]) -> bool:
    """Whether the first column holds a different integer in each row, not all 0 and 1, and all others proportions."""
    different = len(set(first)) == len(first) and all(isinstance(value, int) for value in first)
    proportions = all(value is not None and 0 <= value <= 1 for column in others for value in column)
    return different and not set(first) <= {0, 1} and proportions


def _require_once(sheet: Sheet, unit: str | None, units: Sequence[Any]) -> None:
    if None in units:
        raise BadInput(f"{sheet.where(list(units).index(None))}: the {unit} is missing")
    twice = next((key for key, times in Counter(map(str, units)).items() if times > 1), None)
    if twice is not None:
        raise BadInput(f"{sheet.name}: duplicate {unit} {twice!r}; one row per {_unit_word(unit)} is needed")


def _is_number(column: pa.ChunkedArray) -> bool:
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean, pa.types.is_null)
    return any(is_kind(column.type) for is_kind in kinds)
