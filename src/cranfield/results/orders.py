"""Orders of systems: how alike they are by every two measures, or by every two sets of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.correlation import CORRELATIONS
from cranfield.inference.orders import METHODS
from cranfield.inference.overlap import rank_biased_overlap
from cranfield.results.records import arrow_table, records
from cranfield.results.values import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Correlated:
    """How alike two orders are by one coefficient; NaN where an order ties all."""

    first: str
    second: str
    coefficient: str
    value: float


@dataclass(frozen=True, eq=False)
class Correlations:
    """Every two orders of the same systems by every coefficient."""

    rows: tuple[Correlated, ...]
    systems: tuple[str, ...]
    orders: tuple[str, ...]
    coefficients: tuple[str, ...]

    def table(self) -> pa.Table:
        """The coefficients as one tidy Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each two orders and coefficient; None where it is undefined."""
        return records(self.rows)


def correlations(results: Mapping[str, Result], coefficients: Sequence[str]) -> Correlations:
    """How alike the orders of the systems are by every two measures of `{judgments: result}`."""
    for name in coefficients:
        if name not in METHODS:
            raise BadSetting(f"there is no correlation {name!r}; there are {', '.join(METHODS)}")
    systems = next(iter(results.values())).systems
    orders = _orders(results)
    if len(systems) < 2:
        raise BadInput("one system only: there is no order of systems")
    if len(orders) < 2:
        raise BadSetting("one order only: give two measures, or other judgments, to have orders to hold side by side")
    rows = [
        Correlated(a, b, name, _alike(orders[a], orders[b], name))
        for a, b in combinations(orders, 2)
        for name in coefficients
    ]
    return Correlations(tuple(rows), systems, tuple(orders), tuple(coefficients))


def _orders(results: Mapping[str, Result]) -> dict[str, Floats]:
    """What each measure makes of the systems, greater being better; judgments are named where there are several."""
    found = {}
    for judgments, result in results.items():
        values = result.aggregated()
        for m, measure in enumerate(result.measures):
            better = -values[:, m] if measure.family.higher_is_better is False else values[:, m]
            found[str(measure) if len(results) == 1 else f"{measure} by {judgments}"] = better
    return found


def _alike(first: Floats, second: Floats, coefficient: str) -> float:
    if coefficient == "RBO":
        a, b = ({str(place): float(value) for place, value in enumerate(order)} for order in (first, second))
        return rank_biased_overlap(a, b)
    return CORRELATIONS[coefficient](first, second)
