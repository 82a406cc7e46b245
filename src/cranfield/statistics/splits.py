"""Splits: data divided into pairs of training and test sets."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints, objects
from cranfield.errors import BadInput, BadSetting, require_between
from cranfield.evidence.samples import Samples
from cranfield.measures.scikit_learn import Response
from cranfield.statistics.resampling import generator
from cranfield.tables.adapters.frames import has_index, is_labelled, require_aligned
from cranfield.tables.system_names import by_name
from cranfield.text import counted

Pair = tuple[Any, Any]  # row numbers or masks of the training and the test set


class Split(NamedTuple):
    """The row numbers of the training set and of the test set."""

    train: Ints
    test: Ints


def k_fold(
    n: int,
    k: int,
    *,
    seed: int = 0,
    strata: Sequence[Any] | None = None,
    groups: Sequence[Any] | None = None,
) -> list[Split]:
    """The k splits of k-fold cross-validation: each item is in one test set, and the sets are as equal as possible.

    Parameters
    ----------
    n
        Number of items to divide.
    k
        Number of folds.
    seed
        Random seed.
    strata
        The stratum of each item, such as its class: all parts have about the same proportion of each.
    groups
        The group of each item, such as its topic: no group is divided.

    Returns
    -------
    list of Split
        The training and test sets: `split.train` and `split.test` contain the numbers of the items.

    Examples
    --------
    >>> [split.test.tolist() for split in k_fold(6, 3, seed=1)]
    [[1, 4], [0, 5], [2, 3]]
    """
    if strata is not None and groups is not None:
        raise BadSetting("give either strata or groups: both cannot always be satisfied")
    _require_whole(n, "the number of items")
    _require_whole(k, "the number of folds")
    rng = generator(seed)
    if groups is not None:
        return _split(_part_of_groups(_numbered(groups, n, "groups"), k, rng), k)
    if n < 2:
        raise BadSetting(f"at least 2 items are needed; got {n}")
    if not 2 <= k <= n:
        raise BadSetting(f"{n} items can be divided into 2 to {n} folds, not {k}")
    order = rng.permutation(n)
    if strata is not None:
        stratum = _numbered(strata, n, "strata")
        order = order[np.argsort(stratum[order], kind="stable")]
    part = np.empty(n, np.int64)
    part[order] = np.arange(n) % k
    return _split(part, k)


def holdout(n: int, proportion: float = 0.2, *, seed: int = 0, stratify: Sequence[Any] | None = None) -> Split:
    """One random division into a training and a test set.

    Parameters
    ----------
    n
        Number of items to divide.
    proportion
        Proportion of the items in the test set, rounded to whole items; both sets have at least one.
    seed
        Random seed.
    stratify
        The stratum of each item, such as its class: both sets have about the same proportion of each.

    Returns
    -------
    Split
        `split.train` and `split.test` contain the numbers of the items; pass `[split]` to `cross_validate`.

    Examples
    --------
    >>> split = holdout(10, 0.2, seed=1)
    >>> len(split.train), len(split.test)
    (8, 2)
    """
    _require_whole(n, "the number to divide")
    if n < 2:
        raise BadSetting(f"{n} cannot be divided into two sets; at least 2 items are needed")
    require_between("proportion", proportion, 0, 1)
    n_test = min(max(round(n * proportion), 1), n - 1)
    order = generator(seed).permutation(n)
    if stratify is not None:
        order = order[np.argsort(_numbered(stratify, n, "strata")[order], kind="stable")]
    place = np.arange(n)
    tested = (place + 1) * n_test // n > place * n_test // n  # evenly spaced along the strata; integers, hence exact
    return Split(np.sort(order[~tested]), np.sort(order[tested]))


def leave_one_out(n: int) -> list[Split]:
    """The n splits of leave-one-out cross-validation: each test set is one item.

    Parameters
    ----------
    n
        Number of items to divide.

    Returns
    -------
    list of Split
        The training and test sets: `split.train` and `split.test` contain the numbers of the items.

    Examples
    --------
    >>> [split.test.tolist() for split in leave_one_out(3)]
    [[0], [1], [2]]
    """
    _require_whole(n, "the number of items")
    if n < 2:
        raise BadSetting(f"leave-one-out needs at least 2 items; got {n}")
    return _split(np.arange(n), n)


def halves(n: int, repeats: int = 5, *, seed: int = 0, strata: Sequence[Any] | None = None) -> list[Split]:
    """Random halves, each the test set of the other; five repeats are 5×2 cross-validation.

    Parameters
    ----------
    n
        Number of items to divide.
    repeats
        Number of random divisions; each gives two splits.
    seed
        Random seed.
    strata
        The stratum of each item, such as its class: all parts have about the same proportion of each.

    Returns
    -------
    list of Split
        The training and test sets: `split.train` and `split.test` contain the numbers of the items.

    Examples
    --------
    >>> len(halves(10, 5))
    10
    """
    _require_whole(repeats, "the number of divisions")
    if repeats < 1:
        raise BadSetting(f"at least 1 division is needed; got {repeats}")
    rng = generator(seed)
    return [split for _ in range(repeats) for split in k_fold(n, 2, seed=int(rng.integers(2**31)), strata=strata)]


def named_splits(units: Sequence[str], splits: Iterable[Split | Pair]) -> Iterator[tuple[list[str], list[str]]]:
    """Splits with the names of units, such as queries, instead of their numbers.

    Parameters
    ----------
    units
        The names of the units.
    splits
        Splits of as many units, such as those of `k_fold`.

    Returns
    -------
    iterator of (list of str, list of str)
        The names in each training and test set.

    Examples
    --------
    >>> list(named_splits(["q1", "q2"], leave_one_out(2)))
    [(['q2'], ['q1']), (['q1'], ['q2'])]
    """
    for split in checked(splits, len(units)):
        yield [units[place] for place in split.train], [units[place] for place in split.test]


def _require_whole(number: object, what: str) -> None:
    if not isinstance(number, int | np.integer) or isinstance(number, bool):
        raise BadSetting(f"{what} must be an integer, not {number!r}")


def _numbered(values: Sequence[Any], n: int, what: str) -> Ints:
    if len(values) != n:
        raise BadInput(f"got {len(values)} {what} for {n} items; one per item is needed")
    unknown = next((place for place, value in enumerate(values) if value is None or value != value), None)
    if unknown is not None:
        raise BadInput(f"{what}: the value of item {unknown + 1} is {values[unknown]}; one per item is needed")
    column = np.asarray(values)
    if column.ndim != 1:
        raise BadInput(f"{what}: the value of item 1 is {values[0]!r:.40}; a text or a number per item is needed")
    return np.unique(column, return_inverse=True)[1]


def _part_of_groups(group: Ints, k: int, rng: np.random.Generator) -> Ints:
    """The fold of each item: groups, the largest first, go to the fold with the fewest items so far."""
    size = np.bincount(group)
    if not 2 <= k <= len(size):
        raise BadSetting(f"{counted(len(size), 'group')} can be divided into 2 to {len(size)} folds, not {k}")
    order = rng.permutation(len(size))
    part, filled = np.empty(len(size), np.int64), np.zeros(k)
    for one in order[np.argsort(-size[order], kind="stable")]:
        part[one] = int(np.argmin(filled))
        filled[part[one]] += size[one]
    return part[group]


def _split(part: Ints, k: int) -> list[Split]:
    return [Split(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(k)]


def checked(splits: Iterable[Split | Pair], n: int) -> list[Split]:
    """The splits of n items as row numbers, after checking that training and test sets are disjoint and not empty."""
    if not isinstance(splits, Iterable):
        raise BadInput(f"{type(splits).__name__} does not contain splits; pass pairs (train, test), as from k_fold")
    folds = []
    for number, pair in enumerate(splits, 1):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise BadInput(f"split {number} must be a pair (train, test), not {pair!r:.40}")
        train, test = (_places(side, n, f"split {number}") for side in pair)
        both = np.intersect1d(train, test)
        if len(both):
            raise BadInput(f"split {number}: {len(both)} items are in both sets, such as {both[0]}")
        folds.append(Split(train, test))
    if not folds:
        raise BadInput("there are no splits")
    return folds


def _places(side: Any, n: int, where: str) -> Ints:
    """The row numbers, from a list of them or from a mask."""
    chosen = np.asarray(side)
    if chosen.dtype == np.bool_ and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if not chosen.size:
        raise BadInput(f"{where}: the training or the test set is empty")
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise BadInput(f"{where}: expected row numbers, or a mask of length {n}, not {side!r:.40}")
    if chosen.min() < 0 or chosen.max() >= n:
        odd = chosen[(chosen < 0) | (chosen >= n)][0]
        raise BadInput(f"{where}: there is no row {odd}; rows are numbered 0 to {n - 1}")
    return chosen.astype(np.int64)


# Learners: two functions, or estimators of scikit-learn, as a function that fits and one that answers


Learner = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]] | Any  # `fit` and `predict`, or an estimator
Fitting = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]


class Needs(NamedTuple):
    """What a measure needs of a learner: labels, or scores or probabilities of the positive class or of each class."""

    response: Response
    classes: Sequence[Any] = ()  # all classes, in order
    positive: Any = None


def fitting(learners: Mapping[str, Learner], needs: Needs) -> dict[str, Fitting]:
    """Each learner as two functions: `fit(examples, answers)` gives a model, `answer(model, examples)` its answers."""
    if not learners:
        raise BadInput("there are no learners; pass {name: (fit, predict)}, or estimators by name")
    return {name: _functions(name, learner, needs) for name, learner in learners.items()}


def _functions(name: str, learner: Any, needs: Needs) -> Fitting:
    if isinstance(learner, tuple | list) and len(learner) == 2 and all(map(callable, learner)):
        return learner[0], learner[1]
    if isinstance(learner, type) or not callable(getattr(learner, "fit", None)):
        raise BadInput(
            f"{name}: a learner must be two functions, (fit, predict), or an estimator with fit and predict, such as "
            f"one of scikit-learn, not {learner!r:.40}"
        )
    return lambda x, y: _unfitted(learner).fit(x, y), lambda model, x: _answers(name, model, x, needs)


def _unfitted(estimator: Any) -> Any:
    """A copy that has not seen any example."""
    if not hasattr(estimator, "get_params"):
        return copy.deepcopy(estimator)
    from sklearn.base import clone

    return clone(estimator)


def _answers(name: str, model: Any, examples: Any, needs: Needs) -> Any:
    """The answers of a fitted estimator, as a measure needs them."""
    scores = ("decision_function", "predict_proba")
    methods: tuple[str, ...] = ("predict",) if needs.response == "labels" else ("predict_proba",)
    if needs.response == "scores":  # margins of several classes cannot be compared as their probabilities can
        methods = scores[::-1] if needs.positive is None else scores
    method = next((method for method in methods if hasattr(model, method)), None)
    if method is None:
        raise BadSetting(
            f"{name}: {needs.response} are needed, but {type(model).__name__} has no {' and no '.join(methods)}"
        )
    answers = getattr(model, method)(examples)
    if method == "predict":
        return answers
    return _of_classes(name, np.asarray(answers, np.float64), list(model.classes_), needs)


def _of_classes(name: str, answers: Floats, known: list[Any], needs: Needs) -> Floats:
    """The scores of the positive class, or of each class in order."""
    missing = [label for label in needs.classes if label not in known]
    if missing:
        raise BadInput(
            f"{name}: a training set has no example of the class {missing[0]!r}; divide the examples with strata=, so "
            "that every fold has all classes"
        )
    if needs.positive is None:
        return answers if answers.ndim == 1 else answers[:, [known.index(label) for label in needs.classes]]
    place = known.index(needs.positive)
    if answers.ndim == 2:
        return answers[:, place]
    return answers if place == 1 else -answers  # a margin is that of the second class


# Cross-validation: learners evaluated on data they were not trained on


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
    return Folds(samples, folds, _tested_more_often(folds, len(known)), _copied(folds, _fold_numbered(rows, known)))


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


def _fold_numbered(rows: Any, known: Any) -> Ints:
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
