"""Results as the command line prints them: their tables in a format, and the findings below.

Decided here: which tables a result has.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from cranfield.present.table import DIGITS, Table, listed
from cranfield.results.verb_result import Format, VerbResult
from cranfield.text import counted

_TABLES = {  # the functions that are not called `tables`
    "latent": "latent_tables",
    "precision-recall": "points",
    "reordering": "orders",
    "selection": "choices",
}
_TEXTS = {"classification-report": "cranfield.classification.report:text"}  # with their own layout
_RENDERERS = {
    "table": "cranfield.present.plain:aligned",
    "markdown": "cranfield.present.markdown:markdown",
    "latex": "cranfield.present.latex:latex",
    "html": "cranfield.present.html:html",
}


def tables_of(result: VerbResult, *, digits: int | None = None, **options: Any) -> Iterable[Table]:
    """The tables of a result; the options are those of its `records`."""
    shown = getattr(result, "digits", DIGITS) if digits is None else digits
    if result.lists and result.kind not in _TABLES:  # interim: until every result has its lists
        return _listed(result, shown)
    return _beside(type(result), _TABLES.get(result.kind, "tables"))(result, digits=shown, **options)


def _listed(result: VerbResult, digits: int) -> list[Table]:
    """A table for each list, the notes below the last."""
    tables = [listed(columns, digits=digits) for columns in result.lists]
    notes = (*result.explanations, *getattr(result, "notes", ()))
    return [*tables[:-1], replace(tables[-1], notes=notes)]


def renderer(format: Format) -> Callable[[Table], str]:  # noqa: A002
    """The function that writes a table in a format."""
    return _function(_RENDERERS[format])


def shown(
    result: VerbResult,
    format: Format = "table",  # noqa: A002
    *,
    findings: bool = False,
    longest: int | None = None,
    **options: Any,
) -> str:
    """The tables of a result in a format, each with at most this many rows, and the findings below if requested."""
    if format == "table" and result.kind in _TEXTS:
        texts = [_function(_TEXTS[result.kind])(result, **options)]
    else:
        texts = [renderer(format)(_cut(table, longest)) for table in tables_of(result, **options)]
    below = []
    if findings or result.kind == "findings":
        words = importlib.import_module("cranfield.present.findings")
        below = [getattr(words, "plain" if format == "table" else format)(result.findings())]
    return "\n".join([*texts, *below])


def _cut(table: Table, longest: int | None) -> Table:
    """The first rows of a table, with a note on how many are left out."""
    more = 0 if longest is None else len(table.rows) - longest
    if more <= 0:
        return table
    return replace(table, rows=table.rows[:longest], notes=(f"… and {counted(more, 'more row')}", *table.notes))


def _beside(kind: type, name: str) -> Callable[..., Any]:
    """The function of this name beside a kind of result: in its module, or in the tables of its folder."""
    home = importlib.import_module(kind.__module__)
    if not hasattr(home, name):
        home = importlib.import_module(_tables(kind.__module__))
    function: Callable[..., Any] = getattr(home, name)
    return function


def _tables(module: str) -> str:
    """The module of tables of the results that a module declares."""
    folder, _, last = module.rpartition(".")
    last = {"precision_recall": "curves", "reordering": "agreement", "finding": "findings"}.get(last, last)
    return f"cranfield.present.{last}" if folder in ("cranfield.results", "cranfield.findings") else f"{folder}.tables"


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)
