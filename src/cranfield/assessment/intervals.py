"""How sure a figure is: by formula for shares, ratios and areas, and by the bootstrap for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from cranfield.assessment.areas import AREA, area_interval
from cranfield.assessment.assessed import Assessed
from cranfield.assessment.formulas import Bounds, Counted, by_formula
from cranfield.assessment.resampling import in_order, resampled, resampled_together, rows_again, times_drawn
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.exact import NEAR
from cranfield.evidence.label_sets import LabelSets
from cranfield.evidence.probabilities import Probabilities
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import Interval, percentiles
from cranfield.inference.resampling import require_draws
from cranfield.registry import Measure
from cranfield.tables.labels import Label

Method = Literal["auto", "bootstrap"]

SAMPLES = 1000
SMALL = 20_000  # items that the bootstrap draws again without being asked to


class Bounded(NamedTuple):
    """A value, its bounds, and how these came; NaN bounds where there are none, `method` then says why."""

    value: float
    low: float
    high: float
    confidence: float
    method: str


def interval(
    assessed: Assessed,
    measure: Measure,
    *,
    confidence: float = 0.95,
    method: Method = "auto",
    samples: int = SAMPLES,
    seed: int = 0,
) -> Bounded:
    """The interval of a measure of one system."""
    _require(confidence, method, samples)
    value = assessed.value(measure)
    if np.isnan(value):
        return undefined(assessed.why_undefined(measure), confidence)
    if method == "auto":
        if (found := _by_formula(assessed, measure, confidence)) is not None:
            return Bounded(value, found.low, found.high, confidence, found.method)
        if (n_rows := _drawn_rows(assessed, measure)) > SMALL:
            return Bounded(value, np.nan, np.nan, confidence, _too_many(n_rows))
    return bounded(value, percentiles(value, _again(assessed, measure, samples, seed), confidence))


def class_interval(
    assessed: Assessed,
    measure: Measure,
    label: Label,
    *,
    confidence: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Bounded:
    """The interval of a measure of answers or scores for one class against the rest."""
    if measure.family.evidence is not Cells and not (measure.family.evidence is Thresholds and assessed.of_each_class):
        raise BadSetting(f"{measure} is not made of yes-or-no answers; its interval is that of all classes")
    return interval(assessed.alone(label), measure, confidence=confidence, samples=samples, seed=seed)


def undefined(reason: str, confidence: float) -> Bounded:
    """No value, and hence no bounds, and why."""
    return Bounded(np.nan, np.nan, np.nan, confidence, f"undefined: {reason}")


def bounded(value: float, found: Interval) -> Bounded:
    """A value with the interval that was found, or why there is none."""
    method = f"none: {found.reason}" if found.reason else found.method
    return Bounded(value, float(found.low[0]), float(found.high[0]), found.confidence, method)


def _require(confidence: float, method: str, samples: int) -> None:
    require_confidence(confidence)
    require_draws(samples, "resamples")
    if method not in get_args(Method):
        raise BadSetting(f"method must be {' or '.join(map(repr, get_args(Method)))}, not {method!r}")


# by formula


def _by_formula(assessed: Assessed, measure: Measure, confidence: float) -> Bounds | None:
    """The bounds of what is a share of a number of items, a function or a ratio of shares, or an area."""
    if measure == AREA and assessed.thresholds is not None:
        area = area_interval(assessed.thresholds, confidence=confidence)
        return Bounds(area.low, area.high, area.method)
    own = _one(assessed, measure)
    squared = None if assessed.squared is None else _one(assessed.squared, measure)
    return None if own is None else by_formula(measure, own, squared, confidence)


def _one(assessed: Assessed, measure: Measure) -> Counted | None:
    """The counts a formula is for: in which each item counts once, and which are not averaged over classes."""
    if measure.family.evidence in (Confusion, LabelSets):
        return assessed.confusion if measure.family.evidence is Confusion else assessed.sets
    if measure.family.evidence is not Cells:
        return None
    if len(assessed.units) == 1:
        return assessed.cells
    pooled, parts = assessed.cells.pooled, measure.family.parts
    if assessed.average != "micro" or assessed.confusion is None or parts is None:
        return None
    _, whole = parts(pooled, **measure.options)
    return pooled if np.allclose(whole, assessed.confusion.counts.sum(), rtol=NEAR) else None


# by the bootstrap


def _drawn_rows(assessed: Assessed, measure: Measure) -> int:
    """How many rows a resample draws: none where counts alone are drawn, else an item and class each."""
    given = assessed.predictions
    if measure.family.evidence in (Cells, Confusion):
        return 0 if given.weight is None and not given.many else len(given)
    return len(given) * (1 if assessed.thresholds is not None else len(given.labels))


def _too_many(n_rows: int) -> str:
    return f"none: the bootstrap of {n_rows} scores or weights must be asked for"


def _again(assessed: Assessed, measure: Measure, samples: int, seed: int) -> Floats:
    """The values of the measure on items drawn again."""
    kind, given = measure.family.evidence, assessed.predictions
    if kind is Probabilities and assessed.probabilities is not None:
        rows = rows_again(len(given), samples, seed)
        return np.array([float(measure.values(assessed.probabilities.take(each))) for each in rows])
    if kind is Thresholds and given.score is not None:
        return np.array([assessed.averaged_scores(measure, each) for each in _scores_again(assessed, samples, seed)])
    if given.weight is not None or given.many:
        return np.array([again.value(measure) for again in _answers_again(assessed, samples, seed)])
    if kind is Cells and len(assessed.units) == 1:
        return measure.values(_cells_again(assessed.cells, samples, seed))
    matrices = [] if assessed.confusion is None else _matrices_again(assessed.confusion, samples, seed)
    return np.array([_of_matrix(assessed, measure, matrix) for matrix in matrices])


def _scores_again(assessed: Assessed, samples: int, seed: int) -> Iterator[Sequence[Thresholds]]:
    given, score = assessed.predictions, assessed.predictions.score
    if assessed.thresholds is not None or score is None:
        return ([scores] for scores in resampled(assessed.of_each_class[0], samples, seed))
    each = [in_order(*column, given.weight) for column in zip(assessed.truth.T, score.T, strict=True)]
    return resampled_together(each, len(given), samples, seed)


def _answers_again(assessed: Assessed, samples: int, seed: int) -> Iterator[Assessed]:
    """The answers of items drawn again, each with its weight."""
    weight = assessed.predictions.weight
    for times in times_drawn(len(assessed.predictions), samples, seed):
        yield assessed.reweighted(times.astype(np.float64) if weight is None else times * weight)


def _cells_again(cells: Cells, samples: int, seed: int) -> Cells:
    """Yes-or-no answers of items that count alike: their four counts are drawn, all samples at once."""
    each = np.array([cell[0] for cell in cells.each])
    drawn = np.random.default_rng(seed).multinomial(int(each.sum()), each / each.sum(), samples)
    return Cells(*drawn.T.astype(np.float64))


def _matrices_again(matrix: Confusion, samples: int, seed: int) -> Iterator[Confusion]:
    """Answers of items that count alike: the counts of the matrix are drawn, not the items."""
    total = matrix.counts.sum()
    drawn = np.random.default_rng(seed).multinomial(int(total), np.ravel(matrix.counts / total), samples)
    return (Confusion(matrix.labels, counts.reshape(matrix.counts.shape)) for counts in drawn)


def _of_matrix(assessed: Assessed, measure: Measure, matrix: Confusion) -> float:
    if measure.family.evidence is Confusion:
        return float(measure.values(matrix))
    return assessed.averaged(measure, assessed.cells_of(matrix))
