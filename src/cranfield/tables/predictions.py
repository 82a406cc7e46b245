"""Predictions in canonical form: what a system says of items whose class is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.tables.answers import SYSTEM, Answers, Columns, is_table, require_length
from cranfield.tables.label_sets import holds_sets, label_sets
from cranfield.tables.labels import Codes, Label, Where, coded
from cranfield.tables.numbers import numbers, probabilities, require_distribution, weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictions:
    """A row an item. Classes are places among the labels; where items are of several, a table says which.

    A score is that of the positive class, or there is one for each class; `positive` is None where no class is more
    asked for than another.
    """

    system: str
    labels: tuple[Label, ...]
    positive: int | None
    actual: Codes
    predicted: Codes | None
    score: Floats | None
    probable: bool  # scores are probabilities
    weight: Floats | None
    group: Codes | None
    groups: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.actual)

    @property
    def many(self) -> bool:
        """Whether items are of several classes at once."""
        return self.actual.ndim == 2

    @property
    def binary(self) -> bool:
        """Whether the question is yes or no."""
        return self.positive is not None and not self.many

    def part(self, group: int) -> Predictions:
        """The items of one group."""
        kept = np.flatnonzero(self.group == group)
        return replace(
            self,
            actual=self.actual[kept],
            predicted=None if self.predicted is None else self.predicted[kept],
            score=None if self.score is None else self.score[kept],
            weight=None if self.weight is None else self.weight[kept],
            group=None,
            groups=(),
        )


def predictions(
    actual: Any,
    answers: Mapping[str, Answers],
    columns: Columns,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    weight: Any = None,
    by: Any = None,
    separator: str | None = None,
) -> list[Predictions]:
    """The canonical form of what each system says."""
    where = columns.where
    given = {"actual": columns.take(actual)}
    given |= {
        _called(name): columns.take(each.predicted) for name, each in answers.items() if each.predicted is not None
    }
    many = holds_sets(given["actual"], separator)
    known: Any
    if many:
        known, place = label_sets(given, labels, separator, where), None
    else:
        given = _of_one_kind(given)
        whole = _is_whole(given["actual"])
        known = coded(given, _known(labels, answers, whole), where)
        positive = positive if positive is None else _of_kind(positive, whole)
        needed = any(_one_score(each) for each in answers.values())
        place = _positive(known.labels, positive, where, needed=needed)
    truth, *said = known[1]
    for name, column in zip(given, known[1], strict=True):
        require_length(name, len(column), len(truth))
    if not len(truth):
        raise BadInput("there are no items")
    columns.require_items(len(truth))
    weighted = None if weight is None else weights(columns.take(weight), len(truth), where)
    group, groups = grouped(columns.take(by), len(truth), where)
    taken = iter(said)
    result = []
    for name, each in answers.items():
        predicted = next(taken) if each.predicted is not None else None
        score, probable = _scores(name, each, known.labels, place, columns, many=many)
        if score is not None:
            require_length("probability" if probable else "score", len(score), len(truth))
        result.append(
            Predictions(name, known.labels, place, truth, predicted, score, probable, weighted, group, groups)
        )
    return result


def _is_whole(column: Any) -> bool:
    if isinstance(column, pa.ChunkedArray | pa.Array):
        return bool(pa.types.is_integer(column.type))
    return isinstance(column, np.ndarray) and column.dtype.kind in "iu"


def _of_one_kind(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a file as texts, if some of them are: what looks like a number there may be a name."""
    arrays = [column for column in columns.values() if isinstance(column, pa.ChunkedArray)]
    texts = [pa.types.is_string(column.type) or pa.types.is_large_string(column.type) for column in arrays]
    if len(arrays) < len(columns) or all(texts) or not any(texts):
        return columns
    return {name: column.cast(pa.large_string()) for name, column in columns.items()}


def _called(system: str) -> str:
    return "predicted" if system == SYSTEM else f"{system}"


