"""The catalogue of measures, to be read: a list by subject, and a card for each measure."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from cranfield.errors import BadSetting, CranfieldError, UnknownMeasure
from cranfield.present.table import Column, Row, Table, row
from cranfield.registry import Alias, Family, Kind, families, parse
from cranfield.settings import Setting

KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "ranking": "Rankings",
        "binary": "Yes-or-no answers",
        "classes": "Classes",
        "values": "Values",
        "ratings": "Ratings",
    }
)


def everything(kind: Kind | None = None) -> list[Family]:
    """Every measure of every kind, or of one."""
    return [family for each in KINDS for family in families(each).values() if kind in (None, each)]


def known_as(name: str, kind: Kind | None = None) -> list[Family]:
    """The measures that a name stands for: one in each kind that knows it."""
    found: list[Family] = []
    refusals: list[CranfieldError] = []
    for each in (kind,) if kind else KINDS:
        try:
            found.append(parse(name, each).family)
        except (UnknownMeasure, BadSetting) as error:
            refusals.append(error)
    if not found:
        raise refusals[0]
    return found


def subjects(kind: Kind) -> dict[str, list[Family]]:
    """The measures of a kind by what their modules are about."""
    by_module: dict[str, list[Family]] = {}
    for family in families(kind).values():
        by_module.setdefault(family.function.__module__, []).append(family)
    return {_subject(module): members for module, members in sorted(by_module.items())}


def _subject(module: str) -> str:
    return str(inspect.getdoc(sys.modules[module])).partition("\n")[0].removesuffix(".")


def lists(kind: Kind | None = None) -> Iterator[Table]:
    """A table for each subject: name, title and definition of its measures."""
    columns = (Column("name"), Column("title"), Column("definition"))
    for each in (kind,) if kind else KINDS:
        for subject, members in subjects(each).items():
            rows = tuple(row(family.name, family.title, family.definition) for family in members)
            yield Table(columns, rows, title=f"{KINDS[each]}. {subject}")


def card(family: Family) -> Table:
    """All there is to know about a measure: what it is, its settings, and how else it is written."""
    columns = (Column("setting"), Column("default"), Column("may be"))
    rows = tuple(_setting(family, setting) for setting in family.settings.values())
    return Table(
        columns,
        rows or (row("none", "", ""),),
        title=f"{family.name}: {family.title} ({KINDS[family.kind].lower()})",
        lead=tuple(" ".join(text.split()) for text in (family.definition, *family.remarks.split("\n\n")) if text),
        notes=tuple(_facts(family)),
    )


def _setting(family: Family, setting: Setting) -> Row:
    default = "required" if setting.required else "none" if setting.default is None else repr(setting.default)
    return row(
        setting.name, default, setting.what + (f", written {family.name}@{setting.example}" if setting.at else "")
    )


def _facts(family: Family) -> Iterator[str]:
    better = {True: "higher is better", False: "lower is better", None: "neither end is better"}
    yield f"values: {_bounds(family)}; {better[family.higher_is_better]}"
    if family.undefined:
        yield f"undefined: {family.undefined}"
    units = "queries" if family.kind == "ranking" else "units"
    yield f"over {units}: {family.aggregate}{', or all pooled (micro)' if family.pools else ''}"
    if written := [*family.names, *map(_alias, family.aliases)]:
        yield f"also written: {', '.join(written)}"
    if family.cite:
        yield f"after: {family.cite}"


def _bounds(family: Family) -> str:
    low, high = (f"{end:g}" for end in family.bounds)
    if math.isinf(family.bounds[0]):
        return "any number"
    return f"from {low}" if math.isinf(family.bounds[1]) else f"from {low} to {high}"


def _alias(alias: Alias) -> str:
    fixed = ", ".join(f"{name}={value!r}" for name, value in alias.fixed)
    return f"{alias.pattern} ({fixed})" if fixed else alias.pattern


def record(family: Family) -> dict[str, Any]:
    """All there is to know about a measure, for JSON."""
    return {
        "name": family.name,
        "title": family.title,
        "definition": family.definition,
        "remarks": family.remarks,
        "kind": family.kind,
        "undefined": family.undefined,
        "subject": family.function.__module__.rpartition(".")[2],
        "settings": [_settings_record(setting) for setting in family.settings.values()],
        "bounds": [None if math.isinf(end) else end for end in family.bounds],
        "higher_is_better": family.higher_is_better,
        "aggregate": family.aggregate,
        "pools": family.pools,
        "names": list(family.names),
        "aliases": [{"pattern": alias.pattern, "settings": dict(alias.fixed)} for alias in family.aliases],
        "cite": family.cite,
    }


def _settings_record(setting: Setting) -> dict[str, Any]:
    return {
        "name": setting.name,
        "default": setting.default,
        "required": setting.required,
        "what": setting.what,
        "choices": [choice for choice in setting.choices if choice is not None],
        "ranges": [
            {
                "low": None if math.isinf(allowed.low) else allowed.low,
                "high": None if math.isinf(allowed.high) else allowed.high,
                "whole": allowed.whole,
                "open": allowed.open,
            }
            for allowed in setting.ranges
        ],
    }
