"""Cross-validation: learners evaluated on data they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Ints, objects
from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.inference.learners import Fitting
from cranfield.inference.splits import Pair, Split, checked
from cranfield.tables.adapters.pandas_index import has_index, is_labelled, require_aligned
from cranfield.tables.system_names import by_name

Score = Callable[[Any, Any], float]  # of the true and the predicted answers


class Folds(NamedTuple):
    """The score of each learner on each fold, with the overlap of the training sets; and what the folds consist of."""

    samples: Samples
    splits: list[Split]
    repeated: Ints  # the rows that are in more test sets than others
    copied: int  # number of test examples that also occur, with their answer, in their training set


def scores_on_folds(
    learners: Mapping[str, Fitting], examples: Any, answers: Any, splits: Iterable[Split | Pair], score: Score
) -> Folds:
    """The score of each learner on each fold."""
    require_aligned({"examples": examples, "answers": answers})
    rows, known = _by_row(examples), _by_row(answers)
    if rows.shape[0] != known.shape[0]:
        raise BadInput(f"got {rows.shape[0]} examples but {known.shape[0]} answers; one answer per example is needed")
    folds = checked(splits, known.shape[0])
    values = np.empty((len(learners), len(folds)))
    for place, (name, (fit, predict)) in enumerate(learners.items()):
        for fold, (train, test) in enumerate(folds):
            model = fit(_taken(rows, train), _taken(known, train))
            expected = _taken(known, test)
            predicted = _paired(predict(model, _taken(rows, test)), expected, f"{name}: on fold {fold + 1}")
            value = score(expected, predicted)
            values[place, fold] = _finite(value, f"{name}: the score on fold {fold + 1}")
    overlap = float(np.mean([len(split.test) / len(split.train) for split in folds]))
    units = tuple(f"fold {fold}" for fold in range(1, len(folds) + 1))
    samples = Samples(tuple(by_name(learners, "learners")), units, values, unit="fold", overlap=overlap)
    return Folds(samples, folds, _tested_more_often(folds, len(known)), _copied(folds, _numbered(rows, known)))


def _tested_more_often(folds: Sequence[Split], n_rows: int) -> Ints:
    """The rows that are in several test sets, unless all rows are in equally many, as in repeated cross-validation."""
    times = np.bincount(np.concatenate([split.test for split in folds]), minlength=n_rows)
    return np.flatnonzero(times > 1) if np.ptp(times) else np.zeros(0, np.int64)


def _copied(folds: Sequence[Split], number: Ints) -> int:
    """The number of test rows, over all folds, with the number of a training row of the same fold."""
    size = int(number.max()) + 1
    if size == len(number):
        return 0
    return sum(int((np.bincount(number[train], minlength=size)[number[test]] > 0).sum()) for train, test in folds)


def _numbered(rows: Any, known: Any) -> Ints:
    """A number for each row, the same for identical examples with identical answers."""
    number: dict[Any, int] = {}
    pairs = zip(_keys(rows), _keys(known), strict=True)
    return np.array([number.setdefault(pair, len(number)) for pair in pairs], np.int64)


def _keys(rows: Any) -> Iterable[Any]:
    """Something for each row that is equal for identical rows."""
    if hasattr(rows, "tocsr"):
        ends = zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
        return ((rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in ends)
    columns = [rows[name] for name in rows.columns] if hasattr(rows, "iloc") and rows.ndim == 2 else None
    if hasattr(rows, "column_names"):
        columns = [column.to_pylist() for column in rows.columns]
    elif columns is None and hasattr(rows, "get_columns"):
        columns = rows.get_columns()
    if columns is not None:
        return map(repr, zip(*columns, strict=True))
    table = np.asarray(rows)
    if table.dtype == object:
        return map(repr, table)
    return (row.tobytes() for row in table)


def _paired(predicted: Any, expected: Any, where: str) -> Any:
    """The predictions, one for each of the expected answers and in the same order, so that arithmetic pairs them.

    A column beside a flat array would be paired with all of its elements. A pandas series that only counts its rows
    takes the index of the answers; any other index must be the same, because pandas pairs rows by it.
    """
    n_items, shape = expected.shape[0], getattr(predicted, "shape", None)
    n_predicted = shape[0] if shape else len(predicted) if hasattr(predicted, "__len__") else n_items
    if n_predicted != n_items:
        raise BadInput(f"{where}, got {n_predicted} predictions for {n_items} examples")
    if shape and sorted((shape[1:], expected.shape[1:])) == [(), (1,)]:
        raise BadInput(
            f"{where}, predictions have the shape {tuple(shape)} and answers {tuple(expected.shape)}, which arithmetic "
            "would not pair one by one; return and pass flat arrays, as with .ravel()"
        )
    if not has_index(predicted) or not has_index(expected) or predicted.index.equals(expected.index):
        return predicted
    if is_labelled(predicted):
        require_aligned({"predictions": predicted, "answers": expected})
    return predicted.set_axis(expected.index)


def _by_row(data: Any) -> Any:
    """Data whose rows can be selected: arrays, frames and sparse matrices unchanged, lists as arrays."""
    if hasattr(data, "tocsr"):
        return data.tocsr()  # other sparse formats cannot select rows
    if hasattr(data, "shape"):
        return data
    rows = list(data)
    try:
        return np.asarray(rows)
    except ValueError:  # rows of unequal length
        return objects(rows)


def _taken(rows: Any, places: Ints) -> Any:
    frame = hasattr(rows, "iloc") or hasattr(
        rows, "column_names"
    )  # [] selects columns in pandas, and is not supported by Arrow
    return rows.take(places) if frame else rows[places]


def _finite(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{what} is {value!r:.40}, which is not a number") from None
    if not np.isfinite(number):
        raise BadInput(f"{what} is {number}")
    return number
