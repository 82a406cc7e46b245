"""The catalogue of measures: a list by subject, and a card for each measure."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from cranfield.errors import BadSetting, CranfieldError, UnknownMeasure
from cranfield.measures.aliases import Alias
from cranfield.measures.declaration import Family, Kind
from cranfield.measures.naming import parse
from cranfield.measures.registry import families
from cranfield.measures.settings import Setting
from cranfield.present.table import Column, Row, Table, row

KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "ranking": "Rankings",
        "binary": "Binary classification",
        "classes": "Multiclass classification",
        "values": "Regression",
        "ratings": "Agreement between raters",
    }
)


def everything(kind: Kind | None = None) -> list[Family]:
    """All measures, or those of one kind."""
    return [family for one in KINDS for family in families(one).values() if kind in (None, one)]


def known_as(name: str, kind: Kind | None = None) -> list[Family]:
    """The measures with this name, at most one of each kind."""
    matches: list[Family] = []
    refusals: list[CranfieldError] = []
    for one in (kind,) if kind else KINDS:
        try:
            matches.append(parse(name, one).family)
        except (UnknownMeasure, BadSetting) as error:
            refusals.append(error)
    if not matches:
        raise refusals[0]
    return matches


def subjects(kind: Kind) -> dict[str, list[Family]]:
    """The measures of a kind by subject, one module each."""
    by_module: dict[str, list[Family]] = {}
    for family in families(kind).values():
        by_module.setdefault(family.function.__module__, []).append(family)
    return {_subject(module): members for module, members in sorted(by_module.items())}


def _subject(module: str) -> str:
    return str(inspect.getdoc(sys.modules[module])).partition("\n")[0].removesuffix(".")


def lists(kind: Kind | None = None) -> Iterator[Table]:
    """One table per subject: name, title and definition of its measures."""
    columns = (Column("name"), Column("title"), Column("definition"))
    for one in (kind,) if kind else KINDS:
        for subject, members in subjects(one).items():
            rows = tuple(row(family.name, family.title, family.definition) for family in members)
            yield Table(columns, rows, title=f"{KINDS[one]}. {subject}")


def card(family: Family) -> Table:
    """The definition of a measure, its settings and its other names."""
    columns = (Column("setting"), Column("default"), Column("values"))
    rows = tuple(_setting(family, setting) for setting in family.settings.values())
    return Table(
        columns,
        rows or (row("none", "", ""),),
        title=f"{family.name}: {family.title} ({KINDS[family.kind].lower()})",
        lead=tuple(" ".join(text.split()) for text in _paragraphs(family) if text),
        notes=tuple(_facts(family)),
    )


def _paragraphs(family: Family) -> Iterator[str]:
    yield family.definition
    yield f"`{family.formula}`" if family.formula else ""
    yield from family.remarks.split("\n\n")


def _setting(family: Family, setting: Setting) -> Row:
    default = "required" if setting.required else "none" if setting.default is None else repr(setting.default)
    return row(
        setting.name, default, setting.what + (f", written {family.name}@{setting.example}" if setting.at else "")
    )


def _facts(family: Family) -> Iterator[str]:
    better = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
    yield f"range: {_bounds(family)}; {better[family.higher_is_better]}"
    if family.undefined:
        yield f"undefined: {family.undefined}"
    units = "queries" if family.kind == "ranking" else "units"
    yield f"aggregation over {units}: {family.aggregate}{', or pooled (micro)' if family.pools else ''}"
    if written := [*family.names, *(_alias(alias) for alias in family.aliases if not alias.refused)]:
        yield f"other names: {', '.join(written)}"
    if family.cite:
        yield f"reference: {family.reference}"


def _bounds(family: Family) -> str:
    low, high = (f"{end:g}" for end in family.bounds)
    if math.isinf(family.bounds[0]):
        return "any number"
    return f"from {low}" if math.isinf(family.bounds[1]) else f"from {low} to {high}"


def _alias(alias: Alias) -> str:
    fixed = ", ".join(f"{name}={value!r}" for name, value in alias.fixed)
    return f"{alias.pattern} ({fixed})" if fixed else alias.pattern


def record(family: Family) -> dict[str, Any]:
    """A measure with its settings and names, for JSON."""
    return {
        "name": family.name,
        "title": family.title,
        "definition": family.definition,
        "formula": family.formula,
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
        "aliases": [
            {"pattern": alias.pattern, "settings": dict(alias.fixed)} for alias in family.aliases if not alias.refused
        ],
        "cite": family.cite,
        "reference": family.reference,
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
