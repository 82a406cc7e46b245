"""Confidence intervals over items: by formula for proportions, ratios and AUC, else by the bootstrap or jackknife."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.cells import Cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.label_rankings import LabelRankings
from cranfield.evidence.label_sets import LabelSets
from cranfield.evidence.rounding import NEAR
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.delong import AREA, area_interval
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import Interval, absent, jackknife, percentiles
from cranfield.inference.item_resampling import (
    resampled,
    resampled_rows,
    resampled_together,
    sorted_by_score,
    times_drawn,
)
from cranfield.inference.rate_intervals import Counted, IntervalEstimate, UnitIntervals, by_formula
from cranfield.inference.recalibration import intercept_interval, slope_interval
from cranfield.inference.resampling import COSTLY_RESAMPLES, generator, require_draws, require_seed
from cranfield.measures.declaration import NoInterval
from cranfield.measures.registry import Measure
from cranfield.results.evaluated import Evaluated
from cranfield.tables.labels import Label

Method = Literal["auto", "bootstrap", "delong", "logit"]  # the last two for the AUC

SMALL = 20_000  # most items, or counts of a matrix, that are bootstrapped by default
COUNTS = 1_000  # most counts of a matrix to leave out one by one
CLASSES = 1_000  # most classes that are bootstrapped one by one by default

# intervals of one score per item, by the name that a declaration has in its field `interval`
_OF_SCORES: Mapping[str, Callable[[Thresholds, float], Interval]] = MappingProxyType(
    {"calibration intercept": intercept_interval, "calibration slope": slope_interval}
)

# Decisions at thresholds that other items chose are not independent: by how much the number of items is divided so that
# the interval of the measure of the goal covers as it should, as tests/labels/test_chosen_thresholds.py simulates for
# some measures. Values of measures other than that of the goal depend too much on the threshold for any factor.
_DEPENDENCE = 1.44
_SIMULATED = {"Accuracy", "BalancedAccuracy", "Informedness", "F"}
_SAME_BEST = {"BalancedAccuracy", "Informedness"}  # best at the same threshold


def interval(evaluated: Evaluated, measure: Measure, **settings: Any) -> IntervalEstimate:
    """The interval of a measure of one system; the settings are those of `intervals`."""
    (bounded,) = intervals(evaluated, [measure], **settings)
    return bounded


def intervals(
    evaluated: Evaluated,
    measures: Sequence[Measure],
    *,
    confidence: float = 0.95,
    method: Method = "auto",
    resamples: int = COSTLY_RESAMPLES,
    seed: int = 0,
) -> list[IntervalEstimate]:
    """The interval of each measure of one system, all from the same resamples.

    An interval is computed once per system, so it is the same wherever it is shown.
    """
    require_confidence(confidence)
    require_draws(resamples, "resamples")
    require_seed(seed)
    require_one_of("method", method, Method)
    known, settings = evaluated.known_intervals, (confidence, method, resamples, seed)
    new = [measure for measure in dict.fromkeys(measures) if (measure, *settings) not in known]
    direct = {measure: _without_bootstrap(evaluated, measure, confidence, method) for measure in new}
    drawn = _resampled(
        evaluated, [measure for measure, interval in direct.items() if interval is None], resamples, seed
    )
    for measure, interval in direct.items():
        if interval is None:
            value = evaluated.value(measure)
            interval = bounded(value, percentiles(value, drawn[measure], confidence))
        known[measure, *settings] = interval
    return [known[measure, *settings] for measure in measures]


def _without_bootstrap(
    evaluated: Evaluated, measure: Measure, confidence: float, method: Method
) -> IntervalEstimate | None:
    """The interval by formula, or why there is none; None if it must be bootstrapped."""
    value = evaluated.value(measure)
    if np.isnan(value):
        return undefined(evaluated.why_undefined(measure), confidence)
    declared = measure.declaration.interval
    if isinstance(declared, NoInterval):
        return bounded(value, absent(confidence, declared.reason))
    if evaluated.goal is not None and _of_decisions(measure) and _dependence(evaluated, measure) is None:
        return bounded(value, absent(confidence, f"the threshold was chosen for {evaluated.goal} on these items"))
    if method == "bootstrap":
        return None
    if method != "auto" and (measure != AREA or evaluated.thresholds is None):
        raise BadSetting(f"{method!r} is for the AUC of one score per item, not for {measure}")
    if measure == AREA and evaluated.thresholds is not None:
        area_method = evaluated.auc_interval if method == "auto" else method
        return area_interval(evaluated.thresholds, confidence=confidence, method=area_method)
    if declared is not None:
        return bounded(value, _of_one_score(evaluated, declared, confidence))
    if (bounds := _by_formula(evaluated, measure, confidence)) is not None:
        return IntervalEstimate(value, float(bounds.low[0]), float(bounds.high[0]), confidence, bounds.method[0])
    if measure.declaration.jackknife and evaluated.confusion is not None:
        weighted = evaluated.predictions.weight is not None
        return bounded(value, _jackknifed(evaluated.confusion, measure, value, confidence, weighted=weighted))
    if (n_rows := _drawn_rows(evaluated, measure)) > SMALL:
        what = "counts" if _route(evaluated, measure) is _of_matrices else "scores or weights"
        return bounded(value, absent(confidence, _too_many(f"{n_rows} {what}")))
    return None


def _of_decisions(measure: Measure) -> bool:
    return measure.declaration.evidence in (Cells, Confusion)


def _dependence(evaluated: Evaluated, measure: Measure) -> float | None:
    """The factor that allows for a threshold chosen on these items, 1 for a given one; None if none is known."""
    goal = evaluated.goal
    if goal is None:
        return 1.0
    same = measure == goal.measure or {str(measure), str(goal.measure)} == _SAME_BEST
    if not same or str(measure) not in _SIMULATED or goal.constraints or evaluated.predictions.weight is not None:
        return None
    return _DEPENDENCE


def _effective(evaluated: Evaluated, measure: Measure) -> Cells:
    """The cells of as many independent decisions."""
    factor = _dependence(evaluated, measure) or 1.0
    return evaluated.cells if factor == 1 else Cells(*(cell / factor for cell in evaluated.cells.counts))


def class_interval(evaluated: Evaluated, measure: Measure, label: Label, **settings: Any) -> IntervalEstimate:
    """The interval of a measure of decisions or scores for one class against the rest."""
    _require_binary(evaluated, measure)
    return interval(evaluated.alone(label), measure, **settings)


def class_intervals(
    evaluated: Evaluated, measure: Measure, labels: Sequence[Label], *, confidence: float = 0.95
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
        bounds = UnitIntervals(nothing, nothing, [f"none: {_too_many(f'{len(places)} classes')}"] * len(places))
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
    if measure == AREA:
        scores, method = (evaluated.of_each_class[place] for place in places.tolist()), evaluated.auc_interval
        areas = [area_interval(of_class, confidence=confidence, method=method) for of_class in scores]
        ends = np.array([(area.low, area.high) for area in areas]).reshape(-1, 2)
        return UnitIntervals(ends[:, 0], ends[:, 1], [area.method for area in areas])
    if measure.declaration.evidence is not Cells:
        return None
    squared = None if evaluated.squared is None else evaluated.squared.cells.take(places)
    return by_formula(measure, evaluated.cells.take(places), squared, confidence)


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


def _of_one_score(evaluated: Evaluated, method: str, confidence: float) -> Interval:
    if evaluated.predictions.weight is not None:
        return absent(confidence, "not simulated for items with weights")
    if evaluated.thresholds is None:
        return absent(confidence, "not simulated for averages over classes")
    return _OF_SCORES[method](evaluated.thresholds, confidence)


def _by_formula(evaluated: Evaluated, measure: Measure, confidence: float) -> UnitIntervals | None:
    """The bounds of a proportion, or of a function or ratio of proportions."""
    counts = _one(evaluated, measure)
    squared = None if evaluated.squared is None else _one(evaluated.squared, measure)
    return None if counts is None else by_formula(measure, counts, squared, confidence)


def _one(evaluated: Evaluated, measure: Measure) -> Counted | None:
    """The counts that a formula applies to: each item counts once, and nothing is averaged over classes."""
    if measure.declaration.evidence in (Confusion, LabelSets):
        return evaluated.confusion if measure.declaration.evidence is Confusion else evaluated.sets
    if measure.declaration.evidence is not Cells or evaluated.over_items(measure):
        return None
    if len(evaluated.units) == 1:
        return _effective(evaluated, measure)
    pooled, parts = evaluated.cells.pooled, measure.declaration.parts
    if evaluated.average != "micro" or evaluated.confusion is None or parts is None:
        return None
    _, whole = parts(pooled, **measure.options)
    return pooled if np.allclose(whole, evaluated.confusion.total, rtol=NEAR) else None


# by the jackknife


def _jackknifed(matrix: Confusion, measure: Measure, value: float, confidence: float, *, weighted: bool) -> Interval:
    """The jackknife interval, for measures that repeated items in bootstrap resamples bias upwards.

    Items of the same cell leave the same value.
    """
    if weighted or len(matrix.count) > COUNTS:
        return absent(confidence, _too_many("items with weights" if weighted else f"{len(matrix.count)} counts"))
    fewer = (matrix.count - one for one in np.eye(len(matrix.count), dtype=matrix.count.dtype))
    left_out = [float(measure.values(Confusion(matrix.labels, matrix.row, matrix.column, count))) for count in fewer]
    if np.isnan(left_out).any():
        return absent(confidence, "undefined if one item is left out")
    if np.ptp(left_out) == 0:
        return absent(confidence, "the value is the same whichever item is left out")
    bounds = jackknife(value, np.array(left_out), confidence, count=matrix.count)
    return bounds.within(measure.declaration.bounds)


# by the bootstrap


def _drawn_rows(evaluated: Evaluated, measure: Measure) -> int:
    """The size of a resample: the counts of a matrix if these are drawn, else one per item and class."""
    predictions = evaluated.predictions
    if measure.declaration.evidence in (Cells, Confusion):
        if predictions.weight is not None or predictions.multilabel:
            return len(predictions)
        return 0 if evaluated.confusion is None else len(evaluated.confusion.count)
    return len(predictions) * (1 if evaluated.thresholds is not None else len(predictions.labels))


def _too_many(what: str) -> str:
    return f"the bootstrap of {what} must be requested"


def _resampled(evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int) -> dict[Measure, Floats]:
    """The values of each measure on bootstrap resamples of the items."""
    routes: dict[_Route, list[Measure]] = {}
    for measure in measures:
        routes.setdefault(_route(evaluated, measure), []).append(measure)
    drawn: dict[Measure, Floats] = {}
    for route, together in routes.items():
        drawn |= zip(together, np.array([*route(evaluated, together, resamples, seed)], np.float64).T, strict=True)
    return drawn


_Route = Callable[[Evaluated, Sequence[Measure], int, int], Iterable[Sequence[float] | Floats]]


def _route(evaluated: Evaluated, measure: Measure) -> _Route:
    """The function that resamples the evidence of a measure."""
    kind, predictions = measure.declaration.evidence, evaluated.predictions
    if evaluated.over_items(measure):
        return _of_item_values
    if kind in (ClassScores, LabelRankings):
        return _of_rows
    if kind is Thresholds:
        return _of_scores
    if predictions.weight is not None or predictions.multilabel:
        return _of_answers
    return _of_cells if kind is Cells and len(evaluated.units) == 1 else _of_matrices


def _of_rows(evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int) -> Iterator[Sequence[float]]:
    """Scores of classes or labels, of which there is one row per item."""
    evidence: Any = evaluated.of_all(measures[0].declaration.evidence)  # the data are either multilabel or not
    for rows in resampled_rows(len(evaluated.predictions), resamples, seed):
        again = evidence.take(rows)
        yield [float(measure.values(again)) for measure in measures]


def _of_item_values(
    evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int
) -> Iterator[Sequence[float]]:
    """Means over resampled items of values that each item has by itself."""
    values = [evaluated.item_values(measure) for measure in measures]
    weight = evaluated.predictions.weight
    for times in times_drawn(len(evaluated.predictions), resamples, seed):
        drawn = times.astype(np.float64) if weight is None else times * weight
        yield [evaluated.mean(column, drawn) for column in values]


def _of_scores(
    evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int
) -> Iterator[Sequence[float]]:
    for again in _scores_again(evaluated, resamples, seed):
        yield [evaluated.averaged_scores(measure, again) for measure in measures]


def _scores_again(evaluated: Evaluated, resamples: int, seed: int) -> Iterator[Sequence[Thresholds]]:
    predictions, score = evaluated.predictions, evaluated.predictions.score
    if evaluated.thresholds is not None or score is None:
        return ([scores] for scores in resampled(evaluated.of_each_class[0], resamples, seed))
    columns = [
        sorted_by_score(evaluated.truth(place), score[:, place], predictions.weight)
        for place in range(len(predictions.labels))
    ]
    return resampled_together(columns, len(predictions), resamples, seed)


def _of_answers(
    evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int
) -> Iterator[Sequence[float]]:
    """Decisions on resampled items, each with its weight."""
    weight = evaluated.predictions.weight
    for times in times_drawn(len(evaluated.predictions), resamples, seed):
        again = evaluated.reweighted(times.astype(np.float64) if weight is None else times * weight)
        yield [again.value(measure) for measure in measures]


def _of_cells(evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int) -> Floats:
    """Binary decisions on unweighted items: the four counts are drawn, all resamples at once."""
    columns = []
    for measure in measures:
        counts = np.array([cell[0] for cell in _effective(evaluated, measure).counts])
        drawn = generator(seed).multinomial(int(counts.sum()), counts / counts.sum(), resamples)
        columns.append(measure.values(Cells(*drawn.T.astype(np.float64))))
    return np.array(columns).T


def _of_matrices(
    evaluated: Evaluated, measures: Sequence[Measure], resamples: int, seed: int
) -> Iterator[Sequence[float]]:
    """Decisions on unweighted items: the counts of the matrix are drawn, not the items."""
    if (matrix := evaluated.confusion) is not None:
        rng, proportion = generator(seed), matrix.count / matrix.total
        for _ in range(resamples):
            count = rng.multinomial(int(matrix.total), proportion)
            again = Confusion(matrix.labels, matrix.row, matrix.column, count)
            yield [_of_matrix(evaluated, measure, again) for measure in measures]


def _of_matrix(evaluated: Evaluated, measure: Measure, matrix: Confusion) -> float:
    if measure.declaration.evidence is Confusion:
        return float(measure.values(matrix))
    return evaluated.averaged(measure, evaluated.cells_of(matrix))
