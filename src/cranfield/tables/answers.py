"""Judged answers in canonical form: which nuggets an answer contains, and whether citations support its sentences."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.frames import is_frame
from cranfield.tables.columns import listed, places, refuse_rows, spellings
from cranfield.tables.number_columns import numbers
from cranfield.tables.numbers import is_number
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.tables.system_names import system_name

SYSTEM = "answers"  # the system of a table that names none and is not a file
SUPPORT: Mapping[str, float] = {
    **dict.fromkeys(("support", "supported", "full", "full_support", "fs", "yes"), 1.0),
    **dict.fromkeys(("partial", "partial_support", "partially_supported", "ps"), 0.5),
    **dict.fromkeys(("not_support", "no_support", "not_supported", "unsupported", "not", "no", "none", "ns"), 0.0),
}
VITAL: Mapping[str, bool] = {"vital": True, "okay": False, "ok": False}
_SUPPORTS = (0.0, 0.5, 1.0)


@frozen(eq=False)
class NuggetTable:
    """One row per nugget of a query and system: whether the nugget is vital, and how well the answer supports it.

    `length` is the length of the answer of the row's query and system, if lengths were given.
    """

    system: tuple[str, ...]
    query: tuple[str, ...]
    nugget: tuple[str, ...]
    vital: Mask
    support: Floats
    length: Floats | None
    source: Sheet


@frozen(eq=False)
class CitationTable:
    """One row per citation of a sentence, or one for a sentence without citations, which has support NaN."""

    system: tuple[str, ...]
    query: tuple[str, ...]
    sentence: tuple[str, ...]
    support: Floats
    source: Sheet


def answer_tables(data: Any) -> tuple[list[NuggetTable], list[CitationTable]]:
    """The tables of nuggets and citations, recognised by their columns.

    A table without a column for the system belongs to the system named like its file if there are several such tables.
    """
    sources = list(data) if isinstance(data, list | tuple) and not _is_rows(data) else [data]
    if not sources:
        raise BadInput("pass at least one table of judged answers")
    sheets = [as_sheet(source) for source in sources]
    kinds = [_kind(sheet) for sheet in sheets]
    named = [bool(places(sheet.table.column_names, ("system",), sheet.name)) for sheet in sheets]
    unnamed = [kind for kind, has_systems in zip(kinds, named, strict=True) if not has_systems]
    by_file = len(unnamed) > len(set(unnamed))
    if by_file and len(set(unnamed)) > 1:
        raise BadInput("several tables of nuggets and of citations each need a column for the system")
    names = [_file(source) if by_file else SYSTEM for source in sources]
    tables = list(zip(sheets, names, kinds, strict=True))
    nuggets = [_nuggets(sheet, name) for sheet, name, kind in tables if kind == "nugget"]
    return nuggets, [_citations(sheet, name) for sheet, name, kind in tables if kind == "sentence"]


def _kind(sheet: Sheet) -> str:
    """What is judged in a table: nuggets or sentences."""
    place_of = places(sheet.table.column_names, ("nugget", "sentence"), sheet.name)
    if len(place_of) != 1:
        raise BadInput(
            f"{sheet.name}: expected a column for the nugget ({spellings('nugget')}) or for the sentence "
            f"({spellings('sentence')}) of a judgment among {listed(sheet.table.column_names)}"
        )
    return next(iter(place_of))


def _is_rows(data: Sequence[Any]) -> bool:
    """Whether this is one table, given as a list of rows."""
    return bool(data) and isinstance(data[0], Mapping) and not is_frame(data[0])


def _file(source: Any) -> str:
    return system_name(os.fspath(source)) if isinstance(source, str | os.PathLike) else SYSTEM


def _nuggets(sheet: Sheet, default: str) -> NuggetTable:
    columns = _Columns.of(sheet, ("query", "nugget", "importance", "support"), ("system", "length"))
    nugget, query, system = columns.names("nugget"), columns.names("query"), columns.systems(default)
    vital = np.array([columns.known("importance", place, VITAL) for place in range(len(query))], np.bool_)
    _require_once(sheet, "nugget", dict(enumerate(zip(system, query, nugget, strict=True))))
    length = columns.lengths() if "length" in columns.name_of else None
    return NuggetTable(system, query, nugget, vital, columns.supports(), length, sheet)


def _citations(sheet: Sheet, default: str) -> CitationTable:
    columns = _Columns.of(sheet, ("query", "sentence", "support"), ("system", "citation"))
    sentence, query, system = columns.names("sentence"), columns.names("query"), columns.systems(default)
    support = columns.supports(optional=True)
    if "citation" in columns.name_of:
        citation = sheet.names(columns.name_of["citation"])
        for place, (cited, value) in enumerate(zip(citation, support, strict=True)):
            if _is_empty(cited) != bool(np.isnan(value)):
                what = "a citation without support" if np.isnan(value) else "support without a citation"
                raise BadInput(f"{sheet.where(place)}: {what}; leave both empty for a sentence without citations")
        rows = np.flatnonzero(~np.isnan(support)).tolist()
        keys = {row: (system[row], query[row], sentence[row], citation[row]) for row in rows}
        _require_once(sheet, "citation", keys)
    return CitationTable(system, query, sentence, support, sheet)


@frozen
class _Columns:
    """The columns of a sheet by role."""

    sheet: Sheet
    name_of: Mapping[str, str]
    cells: Mapping[str, list[Any]]

    @classmethod
    def of(cls, sheet: Sheet, needed: Sequence[str], optional: Sequence[str]) -> _Columns:
        names = sheet.table.column_names
        place_of = places(names, (*needed, *optional), sheet.name)
        missing = [role for role in needed if role not in place_of]
        if missing:
            accepted = ", ".join(f"{role} ({spellings(role)})" for role in missing)
            raise BadInput(
                f"{sheet.name}: no column for {', '.join(missing)} among {listed(names)}; accepted: {accepted}"
            )
        if not len(sheet.table):
            raise BadInput(f"{sheet.name}: there are no judgments")
        name_of = {role: names[place] for role, place in place_of.items()}
        return cls(sheet, name_of, {role: list(sheet.names(name)) for role, name in name_of.items()})

    def names(self, role: str) -> tuple[str, ...]:
        """The names in a column; no name may be missing."""
        cells = self.cells[role]
        for place, cell in enumerate(cells):
            if _is_empty(cell):
                raise BadInput(f"{self.sheet.where(place)}: the {role} is missing")
        return tuple(map(str, cells))

    def systems(self, default: str) -> tuple[str, ...]:
        """The system of each row."""
        return self.names("system") if "system" in self.name_of else (default,) * len(self.sheet.table)

    def known(self, role: str, place: int, meaning: Mapping[str, Any]) -> Any:
        """The meaning of a label."""
        label = self.cells[role][place]
        plain = str(label).strip().casefold().replace(" ", "_").replace("-", "_")
        if plain not in meaning:
            raise BadInput(f"{self.sheet.where(place)}: {role} {label!r} is not known; accepted: {', '.join(meaning)}")
        return meaning[plain]

    def supports(self, *, optional: bool = False) -> Floats:
        """The support of each row: 1 if full, 0.5 if partial, 0 if none; NaN for a sentence without citations."""
        return np.array([self._support(place, optional) for place in range(len(self.sheet.table))])

    def _support(self, place: int, optional: bool) -> float:
        label = self.cells["support"][place]
        if optional and _is_empty(label):
            return np.nan
        if label is not None and is_number(str(label)) and float(label) in _SUPPORTS:
            return float(label)
        if label is not None and is_number(str(label)):
            raise BadInput(f"{self.sheet.where(place)}: support is {label}; numbers must be 1, 0.5 (partial) or 0")
        return float(self.known("support", place, SUPPORT))

    def lengths(self) -> Floats:
        """The length of the answer of each row."""
        length = numbers("length", self.sheet.cells(self.name_of["length"]), self.sheet.where)
        refuse_rows(length < 0, self.sheet.where, lambda _: "the length of the answer is negative")
        return length


def _is_empty(cell: Any) -> bool:
    return cell is None or cell != cell or not str(cell).strip()


def _require_once(sheet: Sheet, what: str, keys: Mapping[int, tuple[str, ...]]) -> None:
    """Refuse rows with the same key: a judgment that occurs twice."""
    first: dict[tuple[str, ...], int] = {}
    for row, key in keys.items():
        if first.setdefault(key, row) != row:
            raise BadInput(
                f"{sheet.where(row)}: {what} {key[-1]!r} of query {key[1]!r} is judged twice for {key[0]} "
                f"(first at {sheet.where(first[key])})"
            )
