"""Columns of predicted distributions, as written on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.tables.readers.sheets import Sheet

OPTIONS = ("quantile", "intervals", "sample", "deviation")
_AT_LEVEL = re.compile(r"(?:(?P<system>.*):)?(?P<level>[0-9.]+)=(?P<columns>.+)", re.DOTALL)


def distribution_columns(sheet: Sheet, settings: dict[str, Any]) -> dict[str, Any]:
    """The columns for `regress`; their options are removed from the settings."""
    quantile, intervals, sample, deviation = (settings.pop(name, ()) for name in OPTIONS)
    columns = {
        "quantiles": _at_levels("--quantile", quantile),
        "intervals": _at_levels("--prediction-interval", intervals, pairs=True),
        "samples": _of_systems("--member", sample, sheet.table.column_names),
        "deviation": _single(_of_systems("--standard-deviation", deviation, ())),
    }
    return {name: value for name, value in columns.items() if value is not None}


def _at_levels(option: str, texts: Sequence[str], *, pairs: bool = False) -> dict[Any, Any] | None:
    """The columns by level, or by system and level."""
    by_system: dict[str | None, dict[float, Any]] = {}
    for text in texts:
        matched = _AT_LEVEL.fullmatch(text)
        form = "LEVEL=LOWER,UPPER, as in 0.9=low,high" if pairs else "LEVEL=COLUMN, as in 0.9=q90"
        if matched is None:
            raise BadSetting(f"{option} {text}: write {form}")
        columns: Any = tuple(matched["columns"].split(",")) if pairs else matched["columns"]
        if pairs and len(columns) != 2:
            raise BadSetting(f"{option} {text}: write {form}")
        at_level = by_system.setdefault(matched["system"], {})
        level = _level(option, text, matched["level"])
        if level in at_level:
            raise BadSetting(f"{option}: the level {level:g} is given twice")
        at_level[level] = columns
    return _whole(option, by_system)


def _level(option: str, text: str, level: str) -> float:
    try:
        return float(level)
    except ValueError:
        raise BadSetting(f"{option} {text}: {level} is not a number") from None


def _of_systems(option: str, texts: Sequence[str], known: Iterable[str]) -> Any:
    """The columns in order, or by system if written SYSTEM=COLUMN; patterns stand for all columns that match."""
    by_system: dict[str | None, list[str]] = {}
    for text in texts:
        system, equals, column = text.partition("=")
        if not equals or text in known:
            system, column = None, text  # type: ignore[assignment]
        matching = [name for name in known if column != name and fnmatchcase(name, column)]
        by_system.setdefault(system, []).extend(matching or [column])
    return _whole(option, by_system)


def _whole(option: str, by_system: dict[str | None, Any]) -> Any:
    """The columns of the only system, or by system; None if there are none."""
    if not by_system:
        return None
    if None not in by_system:
        return by_system
    if len(by_system) > 1:
        raise BadSetting(f"{option} names a system only in some places; name it in all of them")
    return by_system[None]


def _single(columns: Any) -> Any:
    """The only column of each system."""
    if columns is None:
        return None
    if isinstance(columns, dict):
        return {system: _single(names) for system, names in columns.items()}
    if len(columns) > 1:
        raise BadSetting("--standard-deviation: for several systems, write SYSTEM=COLUMN")
    return columns[0]
