"""Predictions in canonical form: what a system says of items whose class is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.tables.answers import SYSTEM, Answers, Columns, is_table, require_length
from cranfield.tables.classes import of_labels, of_sets, one_score
from cranfield.tables.label_sets import holds_sets
from cranfield.tables.labels import Codes, Label, Where, coded
from cranfield.tables.numbers import numbers, probabilities, require_distribution, weights

Floats = NDArray[np.float64]

_TRUE = "actual"


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

    @property
    def inverted(self) -> Predictions:
        """The same with its scores negated, or with probabilities of the opposite."""
        if self.score is None or (self.score.ndim == 2 and not self.many):
            raise BadSetting(f"{self.system}: there is no score of a yes or no to invert")
        return replace(self, score=1 - self.score if self.probable else -self.score)

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
    invert: bool = False,
) -> list[Predictions]:
    """The canonical form of what each system says, its scores inverted if wanted."""
    where = columns.where
    given = {_TRUE: columns.take(actual)}
    many = holds_sets(given[_TRUE], separator)
    answers = answers if many else _of_one_class(answers, columns)
    given |= {
        _called(name): columns.take(each.predicted) for name, each in answers.items() if each.predicted is not None
    }
    known = of_sets(given, labels, separator, where) if many else of_labels(given, answers, labels, positive, where)
    said = dict(zip(given, known.columns, strict=True))
    n_items = _same_length(said)
    columns.require_items(n_items)
    weighted = None if weight is None else weights(columns.take(weight), n_items, where)
    group, groups = grouped(columns.take(by), n_items, where)
    shared = Predictions(SYSTEM, known.labels, known.positive, said[_TRUE], None, None, False, weighted, group, groups)
    found = [_answered(shared, name, each, said.get(_called(name)), columns) for name, each in answers.items()]
    return [each.inverted for each in found] if invert else found


def _of_one_class(answers: Mapping[str, Answers], columns: Columns) -> dict[str, Answers]:
    """The answers for items that are of one class each, of which there may be one score, or probabilities."""
    flat = {name: each.flat for name, each in answers.items()}
    for name, each in flat.items():
        score = each.score
        if score is not None and is_table(score) and (columns.sheet is not None or not isinstance(score[0], str)):
            raise BadInput(f"{name}: there are several scores an item; of several classes, only probabilities will do")
    return flat


def _called(system: str) -> str:
    """What errors call the labels that a system gave."""
    return "predicted" if system == SYSTEM else f"{system} (predicted)" if system == _TRUE else system


def _same_length(columns: Mapping[str, Codes]) -> int:
    """How many items there are, for each of which every column must have a label."""
    n_items = len(columns[_TRUE])
    for name, column in columns.items():
        require_length(name, len(column), n_items)
    if not n_items:
        raise BadInput("there are no items")
    return n_items


def _answered(
    shared: Predictions, system: str, answer: Answers, predicted: Codes | None, columns: Columns
) -> Predictions:
    """The items with what one system says of them."""
    score, probable = _scores(system, answer, shared, columns)
    if score is not None:
        require_length("probability" if probable else "score", len(score), len(shared))
    return replace(shared, system=system, predicted=predicted, score=score, probable=probable)


def _scores(system: str, answer: Answers, shared: Predictions, columns: Columns) -> tuple[Floats | None, bool]:
    """The scores of a system, and whether they are probabilities."""
    where, labels = columns.where, shared.labels
    if answer.score is not None:
        if shared.many:
            return _columns(system, "score", answer.score, labels, columns), False
        return numbers("score", columns.take(answer.score), where), False
    if answer.probability is None:
        return None, False
    if not shared.many and one_score(answer):
        return probabilities("probability", columns.take(answer.probability), where), True
    table = _columns(system, "probability", answer.probability, labels, columns)
    if not shared.many:
        require_distribution(table, where)
    return (table[:, shared.positive], True) if shared.positive is not None and len(labels) == 2 else (table, True)


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
