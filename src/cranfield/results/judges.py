"""Judges: how much the order of the systems changes with whose judgments are believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.inference.correlation import tau_ap, tau_b
from cranfield.results.records import arrow_table, records
from cranfield.results.values import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reordered:
    """The order of the systems by one judge beside that by another, on one measure."""

    measure: str
    judge: str
    other: str
    tau: float  # Kendall's tau-b, NaN where a judge ties all systems
    tau_ap: float
    swapped: int  # pairs of systems in opposite order
    best: str
    other_best: str
    greatest_change: float  # of a system's mean value


@dataclass(frozen=True, eq=False)
class Reordering:
    """Every two judges on every measure, and the values behind them: `values[judge, system, measure]`."""

    rows: tuple[Reordered, ...]
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats

    def table(self) -> pa.Table:
        """The comparisons of judges as one Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each two judges and measure."""
        return records(self.rows)


def reordering(results: Mapping[str, Result]) -> Reordering:
    """The orders of the systems by each judge's result, two by two."""
    if len(results) < 2:
        raise BadInput("one judge only: two are needed to see whether the order of the systems changes")
    first = next(iter(results.values()))
    if len(first.systems) < 2:
        raise BadInput("one system only: there is no order that could change")
    values = np.array([result.aggregated() for result in results.values()])
    measures = tuple(map(str, first.measures))
    rows = [
        _reordered(measures[m], (a, b), (values[i, :, m], values[j, :, m]), first.systems)
        for m in range(len(measures))
        for (i, a), (j, b) in combinations(enumerate(results), 2)
    ]
    return Reordering(tuple(rows), tuple(results), first.systems, measures, values)


def _reordered(
    measure: str, judges: tuple[str, str], values: tuple[Floats, Floats], systems: tuple[str, ...]
) -> Reordered:
    a, b = values
    opposite = np.sign(a[:, None] - a) * np.sign(b[:, None] - b) < 0
    return Reordered(
        measure=measure,
        judge=judges[0],
        other=judges[1],
        tau=tau_b(a, b),
        tau_ap=tau_ap(a, b, symmetric=True),
        swapped=int(opposite.sum() // 2),
        best=systems[int(np.argmax(a))],
        other_best=systems[int(np.argmax(b))],
        greatest_change=float(np.abs(a - b).max()),
    )
