"""Which classes there are, and which of them is the positive one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.tables.answers import Answers, is_table
from cranfield.tables.label_sets import label_sets
from cranfield.tables.labels import Label, Where, coded

Kind = Literal["whole", "truth", "text"]  # what labels are made of

_QUESTIONS = ((0, 1), (-1, 1))  # numbers that are a no and a yes
_TRUTH = {"false": False, "true": True}
_NO_COLUMN = "for which there is no column of probabilities; there are some for"


class Classes(NamedTuple):
    """The labels, the place of the positive one if there is such, and each column as places or, of sets, a table."""

    labels: tuple[Label, ...]
    positive: int | None
    columns: Sequence[NDArray[Any]]


def of_sets(given: dict[str, Any], labels: Sequence[Label] | None, separator: str | None, where: Where) -> Classes:
    """The classes of items that are of several at once."""
    known = label_sets(given, labels, separator, where)
    return Classes(known.labels, None, known.tables)


def of_labels(
    given: dict[str, Any],
    answers: Mapping[str, Answers],
    labels: Sequence[Label] | None,
    positive: Label | None,
    where: Where,
) -> Classes:
    """The classes of items that are of one each."""
    given = _of_one_kind(given)
    kind = _kind(given["actual"])
    named = None if labels is not None else _named(answers)
    wanted = named if labels is None else labels
    wanted = None if wanted is None else [_of_kind(label, kind) for label in wanted]
    known = coded(given, wanted, where, **{} if named is None else {"unknown": _NO_COLUMN})
    if wanted is None and (both := _question(known.labels)) is not None:
        known = coded(given, both, where)
    wished = None if positive is None else _of_kind(positive, kind)
    needed = any(one_score(each) for each in answers.values())
    return Classes(known.labels, _positive(known.labels, wished, where, needed=needed), known.columns)


def one_score(answer: Answers) -> bool:
    """Whether a system gives one number an item, which must then be that of the positive class."""
    if answer.score is not None:
        return True
    given = answer.probability
    return given is not None and not isinstance(given, Mapping) and not is_table(given)


def _of_one_kind(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a file as texts, if some of them are: what looks like a number there may be a name."""
    arrays = [column for column in columns.values() if isinstance(column, pa.ChunkedArray)]
    texts = [pa.types.is_string(column.type) or pa.types.is_large_string(column.type) for column in arrays]
    if len(arrays) < len(columns) or all(texts) or not any(texts):
        return columns
    return {name: column.cast(pa.large_string()) for name, column in columns.items()}


def _kind(column: Any) -> Kind:
    if isinstance(column, pa.ChunkedArray | pa.Array):
        whole, truth = pa.types.is_integer(column.type), pa.types.is_boolean(column.type)
    else:
        sort = column.dtype.kind if isinstance(column, np.ndarray) else ""
        whole, truth = sort in ("i", "u"), sort == "b"
    return "whole" if whole else "truth" if truth else "text"


def _of_kind(label: Label, kind: Kind) -> Label:
    """The label as a whole number, or as true or false, if that is what labels are and it can be read as one."""
    if not isinstance(label, str):
        return label
    if kind == "truth":
        return _TRUTH.get(label.lower(), label)
    return int(label) if kind == "whole" and label.removeprefix("-").isdecimal() else label


def _named(answers: Mapping[str, Answers]) -> Sequence[Label] | None:
    """The classes that have a column of probabilities, if these are called by them."""
    given = [each.probability for each in answers.values()]
    named = [list(each) for each in given if isinstance(each, Mapping)]
    named += [list(each) for each in given if isinstance(each, list) and is_table(each) and isinstance(each[0], str)]
    return named[0] if named else None


def _question(labels: tuple[Label, ...]) -> Sequence[Label] | None:
    """A no and a yes, if only one of them occurs: a 1 stays the positive class where there is none, or none else."""
    if len(labels) != 1 or isinstance(labels[0], str):
        return None
    if isinstance(labels[0], bool):
        return (False, True)
    return next((both for both in _QUESTIONS if labels[0] in both), None)


def _positive(labels: tuple[Label, ...], positive: Label | None, where: Where, *, needed: bool) -> int | None:
    """The place of the positive class: as told, or 1 where the classes are 0 and 1, or -1 and 1."""
    if positive is not None:
        if positive not in labels:
            raise BadInput(f"no item is of the positive class {positive!r}; there are {', '.join(map(repr, labels))}")
        return labels.index(positive)
    if any(set(labels) == set(both) for both in _QUESTIONS):
        return labels.index(1)
    if not needed:
        return None
    if len(labels) == 1:
        raise BadInput(f"{where(0)}: actual is {labels[0]!r}, as in every row; scores need items of two classes")
    if len(labels) == 2:
        raise BadSetting(f"say which label is the positive one, {labels[0]!r} or {labels[1]!r}")
    raise BadSetting(f"there are {len(labels)} classes and one score an item; say which class is the positive one")
