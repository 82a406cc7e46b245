"""Predicted distributions in canonical form: quantiles, intervals, samples, or mean and standard deviation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.tables.adapters.system_columns import SYSTEM, Columns, require_length
from cranfield.tables.columns import refuse_rows
from cranfield.tables.number_columns import squarable_numbers
from cranfield.tables.numbers import short_number
from cranfield.tables.predictions import outputs_of
from cranfield.tables.system_names import by_name

Form = Literal["quantiles", "samples", "normal"]

SAME_LEVEL = 1e-9  # levels that differ by less are equal: 1 - 0.95 is not exactly 0.05
_MEDIAN = 0.5


@frozen(eq=False)
class Distributions:
    """The predicted distribution of each item.

    `values` has one column per quantile (at `levels`, in ascending order), one per sample, or the two columns mean and
    standard deviation. `point` is the prediction of a single number, if there is one.
    """

    values: Floats
    form: Form
    levels: tuple[float, ...]
    point: Floats | None


def ends(level: float) -> tuple[float, float]:
    """The levels of the two quantiles that bound a central interval: 0.05 and 0.95 for 0.9."""
    return round((1 - level) / 2, 12), round((1 + level) / 2, 12)


@dataclass
class _Described:
    """What was passed for one system: a column by quantile, samples, or a standard deviation."""

    quantiles: dict[float, Floats] = field(default_factory=dict)
    samples: Floats | None = None
    deviation: Floats | None = None


@frozen
class DistributionColumns:
    """Columns that describe distributions, as passed to `regress`: each of one system, or a dict by system."""

    quantiles: Any = None
    intervals: Any = None
    samples: Any = None
    deviation: Any = None

    def __bool__(self) -> bool:
        return any(value is not None for value in vars(self).values())

    def by_system(self, n_items: int, points: Mapping[str, Floats], columns: Columns) -> dict[str, Distributions]:
        """The distributions of each system; those without a name belong to the only system with point predictions."""
        only = None if len(points) > 1 else next(iter(points), SYSTEM)
        described = defaultdict(_Described, {system: _Described() for system in points})
        reader = _Reader(columns, n_items)
        for system, table in _by_system("quantiles", self.quantiles, only, _is_level).items():
            described[system].quantiles |= reader.quantiles(table)
        for system, table in _by_system("intervals", self.intervals, only, _is_level).items():
            reader.add_intervals(described[system].quantiles, table)
        for system, table in _by_system("samples", self.samples, only, None).items():
            described[system].samples = reader.samples(table)
        for system, column in _by_system("deviation", self.deviation, only, None).items():
            described[system].deviation = reader.deviation(column)
        return {system: _distributions(system, described[system], points.get(system)) for system in described}


@frozen
class _Reader:
    """Reads columns of numbers, one per item."""

    columns: Columns
    n_items: int

    def numbers(self, name: str, column: Any) -> Floats:
        values = squarable_numbers(name, self.columns.take(column), self.columns.where)
        require_length(name, len(values), self.n_items)
        return values

    def quantiles(self, table: Mapping[Any, Any]) -> dict[float, Floats]:
        return {_level(key): self.numbers(f"the quantile at {key}", column) for key, column in table.items()}

    def add_intervals(self, quantiles: dict[float, Floats], table: Mapping[Any, Any]) -> None:
        """Add the bounds of intervals to the quantiles."""
        for key, bounds in table.items():
            if isinstance(bounds, str) or len(bounds) != 2:
                raise BadInput(f"the interval at {key} must have two columns: its lower and its upper bound")
            lower, upper = (
                self.numbers(f"the {which} bound at {key}", column)
                for which, column in zip(("lower", "upper"), bounds, strict=True)
            )
            crossed = np.flatnonzero(lower > upper)
            if len(crossed):
                low, high = short_number(lower[crossed[0]]), short_number(upper[crossed[0]])
                where = self.columns.where(int(crossed[0]))
                raise BadInput(f"{where}: the lower bound at {key} is {low}, above the upper bound {high}")
            for level, bound in zip(ends(_level(key)), (lower, upper), strict=True):
                if any(abs(level - known) < SAME_LEVEL for known in quantiles):
                    raise BadInput(f"the quantile at {level:g} is given twice: also by the interval at {key}")
                quantiles[level] = bound

    def samples(self, table: Any) -> Floats:
        named = outputs_of("samples", table, self.columns)
        return np.column_stack([self.numbers(f"sample {name!r}", column) for name, column in named.items()])

    def deviation(self, column: Any) -> Floats:
        values = self.numbers("the standard deviation", column)
        problem = "the standard deviation is {}, which is negative".format
        refuse_rows(values < 0, self.columns.where, lambda place: problem(short_number(values[place])))
        return values


def _by_system(name: str, passed: Any, only: str | None, within: Callable[[Any], bool] | None) -> dict[str, Any]:
    """What was passed by system; `within` recognises the keys of a dict that belongs to one system."""
    if passed is None:
        return {}
    if isinstance(passed, Mapping) and not passed:
        raise BadSetting(f"{name} is empty")
    if isinstance(passed, Mapping) and not (within is not None and all(map(within, passed))):
        named = by_name(passed, f"systems of {name}")
        odd = next((key for key, table in named.items() if within is not None and not isinstance(table, Mapping)), None)
        if odd is not None:
            raise BadSetting(f"{name}: {odd!r} is neither a level, such as 0.9, nor a system with a dict of levels")
        return named
    if within is not None and not isinstance(passed, Mapping):
        raise BadSetting(f"{name} must be a dict from level to {'bounds' if name == 'intervals' else 'column'}")
    if only is None:
        raise BadSetting(f"{name}: several systems are predicted; pass a dict by system")
    return {only: passed}


def _is_level(key: Any) -> bool:
    return isinstance(key, int | float | np.number)


def _level(key: Any) -> float:
    if not _is_level(key) or not 0 < key < 1:
        raise BadSetting(f"a level must be a number between 0 and 1, not {key!r}")
    return float(key)


def _distributions(system: str, described: _Described, point: Floats | None) -> Distributions:
    """The distributions of one system, which must have one form."""
    n_forms = bool(described.quantiles) + (described.samples is not None) + (described.deviation is not None)
    if not n_forms:
        raise BadInput(f"{system} has only point predictions, but other systems predict distributions")
    if n_forms > 1:
        raise BadInput(f"{system}: give quantiles and intervals, samples, or a standard deviation, not several of them")
    if described.samples is not None:
        point = described.samples.mean(axis=1) if point is None else point
        return Distributions(described.samples, "samples", (), point)
    if described.deviation is not None:
        if point is None:
            raise BadInput(f"{system}: a standard deviation requires the mean of the distribution: pass predicted")
        return Distributions(np.column_stack([point, described.deviation]), "normal", (), point)
    levels = tuple(sorted(described.quantiles))
    values = np.column_stack([described.quantiles[level] for level in levels])
    if len(values) > 1 and (values[:, 0] > values[:, -1]).all():
        raise BadInput(
            f"{system}: the quantile at {levels[0]:g} is above that at {levels[-1]:g} for every item; are the columns "
            "exchanged?"
        )
    return Distributions(values, "quantiles", levels, described.quantiles.get(_MEDIAN) if point is None else point)
