"""The verb for classifiers and scorers.

A call reads the predictions, chooses the threshold at which each system decides, and declares what to measure; values
are computed on first use.

Decided here: when the positive class must be chosen.

Decided here: which settings of `classify` have no effect and are refused.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from cranfield.classification.evaluated import HALF, Average, Evaluated
from cranfield.classification.result import Classification
from cranfield.errors import BadInput, BadSetting, CranfieldWarning, require_one_of
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure
from cranfield.measures.scikit_learn import OF_TWO_CLASSES, function_names, implied_positive
from cranfield.results.provenance import Origin
from cranfield.results.values import Undefined
from cranfield.statistics.areas import AreaMethod
from cranfield.statistics.thresholds import Goal, parse_goal
from cranfield.tables.adapters.frames import require_aligned
from cranfield.tables.adapters.spark_inputs import is_in_spark
from cranfield.tables.adapters.spark_predictions import counted_rows
from cranfield.tables.adapters.system_columns import Columns
from cranfield.tables.counts import CountMatrix, Rows, axis_named, count_matrix
from cranfield.tables.labels import Label
from cranfield.tables.large_files import Progress, counted_predictions
from cranfield.tables.number_columns import TOLERANCE
from cranfield.tables.numbers import number
from cranfield.tables.predictions import Predictions, predictions, without_zero_weights
from cranfield.tables.readers.sheets import as_sheet

# Settings of `classify` that would have no effect, which are refused


def require_in_use(
    systems: Sequence[Evaluated],
    *,
    threshold: float | None,
    goal: str | None,
    average: Average | None,
    auc_interval: AreaMethod,
) -> None:
    """Refuse a threshold, goal, average or interval of the AUC that no system uses."""
    if average is not None:
        _require_applicable_average(systems, average)
    for system in systems:
        if system.class_scores is not None and (threshold is not None or goal is not None):
            raise BadSetting(
                f"{system.predictions.system} has one score per class and predicts the highest: threshold "
                "and goal do not apply; collapse evaluates one class against the rest"
            )
    scored = [system.predictions for system in systems if system.predictions.score is not None]
    if threshold is not None and all(predictions.predicted is not None for predictions in scored):
        raise BadSetting(
            "threshold has no effect: the labels were predicted already; pass scores or probabilities without predicted"
            if scored
            else "threshold has no effect: there are no scores or probabilities, only predicted labels"
        )
    if goal is not None and all(system.thresholds is None for system in systems):
        raise BadSetting("goal has no effect: a threshold is chosen only for one score per item")
    if goal is not None and all(predictions.predicted is not None for predictions in scored):
        raise BadSetting("goal has no effect: the labels were predicted already; pass scores without predicted")
    if auc_interval != "auto" and not scored:
        raise BadSetting("auc_interval has no effect: there are no scores or probabilities")


def _require_applicable_average(systems: Sequence[Evaluated], average: Average) -> None:
    first = systems[0]
    if average not in first.averages:
        raise BadSetting(f"average={average!r} needs multilabel data, in which an item may have several labels")
    if first.predictions.binary:
        raise BadSetting(
            f"average={average!r} has no effect: values are those of the positive class, {first.units[0]!r}; "
            "classification_report has the averages over both classes"
        )


BINARY = ("Accuracy", "BalancedAccuracy", "Precision", "Recall", "Specificity", "NPV", "F", "MCC")
CLASSES = ("Accuracy", "BalancedAccuracy", "Precision", "Recall", "F", "Kappa", "MCC")
SETS = ("Precision", "Recall", "F", "Jaccard", "Accuracy", "SubsetAccuracy")
SCORES = ("AUC", "AP", "AUPRG")
PROBABILITIES = ("LogLoss", "Brier", "ECE")


def classify(
    actual: Any = None,
    predicted: Any = None,
    *,
    counts: Any = None,
    score: Any = None,
    probability: Any = None,
    data: Any = None,
    item: Any = None,
    measures: Requested = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    collapse: Label | None = None,
    weight: Any = None,
    by: Any = None,
    goal: str | None = None,
    threshold: float | None = None,
    average: Average | None = None,
    undefined: Undefined = "skip",
    separator: str | None = None,
    invert: bool = False,
    normalise: bool = False,
    auc_interval: AreaMethod = "auto",
    rows: Rows = "actual",
    strict: bool = False,
    progress: Progress | None = None,
) -> Classification:
    """Evaluate predicted labels, scores or probabilities.

    Parameters
    ----------
    actual
        The true label of each item: an array, a list, a column of a frame. For multilabel data, a list of sets, or a
        table of 0 and 1 with one column per class: lists, an array, a data frame or a sparse matrix.
    predicted
        The predicted label of each item; for several classifiers, a dict by name.
    counts
        Instead of items, a confusion matrix: `{"TP": 20, "FP": 180, "FN": 10, "TN": 1820}` or the same as a text; rows
        of numbers in the order of `labels`; `{actual: {predicted: n}}`; or a path or data frame whose first column
        names the rows.
    score
        The score of each item; higher means more likely positive. For several scorers, a dict by name. For more than
        two classes, one column per class, as `probability` below: the class with the highest score is predicted.
    probability
        The probability of the positive class; a dict holds several systems by name. Or one column per class: a dict by
        class, or a table in the order of `labels`; a dict of these holds several systems. A dict whose keys are classes
        is by class.
    data
        A path (CSV, TSV, JSON Lines, JSON, Parquet, Arrow) or a data frame; strings passed as other parameters
        then name its columns. Paths such as s3://… are read by Spark.
    item
        The names of the items, used in errors; they must be distinct.
    measures
        Measures or their names, such as `"F1"`, `"F(beta=2)"` or `"AUC"`; by default, the usual ones.
    labels
        All labels, in the order to show them; by default, those that occur.
    positive
        The positive label. Defaults to 1 for labels 0 and 1, or -1 and 1, and to true; of two other classes it must be
        chosen, unless `average` is passed or no measure depends on it.
    collapse
        Evaluate this class against the rest, as two classes. The predictions remain those of all classes, unless a
        threshold or a goal is passed.
    weight
        The weight of each item.
    by
        The group of each item, such as its fold: values are then computed for each group.
    goal
        Choose the threshold that optimises this measure, such as `"Accuracy"` or `"F(beta=2)"`, optionally with
        constraints, as in `"Recall where Specificity >= 0.9"`. Values are then those of 10-fold cross-validation: each
        item is decided at the best threshold of the other folds. Values at the threshold that is best on all items are
        too optimistic for new ones; `result.of().apparent` has them.
    threshold
        Scores at or above this threshold are predicted positive. Without it and without a goal, the threshold is 0.5
        for probabilities, and other scores have none: only measures that need none are computed.
    average
        How the values of classes are averaged: `"macro"`, their mean (the default if no class is positive);
        `"micro"`, over all decisions pooled; `"weighted"`, their mean weighted by the number of items of each class;
        `"samples"`, for multilabel data, the mean over items of the value for the labels of each item.
    undefined
        Undefined values are left out of means (`"skip"`) or count as 0 (`"zero"`).
    separator
        Separates the labels of one item in multilabel text.
    invert
        Negate scores, replace probabilities by their complements, and exchange the two labels: for a scorer or
        classifier that is worse than chance. A threshold then applies to the negated scores.
    normalise
        Divide the probabilities of each item by their sum. Without it, they may differ from 1 by 0.0005 per class,
        which allows for rounding to three decimals and for 16-bit numbers.
    auc_interval
        Interval of the AUC: `"delong"`, symmetric about the AUC, as in pROC; `"logit"`, DeLong's on the logit scale;
        `"auto"`, the logit form, or Newcombe's interval where a class has fewer than ten items.
    rows
        Whether the rows of `counts` are the `"actual"` or the `"predicted"` classes.
    strict
        Only scores above the threshold are predicted positive, not those equal to it.
    progress
        A function called while a large file is read in batches, with its path, the number of bytes read so far and the
        size of the file; and while its scores are sorted on disk, with `sorting` and the path, and numbers of rows.

    Returns
    -------
    Classification
        `result["AUC"]` is a value, `result.confusion` the confusion matrix, `result.thresholds` the scores.

    Examples
    --------
    >>> result = classify([1, 1, 0, 1, 0], score=[0.9, 0.8, 0.7, 0.6, 0.2], threshold=0.7)
    >>> round(result["AUC"], 4)
    0.8333
    >>> result.confusion.counts.tolist()
    [[1, 1], [1, 2]]
    >>> classify(counts="TP=20 FP=180 FN=10 TN=1820")["Precision"]
    0.1
    """
    _require_settings(average, undefined, auc_interval, separator)
    cut = None if threshold is None else _finite(threshold)
    names = function_names(measures) if average is None else set()
    positive = _collapsible(positive, collapse)
    classes: dict[str, Any] = {"labels": labels, "positive": positive, "implied": implied_positive(names)}
    columns = {"predicted": predicted, "score": score, "probability": probability, "weight": weight, "by": by}

    if counts is None:
        if rows != "actual":
            raise BadSetting(f"rows={rows!r} has no effect: it applies to counts")
        how = classes | {"separator": separator, "invert": invert, "normalise": normalise}
        read = _read_items(actual, columns, data, item, progress, cut, how)
    else:
        others = {"actual": actual, "data": data, "item": item, "separator": separator}
        _require_counts_alone(**others, **columns, invert=invert, normalise=normalise)
        read = _read_counts(counts, rows, **classes)
    every = read.every if collapse is not None else [system.of_positive for system in read.every]
    systems = without_zero_weights(every, listed=labels is not None)

    chosen = None if goal is None else parse_goal(goal)
    of_scores, of_probabilities = _thresholds(systems, cut, chosen, strict=strict, invert=invert)
    how_averaged = average or "macro", undefined, auc_interval
    evaluated = tuple(
        Evaluated(system, None, of_probabilities if system.is_probability else of_scores, *how_averaged)
        for system in systems
    )
    if collapse is not None:
        by_score = cut is not None or goal is not None
        evaluated = tuple(_collapsed(system, collapse, by_score=by_score) for system in evaluated)
    require_in_use(evaluated, threshold=threshold, goal=goal, average=average, auc_interval=auc_interval)
    for system, with_zero_weights in zip(evaluated, every, strict=True):
        if labels is None or chosen is not None:
            _require_two_classes(system, with_zero_weights, read.columns)
    if chosen is not None:
        evaluated = tuple(system.chosen_for(chosen) for system in evaluated)

    requested = _measures(measures, evaluated)
    for system, with_zero_weights in zip(evaluated, every, strict=True):
        one_class = system.thresholds is not None and system.thresholds.one_class
        if one_class and all(np.isnan(system.value(measure)) for measure in requested):
            _require_two_classes(system, with_zero_weights, read.columns)
    if average is None:
        _require_average(names, evaluated[0])
        _require_positive(requested, evaluated[0])
    settings: dict[str, Any] = {"goal": None if chosen is None else str(chosen)}
    settings |= {"threshold": threshold if strict else cut, "average": average or "macro", "undefined": undefined}
    settings |= {"invert": invert, "auc_interval": auc_interval, "normalise": normalise}
    settings["tolerance_per_class"] = TOLERANCE
    settings |= {} if measures is None else {"measures_requested": True}
    settings |= ({"strict": True} if strict else {}) | ({} if collapse is None else {"collapse": collapse})
    result = Classification(evaluated, requested, read.origins, settings)
    for note in result.notes:
        warnings.warn(note, CranfieldWarning, stacklevel=2)
    return result


class _Read(NamedTuple):
    """The predictions of each system, zero-weight items included, with their columns and their origin."""

    every: list[Predictions]
    columns: Columns
    origins: tuple[Origin, ...]


def _read_items(
    actual: Any,
    inputs: Mapping[str, Any],
    data: Any,
    item: Any,
    progress: Progress | None,
    threshold: float | None,
    how: Mapping[str, Any],
) -> _Read:
    """Predictions item by item: counted by Spark, counted in batches from a large file, or in memory."""
    count = None
    if is_in_spark(data):
        data, count = counted_rows(data, item, threshold=threshold, actual=actual, **inputs)
    in_batches = item is None and inputs["weight"] is None and how["separator"] is None and not how["normalise"]
    if in_batches:
        batched = {name: value for name, value in how.items() if name != "normalise"}
        batches = counted_predictions(data, actual, progress, **batched, **inputs)
        if batches is not None:
            require_aligned({"actual": actual, **inputs, "item": item, "data": data})
            return _Read(batches[1], Columns(batches[0]), (Origin.of("predictions", batches[0]),))
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    require_aligned({"actual": actual, **inputs, "item": item, "data": data})
    every = predictions(actual, columns, **how, **inputs)
    every = every if count is None else [system.counted(count) for system in every]
    return _Read(every, columns, () if sheet is None else (Origin.of("predictions", sheet),))


def _read_counts(counts: Any, rows: str, *, labels: Any, positive: Label | None, implied: Label | None) -> _Read:
    """The items behind a confusion matrix; those of a cell are identical."""
    matrix = _actual_in_rows(count_matrix(counts, labels=labels), rows)
    actual, predicted, count = matrix.cells
    chosen = matrix.positive if positive is None else positive
    listed = matrix.labels if labels is None else labels
    none = Columns(None)
    (cells,) = predictions(actual, none, predicted=predicted, labels=listed, positive=chosen, implied=implied)
    return _Read([cells.counted(count)], none, (Origin.of("counts", matrix.source),))


def _thresholds(
    systems: Sequence[Predictions], cut: float | None, goal: Goal | None, *, strict: bool, invert: bool
) -> tuple[float | None, float | None]:
    """The threshold of scores, and that of probabilities, which is one half unless another is set."""
    if not invert and any(system.is_probability for system in systems):
        _require_probability(cut)
    half = HALF if cut is None and goal is None else cut
    if not strict:
        return cut, half
    if half is None or (cut is None and not all(system.is_probability for system in systems)):
        raise BadSetting("strict needs a threshold; a threshold chosen for a goal includes the scores equal to it")
    return None if cut is None else math.nextafter(cut, math.inf), math.nextafter(half, math.inf)


def _collapsible(positive: Label | None, collapse: Label | None) -> Label | None:
    """The positive class, which is the one to collapse to, if any."""
    if None not in (positive, collapse) and str(positive) != str(collapse):
        raise BadSetting(f"collapse={collapse!r} makes {collapse!r} positive, not {positive!r}")
    return positive if collapse is None else collapse


def _collapsed(evaluated: Evaluated, label: Label, *, by_score: bool) -> Evaluated:
    """One class against the rest; with `by_score`, at a threshold of its scores."""
    predictions = evaluated.predictions
    if predictions.positive is not None:
        label = predictions.labels[predictions.positive]
    if predictions.score is None or predictions.score.ndim == 2:
        evaluated = replace(evaluated, predictions=replace(predictions, positive=None))
    named = {str(unit): unit for unit in evaluated.units}
    one = evaluated.alone(named.get(str(label), label))
    if by_score and predictions.predicted is None:
        one = replace(one, predictions=replace(one.predictions, predicted=None))
    return one


def _require_counts_alone(invert: bool, normalise: bool, **columns: Any) -> None:
    """Refuse settings for items if only counts are given."""
    items = {**columns, "invert": invert or None, "normalise": normalise or None}
    name = next((name for name, value in items.items() if value is not None), None)
    if name is not None:
        raise BadSetting(f"{name} applies to single items, not to counts")


def _actual_in_rows(matrix: CountMatrix, rows: str) -> CountMatrix:
    """The matrix with actual classes in rows; a table that contradicts `rows` is refused.

    Cells with names, such as FP, have an actual and a predicted class whatever the rows are.
    """
    require_one_of("rows", rows, Rows)
    named = axis_named(matrix.corner)
    if named not in (None, rows):
        raise BadSetting(f"{matrix.source.name}: its rows are labelled {matrix.corner!r}; pass rows={named!r}")
    return matrix if rows == "actual" or matrix.positive is not None else matrix.transposed


def _measures(requested: Requested, evaluated: Sequence[Evaluated]) -> tuple[Measure, ...]:
    measures = measures_named(requested, evaluated[0].kinds, _standard(evaluated))
    for measure in measures if requested is not None else ():
        for system in evaluated:
            system.require_evidence(measure)
    return measures


def _require_average(names: set[str], evaluated: Evaluated) -> None:
    """Refuse names that scikit-learn keeps to two classes unless an average is chosen."""
    if names & OF_TWO_CLASSES and not evaluated.predictions.binary and len(evaluated.labels) != 2:
        name = min(names & OF_TWO_CLASSES)
        raise BadSetting(
            f"{name} is for two classes, as in scikit-learn, and there are {len(evaluated.labels)}; choose how their "
            "values are averaged with average= (--average): 'macro', 'micro' or 'weighted'"
        )


def _require_positive(measures: Sequence[Measure], evaluated: Evaluated) -> None:
    """Refuse two classes of which neither is positive, if the values depend on which one is."""
    labels = evaluated.labels
    depending = [measure for measure in measures if measure.declaration.evidence in (Cells, Thresholds)]
    if len(labels) == 2 and depending and not evaluated.predictions.binary and not evaluated.predictions.multilabel:
        raise BadSetting(
            f"{depending[0]} depends on the positive class: choose {labels[0]!r} or {labels[1]!r} with positive= "
            "(--positive), or average='macro' (--average macro) for the mean over both classes"
        )


def _standard(evaluated: Sequence[Evaluated]) -> tuple[str, ...]:
    """The measures that are computed by default."""
    every = [system.predictions for system in evaluated]
    first, names = every[0], tuple[str, ...]()
    if any(system.decides for system in evaluated):
        names = SETS if first.multilabel else BINARY if first.binary else CLASSES
    if all(predictions.score is not None for predictions in every):
        names += SCORES if first.binary or first.multilabel else ("AUC",)
    return names + (PROBABILITIES if all(predictions.is_probability for predictions in every) else ())


def _require_probability(threshold: float | None) -> None:
    """Refuse a threshold of probabilities that none can reach or miss, such as 50 for 50 %."""
    if threshold is not None and not 0 <= threshold <= 1:
        percent = f"; for {threshold:g} % use {threshold / 100:g}" if 1 < threshold <= 100 else ""
        raise BadSetting(f"threshold is {threshold:g}, but probabilities lie between 0 and 1{percent}")


def _finite(threshold: float) -> float:
    """The threshold as a float."""
    if isinstance(threshold, bool | np.bool_) or not isinstance(threshold, Real) or not math.isfinite(threshold):
        raise BadSetting(f"threshold must be a number, not {threshold!r}")
    return number(threshold)


def _require_settings(average: str | None, undefined: str, auc_interval: str, separator: str | None) -> None:
    if separator == "":
        raise BadSetting("separator must not be empty; use a text such as '|'")
    if average is not None:
        require_one_of("average", average, Average)
    require_one_of("undefined", undefined, Undefined)
    require_one_of("auc_interval", auc_interval, AreaMethod)


def _require_two_classes(evaluated: Evaluated, every: Predictions, columns: Columns) -> None:
    """Refuse scores if all items with a weight are positive, or all negative; `every` includes zero-weight items."""
    if evaluated.thresholds is None or not evaluated.thresholds.one_class:
        return
    rows = np.arange(len(every.actual)) if every.weight is None else np.flatnonzero(every.weight)
    present = np.unique(every.actual[rows])
    if len(present) > 1:
        raise BadInput(f"no item is {evaluated.units[0]!r}, the positive class; scores need items of two classes")
    only = every.labels[int(present[0])]
    all_rows = "every row" if len(rows) == len(every.actual) else "every row that has a weight"
    where = columns.where(int(rows[0]))
    raise BadInput(
        f"{where}: actual is {only!r}, as in {all_rows}; scores need items of two classes (list both as labels for the "
        "measures that one class defines)"
    )
