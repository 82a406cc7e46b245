"""How sure a figure is: Wilson's interval for shares, DeLong's for areas, the bootstrap for the rest."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from cranfield.assessment.areas import area_interval
from cranfield.assessment.assessed import Assessed
from cranfield.assessment.resampling import bootstrap
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.inference.intervals import wilson
from cranfield.registry import Measure, parse
from cranfield.tables.labels import Label

Method = Literal["auto", "bootstrap"]

SAMPLES = 1000
_SMALL = 20_000  # items that the bootstrap draws again without being asked to


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
    value = assessed.value(measure)
    if np.isnan(value):
        return Bounded(value, value, value, confidence, f"undefined: {measure.family.undefined}")
    if assessed.predictions.weight is not None and method == "auto":
        return Bounded(value, np.nan, np.nan, confidence, "none: items have weights")
    if method == "auto" and (found := _by_formula(assessed, measure, confidence)) is not None:
        return Bounded(value, found[0], found[1], confidence, found[2])
    if measure.family.evidence is Thresholds:
        return _of_scores(assessed, measure, value, confidence, method, samples, seed)
    if measure.family.evidence is Cells and len(assessed.units) == 1:
        return _of_cells(assessed.cells, measure, value, confidence, samples, seed)
    return _of_counts(assessed, measure, value, confidence, samples, seed)


def _by_formula(assessed: Assessed, measure: Measure, confidence: float) -> tuple[float, float, str] | None:
    """The bounds of what is a share of a number of items, or an area."""
    parts = getattr(measure.family.function, "parts", None)
    if parts is not None and (evidence := _one(assessed, measure)) is not None:
        part, whole = (np.ravel(number) for number in parts(evidence, **measure.options))
        found = wilson(part.astype(np.float64), whole.astype(np.float64), confidence)
        return float(found.low[0]), float(found.high[0]), found.method
    if measure == _AREA and assessed.thresholds is not None:
        area = area_interval(assessed.thresholds, confidence=confidence)
        return area.low, area.high, area.method
    return None


def _one(assessed: Assessed, measure: Measure) -> Cells | Confusion | None:
    """The counts a share is computed of, unless it is averaged over classes."""
    if measure.family.evidence is Confusion:
        return assessed.confusion
    if measure.family.evidence is not Cells:
        return None
    if len(assessed.units) == 1:
        return assessed.cells
    return assessed.cells.pooled if assessed.average == "micro" else None


def _of_scores(
    assessed: Assessed,
    measure: Measure,
    value: float,
    confidence: float,
    method: Method,
    samples: int,
    seed: int,
) -> Bounded:
    if assessed.thresholds is None:
        return Bounded(value, np.nan, np.nan, confidence, "none: averaged over classes")
    n_items = len(assessed.predictions)
    if method == "auto" and n_items > _SMALL:
        return Bounded(value, np.nan, np.nan, confidence, f"none: the bootstrap of {n_items} items must be asked for")
    low, high = bootstrap(measure, assessed.thresholds, confidence=confidence, samples=samples, seed=seed)
    return Bounded(value, low, high, confidence, "bootstrap")


def class_interval(
    assessed: Assessed,
    measure: Measure,
    label: Label,
    *,
    confidence: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Bounded:
    """The interval of a measure of yes-or-no answers for one class against the rest."""
    if label not in assessed.units:
        raise BadSetting(f"there is no class {label!r}; there are {', '.join(map(repr, assessed.units))}")
    if measure.family.evidence is not Cells:
        raise BadSetting(f"{measure} is not made of yes-or-no answers; its interval is that of all classes")
    cells = assessed.cells.take(np.array([assessed.units.index(label)]))
    value = float(measure.values(cells)[0])
    if np.isnan(value):
        return Bounded(value, value, value, confidence, f"undefined: {measure.family.undefined}")
    if assessed.predictions.weight is not None:
        return Bounded(value, np.nan, np.nan, confidence, "none: items have weights")
    parts = getattr(measure.family.function, "parts", None)
    if parts is not None:
        part, whole = parts(cells, **measure.options)
        found = wilson(part, whole, confidence)
        return Bounded(value, float(found.low[0]), float(found.high[0]), confidence, found.method)
    return _of_cells(cells, measure, value, confidence, samples, seed)


def _of_cells(cells: Cells, measure: Measure, value: float, confidence: float, samples: int, seed: int) -> Bounded:
    """The bootstrap of yes-or-no answers: their four counts are drawn, all samples at once."""
    each = np.array([cell[0] for cell in cells.each])
    drawn = np.random.default_rng(seed).multinomial(int(each.sum()), each / each.sum(), samples)
    return _quantiles(measure.values(Cells(*drawn.T.astype(np.float64))), value, confidence)


def _quantiles(values: Floats, value: float, confidence: float) -> Bounded:
    """The bounds between which most of the resampled values lie."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Bounded(value, np.nan, np.nan, confidence, "none: undefined in every resample")
    low, high = np.quantile(known, ((1 - confidence) / 2, (1 + confidence) / 2))
    return Bounded(value, float(low), float(high), confidence, "bootstrap")


def _of_counts(
    assessed: Assessed, measure: Measure, value: float, confidence: float, samples: int, seed: int
) -> Bounded:
    """The bootstrap of what is computed of counts alone: these are drawn, not the items."""
    matrix = assessed.confusion
    if matrix is None or measure.family.evidence not in (Cells, Confusion):
        return Bounded(value, np.nan, np.nan, confidence, "none")
    total = matrix.counts.sum()
    drawn = np.random.default_rng(seed).multinomial(int(total), np.ravel(matrix.counts / total), samples)
    shape = matrix.counts.shape
    values = _measured(assessed, measure, [Confusion(matrix.labels, counts.reshape(shape)) for counts in drawn])
    return _quantiles(values, value, confidence)


def _measured(assessed: Assessed, measure: Measure, matrices: list[Confusion]) -> Floats:
    """The value of the measure for each of the matrices."""
    if measure.family.evidence is Confusion:
        return np.array([float(measure.values(matrix)) for matrix in matrices])
    return np.array([assessed.averaged(measure, assessed.cells_of(matrix)) for matrix in matrices])


_AREA = parse("AUC", "binary")
