"""Cross-validation: learners evaluated on data they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from cranfield.arrays import Ints, objects
from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.inference.splits import Pair, Split, checked
from cranfield.tables.adapters.pandas_index import has_index, is_labelled, require_aligned
from cranfield.tables.system_names import by_name

Learner = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]  # `fit` and `predict`
Score = Callable[[Any, Any], float]  # of the true and the predicted answers


def scores_on_folds(
    learners: Mapping[str, Learner], examples: Any, answers: Any, splits: Iterable[Split | Pair], score: Score
) -> tuple[Samples, list[Split]]:
    """The score of each learner on each fold with the overlap of the training sets, and the folds."""
    _require_learners(learners)
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
    return Samples(tuple(by_name(learners, "learners")), units, values, unit="fold", overlap=overlap), folds


def _require_learners(learners: Mapping[str, Any]) -> None:
    if not learners:
        raise BadInput("there are no learners; pass {name: (fit, predict)}")
    for name, learner in learners.items():
        if not isinstance(learner, tuple | list) or len(learner) != 2 or not all(map(callable, learner)):
            raise BadInput(f"{name}: a learner must be two functions, (fit, predict), not {learner!r:.40}")


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
