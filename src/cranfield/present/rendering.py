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

_TABLES = {  # the functions that are not called `tables`, and results whose tables are not their lists
    "fetched": "tables",
    "history": "tables",
    "correlations": "correlations_tables",
    "latent": "latent_tables",
    "precision-recall": "points",
    "reordering": "orders",
    "selection": "choices",
    "stability": "stability_tables",
}
_TEXTS = {"classification-report": "cranfield.classification.report:text"}  # with their own layout
_RENDERERS = {
    "table": "cranfield.present.formats:aligned",
    "markdown": "cranfield.present.formats:markdown",
    "latex": "cranfield.present.formats:latex",
    "html": "cranfield.present.formats:html",
}


def tables_of(result: VerbResult, *, digits: int | None = None, **options: Any) -> Iterable[Table]:
    """The tables of a result; the options are those of its `records`."""
    shown = getattr(result, "digits", DIGITS) if digits is None else digits
    name = _TABLES.get(result.kind, "tables")
    beside = hasattr(importlib.import_module(type(result).__module__), name)
    if result.lists and not beside and result.kind not in _TABLES:  # interim: until every result has its lists
        return _listed(result, shown)
    return _beside(type(result), name)(result, digits=shown, **options)


def answer_of(result: VerbResult, **options: Any) -> str:
    """The sentence that answers, from the function `answer` beside the class of the result, if there is one."""
    function = _found_beside(type(result), "answer")
    return function(result, **options) if function else ""


def answered(result: VerbResult, **options: Any) -> list[Table]:
    """The answer as the first paragraph of an output, if there is one."""
    answer = result.answer_with(**options)
    return [Table((), (), lead=(answer,))] if answer else []


def more_of(result: VerbResult, n_findings: int = 0, n_shown: int = 0) -> str:
    """What else a command shows, with the options: findings, and what the function `more` beside the class says."""
    function, rest = _found_beside(type(result), "more"), n_findings - n_shown
    explained = f"{counted(rest, 'more finding')}: --findings" if rest else "Findings explained: --findings"
    return "   ".join([*([explained] if n_findings else []), *(function(result) if function else [])])


def _listed(result: VerbResult, digits: int) -> list[Table]:
    """A table for each list with rows, the notes below the last."""
    first, *others = [columns for columns in result.lists if columns.schema.in_tables]
    tables = [listed(columns, digits=digits) for columns in (first, *filter(len, others))]
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
        tables = [*answered(result, **options), *(_cut(table, longest) for table in tables_of(result, **options))]
        texts = [renderer(format)(table) for table in tables]
    below = []
    if findings or result.kind == "findings":
        words = importlib.import_module("cranfield.present.findings.tables")
        below = [getattr(words, "plain" if format == "table" else format)(result.findings())]
    elif result.shows_findings and format == "table":
        below = list(filter(None, [_function("cranfield.present.findings.tables:brief")(result.findings())]))
    return "\n".join([*texts, *below])


def _cut(table: Table, longest: int | None) -> Table:
    """The first rows of a table, with a note on how many are left out."""
    more = 0 if longest is None else len(table.rows) - longest
    if more <= 0:
        return table
    return replace(table, rows=table.rows[:longest], notes=(f"… and {counted(more, 'more row')}", *table.notes))


def _beside(kind: type, name: str) -> Callable[..., Any]:
    """The function of this name beside a kind of result: in its module, or in the tables of its folder."""
    function = _found_beside(kind, name)
    if function is None:
        raise AttributeError(f"{kind.__module__} and the tables of its folder have no function {name!r}")
    return function


def _found_beside(kind: type, name: str) -> Callable[..., Any] | None:
    home = importlib.import_module(kind.__module__)
    if not hasattr(home, name):
        folder, _, last = kind.__module__.rpartition(".")
        place = f"cranfield.present.{last}" if folder == "cranfield.results" else f"{folder}.tables"
        if importlib.util.find_spec(place) is None:
            return None
        home = importlib.import_module(place)
    return getattr(home, name, None)


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)
