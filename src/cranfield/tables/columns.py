"""The roles of columns, recognised by the names used by common tools.

Decided here: which column names mean query, document, system, label, rater, nugget or any other role.

Decided here: how errors name a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Literal

import numpy as np

from cranfield.arrays import Mask
from cranfield.errors import BadInput
from cranfield.tables.numbers import is_number

Kind = Literal["run", "qrels"]
Ranks = tuple[tuple[str, ...], ...]

NUMBERS = ("score", "rank", "grade")

_ID = ("", "_id")
_DOCUMENT_IDS = ("doc_id", "document_id", "corpus_id", "pid", "passage_id")

# Spellings by preference: PyTerrier's frames have `docid` as well as `docno`, and `query` for the text next to `qid`.
# Two columns whose spellings are equally good are ambiguous.
SPELLINGS: dict[str, Ranks] = {
    "query": (("qid", "query_id", "topic_id"), ("topic",), ("query",), ("q",)),
    "document": (("docno",), _DOCUMENT_IDS, ("document", "doc")),
    "score": (("score", "sim", "similarity"),),
    "rank": (("rank",),),
    "grade": (("label", "relevance", "rel", "grade", "judgment", "judgement"), ("score",)),
    "group": (("iteration", "iter", "q0", "subtopic", "subtopic_id", "aspect", "group"),),
    "subgroup": (("subgroup",),),
    "item": (("item", "item_id", "subject", "subject_id", "docno", *_DOCUMENT_IDS, "document", "doc"),),
    "id": (
        ("id", "index", "__index_level_0__"),
        ("", "unnamed: 0"),
    ),  # the name of the index in Arrow and CSV files written by pandas
    "fold": (("fold", "fold_id", "split"),),
    "unit": (("unit", "unit_id", "group", "group_id"),),
    "system": (("system", "system_id", "run", "run_id", "run_name", "tag", "model"),),
    "measure": (("measure", "metric"),),
    "value": (("value",), ("score",)),
    "rater": (
        tuple(f"{who}{end}" for who in ("rater", "assessor", "annotator", "judge", "worker", "coder") for end in _ID),
        ("iteration",),
    ),
    "category": (
        ("category", "label", "grade", "rating", "judgment", "judgement", "relevance", "rel"),
        ("value", "score"),
    ),
    "nugget": (("nugget_id",), ("nugget",), ("nugget_text",)),
    "importance": (("importance", "vitality"),),
    "sentence": (("sentence_id",), ("sentence", "statement", "claim")),
    "citation": (("citation", "citation_id", "cited"), ("docno",), _DOCUMENT_IDS, ("document", "doc", "segment")),
    "support": (("support", "assignment"), ("label", "judgment", "judgement")),
    "length": (("length", "answer_length", "characters"),),
    "count": (("count", "counts", "frequency", "weight"),),
}
# the same for the fields of topics and documents, where `query` is the text of a topic
FIELDS: dict[str, Ranks] = {
    "topic id": (("id",), ("topic",), *SPELLINGS["query"][:1], ("number", "num")),
    "topic title": (("title",), ("query",), ("text",), ("question",)),
    "description": (("description", "desc"),),
    "narrative": (("narrative", "narr"),),
    "keywords": (("keywords",),),
    "document id": (("id",), *SPELLINGS["document"]),
    "document title": (("title",),),
    "document text": (("text",), ("body",), ("contents", "content"), ("passage",)),
}
_OF_RUNS = ("rank", "system", "tag", "run_id")
_ROLES_OF: dict[Kind, tuple[str, ...]] = {
    "run": ("query", "document", "score", "rank"),
    "qrels": ("query", "document", "grade", "group", "subgroup"),
}
_VALUE: dict[Kind, tuple[str, ...]] = {"run": ("score", "rank"), "qrels": ("grade",)}


def kind_of(shape: str) -> Kind:
    """The kind of columns a file of this shape has; preferences are judgments."""
    return "run" if shape == "run" else "qrels"


def roles(columns: Sequence[str], kind: Kind, where: str) -> dict[str, int]:
    """The place of each needed column; ranks are used only if there are no scores."""
    plain = [_plain(column) for column in columns]
    place_of = places(columns, _ROLES_OF[kind], where)
    if "score" in place_of:
        place_of.pop("rank", None)
    missing = [role for role in ("query", "document") if role not in place_of]
    if not any(role in place_of for role in _VALUE[kind]):
        missing.append(" or ".join(_VALUE[kind]))
    if missing:
        raise BadInput(f"{where}: no column for {', '.join(missing)} among {listed(columns)}{_other(plain, kind)}")
    if kind == "qrels" and plain[place_of["grade"]] == "score" and any(_plain(name) in plain for name in _OF_RUNS):
        raise BadInput(f"{where}: the columns {listed(columns)} belong to a run, but judgments are expected")
    return place_of


def tag_place(columns: Iterable[object], kind: Kind) -> int | None:
    """The place of the column that names the system of each row of a run; judgments have none."""
    return next(iter(_best([_plain(str(column)) for column in columns], "system")), None) if kind == "run" else None


def places(columns: Sequence[str], roles: Iterable[str], where: str) -> dict[str, int]:
    """The index of the column for each role, if present; ambiguous columns are refused."""
    plain = [_plain(column) for column in columns]
    place_of = {}
    for role in roles:
        fit = _best(plain, role)
        if len(fit) > 1 and len({columns[place] for place in fit}) == 1:
            raise BadInput(f"{where}: duplicate column {columns[fit[0]]!r}; remove one of them")
        if len(fit) > 1:
            names = listed([columns[place] for place in fit])
            raise BadInput(f"{where}: the columns {names} could each be the {role}; keep only one of them")
        if fit and fit[0] and plain[fit[0]] == "q":
            raise BadInput(
                f"{where}: the column {columns[fit[0]]!r} could be the query or one of {listed(columns)}; rename it"
            )
        if fit:
            place_of[role] = fit[0]
    return place_of


def has_role(column: str, roles: Iterable[str] = tuple(SPELLINGS)) -> bool:
    """Whether a column name denotes one of these roles."""
    return any(_plain(column) == _plain(name) for role in roles for names in SPELLINGS[role] for name in names)


def fields(names: Iterable[str], role: str) -> list[str]:
    """The names of fields of a topic or document that have this role, the most preferred spelling first."""
    return list(_fields(tuple(names), role))


@lru_cache(maxsize=16)  # rows mostly have the same fields
def _fields(names: tuple[str, ...], role: str) -> tuple[str, ...]:
    plain = [_plain(name) for name in names]
    known = [_plain(spelling) for spellings in FIELDS[role] for spelling in spellings]
    return tuple(name for spelling in known for name, spelt in zip(names, plain, strict=True) if spelt == spelling)


def spellings(role: str) -> str:
    """The names that a column of this role may have."""
    return ", ".join(name for names in SPELLINGS[role] for name in names)


def is_header(columns: Sequence[str]) -> bool:
    """Whether these are column names: query and document are among them, and no number is."""
    plain = [_plain(column) for column in columns]
    return all(_best(plain, role) for role in ("query", "document")) and not any(map(is_number, columns))


def _plain(column: str) -> str:
    return re.sub(r"[-_. ]", "", column).casefold()


def _best(plain: list[str], role: str) -> list[int]:
    """The places of the columns with the most preferred spelling of the role that occurs."""
    for known in _plain_spellings(role):
        fit = [place for place, name in enumerate(plain) if name in known]
        if fit:
            return fit
    return []


@cache  # each file of hundreds may have a header
def _plain_spellings(role: str) -> list[frozenset[str]]:
    """The spellings of a role as they are compared, the most preferred first."""
    return [frozenset(map(_plain, names)) for names in SPELLINGS[role]]


def _other(plain: list[str], kind: Kind) -> str:
    """A hint: what the columns look like, or the accepted names."""
    if kind == "run" and _best(plain, "grade"):
        return "; these look like judgments, but a run is expected"
    needed = ("query", "document", *_VALUE[kind])
    return "; accepted names: " + ", ".join(f"{role} ({spellings(role)})" for role in needed)


def listed(columns: Iterable[str]) -> str:
    """Column names for an error message."""
    return ", ".join(repr(str(column)) for column in columns)


# The locations of rows in error messages, and the refusal of rows


Where = Callable[[int], str]  # from the index of a row to how errors name it


def row(place: int) -> str:
    """How errors name a row of an array."""
    return f"row {place}"


def row_of(name: str, place: int) -> str:
    """How errors name a row of a run or judgments without lines."""
    return f"{name}, row {place} (counting from 0)"


def numbered_rows(name: str, first: int = 0) -> Where:
    """How errors name the rows of a table without lines, or of a part of it that begins with this row."""
    return lambda place: f"{name}, row {first + place}"


def located(where: Sequence[Where], n_rows: Sequence[int]) -> Where:
    """How errors name the rows of several tables taken together."""
    before = np.cumsum([0, *n_rows])

    def place(row: int) -> str:
        table = int(np.searchsorted(before, row, side="right")) - 1
        return where[table](row - int(before[table]))

    return place


def refuse_rows(refused: Mask, where: Where, problem: Callable[[int], str]) -> None:
    """Refuse the first row of a mask, described by `problem`."""
    if refused.any():
        place = int(np.argmax(refused))
        raise BadInput(f"{where(place)}: {problem(place)}")
