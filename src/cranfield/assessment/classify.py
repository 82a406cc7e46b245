"""The verb for classifiers and scorers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from numbers import Real
from typing import Any, get_args

import numpy as np

from cranfield.assessment.assessed import HALF, Assessed, Average, Undefined
from cranfield.assessment.classification import Classification, measure_of
from cranfield.assessment.goals import parse_goal
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.label_sets import LabelSets
from cranfield.registry import Measure
from cranfield.results.provenance import Origin
from cranfield.tables.answers import Columns, systems
from cranfield.tables.counting import counting
from cranfield.tables.labels import Label
from cranfield.tables.predictions import Predictions, predictions
from cranfield.tables.sheets import as_sheet

DEFAULT_GOAL = "Informedness"
BINARY = ("Accuracy", "BalancedAccuracy", "Precision", "Recall", "Specificity", "NPV", "F", "MCC")
CLASSES = ("Accuracy", "BalancedAccuracy", "Precision", "Recall", "F", "Kappa", "MCC")
SETS = ("Precision", "Recall", "F", "Jaccard", "Accuracy", "SubsetAccuracy")
SCORES = ("AUC", "AP", "AUPRG")
PROBABILITIES = ("LogLoss", "Brier", "ECE")


def classify(
    actual: Any,
    predicted: Any = None,
    *,
    score: Any = None,
    probability: Any = None,
    data: Any = None,
    item: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    weight: Any = None,
    by: Any = None,
    goal: str | None = None,
    threshold: float | None = None,
    average: Average = "macro",
    undefined: Undefined = "skip",
    separator: str | None = None,
    invert: bool = False,
) -> Classification:
    """How good predicted labels, scores or probabilities are.

    Parameters
    ----------
    actual
        The true label of each item: an array, a list, a column of a frame. For items of several classes at once, a
        list of sets, or a table of 0 and 1 with a column a class.
    predicted
        The label each item was given; a dict holds several classifiers by name.
    score
        A number for each item that is higher the more likely it is positive; a dict holds several scorers by name.
    probability
        The probability of the positive class, or a column for each class: a dict by label, or a table in the order
        of `labels`.
    data
        A path (CSV, TSV, JSON Lines, JSON, Parquet, Arrow) or a data frame; texts given above and below then name
        its columns.
    item
        What the items are called: errors then name them, and none may appear twice.
    measures
        Measures or their names, such as `"F1"`, `"F(beta=2)"` or `"AUC"`; without them, the usual ones.
    labels
        All labels there are, in the order to show them; without them, those that occur.
    positive
        The label that is the positive one; 1 of 0 and 1 needs not be told.
    weight
        How much each item counts.
    by
        The group of each item, such as its fold: values are then given for each group.
    goal
        What the threshold is chosen for: a measure, such as `"Accuracy"` or `"F(beta=2)"`, or one within limits, as in
        `"Recall where Specificity >= 0.9"`.
    threshold
        The score from which on an answer is yes. Without it, the best for the goal; without a goal, a half for
        probabilities, and for other scores the best for `"Informedness"`, recall plus specificity.
    average
        How values of classes become one: `"macro"`, their mean; `"micro"`, all answers pooled; `"weighted"`, the
        mean weighted by how many items each class has.
    undefined
        What a value that is undefined for a class or group counts as in a mean: `"skip"` leaves it out.
    separator
        What separates the labels of an item that has several, in texts.
    invert
        Take scores the other way round, negated, and probabilities for those of the opposite: for a scorer that is
        worse than chance. A threshold is then one of the scores so taken.

    Examples
    --------
    >>> result = classify([1, 1, 0, 1, 0], score=[0.9, 0.8, 0.7, 0.6, 0.2])
    >>> round(result["AUC"], 4)
    0.8333
    >>> result.confusion.counts.tolist()
    [[2, 0], [1, 2]]
    """
    _require_settings(average, undefined, separator)
    cut = None if threshold is None else _finite(threshold)
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    answers = systems(predicted, score, probability, columns)
    found = predictions(
        actual,
        answers,
        columns,
        labels=labels,
        positive=positive,
        weight=weight,
        by=by,
        separator=separator,
        invert=invert,
    )
    kept = counting(found, listed=labels is not None)
    wanted = parse_goal(DEFAULT_GOAL if goal is None else goal)
    half = HALF if cut is None and goal is None else cut  # of probabilities
    assessed = tuple(Assessed(each, wanted, half if each.probable else cut, average, undefined) for each in kept)
    for each, given in zip(assessed, found, strict=True):
        _require_two_classes(each, given, columns)
    settings = {"goal": wanted.text, "threshold": cut, "average": average, "undefined": undefined, "invert": invert}
    origins = () if sheet is None else (Origin("predictions", sheet.name, sheet.form, sheet.digest),)
    result = Classification(assessed, _measures(measures, assessed), origins, settings)
    for note in result.notes:
        warnings.warn(note, CranfieldWarning, stacklevel=2)
    return result


def _measures(given: Any, assessed: Sequence[Assessed]) -> tuple[Measure, ...]:
    every = [each.predictions for each in assessed]
    first = every[0]
    if given is None:
        scored, probable = all(each.score is not None for each in every), all(each.probable for each in every)
        return _usual(first.many, first.binary, scored, probable)
    several = [given] if isinstance(given, str | Measure) else list(given)
    for odd in several:
        if not isinstance(odd, str | Measure):
            raise BadSetting(f"a measure or its name is needed, such as 'F1', not {odd!r}")
    wanted = [measure_of(measure, yes_or_no=first.binary or first.many) for measure in several]
    for measure in wanted:
        measure.require_settings()
        for each in assessed:
            _require_evidence(measure, each)
    return tuple(dict.fromkeys(wanted))


@cache
def _usual(many: bool, binary: bool, scored: bool, probable: bool) -> tuple[Measure, ...]:
    """The measures that are computed when none are asked for."""
    names: tuple[str, ...] = SETS if many else BINARY if binary else CLASSES
    names += (SCORES if binary or many else ("AUC",)) if scored else ()
    names += PROBABILITIES if probable else ()
    return tuple(measure_of(name, yes_or_no=binary or many) for name in names)


def _finite(threshold: float) -> float:
    """The threshold as a number, of whatever kind it was."""
    if not isinstance(threshold, Real) or not math.isfinite(threshold):
        raise BadSetting(f"threshold must be a number, not {threshold!r}")
    return float(threshold)


def _require_settings(average: str, undefined: str, separator: str | None) -> None:
    if separator == "":
        raise BadSetting("the separator of labels must be some text, such as '|'")
    for name, value, known in (("average", average, Average), ("undefined", undefined, Undefined)):
        if value not in get_args(known):
            raise BadSetting(f"{name} must be {' or '.join(map(repr, get_args(known)))}, not {value!r}")


def _require_evidence(measure: Measure, assessed: Assessed) -> None:
    given = assessed.predictions
    if measure.family.evidence is LabelSets and not given.many:
        raise BadSetting(f"{measure} is of items that are of several classes at once; of others, it is the accuracy")
    if not assessed.knows(measure):
        raise BadSetting(f"{measure} needs scores or probabilities, and {given.system} gives labels only")
    if measure.family.probable and not given.probable:
        raise BadSetting(f"{measure} needs probabilities; if the scores are some, give them as such")


def _require_two_classes(assessed: Assessed, given: Predictions, columns: Columns) -> None:
    """Refuse scores of items, given as in their rows, of which all that count are on one side."""
    if assessed.thresholds is None or not assessed.thresholds.one_class:
        return
    rows = np.arange(len(given)) if given.weight is None else np.flatnonzero(given.weight)
    present = np.unique(given.actual[rows])
    if len(present) > 1:
        raise BadInput(f"no item is {assessed.units[0]!r}, the positive class; scores need items of two classes")
    only = given.labels[int(present[0])]
    every = "every row" if len(rows) == len(given) else "every row that has a weight"
    where = columns.where(int(rows[0]))
    raise BadInput(f"{where}: actual is {only!r}, as in {every}; scores need items of two classes")
