"""How sure a figure is: Wilson's interval for shares, DeLong's for areas, the bootstrap for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from cranfield.assessment.areas import area_interval
from cranfield.assessment.assessed import Assessed
from cranfield.assessment.resampling import in_order, resampled, resampled_together, rows_again, times_drawn
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.probabilities import Probabilities
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import percentiles, wilson
from cranfield.inference.resampling import require_draws
from cranfield.registry import Measure, parse
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
        return Bounded(value, value, value, confidence, f"undefined: {measure.family.undefined}")
    if method == "auto":
        if (found := _by_formula(assessed, measure, confidence)) is not None:
            return Bounded(value, *found[:2], confidence, found[2])
        if (n_rows := _drawn_rows(assessed, measure)) > SMALL:
            return Bounded(value, np.nan, np.nan, confidence, _too_many(n_rows))
    return _quantiles(_again(assessed, measure, samples, seed), value, confidence)


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
    _require(confidence, "auto", samples)
    if label not in assessed.units:
        raise BadSetting(f"there is no class {label!r}; there are {', '.join(map(repr, assessed.units))}")
    own = assessed.units.index(label)
    if measure.family.evidence is Thresholds and assessed.of_each_class:
        return _of_class_scores(assessed.of_each_class[own], measure, confidence, samples, seed)
    if measure.family.evidence is not Cells:
        raise BadSetting(f"{measure} is not made of yes-or-no answers; its interval is that of all classes")
    place = np.array([own])
    cells = assessed.cells.take(place)
    value = float(measure.values(cells)[0])
    if np.isnan(value):
        return Bounded(value, value, value, confidence, f"undefined: {measure.family.undefined}")
    if hasattr(measure.family.function, "parts"):
        squared = None if assessed.squared is None else assessed.squared.cells.take(place)
        return Bounded(value, *_share(measure, cells, squared, confidence)[:2], confidence, _named("wilson", assessed))
    if assessed.squared is None:
        return _quantiles(measure.values(_cells_again(cells, samples, seed)), value, confidence)
    if len(assessed.predictions) > SMALL:
        return Bounded(value, np.nan, np.nan, confidence, _too_many(len(assessed.predictions)))
    values = [measure.values(again.cells.take(place))[0] for again in _answers_again(assessed, samples, seed)]
    return _quantiles(np.array(values), value, confidence)


def _of_class_scores(scores: Thresholds, measure: Measure, confidence: float, samples: int, seed: int) -> Bounded:
    value = float(measure.values(scores))
    if np.isnan(value):
        return Bounded(value, value, value, confidence, f"undefined: {measure.family.undefined}")
    if measure == _AREA:
        area = area_interval(scores, confidence=confidence)
        return Bounded(value, area.low, area.high, confidence, area.method)
    if (n_items := len(scores.positive) + len(scores.negative)) > SMALL:
        return Bounded(value, np.nan, np.nan, confidence, _too_many(n_items))
    values = [float(measure.values(again)) for again in resampled(scores, samples, seed)]
    return _quantiles(np.array(values), value, confidence)


def _require(confidence: float, method: str, samples: int) -> None:
    require_confidence(confidence)
    require_draws(samples, "resamples")
    if method not in get_args(Method):
        raise BadSetting(f"method must be {' or '.join(map(repr, get_args(Method)))}, not {method!r}")


# by formula


def _by_formula(assessed: Assessed, measure: Measure, confidence: float) -> tuple[float, float, str] | None:
    """The bounds of what is a share of a number of items, or an area."""
    if hasattr(measure.family.function, "parts") and (own := _one(assessed, measure)) is not None:
        squared = None if assessed.squared is None else _one(assessed.squared, measure)
        return *_share(measure, own, squared, confidence), _named("wilson", assessed)
    if measure == _AREA and assessed.thresholds is not None:
        area = area_interval(assessed.thresholds, confidence=confidence)
        return area.low, area.high, area.method
    return None


def _named(method: str, assessed: Assessed) -> str:
    return method if assessed.predictions.weight is None else f"{method}, weighted"


def _one(assessed: Assessed, measure: Measure) -> Cells | Confusion | None:
    """The counts a share is computed of, unless it is averaged over classes."""
    if measure.family.evidence is Confusion:
        return assessed.confusion
    if measure.family.evidence is not Cells:
        return None
    if len(assessed.units) == 1:
        return assessed.cells
    return assessed.cells.pooled if assessed.average == "micro" else None


def _share(
    measure: Measure, counts: Cells | Confusion, squared: Cells | Confusion | None, confidence: float
) -> tuple[float, float]:
    """Wilson's interval; where items have weights, of as many items of equal weight as would tell as much (Kish)."""
    parts = measure.family.function.parts  # type: ignore[attr-defined]
    part, whole = (float(np.ravel(number)[0]) for number in parts(counts, **measure.options))
    size = whole
    if squared is not None:
        size = whole**2 / float(np.ravel(parts(squared, **measure.options)[1])[0])
    found = wilson(part / whole * size, size, confidence)
    return float(found.low), float(found.high)


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


def _quantiles(values: Floats, value: float, confidence: float) -> Bounded:
    """The bounds between which most of the resampled values lie."""
    found = percentiles(values, confidence)
    method = f"none: {found.reason}" if found.reason else found.method
    return Bounded(value, float(found.low[0]), float(found.high[0]), confidence, method)


_AREA = parse("AUC", "binary")
