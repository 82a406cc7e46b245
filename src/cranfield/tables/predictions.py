"""Predictions in canonical form: a system's predictions for items with known classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import cached_property, frozen
from cranfield.tables.adapters.system_columns import (
    SYSTEM,
    Columns,
    SystemColumns,
    has_named_columns,
    key_of,
    named_columns,
    require_length,
    require_other_columns,
    systems,
)
from cranfield.tables.classes import of_labels, of_sets, one_score
from cranfield.tables.columns import Where
from cranfield.tables.disk import blocks
from cranfield.tables.label_sets import by_label, holds_sets, in_order, indicators_of, is_two_dimensional, label_sets
from cranfield.tables.labels import Codes, Label, coded
from cranfield.tables.number_columns import distribution, numbers, probabilities, weights
from cranfield.tables.readers.cells import of_one_kind
from cranfield.tables.readers.streams import limits
from cranfield.tables.system_names import by_name

Checked = Callable[[str, Any, Where], Floats]

_TRUE = "actual"
_BYTES = 16  # memory of an item: a label, a score, and its row


@frozen(eq=False)
class Predictions:
    """One row per item. Classes are codes of labels; for multilabel data, a table of labels per item.

    There is one score, of the positive class, or one per class; `positive` is None if there is no positive class.
    With `count`, a row stands for this many identical items, in any order; they then have one label, at most one score
    and no weights.
    """

    system: str
    labels: tuple[Label, ...]
    positive: int | None
    actual: Codes
    predicted: Codes | None
    score: Floats | None
    is_probability: bool
    weight: Floats | None
    group: Codes | None
    groups: tuple[str, ...]
    count: Ints | None = None

    def __len__(self) -> int:
        """Number of items."""
        return len(self.actual) if self.count is None else self._n_items

    @cached_property
    def _n_items(self) -> int:
        """The sum of the counts."""
        count: Any = self.count
        return sum(int(count[rows].sum()) for rows in blocks(len(count)))

    @property
    def multilabel(self) -> bool:
        """Whether the data are multilabel."""
        return self.actual.ndim == 2

    @property
    def binary(self) -> bool:
        """Whether the decision is binary."""
        return self.positive is not None and not self.multilabel

    @property
    def inverted(self) -> Predictions:
        """The same with negated scores, complementary probabilities, and exchanged labels."""
        if self.score is not None and self.score.ndim == 2 and not self.multilabel:
            raise BadSetting(f"{self.system}: only scores of a binary decision can be inverted")
        predicted, score = self.predicted, self.score
        if predicted is not None:
            if not self.binary or len(self.labels) != 2:
                raise BadSetting(f"{self.system}: only labels of two classes, one of them positive, can be inverted")
            predicted = (1 - predicted).astype(predicted.dtype)
        if score is not None:
            score = 1 - score if self.is_probability else 0 - score  # -score would be -0 for 0
        return replace(self, predicted=predicted, score=score)

    @property
    def of_positive(self) -> Predictions:
        """The same with the scores of the positive class alone, if there is one."""
        if self.score is None or self.score.ndim == 1 or not self.binary:
            return self
        return replace(self, score=self.score[:, self.positive])

    def part(self, group: int) -> Predictions:
        """The items of one group."""
        return self.take(np.flatnonzero(self.group == group), None, ())

    def counted(self, count: Ints) -> Predictions:
        """Every row as this many items; they are repeated if they have weights, several labels or several scores."""
        rows = np.flatnonzero(count)
        some = self.take(rows, None if self.group is None else self.group[rows], self.groups)
        some = replace(some, count=count[rows])
        in_a_table = self.multilabel or (self.score is not None and self.score.ndim == 2)
        return some.each_item if in_a_table or self.weight is not None else some

    @property
    def each_item(self) -> Predictions:
        """The same with one row per item."""
        if self.count is None:
            return self
        limits.require_memory(len(self) * _BYTES, f"{len(self):,} single items")
        rows = np.repeat(np.arange(len(self.count)), self.count)
        alone = replace(self, count=None)
        return alone.take(rows, None if self.group is None else self.group[rows], self.groups)

    def take(self, rows: Codes, group: Codes | None, groups: tuple[str, ...]) -> Predictions:
        """The items in these rows, in these groups."""
        columns = {name: getattr(self, name) for name in ("actual", "predicted", "score", "weight", "count")}
        taken = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, **taken, group=group, groups=groups)


def predictions(
    actual: Any,
    columns: Columns,
    *,
    predicted: Any = None,
    score: Any = None,
    probability: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    implied: Label | None = None,
    weight: Any = None,
    by: Any = None,
    separator: str | None = None,
    invert: bool = False,
    normalise: bool = False,
) -> list[Predictions]:
    """The predictions of each system in canonical form, inverted if requested.

    Of two classes, the `implied` one is positive if it occurs and nothing else says which one is.
    """
    where = columns.where
    labelled = {_TRUE: _one_column(columns.take(actual))}
    many = holds_sets(labelled[_TRUE], separator)
    answers = system_columns(labelled[_TRUE], columns, (predicted, score, probability), labels, separator)
    require_other_columns(actual, answers, columns)
    labelled |= {
        _name_of_labels(name): columns.take(answer.predicted)
        for name, answer in answers.items()
        if answer.predicted is not None
    }
    if many:
        known = of_sets(labelled, labels, separator, where)
    else:
        known = of_labels(labelled, answers, labels, (positive, implied), where)
    codes = dict(zip(labelled, known.columns, strict=True))
    n_items = _same_length(codes)
    columns.require_items(n_items)
    weighted = None if weight is None else weights(columns.take(weight), n_items, where)
    group, groups = grouped(columns.take(by), n_items, where)
    shared = Predictions(SYSTEM, known.labels, known.positive, codes[_TRUE], None, None, False, weighted, group, groups)
    every_system = [
        _answered(shared, name, answer, codes.get(_name_of_labels(name)), columns, normalise)
        for name, answer in answers.items()
    ]
    return [answer.inverted for answer in every_system] if invert else every_system


def _one_column(actual: Any) -> Any:
    """A table with one column of text as that column; one of numbers may be multilabel data."""
    upright = isinstance(actual, np.ndarray) and actual.ndim == 2 and actual.shape[1] == 1
    return actual[:, 0] if upright and all(isinstance(label, str | bytes) for label in actual[:, 0]) else actual


def system_columns(
    actual: Any,
    columns: Columns,
    answered: tuple[Any, Any, Any],
    labels: Sequence[Label] | None,
    separator: str | None,
) -> dict[str, SystemColumns]:
    """The columns of each system by name, from the predicted labels, scores and probabilities as passed."""
    many = holds_sets(actual, separator)
    known_classes = cache(partial(_classes, actual, labels, separator, columns.where))
    answers = systems(*answered, columns, known_classes, many)
    return answers if many else {name: answer.flat for name, answer in answers.items()}


def _classes(actual: Any, labels: Sequence[Label] | None, separator: str | None, where: Where) -> frozenset[str]:
    """The classes that occur or are listed, in the form of dict keys."""
    labelled = {_TRUE: actual}
    sets = holds_sets(actual, separator)
    occurring = (
        label_sets(labelled, labels, separator, where).labels
        if sets
        else coded(of_one_kind(labelled), None, where).labels
    )
    return frozenset(map(key_of, (*occurring, *(labels or ()))))


def _name_of_labels(system: str) -> str:
    """How errors name the labels predicted by a system."""
    return "predicted" if system == SYSTEM else f"{system} (predicted)" if system == _TRUE else system


def _same_length(columns: Mapping[str, Codes]) -> int:
    """The number of items, which must be the same for every column."""
    n_items = len(columns[_TRUE])
    for name, column in columns.items():
        require_length(name, len(column), n_items)
    if not n_items:
        raise BadInput("there are no items")
    return n_items


def _answered(
    shared: Predictions, system: str, answer: SystemColumns, predicted: Codes | None, columns: Columns, normalise: bool
) -> Predictions:
    """The items with the predictions of one system."""
    if normalise and (shared.multilabel or answer.probability is None or one_score(answer)):
        raise BadSetting(f"{system}: only class probabilities of single-label data can be normalised")
    score, is_probability = _scores(system, answer, shared, columns, normalise)
    if score is not None:
        require_length("probability" if is_probability else "score", len(score), len(shared))
    return replace(shared, system=system, predicted=predicted, score=score, is_probability=is_probability)


def _scores(
    system: str, answer: SystemColumns, shared: Predictions, columns: Columns, normalise: bool
) -> tuple[Floats | None, bool]:
    """The scores of a system, and whether they are probabilities."""
    where, labels = columns.where, shared.labels
    if answer.score is not None:
        if shared.multilabel or not one_score(answer):
            _require_several(system, shared)
            return _columns(system, "score", answer.score, shared, columns, partial(numbers, ordered=True)), False
        return numbers("score", columns.take(answer.score), where, ordered=True), False
    if answer.probability is None:
        return None, False
    if not shared.multilabel and one_score(answer):
        return probabilities("probability", columns.take(answer.probability), where), True
    checked = partial(probabilities, most=np.inf if normalise else 1)
    table = _columns(system, "probability", answer.probability, shared, columns, checked)
    if not shared.multilabel:
        table = distribution(table, where, normalise=normalise)
    return (table[:, shared.positive], True) if shared.positive is not None and len(labels) == 2 else (table, True)


def _require_several(system: str, shared: Predictions) -> None:
    """Refuse one score per class for a binary decision, which needs one score per item."""
    if not shared.multilabel and len(shared.labels) == 2:
        raise BadInput(
            f"{system}: got two scores per item, one for each of two classes; pass one score per item, such as "
            "their difference, or probabilities"
        )


def _columns(system: str, what: str, table: Any, shared: Predictions, columns: Columns, checked: Checked) -> Floats:
    """Numbers with one column per class."""
    labels = shared.labels
    if is_two_dimensional(table):
        table = in_order(system, indicators_of(table), labels)
    elif isinstance(table, Mapping):
        table = by_label(system, table, labels)
    elif isinstance(table[0], list | tuple) or _upright(system, table, len(labels), len(shared)):
        table = _turned(what, table, len(labels), columns.where)
    table = list(table.T) if isinstance(table, np.ndarray) else [columns.take(column) for column in table]
    if len(table) != len(labels):
        raise BadInput(f"{system}: got {len(table)} columns, each the {what} of a class, for {len(labels)} classes")
    named = [checked(f"{what} of {label!r}", column, columns.where) for label, column in zip(labels, table)]
    for column in named:
        require_length(what, len(column), len(named[0]))
    return np.column_stack(named)


def _upright(system: str, arrays: Sequence[Any], n_classes: int, n_items: int) -> bool:
    """Whether arrays in a list are the rows of a table, one per item, rather than its columns, one per class."""
    if any(isinstance(array, str) for array in arrays) or len(arrays) != n_items:
        return False
    if n_items == n_classes:
        raise BadInput(f"{system}: {n_items} arrays could be the rows or the columns of a table; pass one NumPy array")
    return all(len(array) == n_classes for array in arrays)


def _turned(what: str, rows: Sequence[Sequence[Any]], n_classes: int, where: Where) -> list[Sequence[Any]]:
    """The columns of a table that was passed as a list of rows."""
    for place, row in enumerate(rows):
        if len(row) != n_classes:
            raise BadInput(
                f"{where(place)}: got {len(row)} columns, each the {what} of a class, for {n_classes} classes"
            )
    return [[row[place] for row in rows] for place in range(n_classes)]


def grouped(by: Any, n_items: int, where: Where) -> tuple[Codes | None, tuple[str, ...]]:
    """The group of each item and the names of the groups; none if items are not grouped."""
    if by is None:
        return None, ()
    known = coded(of_one_kind({"group": by}), None, where)
    require_length("group", len(known.columns[0]), n_items)
    return known.columns[0], tuple(map(str, known.labels))


# Several outputs per item: tables of numbers with one column per output, in any supported form


_WORD = re.compile(r"[\W_]+")


def has_outputs(values: Any, columns: Columns) -> bool:
    """Whether there is one column per output rather than a single one."""
    if isinstance(values, Mapping | pa.Table) or has_named_columns(values):
        return True
    if isinstance(values, list | tuple) and values:
        named = columns.sheet is not None and all(isinstance(value, str) for value in values)
        return named or isinstance(values[0], list | tuple | np.ndarray)
    return getattr(values, "ndim", 1) == 2


def outputs_of(name: str, values: Any, columns: Columns) -> dict[str, Any]:
    """The column of each output by name, or by position in a table without names."""
    if not has_outputs(values, columns):
        raise BadInput(f"{name}: got one column for several outputs; pass one column per output")
    if isinstance(values, pa.Table) or has_named_columns(values):
        named = by_name(named_columns(name, values), f"columns of {name}")
    elif isinstance(values, Mapping):
        outputs = by_name(values, f"columns of {name}")
        named = {output: columns.take(column) for output, column in outputs.items()}
    elif isinstance(values, list | tuple) and isinstance(values[0], str):
        for output in values:
            if values.count(output) > 1:
                raise BadInput(f"{name}: duplicate column {output!r}")
        named = {output: columns.take(output) for output in values}
    else:
        named = _of_rows(name, values, columns)
    if not named:
        raise BadInput(f"{name}: there are no outputs")
    return named


def _of_rows(name: str, rows: Any, columns: Columns) -> dict[str, Any]:
    """The columns of rows of equal length."""
    widths = [len(row) for row in rows] or [0]
    for place, width in enumerate(widths):
        if width != widths[0]:
            raise BadInput(f"{columns.where(place)}: {name} has {width} outputs; the first item has {widths[0]}")
    return {str(place): [row[place] for row in rows] for place in range(widths[0])}


def _require_same_order(predicted: tuple[str, ...], outputs: tuple[str, ...], *, chosen: bool) -> None:
    """Refuse columns that would be matched in order although their names tell another order.

    The columns of a table may be `chosen` one by one; then an output may also be predicted by another output.
    """
    if any(names == tuple(map(str, range(len(names)))) for names in (predicted, outputs)):
        return  # numbered, not named
    shared = [name for name in predicted if name in outputs]
    odd = [name for name in predicted if name not in outputs]
    if shared and odd and not chosen:
        raise BadInput(
            f"predicted: the column {shared[0]!r} is also an output, but {odd[0]!r} is not; use the same names "
            f"({', '.join(map(repr, outputs))}) for all columns"
        )
    of_name = [_output_in(name, outputs) for name in predicted]
    if odd and set(of_name) == set(outputs) and tuple(of_name) != outputs:
        raise BadInput(
            f"predicted: the columns {', '.join(map(repr, predicted))} are in another order than the outputs "
            f"{', '.join(map(repr, outputs))}; use the same names or the same order"
        )


def _output_in(name: str, outputs: tuple[str, ...]) -> str | None:
    """The only output that is a word of a column's name, such as x in x_pred."""
    words = {name, *_WORD.split(name)}
    named = [output for output in outputs if output in words or name.startswith(f"{output}_")]
    return named[0] if len(named) == 1 else None


