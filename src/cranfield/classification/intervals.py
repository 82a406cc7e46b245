"""Confidence intervals over items, each by the method that its measure declares, or why there is none.

Decided here: which interval a value over items has, or why it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.classification.evaluated import Evaluated
from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.items import LabelSets
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.declaration import NoInterval
from cranfield.measures.registry import Measure
from cranfield.rounding import NEAR
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import AREA, supported_interval
from cranfield.statistics.distributions import require_confidence
from cranfield.statistics.intervals import Interval, absent, jackknife_interval
from cranfield.statistics.item_resampling import GROUPS, rows_without_group
from cranfield.statistics.rates import (
    FEWEST,
    WEIGHTED,
    Counted,
    IntervalEstimate,
    UnitIntervals,
    by_formula,
    interval_of_counts,
)
from cranfield.statistics.resampling import COSTLY_RESAMPLES, require_draws, require_seed
from cranfield.statistics.score_intervals import SCORE_METHODS
from cranfield.tables.labels import Label

Method = Literal["auto", "delong", "logit"]  # the last two for the AUC

SMALL = 20_000  # most items that are left out in groups, or counts of a matrix
CLASSES = 1_000  # most classes with an interval each, unless it has a formula
DENSE = 32  # most classes of which pairs that do not occur may occur in draws
FEW = 10  # items of each class that functions of a matrix need
MOST_CLASSES = 10  # for averages over them and functions of their matrix
AVERAGED = (
    *("Precision", "Recall", "Specificity", "NPV", "F", "Dice", "Jaccard", "MCC", "Kappa", "Informedness"),
    *("BalancedAccuracy", "Accuracy", "AUC", "Gini", "AP"),
)  # whose averages over classes were simulated
AREAS = ("AUC", "Gini")
RIGHT = (True, False, False, True)  # of the cells


class Settings(NamedTuple):
    """How intervals are computed."""

    confidence: float
    method: Method
    resamples: int
    seed: int

    @property
    def drawn(self) -> tuple[float, int, int]:
        """The settings of intervals from draws."""
        return self.confidence, self.resamples, self.seed


def interval(evaluated: Evaluated, measure: Measure, **settings: Any) -> IntervalEstimate:
    """The interval of a measure of one system; the settings are those of `intervals`."""
    (bounded,) = intervals(evaluated, [measure], **settings)
    return bounded


def intervals(
    evaluated: Evaluated,
    measures: Sequence[Measure],
    *,
    confidence: float = CONFIDENCE,
    method: Method = "auto",
    resamples: int = COSTLY_RESAMPLES,
    seed: int = 0,
) -> list[IntervalEstimate]:
    """The interval of each measure of one system; it is computed once, so it is the same wherever it is shown."""
    require_confidence(confidence)
    require_draws(resamples, "resamples")
    require_seed(seed)
    require_one_of("method", method, Method)
    known, settings = evaluated.known_intervals, Settings(confidence, method, resamples, seed)
    for measure in measures:
        if (measure, *settings) not in known:
            known[measure, *settings] = _interval(evaluated, measure, settings)
    return [known[measure, *settings] for measure in measures]


def _interval(evaluated: Evaluated, measure: Measure, settings: Settings) -> IntervalEstimate:
    value, declared = evaluated.value(measure), measure.declaration.interval
    if np.isnan(value):
        return undefined(evaluated.why_undefined(measure), settings.confidence)
    of_area = measure.name in AREAS and evaluated.thresholds is not None
    if settings.method != "auto" and not of_area:
        raise BadSetting(f"{settings.method!r} is for the AUC of one score per item, not for {measure}")
    if isinstance(declared, NoInterval):
        return bounded(value, absent(settings.confidence, declared.reason))
    if evaluated.goal is not None and _of_decisions(measure):
        chosen = f"the threshold was chosen for {evaluated.goal} on these items"
        return bounded(value, absent(settings.confidence, chosen))
    if measure.options.get("total"):
        return bounded(value, absent(settings.confidence, "a sum over these items does not generalise to others"))
    if (alike := evaluated.unweighted) is None:
        return bounded(value, absent(settings.confidence, WEIGHTED))
    if (bounds := _by_formula(alike, measure, settings.confidence)) is not None:
        low, high = float(bounds.low[0]), float(bounds.high[0])
        return IntervalEstimate(value, low, high, settings.confidence, bounds.method[0])
    if reason := _few(alike, measure) or _many(alike, measure):
        return bounded(value, absent(settings.confidence, reason))
    return bounded(value, _by_method(alike, measure, value, settings))


def _many(evaluated: Evaluated, measure: Measure) -> str:
    """Why there are too many classes for the interval of a measure; empty if there are not."""
    n_classes, averaged = len(evaluated.units), measure.declaration.evidence in (Cells, Thresholds)
    if n_classes > 1 and averaged and measure.name not in AVERAGED:
        return "not simulated for averages over classes"
    clusters = measure.declaration.interval_method == "jackknife" and measure.declaration.evidence is Confusion
    return f"not simulated for more than {MOST_CLASSES} classes" if n_classes > MOST_CLASSES and not clusters else ""


def _few(evaluated: Evaluated, measure: Measure) -> str:
    """Why there are too few items for the interval of a measure; empty if there are enough."""
    if len(evaluated.predictions) < FEWEST:
        return f"fewer than {FEWEST} items"
    least = measure.declaration.fewest_of_class
    if not least:
        return ""
    if evaluated.thresholds is not None:
        positive, negative = map(float, evaluated.thresholds.n_items)
    elif len(evaluated.units) == 1 and evaluated.decides:
        positive, negative = (float(n[0]) for n in (evaluated.cells.positive, evaluated.cells.negative))
    else:
        sizes = evaluated.size  # clusters are labels too, and have no items as classes
        smallest = float(sizes[sizes > 0].min() if measure.declaration.evidence is Confusion else sizes.min())
        return f"fewer than {least} items of a class" if smallest < least else ""
    which = "positive" if positive <= negative else "negative"
    return f"fewer than {least} {which} items" if min(positive, negative) < least else ""


def _by_method(evaluated: Evaluated, measure: Measure, value: float, settings: Settings) -> Interval:
    """The interval by the method for this evidence; averages over classes and labels have their own."""
    kind, scores = measure.declaration.evidence, evaluated.thresholds
    if kind is Thresholds and scores is not None:
        area_method = evaluated.auc_interval if settings.method == "auto" else settings.method
        method = SCORE_METHODS[measure.declaration.interval_method]
        return method(measure, scores, value, confidence=settings.confidence, area_method=area_method)
    if kind in (Cells, Confusion) and not evaluated.predictions.multilabel:
        if measure.declaration.interval_method == "jackknife":
            return _of_clusters(evaluated, measure, value, settings.confidence)
        return _from_draws(evaluated, measure, value, settings)
    return _of_items(evaluated, measure, value, settings.confidence)


def _of_decisions(measure: Measure) -> bool:
    return measure.declaration.evidence in (Cells, Confusion)


def class_interval(evaluated: Evaluated, measure: Measure, label: Label, **settings: Any) -> IntervalEstimate:
    """The interval of a measure of decisions or scores for one class against the rest."""
    _require_binary(evaluated, measure)
    return interval(evaluated.alone(label), measure, **settings)


def class_intervals(
    evaluated: Evaluated, measure: Measure, labels: Sequence[Label], *, confidence: float = CONFIDENCE
) -> list[IntervalEstimate]:
    """The interval of a measure for each of these classes against the rest; for very many, by formula only."""
    _require_binary(evaluated, measure)
    place_of = {label: code for code, label in enumerate(evaluated.units)}
    places = np.array([place_of[label] for label in labels], np.int64)
    bounds = _of_each_class(evaluated, measure, places, confidence)
    if bounds is None and _few_enough(evaluated, measure, len(places)):
        return [class_interval(evaluated, measure, label, confidence=confidence) for label in labels]
    if bounds is None:
        nothing = np.full(len(places), np.nan)
        bounds = UnitIntervals(nothing, nothing, [f"none: more than {CLASSES:,} classes"] * len(places))
    values = evaluated.per_class(measure)[places].tolist()
    return [
        undefined(_why_undefined(evaluated, measure, place), confidence)
        if np.isnan(value)
        else IntervalEstimate(value, low, high, confidence, method)
        for place, value, low, high, method in zip(
            places, values, bounds.low.tolist(), bounds.high.tolist(), bounds.method
        )
    ]


def _of_each_class(evaluated: Evaluated, measure: Measure, places: Ints, confidence: float) -> UnitIntervals | None:
    """The bounds for each of these classes by formula; None if the measure has none."""
    if isinstance(measure.declaration.interval, NoInterval):
        nothing = np.full(len(places), np.nan)
        return UnitIntervals(nothing, nothing, [f"none: {measure.declaration.interval.reason}"] * len(places))
    if measure == AREA:
        scores, method = (evaluated.of_each_class[place] for place in places.tolist()), evaluated.auc_interval
        areas = [supported_interval(of_class, confidence=confidence, method=method) for of_class in scores]
        ends = np.array([(area.low, area.high) for area in areas]).reshape(-1, 2)
        return UnitIntervals(ends[:, 0], ends[:, 1], [area.method for area in areas])
    if measure.declaration.evidence is not Cells:
        return None
    if (alike := evaluated.unweighted) is None:
        return None
    return by_formula(measure, alike.cells.take(places), confidence)


def _why_undefined(evaluated: Evaluated, measure: Measure, place: int) -> str:
    if measure.declaration.evidence is Cells:
        return measure.why_undefined(evaluated.cells.take(np.array([place])))
    return measure.why_undefined(evaluated.of_each_class[place])


def _few_enough(evaluated: Evaluated, measure: Measure, n_classes: int) -> bool:
    """Whether bootstrapping this many classes, one at a time, is fast."""
    predictions = evaluated.predictions
    counts_alone = measure.declaration.evidence is Cells and predictions.weight is None and not predictions.multilabel
    return n_classes <= CLASSES and (counts_alone or n_classes * len(predictions) <= 10 * SMALL)


def _require_binary(evaluated: Evaluated, measure: Measure) -> None:
    if measure.declaration.evidence is not Cells and not (
        measure.declaration.evidence is Thresholds and evaluated.of_each_class
    ):
        raise BadSetting(f"{measure} has no value for one class; its interval is over all classes")


def undefined(reason: str, confidence: float) -> IntervalEstimate:
    """An undefined value, and the reason."""
    return IntervalEstimate(np.nan, np.nan, np.nan, confidence, f"undefined: {reason}")


def bounded(value: float, interval: Interval) -> IntervalEstimate:
    """A value with its interval, or why there is none."""
    method = f"none: {interval.reason}" if interval.reason else interval.method
    return IntervalEstimate(value, float(interval.low[0]), float(interval.high[0]), interval.confidence, method)


# by formula


def _by_formula(evaluated: Evaluated, measure: Measure, confidence: float) -> UnitIntervals | None:
    """The bounds of a proportion, or of a function or ratio of proportions."""
    counts = _one(evaluated, measure)
    return None if counts is None else by_formula(measure, counts, confidence)


def _one(evaluated: Evaluated, measure: Measure) -> Counted | None:
    """The counts that a formula applies to: each item counts once, and nothing is averaged over classes."""
    if measure.declaration.evidence in (Confusion, LabelSets):
        return evaluated.confusion if measure.declaration.evidence is Confusion else evaluated.sets
    if measure.declaration.evidence is not Cells or evaluated.over_items(measure):
        return None
    if len(evaluated.units) == 1:
        return evaluated.cells
    pooled, parts = evaluated.cells.pooled, measure.declaration.parts
    if evaluated.average != "micro" or evaluated.confusion is None or parts is None:
        return None
    _, whole = parts(pooled, **measure.options)
    return pooled if np.allclose(whole, evaluated.confusion.total, rtol=NEAR) else None


# from draws of the counts


def _from_draws(evaluated: Evaluated, measure: Measure, value: float, settings: Settings) -> Interval:
    """The interval of a function of the counts: of four for a binary decision, otherwise of those of a matrix."""
    if measure.declaration.evidence is Cells and len(evaluated.units) == 1:
        return _of_cells(measure, evaluated.cells, value, settings)
    matrix = evaluated.confusion
    if matrix is None or len(matrix.count) > SMALL:
        return absent(settings.confidence, f"more than {SMALL:,} different pairs of classes")
    if matrix.actual.min() < FEW or len(matrix.labels) < 2:
        return absent(settings.confidence, f"fewer than {FEW} items of a class")
    if measure.declaration.evidence is Cells and np.isnan(evaluated.per_class(measure)).any():
        return absent(settings.confidence, "undefined for a class, but probably not for other items")
    row, column, count = _possible(matrix)
    right = tuple((row == column).tolist())

    def values_of(drawn: Floats) -> Floats:
        if measure.declaration.evidence is Confusion:
            again = (Confusion(matrix.labels, row, column, counts) for counts in drawn)
            return np.array([float(measure.values(confusion)) for confusion in again])
        return _averaged(evaluated, measure, row, column, drawn)

    return interval_of_counts(value, tuple(count.tolist()), right, values_of, *settings.drawn)


def _possible(matrix: Confusion) -> tuple[Ints, Ints, NDArray[Any]]:
    """The pairs of classes that may occur, with their counts: each class that has items with each that is used.

    With very many classes, only the pairs that do occur, since others would outnumber the items.
    """
    actual = np.flatnonzero(matrix.actual)
    used = np.flatnonzero(matrix.actual + matrix.predicted)
    if len(used) > DENSE:
        return matrix.row, matrix.column, matrix.count
    row, column = (place.ravel() for place in np.meshgrid(actual, used, indexing="ij"))
    return row, column, matrix.counts[row, column]


def _averaged(evaluated: Evaluated, measure: Measure, row: Ints, column: Ints, drawn: Floats) -> Floats:
    """The average over classes of a measure of binary decisions, on each draw of the counts of pairs of classes."""
    place, n_classes = np.arange(len(evaluated.labels)), len(evaluated.labels)
    positive, accepted, right = (
        drawn @ (of[:, None] == place).astype(np.float64) for of in (row, column, np.where(row == column, row, -1))
    )
    total = drawn.sum(axis=1, keepdims=True)
    cells = right, accepted - right, positive - right, total - positive - accepted + right
    if evaluated.average == "micro":
        return measure.values(Cells(*(cell.sum(axis=1) for cell in cells)))
    values = measure.values(Cells(*(np.maximum(cell, 0).ravel() for cell in cells))).reshape(-1, n_classes)
    return np.array([evaluated.over_classes(of_draw, size) for of_draw, size in zip(values, positive, strict=True)])


def _of_cells(measure: Measure, cells: Cells, value: float, settings: Settings) -> Interval:
    """The interval of a measure of one unit's four counts."""
    counts = tuple(float(cell[0]) for cell in cells.counts)
    return interval_of_counts(value, counts, RIGHT, lambda drawn: measure.values(Cells(*drawn.T)), *settings.drawn)


