"""Trying mutants quickly: functions are swapped in forks of one process that has already collected the tests.

Only a change of the body of a function can be tried this way, with tests that pass in a fork.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tools.mutants.forks import Outcome, in_forks
from tools.mutants.sampling import Mutant

Place = tuple[str, int, str]  # file, first line and name of a function
Functions = dict[Place, list[FunctionType]]
Tried = tuple[Mutant, list[str]]  # with the tests that run what it changes
Report = Callable[[Mutant, Outcome], None]

_MORE = "more than functions"


class Swapping:
    """A plugin of pytest that tries mutants instead of running the tests, and reports what became of them."""

    def __init__(self, folder: Path, tried: list[Tried], report: Report) -> None:
        self._folder = folder
        self._tried = tried
        self._report = report
        self._items: dict[str, pytest.Item] = {}
        self._functions: Functions = {}
        self._passes: dict[str, bool] = {}  # tests on code that was not changed, in a fork

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant whose functions can be swapped; of others, nothing is reported."""
        self._items = {item.nodeid: item for item in session.items}
        self._functions = living(self._folder)
        gc.collect()
        gc.freeze()
        for (mutant, _), failed in in_forks(list(reversed(self._tried)), self._failing):
            if failed is None:
                self._report(mutant, "hangs")
            elif failed != _MORE and (failed not in self._items or self._passed(failed)):
                self._report(mutant, "killed" if failed else "survived")
        return True

    def _failing(self, tried: Tried) -> str:
        """The first test that fails with a mutant; empty if there is none."""
        mutant, names = tried
        return self._first_to_fail(names) if swapped(mutant, self._folder, self._functions) else _MORE

    def _passed(self, name: str) -> bool:
        if name not in self._passes:
            ((_, failed),) = in_forks([[name]], self._first_to_fail)
            self._passes[name] = failed == ""
        return self._passes[name]

    def _first_to_fail(self, names: list[str]) -> str:
        items = [self._items[name] for name in names if name in self._items]
        for item, following in zip(items, [*items[1:], None], strict=True):
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                return item.nodeid
        return ""


def living(folder: Path) -> Functions:
    """The functions of the modules in a folder, by the place where they are defined."""
    gc.unfreeze()  # the tests freeze what they import, and frozen objects are not listed
    found: Functions = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(str(folder)):
            found.setdefault(_place(each.__code__), []).append(each)
    return found


def swapped(mutant: Mutant, folder: Path, functions: Functions) -> bool:
    """Give the functions of a module their new code; False if anything but functions changed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `is` beside a literal
        old, new = (compile(each.code, folder / mutant.module, "exec") for each in (mutant.unchanged, mutant))
    try:
        changed = list(_changed(old, new, functions))
        for function, code in changed:
            function.__code__ = code
    except ValueError:
        return False
    return bool(changed)


def _changed(old: CodeType, new: CodeType, functions: Functions) -> Iterator[tuple[FunctionType, CodeType]]:
    if _outline(old) != _outline(new):
        raise ValueError("more than the body of a function changed")
    for before, after in zip(old.co_consts, new.co_consts, strict=True):
        if isinstance(before, CodeType) and before != after:
            if _place(before) in functions:
                yield from ((function, after) for function in functions[_place(before)])
            else:
                yield from _changed(before, after, functions)  # the body of a class


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_name


def _outline(code: CodeType) -> tuple[Any, ...]:
    """What a module or a class does, apart from the bodies of its functions."""
    constants = tuple(None if isinstance(each, CodeType) else (type(each), repr(each)) for each in code.co_consts)
    return code.co_code, constants, code.co_names
