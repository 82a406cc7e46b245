"""The smallest case that still fails, found by leaving things out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from typing import Any


def shrunk(case: Any, fails: Callable[[Any], bool], seconds: float = 60) -> Any:
    """The case made smaller, step by step, for as long as it fails and there is time.

    After a step the search goes on where it was; what came before is tried again only when nothing else is left.
    """
    end = time.monotonic() + seconds
    tried = 0
    while True:
        for place, candidate in enumerate(islice(smaller(case), tried, None), tried):
            if time.monotonic() > end:
                return case
            if fails(candidate):
                case, tried = candidate, place
                break
        else:
            if not tried:
                return case
            tried = 0


def smaller(value: Any) -> Iterator[Any]:
    """Simpler versions of a value, the biggest cuts first."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from (replace(value, **{field.name: own}) for own in smaller(getattr(value, field.name)))
    elif isinstance(value, dict):
        yield from map(dict, _sequences(list(value.items())))
    elif isinstance(value, str):
        yield from _cuts(value)
        if value.strip("a"):
            yield "a" * len(value)
    elif isinstance(value, bytes):
        yield from _cuts(value)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from (type(value)(*own) for own in _elements(value))
    elif isinstance(value, tuple):
        yield from map(tuple, _elements(value))  # of fixed length, as rows are
    elif isinstance(value, list):
        yield from _sequences(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _numbers(value)


def _sequences(values: Sequence[Any]) -> Iterator[list[Any]]:
    yield from _cuts(values)
    yield from _elements(values)


def _elements(values: Sequence[Any]) -> Iterator[list[Any]]:
    for place, value in enumerate(values):
        for own in smaller(value):
            yield [*values[:place], own, *values[place + 1 :]]


def _cuts(values: Any) -> Iterator[Any]:
    """A list, text or bytes without all, half, a quarter, …, one of its elements."""
    size = len(values)
    while size:
        for start in range(0, len(values), size):
            yield values[:start] + values[start + size :]
        size //= 2


def _numbers(value: float) -> Iterator[float]:
    for simple in (0, 1, 2):
        if abs(simple) < abs(value):
            yield type(value)(simple)
    if isinstance(value, float) and value == value and abs(value) < 1e15:
        yield from (rounded for digits in (0, 1, 2) if (rounded := round(value, digits)) != value)
