"""Which column is what, told by the names that the tools of the field give their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from cranfield.errors import BadInput

Kind = Literal["run", "qrels"]

NUMBERS = ("score", "rank", "grade")

# the first name that is there wins: PyTerrier's frames have `docid` beside `docno`, and `query` for the text of it
ALIASES = {
    "query": ("qid", "query_id", "topic_id", "topic", "query"),
    "document": ("docno", "doc_id", "document_id", "corpus_id", "pid", "passage_id", "document", "doc"),
    "score": ("score", "sim", "similarity"),
    "rank": ("rank",),
    "grade": ("label", "relevance", "rel", "grade", "judgment", "judgement", "score"),
    "group": ("iteration", "iter", "q0", "subtopic", "subtopic_id", "group"),
    "subgroup": ("subgroup",),
}
_OF_RUNS = ("rank", "system", "tag", "run_id")
_WANTED: dict[Kind, tuple[str, ...]] = {
    "run": ("query", "document", "score", "rank"),
    "qrels": ("query", "document", "grade", "group", "subgroup"),
}
_VALUE: dict[Kind, tuple[str, ...]] = {"run": ("score", "rank"), "qrels": ("grade",)}


def roles(columns: Sequence[str], kind: Kind, where: str) -> dict[str, int]:
    """The place of each column that is wanted; a column of ranks only where there is none of scores."""
    plain = [_plain(column) for column in columns]
    found = {role: place for role in _WANTED[kind] if (place := _place(plain, role)) is not None}
    if "score" in found:
        found.pop("rank", None)
    missing = [role for role in ("query", "document") if role not in found]
    if not any(role in found for role in _VALUE[kind]):
        missing.append(" or ".join(_VALUE[kind]))
    if missing:
        raise BadInput(f"{where}: no column for {', '.join(missing)} among {_listed(columns)}{_other(plain, kind)}")
    if kind == "qrels" and plain[found["grade"]] == "score" and any(_plain(name) in plain for name in _OF_RUNS):
        raise BadInput(f"{where}: the columns {_listed(columns)} are those of a run; judgments are expected")
    for place in found.values():
        if list(columns).count(columns[place]) > 1:
            raise BadInput(f"{where}: the column {columns[place]!r} is there twice; which of them counts?")
    return found


def is_header(columns: Sequence[str]) -> bool:
    """Whether these are names of columns: those of queries and documents are among them, and no number is."""
    plain = [_plain(column) for column in columns]
    named = _place(plain, "query") is not None and _place(plain, "document") is not None
    return named and not any(map(is_number, columns))


def is_number(text: str | bytes) -> bool:
    """Whether a text is that of a number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text if isinstance(text, str) else b"_" not in text


def _plain(column: str) -> str:
    return re.sub(r"[-_. ]", "", column).casefold()


def _place(plain: list[str], role: str) -> int | None:
    return next((plain.index(name) for name in map(_plain, ALIASES[role]) if name in plain), None)


def _other(plain: list[str], kind: Kind) -> str:
    """What the columns would do for, and the names that would do."""
    if kind == "run" and _place(plain, "grade") is not None:
        return "; these look like judgments, where a run is expected"
    return "; names that will do: " + ", ".join(f"{role} ({', '.join(ALIASES[role])})" for role in _needed(kind))


def _needed(kind: Kind) -> tuple[str, ...]:
    return ("query", "document", *_VALUE[kind])


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(repr(str(column)) for column in columns)
