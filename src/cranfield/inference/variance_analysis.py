"""Analysis of variance of complete tables: every combination of levels has one value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import zero_within_rounding
from cranfield.inference.distributions import f_tail

RESIDUAL = "residual"


class VarianceSource(NamedTuple):
    """A source of variation; F and p compare it with the residuals, which have none."""

    source: str
    freedom: int
    squares: float
    mean_square: float
    f: float | None
    p: float | None


def variance_table(values: Floats, names: Sequence[str]) -> list[VarianceSource]:
    """The analysis of variance of an array with one axis per factor; the highest interaction is the residual."""
    axes = range(values.ndim)
    terms = [term for size in range(1, values.ndim + 1) for term in combinations(axes, size)]
    effects = {term: _effect(values, term) for term in terms}
    rows = []
    for term in terms:
        freedom = int(np.prod([values.shape[axis] - 1 for axis in term]))
        spread = np.asarray((effects[term] ** 2).sum() * values.size / effects[term].size)
        rows.append((term, freedom, float(zero_within_rounding(spread, float((values**2).sum())))))
    *others, (_, below, rest) = rows
    error = rest / below
    table = []
    for term, freedom, squares in others:
        f = squares / freedom / error if error > 0 else None
        p = None if f is None else float(f_tail(f, freedom, below))
        table.append(
            VarianceSource(" × ".join(names[axis] for axis in term), freedom, squares, squares / freedom, f, p)
        )
    return [*table, VarianceSource(RESIDUAL, below, rest, error, None, None)]


def _effect(values: Floats, term: tuple[int, ...]) -> Floats:
    """The means over all other axes minus the effects of fewer factors; all effects add up to the values."""
    total = np.zeros([n if axis in term else 1 for axis, n in enumerate(values.shape)])
    for size in range(len(term) + 1):
        for factors in combinations(term, size):
            others = tuple(axis for axis in range(values.ndim) if axis not in factors)
            total = total + (-1) ** (len(term) - size) * values.mean(axis=others, keepdims=True)
    return total
