"""Which tests need more than Python: a browser, a database server, the JVM or another process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

FIXTURES = {"browser", "postgresql"}
MODULES = {"subprocess", "multiprocessing", "uvicorn", "pyspark", "nbclient"}
CALLS = {"fork", "NotebookClient"}
TESTS = str(Path(__file__).parent)


def is_needed(item: pytest.Item) -> bool:
    """Whether a test, one of its fixtures, or a helper that they use, starts something of the kind."""
    fixtures: dict[str, Any] = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return (
        not FIXTURES.isdisjoint(fixtures)
        or "PostgreSQL" in (parameters.get("database"), parameters.get("store"))
        or any(starts(function) for function in _functions(item, fixtures))
    )


def _functions(item: pytest.Item, fixtures: dict[str, Any]) -> Iterator[Any]:
    yield item.obj  # type: ignore[attr-defined]
    for definitions in fixtures.values():
        yield definitions[-1].func


@cache
def starts(function: Any) -> bool:
    """Whether a function of the tests, or one that it names, starts something beside this process."""
    seen: set[Any] = set()
    left = [function]
    while left:
        one = left.pop()
        if one in seen:
            continue
        seen.add(one)
        for names, known in _names(one):
            values = [*_values(names, known)]
            origins = names | {str(getattr(value, "__module__", "")) for value in values if callable(value)}
            if not CALLS.isdisjoint(names) or any(name.partition(".")[0] in MODULES for name in origins):
                return True
            left += filter(_is_ours, values)
    return False


def _names(value: Any) -> Iterator[tuple[set[str], dict[str, Any]]]:
    """The names in the code of a function, or of the methods of a class, and what they may refer to."""
    methods = vars(value).values() if isinstance(value, type) else [value]
    for method in methods:
        function = getattr(method, "__wrapped__", getattr(method, "__func__", method))
        if isinstance(function, FunctionType):
            yield set(_in_code(function.__code__)), function.__globals__


def _in_code(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _in_code(constant)


def _values(names: set[str], known: dict[str, Any]) -> Iterator[Any]:
    """What names refer to: in the module, or in one of the modules that it imports."""
    for name in names & known.keys():
        value = known[name]
        yield value
        if isinstance(value, ModuleType):
            yield from (vars(value)[other] for other in names & vars(value).keys())


def _is_ours(value: Any) -> bool:
    if not isinstance(value, FunctionType | type):
        return False
    file = getattr(sys.modules.get(value.__module__), "__file__", None) or ""
    return file.startswith(TESTS)
