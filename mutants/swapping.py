"""Trying mutants quickly: functions are swapped in forks of one process that has already collected the tests.

Only a change of the body of a function can be tried this way; a mutant that survives is tried again as a changed file.
"""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutants.limits import PATIENCE, Outcome, limit
from mutants.sampling import Mutant

Place = tuple[str, int, str]  # file, first line and name of a function
Functions = dict[Place, list[FunctionType]]

Report = Callable[[Mutant, Outcome], None]

_AT_ONCE = os.cpu_count() or 1


class Swapping:
    """A plugin of pytest that tries mutants instead of running the tests, and reports those that a test noticed."""

    def __init__(self, folder: Path, tried: list[tuple[Mutant, list[str]]], report: Report) -> None:
        self._folder = folder
        self._tried = tried
        self._report = report
        self._passes: dict[str, bool] = {}  # tests on code that was not changed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant, several at once."""
        items = {item.nodeid: item for item in session.items}
        functions = living(self._folder)
        gc.collect()
        gc.freeze()
        waiting, running = list(reversed(self._tried)), dict[int, tuple[Mutant, list[str], int]]()
        while waiting or running:
            while waiting and len(running) < _AT_ONCE:
                mutant, names = waiting.pop()
                found, told = os.pipe()
                child = os.fork()
                if child == 0:
                    known = [items[name] for name in names if name in items]
                    _end(told, known, partial(swapped, mutant, self._folder, functions))
                os.close(told)
                running[child] = mutant, names, found
            child, status = os.wait()
            if child not in running:
                continue  # started by a test module
            mutant, names, found = running.pop(child)
            with os.fdopen(found, encoding="utf-8") as pipe:
                failed = pipe.read()
            if failed and not self._passed(items[failed]):
                waiting.append((mutant, [name for name in names if name != failed]))
            elif failed:
                self._report(mutant, "killed")
            elif os.waitstatus_to_exitcode(status) == -signal.SIGXCPU:
                self._report(mutant, "hangs")
        return True

    def _passed(self, item: pytest.Item) -> bool:
        """Whether a test passes on code that was not changed, in a fork as well."""
        if item.nodeid not in self._passes:
            found, told = os.pipe()
            child = os.fork()
            if child == 0:
                _end(told, [item])
            os.close(told)
            with os.fdopen(found, encoding="utf-8") as pipe:
                failed = pipe.read()
            self._passes[item.nodeid] = os.waitpid(child, 0)[1] == 0 and not failed
        return self._passes[item.nodeid]


def _end(told: int, items: list[pytest.Item], change: Callable[[], bool] = lambda: True) -> None:
    """Run the tests in this process, changed, until one fails; name it, and end the process."""
    try:
        limit()
        signal.alarm(PATIENCE)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silent, stream)
        if change():
            for item, following in zip(items, [*items[1:], None], strict=True):
                if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                    os.write(told, item.nodeid.encode())
                    break
    finally:
        os._exit(0)


def _compiled(mutant: Mutant, folder: Path) -> tuple[CodeType, CodeType]:
    """The code of a module before and after the change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `is` beside a literal
        old, new = (compile(each.code, folder / mutant.module, "exec") for each in (mutant.unchanged, mutant))
    return old, new


def living(source: Path) -> Functions:
    """The functions of the modules in a folder, by the place where they are defined."""
    found: Functions = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(str(source)):
            found.setdefault(_place(each.__code__), []).append(each)
    return found


def swapped(mutant: Mutant, folder: Path, functions: Functions) -> bool:
    """Give the functions of a module their new code; False if anything but functions changed."""
    try:
        changed = list(_changed(*_compiled(mutant, folder), functions))
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
