"""The catalogue of measures: a list by subject, and a card for each measure."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from cranfield.errors import BadSetting, CranfieldError, UnknownMeasure
from cranfield.measures.declaration import Alias, Declaration, Kind
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from cranfield.present.table import Column, Row, Table, row
from cranfield.settings import Setting

KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "ranking": "Rankings",
        "binary": "Binary classification",
        "classes": "Multiclass classification",
        "values": "Regression",
        "forecasts": "Predicted distributions and intervals",
        "answers": "Judged answers",
        "ratings": "Agreement between raters",
    }
)


def everything(kind: Kind | None = None) -> list[Declaration]:
    """All measures, or those of one kind."""
    return [declared for one in KINDS for declared in declarations(one).values() if kind in (None, one)]


def known_as(name: str, kind: Kind | None = None) -> list[Declaration]:
    """The measures with this name, at most one of each kind."""
    matches: list[Declaration] = []
    refusals: list[CranfieldError] = []
    for one in (kind,) if kind else KINDS:
        try:
            matches.append(parse(name, one).declaration)
        except (UnknownMeasure, BadSetting) as error:
            refusals.append(error)
    if not matches:
        raise refusals[0]
    return matches


def subjects(kind: Kind) -> dict[str, list[Declaration]]:
    """The measures of a kind by subject, one module each."""
    by_module: dict[str, list[Declaration]] = {}
    for declared in declarations(kind).values():
        by_module.setdefault(declared.function.__module__, []).append(declared)
    return {_subject(module): members for module, members in sorted(by_module.items())}


def _subject(module: str) -> str:
    return str(inspect.getdoc(sys.modules[module])).partition("\n")[0].removesuffix(".")


def lists(kind: Kind | None = None) -> Iterator[Table]:
    """One table per subject: name, title and definition of its measures."""
    columns = (Column("name"), Column("title"), Column("definition"))
    for one in (kind,) if kind else KINDS:
        for subject, members in subjects(one).items():
            rows = tuple(row(declared.name, declared.title, declared.definition) for declared in members)
            yield Table(columns, rows, title=f"{KINDS[one]}. {subject}")


def card(declared: Declaration) -> Table:
    """The definition of a measure, its settings and its other names."""
    columns = (Column("setting"), Column("default"), Column("values"))
    rows = tuple(_setting(declared, setting) for setting in declared.settings.values())
    return Table(
        columns,
        rows or (row("none", "", ""),),
        title=f"{declared.name}: {declared.title} ({KINDS[declared.kind].lower()})",
        lead=tuple(" ".join(text.split()) for text in _paragraphs(declared) if text),
        notes=tuple(_facts(declared)),
    )


def _paragraphs(declared: Declaration) -> Iterator[str]:
    yield declared.definition
    formula, *definitions = declared.formula.replace(" where ", "; ").split("; ")
    if formula:
        yield f"`{formula}`" + "".join(f"{', and' if n else ', where'} `{one}`" for n, one in enumerate(definitions))
    for settings, different in declared.variants.items():
        yield f"With {settings}: " + ", and ".join(f"`{one}`" for one in different.split("; "))
    yield f"Algorithm: {declared.algorithm}" if declared.algorithm else ""
    yield from declared.remarks.split("\n\n")


def _setting(declared: Declaration, setting: Setting) -> Row:
    default = "required" if setting.required else "none" if setting.default is None else repr(setting.default)
    return row(
        setting.name, default, setting.what + (f", written {declared.name}@{setting.example}" if setting.at else "")
    )


def _facts(declared: Declaration) -> Iterator[str]:
    better = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
    yield f"range: {_bounds(declared)}; {better[declared.higher_is_better]}"
    if declared.undefined:
        yield f"undefined: {declared.undefined}"
    units = "queries" if declared.kind == "ranking" else "units"
    pooled = ", or pooled (micro)" if declared.pools else ""
    aggregate = f"{declared.aggregate}{pooled}" if declared.per_unit else f"none, one value for all {units}"
    yield f"aggregation over {units}: {aggregate}"
    if written := [*declared.names, *(_alias(alias) for alias in declared.aliases if not alias.refused)]:
        yield f"other names: {', '.join(written)}"
    if declared.cite:
        yield f"reference: {declared.reference}"


def _bounds(declared: Declaration) -> str:
    low, high = (f"{end:g}" for end in declared.bounds)
    if math.isinf(declared.bounds[0]):
        return "any number"
    return f"from {low}" if math.isinf(declared.bounds[1]) else f"from {low} to {high}"


def _alias(alias: Alias) -> str:
    fixed = ", ".join(f"{name}={value!r}" for name, value in alias.fixed)
    return f"{alias.pattern} ({fixed})" if fixed else alias.pattern


def record(declared: Declaration) -> dict[str, Any]:
    """A measure with its settings and names, for JSON."""
    return {
        "name": declared.name,
        "title": declared.title,
        "definition": declared.definition,
        "formula": declared.formula,
        "variants": declared.variants,
        "algorithm": declared.algorithm,
        "remarks": declared.remarks,
        "kind": declared.kind,
        "undefined": declared.undefined,
        "subject": declared.function.__module__.rpartition(".")[2],
        "settings": [_settings_record(setting) for setting in declared.settings.values()],
        "bounds": [None if math.isinf(end) else end for end in declared.bounds],
        "higher_is_better": declared.higher_is_better,
        "aggregate": declared.aggregate,
        "pools": declared.pools,
        "names": list(declared.names),
        "aliases": [
            {"pattern": alias.pattern, "settings": dict(alias.fixed)} for alias in declared.aliases if not alias.refused
        ],
        "cite": declared.cite,
        "reference": declared.reference,
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
