"""Scorers: whatever holds scores and what came true, as evidence by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots.thinning import note, thinned

Floats = NDArray[np.float64]
Scorers = Thresholds | Mapping[str, Thresholds]


def scorers(given: Scorers) -> dict[str, Thresholds]:
    """The scorers by name, each of which must have seen both classes."""
    named = {"scores": given} if isinstance(given, Thresholds) else dict(given)
    if not named:
        raise BadInput("there are no scores to draw")
    for name, scores in named.items():
        if scores.one_class:
            raise BadInput(f"{name}: only one class is present; curves need positives and negatives")
    return named


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
    return kept, tuple(f"{system}: {said}" for said in note(len(kept), len(y)))
