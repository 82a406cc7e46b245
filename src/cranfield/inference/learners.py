"""Cross-validation: learners tried side by side on what they did not learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.inference.splits import Ints, Pair, Split, checked


class Learner(NamedTuple):
    """How to learn from examples and their answers, and how to answer with what was learnt."""

    fit: Callable[[Any, Any], Any]
    predict: Callable[[Any, Any], Any]


def cross_validate(
    learners: Mapping[str, Learner | tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]],
    examples: Any,
    answers: Any,
    splits: Iterable[Split | Pair],
    score: Callable[[Any, Any], float],
) -> Samples:
    """What each learner scores on each fold, `score(answers, predicted)`: paired values, ready for a test.

    A learner is a pair of functions: `fit(examples, answers)` gives what was learnt, `predict(learnt, examples)`
    the answers. Examples and answers are arrays, lists, data frames or sparse matrices, whose rows reach the learner
    as what they are. Splits come from `k_fold`, or from anywhere as pairs of places or of masks. The overlap of the
    training sets is kept with the values, for the corrected t-test.
    """
    _require_learners(learners)
    rows, known = _by_row(examples), _by_row(answers)
    if rows.shape[0] != known.shape[0]:
        raise BadInput(f"there are {rows.shape[0]} examples and {known.shape[0]} answers; each needs the other")
    folds = checked(splits, known.shape[0])
    values = np.empty((len(learners), len(folds)))
    for place, (name, (fit, predict)) in enumerate(learners.items()):
        for fold, (train, test) in enumerate(folds):
            learnt = fit(_taken(rows, train), _taken(known, train))
            reached = score(_taken(known, test), predict(learnt, _taken(rows, test)))
            values[place, fold] = _finite(reached, f"{name}: the score on fold {fold + 1}")
    overlap = float(np.mean([len(split.test) / len(split.train) for split in folds]))
    units = tuple(f"fold {fold}" for fold in range(1, len(folds) + 1))
    return Samples(tuple(learners), units, values, kind="fold", overlap=overlap)


def _require_learners(learners: Mapping[str, Any]) -> None:
    if not learners:
        raise BadInput("there is no learner; give {name: (fit, predict)}")
    for name, learner in learners.items():
        if not isinstance(learner, tuple | list) or len(learner) != 2 or not all(map(callable, learner)):
            raise BadInput(f"{name}: a learner is two functions, (fit, predict), not {learner!r:.40}")


def _by_row(data: Any) -> Any:
    """The data such that rows can be taken: arrays, frames and sparse matrices as they are, lists as arrays."""
    if hasattr(data, "tocsr"):
        return data.tocsr()  # other sparse forms have no rows to take
    if hasattr(data, "shape"):
        return data
    rows = list(data)
    try:
        return np.asarray(rows)
    except ValueError:  # rows of unequal length
        ragged = np.empty(len(rows), object)
        ragged[:] = rows
        return ragged


def _taken(rows: Any, places: Ints) -> Any:
    frame = hasattr(rows, "iloc") or hasattr(rows, "column_names")  # pandas takes columns by [], Arrow nothing
    return rows.take(places) if frame else rows[places]


def _finite(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{what} is {value!r:.40}, which is not a number") from None
    if not np.isfinite(number):
        raise BadInput(f"{what} is {number}")
    return number