def predicted_outputs(values: Any, outputs: tuple[str, ...], columns: Columns) -> dict[str, Any]:
    """The predicted column of each output: by name in a dict or a data frame with the same names, else in order."""
    table = outputs_of("predicted", values, columns)
    _require_same_order(tuple(table), outputs, chosen=isinstance(values, list | tuple))
    if len(table) != len(outputs):
        raise BadInput(f"predicted: got {len(table)} columns for {len(outputs)} outputs")
    if set(table) == set(outputs) and not isinstance(values, list | tuple):  # a list of columns is ordered
        return {output: table[output] for output in outputs}
    return dict(zip(outputs, table.values(), strict=True))


# Zero-weight items, which are excluded as if they were not in the data


def nonzero_rows(weight: Floats | None) -> Ints | None:
    """The rows with a positive weight; None if all have one."""
    return None if weight is None or weight.all() else np.flatnonzero(weight)


def regrouped(group: Codes | None, groups: tuple[str, ...], rows: Ints) -> tuple[Codes | None, tuple[str, ...]]:
    """The groups of the items in these rows."""
    if group is None:
        return None, ()
    occurs, place = np.unique(group[rows], return_inverse=True)
    return place, tuple(groups[code] for code in occurs.tolist())


def without_zero_weights(several: Sequence[Predictions], *, listed: bool) -> list[Predictions]:
    """The predictions without zero-weight items; unless labels are listed, labels of only these are removed too."""
    rows = nonzero_rows(several[0].weight)
    if rows is None:
        return list(several)
    weighted = [system.take(rows, *regrouped(system.group, system.groups, rows)) for system in several]
    labels_matter = listed or any(
        system.positive is not None or system.multilabel or system.score is not None for system in weighted
    )
    return weighted if labels_matter else _relabelled(weighted)


def _relabelled(several: Sequence[Predictions]) -> list[Predictions]:
    """The same over the labels that occur."""
    predicted = [system.predicted for system in several if system.predicted is not None]
    occurs = np.unique(np.concatenate([several[0].actual, *predicted]))
    labels: tuple[Label, ...] = tuple(several[0].labels[code] for code in occurs.tolist())

    def coded(column: Codes) -> Codes:
        return np.searchsorted(occurs, column)

    return [
        replace(
            system,
            labels=labels,
            actual=coded(system.actual),
            predicted=None if system.predicted is None else coded(system.predicted),
        )
        for system in several
    ]
