"""Scorers: whatever holds scores and what came true, as evidence by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.assessment.classification import Classification
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots.thinning import BOX, TOLERANCE, coarsened, growing, note, thinned
from cranfield.results.writing import decoded

Floats = NDArray[np.float64]
Scorers = Thresholds | Mapping[str, Thresholds] | Classification


def scorers(given: Scorers) -> dict[str, Thresholds]:
    """The scorers by name, each of which must have seen both classes."""
    known = _named(given)
    if not known:
        raise BadInput("there are no scores to draw")
    for name, scores in known.items():
        if scores.one_class:
            raise BadInput(f"{name}: only one class is present; a curve needs positives and negatives")
    return known


def _named(given: Scorers) -> dict[str, Thresholds]:
    if isinstance(given, Thresholds):
        return {"scores": given}
    if not isinstance(given, Classification):
        return {decoded(name): scores for name, scores in given.items()}
    known = {}
    for own in given.assessed:
        if own.thresholds is None:
            raise BadInput(f"{own.predictions.system}: a curve needs one score an item, for a yes or no")
        known[decoded(own.predictions.system)] = own.thresholds
    return known


def in_use(given: Scorers, threshold: float | None) -> dict[str, float]:
    """The threshold of each scorer: as given, or that which a classification uses."""
    if threshold is not None:
        return dict.fromkeys(_named(given), threshold)
    if not isinstance(given, Classification):
        return {}
    return {decoded(own.predictions.system): own.threshold for own in given.assessed if own.threshold is not None}


def one(given: Scorers, system: str | None) -> str:
    """The scorer that is drawn alone, which need not be named if it is the only one."""
    known = _named(given)
    if system is None and len(known) == 1:
        return next(iter(known))
    if system is None or decoded(system) not in known:
        raise BadSetting(f"say which system to draw: one of {', '.join(map(repr, known))}")
    return decoded(system)


def points(system: str, part: str, **columns: Floats) -> pa.Table:
    """Points of a part of a picture: the curve, its hull, the chosen threshold."""
    n = len(next(iter(columns.values())))
    words = {"system": pa.array([system] * n, pa.string()), "part": pa.array([part] * n, pa.string())}
    return pa.table(words | {name: finite(column) for name, column in columns.items()})


def finite(column: Floats) -> pa.Array:
    """The numbers, none where they are not finite: such as the threshold at which nothing is accepted."""
    return pa.array(np.asarray(column, np.float64), mask=~np.isfinite(column))


def curve(
    system: str, x: Sequence[float] | Floats, y: Floats, *, pixels: float, domain: tuple[float, float] = (0, 1)
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Which points of a curve to draw, and what is said of those left out."""
    kept = thinned(np.asarray(x), y, domain=domain, pixels=pixels)
    return kept, left_out(system, len(kept), len(y))


def coarse(scores: Thresholds, recall: Floats, pixels: float) -> Thresholds:
    """The same scores, those of which the same precision and, by its levels, recall come taken for equal.

    As accepted positives and negatives each grow by a part, precision moves by a quarter of both at most, and precision
    gain by both where it is not negative.
    """
    n_positive, n_negative = len(scores.positive), len(scores.negative)
    part = BOX / np.sqrt(2) / pixels / 2
    return coarsened(scores, growing(n_negative, part), np.append(growing(n_positive, part), recall))


def of_coarse(
    system: str, drawn: Thresholds, scores: Thresholds, x: Floats, y: Floats, *, pixels: float
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Which points of the curve of coarse scores to draw, and what is said of those left out."""
    if drawn is scores:
        return curve(system, x, y, pixels=pixels)
    kept = thinned(x, y, domain=(0, 1), pixels=pixels, column=TOLERANCE - BOX)
    return kept, left_out(system, len(kept), len(scores.positive) + len(scores.negative))


def left_out(system: str, n_drawn: int, n_all: int) -> tuple[str, ...]:
    """What is said of a curve of which not all points are drawn."""
    return tuple(f"{system}: {said}" for said in note(n_drawn, n_all))
