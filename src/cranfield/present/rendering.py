"""Results as the command line prints them: their tables in a format, and the findings below.

Decided here: which tables a result has.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from cranfield.evidence.samples import counted
from cranfield.present.table import DIGITS, Table, listed
from cranfield.results.verb_result import Format, VerbResult

_TABLES = {  # where they are not the function `tables` of the subject, the module of the result
    "findings": "findings:tables",
    "precision-recall": "curves:points",
    "reordering": "agreement:orders",
    "selection": "latent:choices",
}
_TEXTS = {"classification-report": "classification_report:text"}  # with their own layout
_RENDERERS = {"table": "plain:aligned", "markdown": "markdown:markdown", "latex": "latex:latex", "html": "html:html"}


def tables_of(result: VerbResult, *, digits: int | None = None, **options: Any) -> Iterable[Table]:
    """The tables of a result; the options are those of its `records`."""
    shown = getattr(result, "digits", DIGITS) if digits is None else digits
    if result.lists and result.kind not in _TABLES:  # interim: until every result has its lists
        return _listed(result, shown)
    subject = type(result).__module__.rpartition(".")[2]
    return _function(_TABLES.get(result.kind, f"{subject}:tables"))(result, digits=shown, **options)


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
        below = [_function(f"findings:{'plain' if format == 'table' else format}")(result.findings())]
    return "\n".join([*texts, *below])


def _cut(table: Table, longest: int | None) -> Table:
    """The first rows of a table, with a note on how many are left out."""
    more = 0 if longest is None else len(table.rows) - longest
    if more <= 0:
        return table
    return replace(table, rows=table.rows[:longest], notes=(f"… and {counted(more, 'more row')}", *table.notes))


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(f"cranfield.present.{module}"), function)
