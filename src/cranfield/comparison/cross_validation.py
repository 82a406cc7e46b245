"""Which learner predicts unseen data better?"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Ints
from cranfield.classification.classify import classify
from cranfield.errors import BadSetting, CranfieldWarning
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.measures.scikit_learn import ONE_IS_POSITIVE, lower_is_better, metric_name, response
from cranfield.present.table import Column, Table, numbers, row
from cranfield.regression.regress import regress
from cranfield.results.provenance import NOTHING_READ, Caution, Provenance
from cranfield.results.verb_result import Key, Records, VerbResult, by_name, fields_of
from cranfield.statistics.splits import Folds, Learner, Needs, Pair, Score, Split, fitting, scores_on_folds
from cranfield.tables.classes import NO_AND_YES
from cranfield.tables.labels import Label
from cranfield.tables.values import UNNAMED
from cranfield.text import coefficient, counted, listed

# Cross-validation: the score of each learner on each fold, as the verb returns it


@frozen(eq=False)
class CrossValidation(VerbResult, Samples):
    """Samples whose units are folds."""

    kind = "cross-validation"

    provenance: Provenance = NOTHING_READ
    splits: tuple[tuple[Ints, Ints], ...] = ()  # the items of each training and test set

    def __getitem__(self, key: Key) -> Any:
        """The mean score of a learner over the folds, or a dict as for `Result`; the measure is called `value`."""
        return by_name(key, self.values.mean(axis=1, keepdims=True), self.systems, (UNNAMED,))

    def steps(self) -> list[dict[str, Any]]:
        """The training and test set of each fold, with the score of each learner."""
        return [
            {
                "fold": fold,
                "n_train": len(train),
                "n_test": len(test),
                **dict(zip(self.systems, values, strict=True)),
                "train": train.tolist(),
                "test": test.tolist(),
            }
            for fold, (train, test), values in zip(self.units, self.splits, self.values.T.tolist(), strict=True)
        ]

    def records(self, *, steps: bool = False) -> Records:
        """One row per learner and fold; with `steps`, first the training and test sets."""
        rows = [
            {"system": system, "fold": fold, "value": value}
            for system, values in zip(self.systems, self.values.tolist(), strict=True)
            for fold, value in zip(self.units, values, strict=True)
        ]
        return ({"steps": self.steps()} if steps else {}) | {"folds": rows}

    @property
    def answer(self) -> str:
        """The learner with the best mean score, and the others."""
        score = str(self.provenance.settings.get("score", UNNAMED))
        mean = self.values.mean(axis=1)
        order = np.argsort(mean if self.lower_is_better else -mean, kind="stable").tolist()
        best, *others = [f"{self.systems[place]} ({coefficient(float(mean[place]))})" for place in order]
        word = "lowest" if self.lower_is_better else "highest"
        rest = f", before {listed(others)}" if others else ""
        return (
            f"{best} has the {word} mean {score} over {counted(len(self), 'fold')}{rest}; compare tests the difference."
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The size of a test fold over that of its training set, for the corrected t-test."""
        return {"overlap": self.overlap}


_UNKNOWN = (
    "is a lower score better? pass lower_is_better=True or False; only measures by name, such as 'MSE' or 'Accuracy', "
    "and metrics of scikit-learn bring their direction"
)


def cross_validate(
    learners: Mapping[str, Learner],
    examples: Any,
    answers: Any,
    splits: Iterable[Split | Pair],
    score: Score | Measure | str,
    *,
    lower_is_better: bool | None = None,
    positive: Label | None = None,
) -> CrossValidation:
    """The score of each learner on each fold: paired values, ready for a test.

    Parameters
    ----------
    learners
        By name, an estimator of scikit-learn or a pipeline, of which a copy is fitted on each fold; or two functions:
        `fit(examples, answers)` returns a model, `predict(model, examples)` its answers.
    examples, answers
        Arrays, lists, data frames or sparse matrices; their rows are passed to the learner unchanged.
    splits
        From `k_fold`, `halves` or `leave_one_out`; or pairs of row numbers or masks, for training and testing.
    score
        A measure of labels, scores, probabilities or numbers, such as `"Accuracy"`, `"AUC"` or `"MSE"`; a metric of
        scikit-learn, such as `mean_squared_error`; or any function of the true and the predicted answers of a fold.
        Estimators predict labels, scores or probabilities, as the measure or the metric needs.
    lower_is_better
        Whether lower scores are better: needed for functions of which it is not known.
    positive
        The positive label, for measures of two classes.

    Returns
    -------
    CrossValidation
        Samples whose units are folds. The overlap of the training sets is stored for the corrected t-test.

    Examples
    --------
    >>> from cranfield import compare, k_fold
    >>> learners = {
    ...     "mean": (lambda x, y: y.mean(), lambda model, x: [model] * len(x)),
    ...     "zero": (lambda x, y: 0.0, lambda model, x: [model] * len(x)),
    ... }
    >>> folds = cross_validate(learners, range(6), [1, 2, 3, 1, 2, 3], k_fold(6, 3), "MAE")
    >>> folds.values.shape
    (2, 3)
    >>> compare(folds, test="corrected t").rows[0].n
    3
    """
    how = _scoring(score, answers, positive)
    lower = how.lower_is_better if lower_is_better is None else lower_is_better
    if lower is None:
        raise BadSetting(_UNKNOWN)
    if how.lower_is_better not in (None, lower):
        better = "lower" if how.lower_is_better else "higher"
        raise BadSetting(f"lower_is_better={lower}, but {better} values of {how.name} are better")
    folds = scores_on_folds(fitting(learners, how.needs), examples, answers, splits, how.score)
    cautions = tuple(_cautions(folds))
    for caution in cautions:
        warnings.warn(str(caution), CranfieldWarning, stacklevel=2)
    fields = fields_of(folds.samples) | {"lower_is_better": lower}
    provenance = Provenance(settings={"score": how.name, "lower_is_better": lower}, warnings=cautions)
    places = tuple((split.train, split.test) for split in folds.splits)
    return CrossValidation(**fields, provenance=provenance, splits=places)


