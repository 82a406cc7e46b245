"""The classes, and which of them is positive.

Decided here: which class is positive if none is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.tables.adapters.system_columns import SystemColumns, is_table, key_of
from cranfield.tables.columns import Where
from cranfield.tables.label_sets import label_sets
from cranfield.tables.labels import Label, arrow, coded, listed_labels
from cranfield.tables.readers.cells import WHOLE, CellKind, TextColumn, of_one_kind

NO_AND_YES = ((0, 1), (-1, 1))  # numeric labels for no and yes
_TRUTH = {"false": False, "true": True}
_NO_COLUMN = "for which there is no column; there is one for each of"


class Classes(NamedTuple):
    """The labels, the index of the positive one if any, and each column as codes or, if multilabel, as a table."""

    labels: tuple[Label, ...]
    positive: int | None
    columns: Sequence[NDArray[Any]]


def of_sets(columns: dict[str, Any], labels: Sequence[Label] | None, separator: str | None, where: Where) -> Classes:
    """The classes of multilabel data."""
    known = label_sets(columns, labels, separator, where)
    return Classes(known.labels, None, known.tables)


def of_labels(
    columns: dict[str, Any],
    answers: Mapping[str, SystemColumns],
    labels: Sequence[Label] | None,
    positive: tuple[Label | None, Label | None],
    where: Where,
) -> Classes:
    """The classes of single-label data; `positive` is the class that was passed, and the one that is implied."""
    _refuse_scores(columns, where)
    truth, columns = columns["actual"], of_one_kind(columns)
    kind = _kind(columns["actual"])
    named = None if labels is not None else _named(answers)
    listed = named if labels is None else labels
    listed = None if listed is None else [_of_kind(label, kind) for label in listed]
    known = coded(columns, listed, where, **{} if named is None else {"unknown": _NO_COLUMN})
    if listed is None:
        _require_sorted_categories(truth, answers, known.labels)
    if listed is None and (both := _question(known.labels)) is not None:
        known = coded(columns, both, where)
    chosen, implied = (None if label is None else _of_kind(label, kind) for label in positive)
    if chosen is None and len(known.labels) == 2 and implied in known.labels:
        chosen = implied
    n_scores = sum(one_score(answer) for answer in answers.values())
    return Classes(known.labels, _positive(known.labels, chosen, where, n_scores), known.columns)


def one_score(answer: SystemColumns) -> bool:
    """Whether a system has one number per item, which must then belong to the positive class."""
    column = answer.probability if answer.score is None else answer.score
    return column is not None and not isinstance(column, Mapping) and not is_table(column)


def _refuse_scores(columns: dict[str, Any], where: Where) -> None:
    for name, column in columns.items():
        odd = column.fraction if isinstance(column, TextColumn) and column.kind == "text" else None
        if odd is not None:
            place = column.texts.index(odd).as_py()
            raise BadInput(f"{where(place)}: {name} is {odd}, which is not a label; is it a score?")


def _kind(column: Any) -> CellKind:
    if isinstance(column, TextColumn):
        return column.kind
    if isinstance(column, np.ndarray) and column.dtype.kind in "iub":
        return "truth" if column.dtype.kind == "b" else "whole"
    sort = arrow("actual", column).type
    truth, whole = pa.types.is_boolean(sort), pa.types.is_integer(sort) or pa.types.is_floating(sort)
    return "truth" if truth else "whole" if whole else "text"


def _of_kind(label: Label, kind: CellKind) -> Label:
    """The label as an integer or boolean, if labels have that type and it can be read as one.

    Bytes and dates are labels as text.
    """
    if isinstance(label, bytes | date | np.datetime64):
        column = np.array([label]) if isinstance(label, np.datetime64) else [label]
        return coded({"label": column}, None, str).labels[0]
    if not isinstance(label, str):
        return label
    if kind == "truth":
        return _TRUTH.get(label.lower(), label)
    return int(label) if kind == "whole" and WHOLE.fullmatch(label) else label


def _named(answers: Mapping[str, SystemColumns]) -> Sequence[Label] | None:
    """The classes that name columns of scores or probabilities, if these have names."""
    tables = _tables(answers)
    by_name = [
        isinstance(table, Mapping) or (isinstance(table, list) and isinstance(table[0], str)) for table in tables
    ]
    if any(by_name) and not all(by_name):
        raise BadInput("some systems name the classes of their columns and others do not; list the labels in order")
    return list({key_of(label): label for table in tables for label in table}.values()) if any(by_name) else None


def _tables(answers: Mapping[str, SystemColumns]) -> list[Any]:
    """Scores or probabilities with one column per class."""
    columns = (answer.probability if answer.score is None else answer.score for answer in answers.values())
    return [column for column in columns if isinstance(column, Mapping) or (column is not None and is_table(column))]


def _require_sorted_categories(actual: Any, answers: Mapping[str, SystemColumns], labels: tuple[Label, ...]) -> None:
    """Refuse a table without names beside categories whose order is not the sorted one that is assumed."""
    categories = getattr(getattr(actual, "dtype", None), "categories", None)
    if not isinstance(categories, Iterable) or not _tables(answers):
        return
    order = tuple(category for category in categories if category in labels)
    if order != labels:
        raise BadInput(
            f"the categories of actual are ordered {listed_labels(order)}, but the columns of scores or probabilities "
            f"have no names and would be read as {listed_labels(labels)}; pass the order of the columns as labels="
        )


def _question(labels: tuple[Label, ...]) -> Sequence[Label] | None:
    """Both classes of a yes/no label if only one of them occurs, so that 1 remains the positive class."""
    if len(labels) != 1 or isinstance(labels[0], str):
        return None
    if isinstance(labels[0], bool):
        return (False, True)
    return next((both for both in NO_AND_YES if labels[0] in both), None)


def _positive(labels: tuple[Label, ...], positive: Label | None, where: Where, n_scores: int) -> int | None:
    """The index of the positive class: the requested one, or 1 for the classes 0 and 1, or -1 and 1.

    There must be one if any system has one score per item.
    """
    if positive is not None:
        if positive not in labels:
            raise BadInput(
                f"no item belongs to the positive class {positive!r}; the classes are {', '.join(map(repr, labels))}"
            )
        return labels.index(positive)
    if any(set(labels) == set(both) for both in NO_AND_YES):
        return labels.index(1)
    if not n_scores:
        return None
    if len(labels) == 1:
        raise BadInput(f"{where(0)}: actual is {labels[0]!r}, as in every row; scores need items of two classes")
    if len(labels) == 2:
        raise BadSetting(f"choose the positive class, {labels[0]!r} or {labels[1]!r}, with positive= (--positive)")
    if n_scores == len(labels):
        raise BadSetting(
            f"there are {len(labels)} classes and {n_scores} columns: if each belongs to a class, name it: "
            f"{labels[0]}=COLUMN, or in Python a dict by class; if they are {n_scores} systems with one score per "
            "item, choose the positive class with positive= (--positive)"
        )
    raise BadSetting(
        f"there are {len(labels)} classes but one score per item; choose the positive class with positive= (--positive)"
    )