def _known(labels: Sequence[Label] | None, answers: Mapping[str, Answers], whole: bool) -> Sequence[Label] | None:
    """The classes there are: those listed, or those that have a column of probabilities."""
    given = [each.probability for each in answers.values()]
    named = [list(each) for each in given if isinstance(each, Mapping)]
    named += [list(each) for each in given if isinstance(each, list) and is_table(each) and isinstance(each[0], str)]
    if labels is None and named:
        labels = named[0]
    return labels if labels is None else [_of_kind(label, whole) for label in labels]


def _of_kind(label: Label, whole: bool) -> Label:
    """The label as a whole number, if that is what labels are and it can be read as one."""
    return int(label) if whole and isinstance(label, str) and label.lstrip("-").isdigit() else label


def _one_score(answer: Answers) -> bool:
    """Whether a system gives one number an item, which must then be that of the positive class."""
    if answer.score is not None:
        return True
    given = answer.probability
    return given is not None and not isinstance(given, Mapping) and not is_table(given)


def _positive(labels: tuple[Label, ...], positive: Label | None, where: Where, *, needed: bool) -> int | None:
    """The place of the positive class: as told, or 1 where the classes are 0 and 1, or -1 and 1."""
    if positive is not None:
        if positive not in labels:
            raise BadInput(f"no item is of the positive class {positive!r}; there are {', '.join(map(repr, labels))}")
        return labels.index(positive)
    if set(labels) in ({0, 1}, {-1, 1}):
        return labels.index(1)
    if not needed:
        return None
    if len(labels) == 1:
        raise BadInput(f"{where(0)}: actual is {labels[0]!r}, as in every row; scores need items of two classes")
    if len(labels) == 2:
        raise BadSetting(f"say which label is positive: positive={labels[0]!r} or positive={labels[1]!r}")
    raise BadSetting(f"there are {len(labels)} classes and one score an item; say which class is the positive one")


def _scores(
    system: str, answer: Answers, labels: tuple[Label, ...], positive: int | None, columns: Columns, *, many: bool
) -> tuple[Floats | None, bool]:
    """The scores of a system, and whether they are probabilities."""
    where = columns.where
    if answer.score is not None:
        return (
            _columns(system, "score", answer.score, labels, columns)
            if many
            else numbers("score", columns.take(answer.score), where)
        ), False
    if answer.probability is None:
        return None, False
    if not many and _one_score(answer):
        return probabilities("probability", columns.take(answer.probability), where), True
    table = _columns(system, "probability", answer.probability, labels, columns)
    if not many:
        require_distribution(table, where)
    return (table[:, positive], True) if positive is not None and len(labels) == 2 else (table, True)


def _columns(system: str, what: str, given: Any, labels: tuple[Label, ...], columns: Columns) -> Floats:
    """Numbers with a column a class."""
    if isinstance(given, Mapping):
        missing = [label for label in labels if label not in given]
        if missing:
            raise BadInput(f"{system}: there is no column for class {missing[0]!r}")
        given = [given[label] for label in labels]
    elif isinstance(given[0], list | tuple):
        given = _turned(given, len(labels), columns.where)
    given = list(given.T) if isinstance(given, np.ndarray) else [columns.take(column) for column in given]
    if len(given) != len(labels):
        raise BadInput(
            f"{system}: there are {len(given)} columns, each the {what} of a class, for {len(labels)} classes"
        )
    checked = probabilities if what == "probability" else numbers
    named = [checked(f"{what} of {label!r}", column, columns.where) for label, column in zip(labels, given)]
    for column in named:
        require_length(what, len(column), len(named[0]))
    return np.column_stack(named)


def _turned(rows: Sequence[Sequence[Any]], n_classes: int, where: Where) -> list[Sequence[Any]]:
    """The columns of a table that was given as a list of its rows."""
    for place, row in enumerate(rows):
        if len(row) != n_classes:
            raise BadInput(f"{where(place)}: there are {len(row)} probabilities for {n_classes} classes")
    return [[row[place] for row in rows] for place in range(n_classes)]


def grouped(by: Any, n_items: int, where: Where) -> tuple[Codes | None, tuple[str, ...]]:
    """The group of each item and what the groups are called; none if items are not grouped."""
    if by is None:
        return None, ()
    known = coded({"group": by}, None, where)
    require_length("group", len(known.columns[0]), n_items)
    return known.columns[0], tuple(map(str, known.labels))