# by the jackknife


def _of_clusters(evaluated: Evaluated, measure: Measure, value: float, confidence: float) -> Interval:
    """The jackknife over items, those with the same class and cluster counted."""
    matrix = evaluated.confusion
    if matrix is None or len(matrix.count) > SMALL // GROUPS:
        return absent(confidence, f"more than {SMALL // GROUPS} different pairs of class and cluster")
    fewer = (matrix.count - one for one in np.eye(len(matrix.count), dtype=matrix.count.dtype))
    left_out = [float(measure.values(Confusion(matrix.labels, matrix.row, matrix.column, count))) for count in fewer]
    return jackknife_interval(value, np.array(left_out), measure.declaration.bounds, confidence, count=matrix.count)


def _of_items(evaluated: Evaluated, measure: Measure, value: float, confidence: float) -> Interval:
    """The jackknife over single items or groups of them."""
    predictions = evaluated.predictions
    n_scores = len(predictions) * len(predictions.labels)
    if n_scores > SMALL:
        return absent(confidence, f"more than {SMALL:,} scores or labels")
    if evaluated.over_items(measure):
        values = evaluated.item_values(measure)
        groups = rows_without_group(len(predictions), min(len(predictions), GROUPS))
        left_out = np.array([evaluated.mean(values[rows], None) for rows in groups])
    else:
        left_out = np.array([fewer.value(measure) for fewer in evaluated.without_groups])
    return jackknife_interval(value, left_out, measure.declaration.bounds, confidence)
