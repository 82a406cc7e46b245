"""Samples: the values of several systems on the same units, such as queries, folds or items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.rounding import less, whole, zero_within_rounding
from cranfield.tables.adapters.frames import has_index, is_labelled
from cranfield.tables.numbers import elements, merged, number
from cranfield.tables.system_names import by_name
from cranfield.tables.totals import refuse_derived, refuse_summary
from cranfield.text import counted, plural

GREATEST = 1e75  # whose cube, and that of its inverse, does not overflow


@frozen(eq=False)
class Samples:
    """The value of each system on each unit: `values[s, u]`, without missing values.

    `overlap` is the size of a test fold divided by that of its training set if units are folds with common training
    data, and 0 for independent units. `notes` are remarks for users, such as which units were left out.
    """

    systems: tuple[str, ...]
    units: tuple[str, ...]
    values: Floats
    unit: str = "query"  # what a unit is, in one word
    overlap: float = 0.0
    lower_is_better: bool = False
    notes: tuple[str, ...] = ()
    left_out: int = 0  # number of units not scored for every system

    def __post_init__(self) -> None:
        if math.isnan(self.size):
            raise BadInput("values of samples must be numbers; remove units without a value for all systems")
        if self.size > GREATEST or 0 < self.size < 1 / GREATEST:
            raise BadInput(f"values of {self.size:g} are too extreme to compute with; rescale all values")

    def __len__(self) -> int:
        return len(self.units)

    def __add__(self, other: Samples) -> Samples:
        """The units of both."""
        if self.systems != other.systems:
            raise BadInput("samples of different systems cannot be added")
        values = np.concatenate([self.values, other.values], axis=1)
        notes = tuple(dict.fromkeys(self.notes + other.notes))
        return replace(self, units=self.units + other.units, values=values, notes=notes)

    @cached_property
    def relative(self) -> Floats:
        """The values, minus the smallest if all are integers: exact, and small enough not to be rounded later."""
        return self.values - self.values.min() if self.values.size and whole(self.values).all() else self.values

    @cached_property
    def size(self) -> float:
        """The largest absolute value of those that are compared."""
        return float(np.abs(self.relative).max(initial=0.0))

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each system on each unit, 1 for the best value; tied values get their mean rank."""
        sign = 1 if self.lower_is_better else -1
        differences = (sign * less(row, self.values) for row in self.values)
        return np.array([(d > 0).sum(axis=0) + ((d == 0).sum(axis=0) + 1) / 2 for d in differences], np.float64)

    def system(self, name: str) -> int:
        """The index of a system."""
        if name not in self.systems:
            raise BadInput(f"there is no system {name!r}; available: {', '.join(self.systems)}")
        return self.systems.index(name)

    def with_constant(self, value: float) -> Samples:
        """The same with one more system, which always has this value and is named after it."""
        if not np.isfinite(value):
            raise BadInput(f"the baseline must be a finite number, not {value}")
        name = f"{value:g}" if f"{value:g}" not in self.systems else f"always {value:g}"
        values = np.vstack([self.values, np.full(len(self), float(value))])
        return replace(self, systems=(*self.systems, name), values=values)

    def by_topic(self, topic: Mapping[str, str]) -> Samples:
        """The mean of each topic instead of the values of its units, such as variants of a query."""
        missing = [unit for unit in self.units if unit not in topic]
        if missing:
            lost = f"it is missing for {len(missing)} of {len(self)} {plural(self.unit)}"
            raise BadInput(f"{self.unit} {missing[0]!r} has no topic; {lost}")
        names, place = np.unique([str(topic[unit]) for unit in self.units], return_inverse=True)
        size = np.bincount(place)
        values = np.array([np.bincount(place, row) for row in self.values]).reshape(len(self.systems), -1) / size
        note = f"values are means over the {plural(self.unit)} of each topic; every topic counts the same"
        fields: dict[str, Any] = {"units": tuple(map(str, names)), "unit": "topic", "notes": (*self.notes, note)}
        return replace(self, values=values, **fields)

    def require_variance(self, where: str = "") -> None:
        """Refuse fewer than two units."""
        if len(self) < 2:
            raise BadInput(f"{where}at least 2 {plural(self.unit)} are needed to estimate a variance; got {len(self)}")

    def pairs(self, baseline: str | None = None) -> Pairs:
        """Every other system paired with the baseline; without a baseline, all pairs of systems."""
        if len(self.systems) < 2:
            raise BadInput("a comparison needs at least two systems, or a number as baseline; got 1 system")
        if baseline is None:
            first, second = zip(*combinations(range(len(self.systems)), 2), strict=True)
            return Pairs(self, np.array(first), np.array(second))
        place = self.system(baseline)
        others = np.delete(np.arange(len(self.systems)), place)
        return Pairs(self, others, np.full(len(others), place))


