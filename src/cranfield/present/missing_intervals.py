"""Values without an interval: a dash in the table, and one note per reason below it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from cranfield.present.table import UNDEFINED
from cranfield.text import listed

_MEASURES = 12  # named per reason
_NO_VALUE, _NO_INTERVAL = "undefined: ", "none: "


class Bounded(NamedTuple):
    """A value by its measure and what it is of, its lower bound, and the method or why there is none."""

    measure: str
    of: str
    low: float | None
    method: str


def method_or_dash(low: float | None, method: str) -> str:
    """The method of an interval, or a dash if there is none."""
    return UNDEFINED if _undefined(low) else method


def _undefined(low: float | None) -> bool:
    return low is None or math.isnan(low)


def missing(values: Iterable[Bounded]) -> tuple[str, ...]:
    """One line per reason, with the measures that it applies to, and for which systems, pairs or topics."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for one in values:
        if _undefined(one.low) and one.method:
            by_reason.setdefault(one.method, {}).setdefault(one.measure, []).append(one.of)
    return tuple(_line(reason, named) for reason, named in by_reason.items())


def _line(reason: str, named: dict[str, list[str]]) -> str:
    by_owners: dict[tuple[str, ...], list[str]] = {}
    for measure, owners in named.items():
        by_owners.setdefault(tuple(filter(None, owners)), []).append(measure)
    values = "; ".join(
        listed(measures, _MEASURES) + (f" of {listed(owners)}" if owners else "")
        for owners, measures in by_owners.items()
    )
    if reason.startswith(_NO_VALUE):
        one = sum(max(len(owners), 1) for owners in named.values()) == 1
        return f"{values} {'is' if one else 'are'} {reason}"
    return f"no interval for {values}: {reason.removeprefix(_NO_INTERVAL)}"
