"""Samples: the values of several systems on the same units, such as queries, folds or items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

ROUNDING = 1e-12  # as a share of numbers: what differs by no more is the same but for rounding
GREATEST = 1e75  # whose cube, and that of its inverse, can be computed with


def settled(apart: Floats, size: Floats | float) -> Floats:
    """The differences, 0 where they are no more than the rounding of numbers of this size."""
    return np.where(np.abs(apart) <= ROUNDING * size, 0.0, apart)


def _less(values: Floats, others: Floats) -> Floats:
    """The values less the others, 0 where they are the same but for rounding."""
    return settled(values - others, np.maximum(np.abs(values), np.abs(others)))


@dataclass(frozen=True, eq=False)
class Samples:
    """A value for each system on each unit: `values[s, u]`, every one known.

    `overlap` is the size of a test fold over that of its training set, for units that are folds which share
    training data; it is 0 for units drawn on their own. `notes` say what has to be known of the values, such as which
    units were left out.
    """

    systems: tuple[str, ...]
    units: tuple[str, ...]
    values: Floats
    kind: str = "query"  # what a unit is, in one word
    overlap: float = 0.0
    lower_is_better: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.size > GREATEST or 0 < self.size < 1 / GREATEST:
            raise BadInput(f"values of {self.size:g} cannot be computed with; multiply all of them by the same number")

    def __len__(self) -> int:
        return len(self.units)

    def __add__(self, other: Samples) -> Samples:
        """The units of both, theirs after ours."""
        if self.systems != other.systems:
            raise BadInput("samples of different systems cannot be added")
        joined = np.concatenate([self.values, other.values], axis=1)
        said = tuple(dict.fromkeys(self.notes + other.notes))
        return replace(self, units=self.units + other.units, values=joined, notes=said)

    @cached_property
    def size(self) -> float:
        """The greatest of the values, whatever its sign."""
        return float(np.abs(self.values).max(initial=0.0))

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each system on each unit, the lowest value having rank 1 and equal values the mean of theirs."""
        apart = (_less(row, self.values) for row in self.values)
        return np.array([(each > 0).sum(axis=0) + ((each == 0).sum(axis=0) + 1) / 2 for each in apart], np.float64)

    def system(self, name: str) -> int:
        """The place of a system."""
        if name not in self.systems:
            raise BadInput(f"there is no system {name!r}; there are {', '.join(self.systems)}")
        return self.systems.index(name)

    def with_constant(self, value: float) -> Samples:
        """The same with one more system, named after the one value it always has."""
        if not np.isfinite(value):
            raise BadInput(f"the baseline is {value}, which is no value that a system could have")
        name = f"{value:g}" if f"{value:g}" not in self.systems else f"always {value:g}"
        values = np.vstack([self.values, np.full(len(self), float(value))])
        return replace(self, systems=(*self.systems, name), values=values)

    def pairs(self, baseline: str | None = None) -> Pairs:
        """Every other system paired with the baseline; without one, every two systems."""
        if len(self.systems) < 2:
            raise BadInput("only one system: a comparison needs a second one, or a number as its baseline")
        if baseline is None:
            first, second = zip(*combinations(range(len(self.systems)), 2), strict=True)
            return Pairs(self, np.array(first), np.array(second))
        place = self.system(baseline)
        others = np.delete(np.arange(len(self.systems)), place)
        return Pairs(self, others, np.full(len(others), place))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems on the same units, `first[p]` and `second[p]` being their places among the systems."""

    samples: Samples
    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    @property
    def n_units(self) -> int:
        """On how many units the systems are compared."""
        return len(self.samples)

    @cached_property
    def difference(self) -> Floats:
        """First less second, 0 where they are the same but for rounding: `difference[u, p]`."""
        values = self.samples.values
        return np.ascontiguousarray(_less(values[self.first], values[self.second]).T)

    @cached_property
    def mean(self) -> Floats:
        """The mean difference of each pair."""
        return settled(self.difference.mean(axis=0), self.size)

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of the differences of each pair."""
        return settled(self.difference.std(axis=0, ddof=1), self.size)

    @property
    def size(self) -> Floats:
        """The greatest of the values of each pair, whatever its sign."""
        greatest = np.abs(self.samples.values).max(axis=1)
        return np.maximum(greatest[self.first], greatest[self.second])

    def taken(self, which: Mask) -> Pairs:
        """Only these of the pairs."""
        return Pairs(self.samples, self.first[which], self.second[which])


def samples(values: Mapping[str, Any], kind: str = "query") -> Samples:
    """Samples from `{system: values}`, the values being a list in one order of units, or `{unit: value}`."""
    if not values:
        raise BadInput("there is no system to compare")
    rows = {name: _by_unit(name, row) for name, row in _by_name(values, "systems").items()}
    units = _common(rows)
    table = np.array([[_number(row[unit], name, unit) for unit in units] for name, row in rows.items()], np.float64)
    table = table.reshape(len(rows), -1)
    unknown = np.argwhere(~np.isfinite(table))
    if len(unknown):
        s, u = unknown[0]
        raise BadInput(
            f"{list(rows)[s]}: the value for {kind} {units[u]!r} is {table[s, u]}; {len(unknown)} values are not "
            "numbers: leave their units out for all systems, or say what they count as"
        )
    return Samples(tuple(rows), tuple(units), table, kind)


def counted(n: int, kind: str) -> str:
    """So many units of a kind, in words.

    >>> counted(1, "query"), counted(0, "query"), counted(2, "fold")
    ('1 query', '0 queries', '2 folds')
    """
    several = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
    return f"{n} {kind if n == 1 else several}"


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number, Python's or NumPy's, and not a truth."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _by_name(given: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """The same by the text of each name, if no two have the same."""
    named = {str(name): value for name, value in given.items()}
    if len(named) < len(given):
        twice, _ = Counter(map(str, given)).most_common(1)[0]
        raise BadInput(f"two {what} are called {twice!r}: names are taken as text, and must differ as such")
    return named


def _by_unit(name: str, row: Any) -> dict[str, Any]:
    if isinstance(row, Mapping):
        return _by_name(row, f"units of {name}")
    if isinstance(row, str | bytes | Set) or not isinstance(row, Iterable):
        raise BadInput(f"{name}: {row!r:.40} where a list of values in order, or {{unit: value}}, is needed")
    return {str(place): value for place, value in enumerate(row, 1)}


def _number(value: Any, name: str, unit: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{name}: the value for {unit!r} is {value!r}, which is not a number") from None


def _common(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The units that the systems share, which must be all of them."""
    (name, first), *rest = rows.items()
    for other, row in rest:
        if row.keys() != first.keys():
            apart = len(row.keys() ^ first.keys())
            raise BadInput(
                f"{name} has values for {len(first)} units and {other} for {len(row)}, {apart} of them not shared: "
                "a paired comparison needs the same units for all systems"
            )
    return list(first)