@frozen(eq=False)
class Pairs:
    """Pairs of systems on the same units; `first[p]` and `second[p]` are their indices."""

    samples: Samples
    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    @property
    def n_units(self) -> int:
        """Number of units compared."""
        return len(self.samples)

    @property
    def names(self) -> list[tuple[str, str]]:
        """The names of the systems of each pair."""
        systems = self.samples.systems
        return [(systems[first], systems[second]) for first, second in zip(self.first, self.second, strict=True)]

    @property
    def error(self) -> Floats:
        """The standard error of the mean difference of each pair."""
        return self.deviation / np.sqrt(self.n_units)

    @cached_property
    def difference(self) -> Floats:
        """First minus second, 0 if equal up to rounding: `difference[u, p]`."""
        values = self.samples.values
        return np.ascontiguousarray(less(values[self.first], values[self.second]).T)

    @cached_property
    def magnitude(self) -> Floats:
        """The larger absolute value behind each difference: `magnitude[u, p]`."""
        size = np.abs(self.samples.relative)
        return np.ascontiguousarray(np.maximum(size[self.first], size[self.second]).T)

    @cached_property
    def mean(self) -> Floats:
        """The mean difference of each pair."""
        return zero_within_rounding(self.difference.mean(axis=0), self.size)

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of the differences of each pair."""
        return zero_within_rounding(self.difference.std(axis=0, ddof=1), self.size)

    @property
    def size(self) -> Floats:
        """The largest absolute value of each pair."""
        greatest = np.abs(self.samples.relative).max(axis=1)
        return np.maximum(greatest[self.first], greatest[self.second])

    def taken(self, which: Mask) -> Pairs:
        """These pairs only."""
        return Pairs(self.samples, self.first[which], self.second[which])


def samples(values: Mapping[str, Any], unit: str = "query") -> Samples:
    """Samples from `{system: values}`, where values are a list in the same order of units, or `{unit: value}`."""
    if not values:
        raise BadInput("there are no systems to compare")
    rows = _by_unit(by_name(values, "systems"))
    units = _common(rows)
    table = np.array([[_number(row[unit], name, unit) for unit in units] for name, row in rows.items()], np.float64)
    table = table.reshape(len(rows), -1)
    unknown = np.argwhere(~np.isfinite(table))
    if len(unknown):
        s, u = unknown[0]
        lost = f"{counted(len(unknown), 'value')} {'is not a number' if len(unknown) == 1 else 'are not numbers'}"
        raise BadInput(
            f"{list(rows)[s]}: the value for {unit} {units[u]!r} is {table[s, u]}; {lost}: "
            "remove such units for all systems, or replace their values"
        )
    written = [value for row in rows.values() for value in map(row.__getitem__, units)]
    same = merged(written, table.ravel())
    if same is not None:
        first, second = (written[place] for place in same)
        raise BadInput(
            f"the values {first} and {second} are equal when rounded to floating point, which is exact only for "
            "integers up to 2**53; subtract a constant from all values"
        )
    refuse_summary(units, table, unit)
    refuse_derived(tuple(rows), table)
    return Samples(tuple(rows), tuple(units), table, unit, notes=scales(dict(zip(rows, table, strict=True))))


def scales(by_name: Mapping[str, Floats]) -> tuple[str, ...]:
    """A remark if some names, such as systems, have proportions, and others what may be percentages."""
    percentages = [name for name, values in by_name.items() if _is_from_0_to(100, values) and values.mean() > 1]
    proportions = [name for name, values in by_name.items() if look_like_proportions(values)]
    if not percentages or not proportions:
        return ()
    values = by_name[percentages[0]], by_name[proportions[0]]
    names = percentages[0], proportions[0]
    ranges = (f"{name} from {one.min():g} to {one.max():g}" for name, one in zip(names, values, strict=True))
    return (f"values of {', of '.join(ranges)}: are some of them percentages?",)


def _is_from_0_to(most: float, values: Floats) -> bool:
    return bool(values.size and values.min() >= 0 and values.max() <= most)


def look_like_proportions(values: Floats) -> bool:
    """Whether values lie between 0 and 1 and some are neither."""
    return _is_from_0_to(1, values) and bool((values != np.rint(values)).any())


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number of Python or NumPy, and not a boolean."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _by_unit(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values of each system by unit: as named by a dict or an index, or by their places if no system names them."""
    named = next((name for name, row in values.items() if isinstance(row, Mapping) or is_labelled(row)), None)
    return {name: _row(name, row, named) for name, row in values.items()}


def _row(name: str, row: Any, named: str | None) -> dict[str, Any]:
    if isinstance(row, Mapping):
        return by_name(row, f"units of {name}")
    if named is not None and has_index(row):
        return by_label(name, list(map(str, row.index)), list(elements(row)))
    if isinstance(row, str | bytes | Set) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) == 0:
        raise BadInput(f"{name}: values must be a list, or {{unit: value}}, not {row!r:.40}")
    if named is None:
        return {str(place): value for place, value in enumerate(elements(row), 1)}
    raise BadInput(
        f"the units of {named} have names, but {name} is a list without them; pass {{unit: value}} for all systems, or "
        "lists in the same order"
    )


def by_label(name: str, labels: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """The values by the labels of their index, which must be distinct."""
    twice, times = Counter(labels).most_common(1)[0]
    if times > 1:
        raise BadInput(f"{name}: {times} values have the index {twice!r}; one value per unit is needed")
    return dict(zip(labels, values, strict=True))


def _number(value: Any, name: str, unit: str) -> float:
    try:
        return number(value)
    except ValueError as reason:
        raise BadInput(f"{name}: the value for {unit!r} is {value!r:.60}, which {reason}") from None


def _common(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The units, which must be the same for all systems."""
    (name, first), *rest = rows.items()
    for other, row in rest:
        if row.keys() != first.keys():
            apart = len(row.keys() ^ first.keys())
            raise BadInput(
                f"{name} has values for {counted(len(first), 'unit')} and {other} for {len(row)}, but {apart} are "
                "not in both: a paired comparison needs the same units for all systems"
            )
    return list(first)