class _Scoring(NamedTuple):
    """A score with its direction, None if it is not known, and what it needs of a learner."""

    name: str
    score: Score
    lower_is_better: bool | None
    needs: Needs


def _scoring(score: Score | Measure | str, answers: Any, positive: Label | None) -> _Scoring:
    if isinstance(score, str | Measure):
        two = len(_classes(answers)) == 2
        measure = parse(score, ("binary", "classes", "values") if two else ("classes", "binary", "values"))
        if measure.declaration.higher_is_better is None:
            raise BadSetting(f"{measure} has no better direction, so learners cannot be compared by it")
        return _by_measure(measure, answers, positive)
    if not callable(score):
        raise BadSetting(f"score must be a measure or a function of true and predicted answers, not {score!r:.40}")
    metric = metric_name(score)
    if metric is None:
        return _Scoring(getattr(score, "__name__", "a function"), score, None, Needs("labels"))
    classes = _classes(answers)
    needs = Needs(response(metric, len(classes)))
    if needs.response != "labels":
        greatest = classes[-1] if len(classes) == 2 else None
        chosen = _fixed(score, "pos_label", 1 if metric in ONE_IS_POSITIVE and 1 in classes else greatest)
        needs = needs._replace(classes=classes, positive=chosen if len(classes) == 2 else None)
    return _Scoring(metric, score, lower_is_better(metric), needs)


def _fixed(function: Any, name: str, default: Any) -> Any:
    """The value of an argument that is fixed in a partial function."""
    while isinstance(function, partial):
        if function.keywords.get(name) is not None:
            return function.keywords[name]
        function = function.func
    return default


def _by_measure(measure: Measure, answers: Any, positive: Label | None) -> _Scoring:
    declared = measure.declaration
    lower = declared.higher_is_better is False
    if measure.kind == "values":
        return _Scoring(str(measure), lambda y, p: regress(y, p, measures=[measure])[str(measure)], lower, _LABELS)
    labelled = declared.evidence in (Cells, Confusion)
    column = "predicted" if labelled else "probability" if declared.needs_probability else "score"
    classes = _classes(answers)
    settings: dict[str, Any] = {"positive": positive, "measures": [measure]}
    needs = _LABELS
    if not labelled:
        chosen = _positive(measure, classes, positive) if len(classes) == 2 else None
        needs = Needs("probabilities" if column == "probability" else "scores", classes, chosen)
    if classes:
        settings["labels"] = classes
    return _Scoring(str(measure), lambda y, p: classify(y, **{column: p}, **settings)[str(measure)], lower, needs)


_LABELS = Needs("labels")


def _classes(answers: Any) -> list[Any]:
    """The classes in order; none for multilabel data."""
    known = np.asarray(answers)
    return np.unique(known).tolist() if known.ndim == 1 else []


def _positive(measure: Measure, classes: list[Any], positive: Label | None) -> Any:
    """The positive class of two."""
    if positive is not None:
        return positive
    if any(set(classes) == set(both) for both in NO_AND_YES):
        return classes[-1]
    raise BadSetting(f"{measure} depends on the positive class: choose {classes[0]!r} or {classes[1]!r} with positive=")


def _cautions(folds: Folds) -> Iterator[Caution]:
    """What may mislead in these folds."""
    if len(folds.repeated):
        n, first = len(folds.repeated), folds.repeated[0]
        are = "row is" if n == 1 else "rows are"
        yield Caution(
            "repeated-test-rows",
            f"{n} {are} in several test sets and others are not, such as row {first}: the values of these folds share "
            "examples; with k_fold every row is in one test set",
        )
    if folds.copied:
        n_tested = sum(len(split.test) for split in folds.splits)
        yield Caution(
            "copied-rows",
            f"{folds.copied} of {n_tested} test rows also occur, with the same answer, in the training set of their "
            "fold: learners can remember them; keep copies together with k_fold(groups=...)",
        )


# Cross-validation as a table: the score of each learner on each fold


SIDES = ("train", "test")


def tables(folds: CrossValidation, *, digits: int, steps: bool = False) -> list[Table]:
    """One row per fold, one column per learner, and their means; with `steps`, first the sets of each fold."""
    return [*([working(folds)] if steps else []), _scores(folds, digits)]


def working(folds: CrossValidation) -> Table:
    """The training and test items of each fold."""
    columns = (Column("fold"), *numbers("n train", "n test"), Column("train"), Column("test"))
    lines = [
        row(step["fold"], step["n_train"], step["n_test"], *(", ".join(map(str, step[side])) for side in SIDES))
        for step in folds.steps()
    ]
    return Table(columns, tuple(lines), title="Training and test sets", notes=("items are numbered from 0",))


def _scores(folds: CrossValidation, digits: int) -> Table:
    """One row per fold, one column per learner, and their means."""
    columns = (Column("fold"), *numbers(*folds.systems, digits=digits))
    rows = tuple(row(unit, *values) for unit, values in zip(folds.units, folds.values.T.tolist(), strict=True))
    means = row("mean", *folds.values.mean(axis=1).tolist())
    note = f"test folds are {folds.overlap:.3g} times as large as their training sets"
    return Table(columns, rows, (means,), notes=(note, *folds.notes))
