"""Orders of systems: how alike they are by every two measures, or by every two sets of judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.orders import alike, tied
from cranfield.registry import Measure
from cranfield.results.records import arrow_table, records
from cranfield.results.values import Result

Floats = NDArray[np.float64]
Scores = Mapping[str, float]

COEFFICIENTS = ("tau-b", "tau-AP")


@dataclass(frozen=True)
class Correlated:
    """How alike two orders are by one coefficient; NaN where an order ties all, which the note says."""

    first: str
    second: str
    coefficient: str
    value: float
    note: str = ""


@dataclass(frozen=True, eq=False)
class Correlations:
    """Every two orders by every coefficient."""

    rows: tuple[Correlated, ...]
    systems: tuple[str, ...]
    orders: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: Mapping[str, Any]

    def table(self) -> pa.Table:
        """The coefficients as one tidy Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each two orders and coefficient; None where it is undefined."""
        return records(self.rows)


def correlations(
    orders: Mapping[str, Scores], coefficients: Sequence[str] = COEFFICIENTS, *, p: float = 0.9
) -> Correlations:
    """How alike every two of the orders are; none of them being the true one, tau-AP is the mean of both directions."""
    if len(orders) < 2:
        raise BadSetting("one order only: give two measures, or other judgments, to have orders to hold side by side")
    if not coefficients:
        raise BadSetting("no coefficient is asked for; tau-b is one")
    systems = tuple(dict.fromkeys(name for order in orders.values() for name in order))
    if len(systems) < 2:
        raise BadInput("one system only: there is no order of systems")
    chosen: dict[str, dict[str, Any]] = {"tau-AP": {"symmetric": True}, "RBO": {"p": p}}
    settings = {name: chosen.get(name, {}) for name in coefficients}
    rows = [
        _correlated(orders, (a, b), name, own) for a, b in combinations(orders, 2) for name, own in settings.items()
    ]
    return Correlations(tuple(rows), systems, tuple(orders), tuple(settings), settings)


def _correlated(
    orders: Mapping[str, Scores], names: tuple[str, str], coefficient: str, settings: Mapping[str, Any]
) -> Correlated:
    first, second = (orders[name] for name in names)
    unknown = [name for name in names if any(map(math.isnan, orders[name].values()))]
    if unknown:
        return Correlated(*names, coefficient, math.nan, f"undefined: {unknown[0]} has no value for some system")
    value = alike(first, second, coefficient, **settings)
    return Correlated(*names, coefficient, value, f"undefined: {tied(first, second)}" if math.isnan(value) else "")


def orders_of(results: Mapping[str, Result]) -> dict[str, dict[str, float]]:
    """What each measure makes of the systems, greater being better; judgments are named where there are several."""
    found = {}
    for judgments, result in results.items():
        values = result.aggregated()
        for m, measure in enumerate(result.measures):
            name = str(measure) if len(results) == 1 else f"{measure} by {judgments}"
            found[name] = dict(zip(result.systems, better(values[:, m], measure).tolist(), strict=True))
    return found


def better(values: Floats, measure: Measure) -> Floats:
    """The values such that greater is better."""
    return -values if measure.family.higher_is_better is False else values
